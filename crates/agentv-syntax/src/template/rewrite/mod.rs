//! Rewrites a parsed template so that every operation pays for the values it touches, and text from
//! others is written between tags.

mod expressions;
mod origins;
mod pay;
mod rewriter;
mod statements;

pub(super) use rewriter::{Rewritten, rewrite};
