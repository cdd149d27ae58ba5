//! Users' scripts that grade answers, print prompts, or combine results.
//!
//! A `Script` is a command with its folder and time limit. Since only a few run at a time, it waits
//! for its `Turn`. It reads JSON from its stdin (`input`). A command that fails, runs too long or
//! prints something other than text is an error. `output` reads the grade from stdout.

mod command;
mod error;
mod files;
pub(crate) mod input;
mod interpreter;
mod options;
pub(crate) mod output;
mod places;
mod printed;
mod protocol;
mod surroundings;

pub(crate) use command::{CommandEnd, Script};
pub(crate) use error::ScriptError;
pub(crate) use files::{files, files_beside_eval, files_in};
pub(crate) use options::{FOLDER, PASS_ENV, SANDBOX, SCRIPT, TIMEOUT};
pub use places::ScriptPlaces;
pub(crate) use protocol::Protocol;
pub(crate) use surroundings::Inside;
