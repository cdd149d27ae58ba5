//! Targets: those that can be named, those that a run asks, and a check that they answer.

mod check;
mod for_grading;
mod for_run;
mod for_worker;
mod known;
mod need;
mod open_suite;
mod options;
mod program;
mod resolver;
mod self_judging;

pub use check::{CheckedAnswer, CheckedTarget, TargetCheck, TargetTrouble};
pub(crate) use for_grading::{GradedFile, ResolvedJudges, resolve_judges};
pub(crate) use for_run::resolve_targets;
pub(crate) use for_worker::{WorkerTargets, resolve_for_worker};
pub use known::KnownTargets;
pub(crate) use open_suite::OpenSuite;
pub(crate) use options::TargetOptions;
pub(crate) use resolver::ResolvedTargets;
