//! Compares a value with a shape, and reports everything that is wrong with it.

mod cache;
mod checker;
mod guesses;
mod hints;
mod keys;
mod names;
mod number_like;
mod path;
mod table;
#[cfg(test)]
mod tests;

pub use cache::CheckCache;
pub use checker::{Checker, FileReference, check};
pub use keys::{check_keys, repeated_key};
pub use names::snake_case;
pub use number_like::check_number_like;
