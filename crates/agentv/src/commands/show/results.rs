//! The results of a run.

use std::io::{self, Write};

use agentv_journal::RunFolder;
use agentv_project::each_result;

use super::printer::Printer;
use crate::arguments::ShowArguments;
use crate::exit::{CommandError, Exit};
use crate::output;

/// Prints the results of the run in a folder, or those of one case: of each trial, the last.
pub(super) fn show(arguments: &ShowArguments) -> Result<Exit, CommandError> {
    let folder = match RunFolder::open(&arguments.file) {
        Ok(folder) => folder,
        Err(error) => {
            output::error(&error.to_string(), None);
            return Ok(Exit::Unusable);
        }
    };
    let mut printer = Printer::new(output::stdout(), arguments.format);
    let mut printed: io::Result<()> = Ok(());
    let read = each_result(&folder, &mut |record| {
        let wanted = arguments.id.as_ref().is_none_or(|id| *id == record.eval_id);
        if wanted && printed.is_ok() {
            printed = printer.print(&record);
        }
    });
    printed?;
    printer.out.flush()?;
    read?;
    match &arguments.id {
        Some(id) if printer.printed == 0 => {
            let message = format!("run `{}` has no result of case `{id}`", folder.id());
            output::error(&message, None);
            Ok(Exit::Unusable)
        }
        _ => Ok(Exit::Success),
    }
}
