//! Commands of the user as targets.
//!
//! A command is a list of words (`command`), which runs without a shell, or a line for the shell
//! (`command_template`). Both have the same placeholders. [`form`] holds the two, and [`command`]
//! runs either.

mod argv;
mod batch;
mod check;
mod command;
mod form;
mod healthcheck;
mod inputs;
mod placeholder;
mod program;
mod program_text;
mod provider;
mod shell;
mod temporary_files;
mod values;
mod words;

pub use batch::of_batch;
pub(crate) use check::check;
pub(crate) use inputs::Inputs;
pub(crate) use program::Program;
pub(crate) use provider::build;
