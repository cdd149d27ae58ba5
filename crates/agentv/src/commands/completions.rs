//! `agentv completions`: prints a completion script for a shell.

use std::io::{self, Write};

use clap::CommandFactory;

use crate::arguments::{Arguments, CompletionsArguments};
use crate::exit::{CommandError, Exit};

pub(crate) fn run(arguments: &CompletionsArguments) -> Result<Exit, CommandError> {
    let mut script = Vec::new();
    let mut command = Arguments::command();
    clap_complete::generate(arguments.shell, &mut command, "agentv", &mut script);
    io::stdout().write_all(&script)?;
    Ok(Exit::Success)
}
