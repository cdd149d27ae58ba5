//! Targets that are ready to be asked.

mod resolve;

pub(crate) use resolve::{
    Asking, GradedFile, ResolvedJudges, ResolvedTargets, resolve, resolve_judges,
};
