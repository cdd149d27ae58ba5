//! Runs trials: it turns cases into records.
//!
//! To run cases against a provider of your own, make a [`RunSpec`] of a [`CaseList`], a
//! [`Target`](agentv_core::Target) and [`Graders`], and pass it to [`run`]:
//!
//! ```
//! use std::sync::{Arc, Mutex};
//!
//! use agentv_core::{
//!     BoxFuture, Digest, EvalCase, EvalFile, Evaluation, Evaluator, EvaluatorSpec, Extra, Limits, Provider,
//!     ProviderError, ReportError, Reporter, Request, RunEvent, Score, Secrets, Status, Subject, Target, Transcript,
//! };
//! use agentv_journal::RunFolder;
//! use agentv_runner::{CaseList, Journal, RunSpec, StopHandle, run};
//! use tokio_util::sync::CancellationToken;
//!
//! /// The system under test.
//! struct Adds;
//!
//! impl Provider for Adds {
//!     fn answer<'a>(
//!         &'a self, _: &'a Request, _: &'a CancellationToken,
//!     ) -> BoxFuture<'a, Result<Transcript, ProviderError>> {
//!         Box::pin(async { Ok(Transcript::of_text("4")) })
//!     }
//! }
//!
//! /// A grader. Those that eval files name are in `agentv-evaluators`.
//! struct IsFour;
//!
//! impl Evaluator for IsFour {
//!     fn evaluate<'a>(
//!         &'a self, subject: &'a Subject<'a>,
//!     ) -> BoxFuture<'a, Result<Evaluation, agentv_core::EvaluatorError>> {
//!         Box::pin(async { Ok(Evaluation::of(Score::of(subject.answer == "4"))) })
//!     }
//! }
//!
//! /// Counts the trials that pass.
//! #[derive(Default)]
//! struct Passed(u32);
//!
//! impl Reporter for Passed {
//!     fn on_event(&mut self, event: &RunEvent) -> Result<(), ReportError> {
//!         if let RunEvent::Finished { record, .. } = event {
//!             self.0 += u32::from(record.status == Status::Pass);
//!         }
//!         Ok(())
//!     }
//! }
//!
//! # #[tokio::main(flavor = "current_thread")]
//! # async fn main() -> Result<(), Box<dyn std::error::Error>> {
//! # let project = tempfile::tempdir()?;
//! # let root = project.path();
//! let case: EvalCase = serde_json::from_str(r#"{
//!     "id": "sum", "dataset": "math", "expected_outcome": "The sum is right",
//!     "input_messages": [{"role": "user", "content": "What is 2+2?"}],
//!     "evaluators": [{"name": "four", "type": "four"}]
//! }"#)?;
//! let target = Target {
//!     name: "adds".to_owned(),
//!     kind: "adds".to_owned(),
//!     settings: Extra::new(),
//!     settings_digest: Digest::of_settings(&Extra::new()),
//!     judge_target: None,
//!     limits: Limits::API,
//!     provider: Arc::new(Adds),
//! };
//! let graders = |_: &EvalFile, _: &EvaluatorSpec| Ok(Arc::new(IsFour) as Arc<dyn Evaluator>);
//! // Every answer and grade is written here as soon as it exists.
//! let now = jiff::Timestamp::now();
//! let folder = RunFolder::create_at(&root.join("results"), now)?;
//! let journal = Journal::open(&mut folder.write(now)?, Secrets::default())?;
//!
//! let cases = CaseList::new("math.yaml".as_ref(), root, vec![case]);
//! let spec = RunSpec::new(cases, target, Arc::new(graders), journal);
//! let passed = Arc::new(Mutex::new(Passed::default()));
//! let ended = run(spec, StopHandle::default(), passed.clone()).await;
//! assert!(ended.error.is_none());
//! assert_eq!(passed.lock().unwrap().0, 1);
//! # Ok(())
//! # }
//! ```
//!
//! `own_provider`, an example of `agentv-project`, does the same with the cases and evaluators of an eval file.
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
mod case_list;
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
pub use case_list::CaseList;
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
