//! Scripts of the user's: what grades an answer, prints a prompt, or joins results.
//!
//! A `Script` is a command with its folder and its time. It waits for its `Turn`, for no more than a
//! few run at a time, reads JSON from its stdin (`input`), and what it printed is checked: a command
//! that failed, was ended, or said what is no text has said nothing. What a grade looks like on
//! stdout is in `output`.

mod command;
mod error;
mod files;
pub(crate) mod input;
mod interpreter;
mod options;
pub(crate) mod output;
mod places;
mod printed;

pub(crate) use command::Script;
pub(crate) use error::ScriptError;
pub(crate) use files::files;
pub(crate) use options::{FOLDER, SCRIPT, TIMEOUT};
pub use places::ScriptPlaces;
