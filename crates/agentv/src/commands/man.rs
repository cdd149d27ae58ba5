//! `agentv man`: prints the manual page, or writes those of all commands.

use std::fs;
use std::io::{self, Write};
use std::path::Path;

use agentv_project::ProjectError;
use clap::CommandFactory;

use crate::arguments::{Arguments, ManArguments};
use crate::exit::{CommandError, Exit};

pub(crate) fn run(arguments: &ManArguments) -> Result<Exit, CommandError> {
    match &arguments.out {
        Some(folder) => write_pages(folder).map_err(|error| {
            let folder = folder.display();
            ProjectError::because(format!("cannot write manual pages to `{folder}`: {error}"))
        })?,
        None => {
            let mut page = Vec::new();
            clap_mangen::Man::new(Arguments::command()).render(&mut page)?;
            io::stdout().write_all(&page)?;
        }
    }
    Ok(Exit::Success)
}

/// Writes one page per command: `agentv.1`, `agentv-run.1`, and so on.
fn write_pages(folder: &Path) -> io::Result<()> {
    fs::create_dir_all(folder)?;
    clap_mangen::generate_to(Arguments::command(), folder)
}
