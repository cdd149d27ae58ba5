//! One trial: the target is asked, its answer is graded.

pub(crate) mod ask_together;
pub(crate) mod attempt;
pub(crate) mod execute;
mod fault;
pub(crate) mod grade;
pub(crate) mod graded_turns;
pub(crate) mod judges;
#[cfg(test)]
pub(crate) mod judges_tests;
pub(crate) mod panic;
pub(crate) mod prompt_dump;
pub(crate) mod records;
pub(crate) mod request;
pub(crate) mod steps;
#[cfg(test)]
mod steps_tests;
pub(crate) mod turns;
