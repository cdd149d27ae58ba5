//! The answers of an earlier run, graded again.

pub(crate) mod answers;
pub(crate) mod fingerprint;
pub(crate) mod grading;
pub(crate) mod preview;
pub(crate) mod regrading;
pub(crate) mod source_run;
#[cfg(test)]
mod tests;
