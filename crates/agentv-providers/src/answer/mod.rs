//! Answers in the output of commands, in the responses of endpoints and in files.

mod depth;
mod error;
mod figures;
mod output;

pub(crate) use depth::{DEEPEST, can_be_kept, is_within};
pub(crate) use error::{AnswerError, reason_in_line};
pub use output::of_output;
pub(crate) use output::{described, of_fields};
