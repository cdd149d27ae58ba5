//! Answers of other runs, by answer key.

mod answers;

pub(crate) use answers::CachedAnswer;
pub use answers::{Cache, CacheError};
