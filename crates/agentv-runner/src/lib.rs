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

mod answers;
mod attempt;
mod batch;
mod budget;
mod cache;
mod cached;
mod digest;
mod dispatch;
mod dump;
mod earlier;
mod eval_file;
mod feed;
mod fingerprint;
mod grade;
mod grading;
#[cfg(test)]
mod grading_tests;
mod job;
mod journal;
mod judging;
#[cfg(test)]
mod judging_tests;
mod keys;
mod lane;
mod origin;
mod outcome;
mod outlook;
mod pace;
mod produce;
mod regrading;
mod reuse;
mod run;
mod selection;
mod state;
mod stop;
mod survey;
#[cfg(test)]
mod testing;
#[cfg(test)]
mod tests;
mod trial;
#[cfg(test)]
mod trouble;
mod window;

pub use answers::{AnswerSource, Given, VisitGiven};
pub use cache::{Cache, CacheError};
pub use digest::{digest_of_file, digest_of_text};
pub use earlier::{Earlier, trial_fields};
pub use eval_file::{CaseSource, EvalFile, SourceError, Visit};
pub use grade::Graders;
pub use grading::{GradeSpec, GradedTarget, grade};
pub use journal::Journal;
pub use origin::{Origin, OriginFile};
pub use outlook::{Outlook, plan_regrading};
pub use regrading::{GradedWith, Regrading};
pub use run::{Assignment, Ended, RunSpec, run};
pub use selection::{ChosenTrials, Selection, Selector, Shard};
pub use state::{RunError, SharedReporter};
pub use stop::StopHandle;
pub use survey::{FileJudges, Survey, survey};
