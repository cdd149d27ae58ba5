//! JUnit XML, which CI servers show together with the tests of a program.

mod format;
mod incomplete;
#[cfg(test)]
mod schema;
mod skipped;
mod suite;
#[cfg(test)]
mod tests;
mod trial;
mod xml;

pub(super) use format::FORMAT;
