//! The answers of an earlier run, graded again.

pub(crate) mod answer_trials;
pub(crate) mod answers;
pub(crate) mod preview;
pub(crate) mod regrading;
pub(crate) mod source_run;
#[cfg(test)]
mod tests;
