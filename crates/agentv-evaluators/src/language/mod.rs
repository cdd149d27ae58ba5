//! Checks that users write in a programming language: an expression, a function body, or a file.
//!
//! The code runs in a process of its own. It gets the answer as `output` and the case as `context`, and
//! returns true or false, a score, or an object with `pass`, `score` and `reason`.

mod evaluator;
mod result;
mod runtime;

pub(crate) use evaluator::{FIELDS, REQUIRED, build, files, problem};
pub(crate) use runtime::{JAVASCRIPT, PYTHON};
