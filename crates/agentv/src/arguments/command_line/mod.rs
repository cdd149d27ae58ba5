//! Parsed arguments, written as a command line again.

mod builder;
mod resumable;
#[cfg(test)]
mod tests;
