//! Answers of previous runs, looked up and kept by answer key.

pub(crate) mod lookup;
pub(crate) mod store;
