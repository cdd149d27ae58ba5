//! One trial: the target is asked, its answer is graded.

pub(crate) mod attempt;
pub(crate) mod grade;
pub(crate) mod job;
pub(crate) mod judges;
#[cfg(test)]
pub(crate) mod judges_tests;
pub(crate) mod keys;
pub(crate) mod outcome;
pub(crate) mod prompt_dump;
pub(crate) mod run_trial;
