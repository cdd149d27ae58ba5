//! Targets: those that can be named, those that a run asks, and a check that they answer.

mod check;
mod known;
mod resolve;

pub use check::{CheckedTarget, TargetCheck, TargetTrouble};
pub use known::KnownTargets;
pub(crate) use resolve::{
    Asking, GradedFile, ResolvedJudges, ResolvedTargets, resolve, resolve_judges,
};
