//! Commands of the user as targets.
//!
//! A command is a list of words (`command`), which runs without a shell, or a line for the shell
//! (`command_template`). Both have the same placeholders. [`form`] holds the two, and [`command`]
//! runs either.

mod argv;
mod batch;
mod command;
mod form;
mod healthcheck;
mod inputs;
mod interpreter;
mod placeholder;
mod program;
mod provider;
mod shell;
mod temporary_files;
mod values;
mod words;

pub(crate) use argv::{Argv, ArgvError};
pub use batch::of_batch;
pub(crate) use inputs::Inputs;
pub(crate) use interpreter::InterpretedText;
pub(crate) use placeholder::{PLACEHOLDERS, unknown_placeholders};
pub(crate) use program::Program;
pub(crate) use provider::build;
pub(crate) use shell::ShellLine;
