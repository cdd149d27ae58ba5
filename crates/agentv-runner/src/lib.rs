//! Runs trials: it turns cases into records.
//!
//! Three nouns:
//!
//! - a *trial* is one case for one target, once ([`Trial`](agentv_core::Trial)); an *attempt* is
//!   one call within it;
//! - a *lane* is one target of a run with its limits: workers, requests and tokens per minute, and
//!   a concurrency limit that shrinks when the target refuses requests;
//! - the [`Journal`] records finished work under two keys: a resume does the missing work and
//!   nothing else.
//!
//! [`run`] takes trials from a source: the cases of a [`CaseSource`], or the answers of an
//! [`AnswerSource`] that are only graded. The [`Executor`] turns each trial into its outcome and
//! writes nothing. One consumer writes each step to the journal, the answer before it is graded,
//! and then reports it as a [`RunEvent`](agentv_core::RunEvent). Nothing here prints, and nothing
//! keeps a list of cases. A [`StopHandle`] ends a run from outside.

mod assignment;
mod cache;
mod case_source;
mod consumer;
mod digest;
mod failure;
mod journal;
mod regrade;
mod remote;
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
mod workspace;

pub use agentv_core::EvalFile;
pub use assignment::Assignment;
pub use cache::{Cache, CacheError};
pub use case_source::{CaseSource, SourceError, Visit};
pub use consumer::SharedReporter;
pub use digest::{digest_of_file, digest_of_text};
pub use failure::RunError;
pub use journal::Journal;
pub use regrade::answer_trials::GradedTarget;
pub use regrade::answers::{AnswerSource, GivenRecord, VisitGiven};
pub use regrade::preview::{RegradePreview, plan_regrading};
pub use regrade::regrading::{GradedWith, Regrading};
pub use regrade::source_run::{SourceRun, SourceRunFile};
pub use remote::{
    Acknowledge, CallGate, CallLease, CallOutcome, CallPlace, RemoteEngine, RemoteNews,
};
pub use resume::previous_run::{Changes, PreviousRun, trial_fields};
pub use run::{Ended, Run, RunSpec, TrialsSpec, run};
pub use schedule::selection::{ChosenTrials, Selection, Selector};
pub use schedule::shard::{BalancedShards, CaseTimes, Shard, ShardError};
pub use schedule::stop::StopHandle;
pub use schedule::survey::{FileJudges, FileNeeds, Needs, Survey, survey};
pub use trial::execute::{Executor, ExecutorSpec, Notify, TakeStep};
pub use trial::grade::Graders;
pub use trial::panic::is_panic_caught;
pub use workspace::{NoWorkspace, RunWorkspaces};
