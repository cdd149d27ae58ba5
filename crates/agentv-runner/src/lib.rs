//! Cases to trials to records: a run.
//!
//! Three nouns:
//!
//! - a *trial* is one case, asked of one target, once; an *attempt* is a retry within it;
//! - a *lane* is one target of a run with everything that limits it: workers, requests and tokens a
//!   minute, a window that narrows when the target says it is too much;
//! - the [`Journal`] holds what was done, by two keys: a resume does what is missing and nothing else.
//!
//! [`run`] streams the cases of a [`CaseSource`] once for each lane, works out what each trial still
//! needs, does it, and writes it down: the target's answer before it is graded, the grade before it
//! is told. [`grade()`] does the same with answers that are there already, those of an earlier run or of
//! a file ([`AnswerSource`]), and asks nobody but judges. Both speak in [`RunEvent`](agentv_core::RunEvent)s, print nothing, and keep no list of
//! cases. A [`StopHandle`] ends them from outside.

mod assignment;
mod cache;
mod consumer;
mod digest;
mod eval_file;
mod failure;
mod journal;
mod regrade;
mod resume;
mod run;
mod schedule;
#[cfg(test)]
mod testing;
#[cfg(test)]
mod tests;
mod trial;
#[cfg(test)]
mod trouble_tests;

pub use agentv_core::EvalFile;
pub use assignment::Assignment;
pub use cache::{Cache, CacheError};
pub use consumer::SharedReporter;
pub use digest::{digest_of_file, digest_of_text};
pub use eval_file::{CaseSource, SourceError, Visit};
pub use failure::RunError;
pub use journal::Journal;
pub use regrade::answer_trials::GradedTarget;
pub use regrade::answers::{AnswerSource, Given, VisitGiven};
pub use regrade::preview::{RegradePreview, plan_regrading};
pub use regrade::regrading::{GradedWith, Regrading};
pub use regrade::source_run::{SourceRun, SourceRunFile};
pub use resume::previous_run::{PreviousRun, trial_fields};
pub use run::{Ended, RunSpec, TrialsSpec, run};
pub use schedule::selection::{ChosenTrials, Selection, Selector, Shard, ShardError};
pub use schedule::stop::StopHandle;
pub use schedule::survey::{FileJudges, Survey, survey};
pub use trial::execute::{Executor, ExecutorSpec, Notify};
pub use trial::grade::Graders;
