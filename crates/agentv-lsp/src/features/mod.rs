//! The answers to the requests of an editor, one file each.

mod case_rows;
mod completion;
mod context;
mod definition;
mod hover;
mod last_scores;
mod lenses;
mod quick_fixes;
mod rename;
mod run_case;
mod spellings;
mod symbols;

pub(crate) use completion::complete;
pub(crate) use context::Context;
pub(crate) use definition::definition;
pub(crate) use hover::hover;
pub(crate) use last_scores::LastScores;
pub(crate) use lenses::lenses;
pub(crate) use quick_fixes::quick_fixes;
pub(crate) use rename::{RenameError, prepare_rename, rename};
pub(crate) use run_case::{RUN_CASE, RunCase};
pub(crate) use symbols::symbols;
