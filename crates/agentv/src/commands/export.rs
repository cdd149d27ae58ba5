//! `agentv export`: writes a run in the format of another tool.

use std::io::{self, Write};

use agentv_project::{Project, ProjectError, counted};
use agentv_report::{ExportError, RunResults, replace_file, write_otlp};

use crate::arguments::{ExportArguments, ExportFormat, ExportOtlpArguments};
use crate::exit::{CommandError, Exit};
use crate::output;
use crate::stderr_notices::StderrNotices;

pub(crate) fn run(arguments: &ExportArguments) -> Result<Exit, CommandError> {
    match &arguments.format {
        ExportFormat::Otlp(arguments) => otlp(arguments),
    }
}

fn otlp(arguments: &ExportOtlpArguments) -> Result<Exit, CommandError> {
    let folders = Project::here().run_folders()?;
    let results = folders.results_named(&arguments.run, &mut StderrNotices::new())?;
    let Some(path) = &arguments.output else {
        let mut stdout = output::stdout();
        return match write_otlp(&results, &mut stdout) {
            Ok(_) => {
                stdout.flush()?;
                Ok(Exit::Success)
            }
            Err(ExportError::NotWritten(error)) => Err(error.into()),
            Err(error) => Err(ProjectError::from_error(error).into()),
        };
    };
    let mut count = 0;
    let written = replace_file(path, &mut |out| {
        count = exported(&results, out)?;
        Ok(())
    });
    written.map_err(ProjectError::not_written)?;
    output::note(&format!(
        "wrote {} to `{}`",
        counted(count, "trace"),
        path.display()
    ));
    Ok(Exit::Success)
}

fn exported(results: &RunResults, out: &mut dyn Write) -> io::Result<u64> {
    write_otlp(results, out).map_err(|error| match error {
        ExportError::NotWritten(error) => error,
        other => io::Error::other(other),
    })
}
