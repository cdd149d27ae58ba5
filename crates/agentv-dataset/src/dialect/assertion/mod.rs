//! Assertions of other dialects, as evaluators of ours.

mod assertions;
mod code;
mod combined;
mod include;
mod judge;
pub(super) mod promptfoo;
mod select_best;
mod table;
mod text;
mod trajectory;

pub(super) use assertions::{Assertions, Words};
pub(super) use select_best::compared_with;
