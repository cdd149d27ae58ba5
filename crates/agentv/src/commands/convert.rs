//! `agentv convert`: converts an eval file to another format.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use signal_hook::consts::{SIGINT, SIGTERM};
use signal_hook::flag;

use agentv_dataset::{Conversion, ConvertError, ConvertOptions, convert};
use agentv_project::{Project, comments_on, counted};

use crate::arguments::{ConvertArguments, FormatName};
use crate::diagnostics::DiagnosticPrinter;
use crate::exit::{CommandError, Exit};
use crate::output;

pub(crate) fn run(arguments: &ConvertArguments) -> Result<Exit, CommandError> {
    let load = arguments.load.options(&Project::here());
    let options = ConvertOptions {
        to: match arguments.to {
            FormatName::Yaml => Conversion::Yaml,
            FormatName::Jsonl => Conversion::Jsonl,
            FormatName::Agentmark => Conversion::AgentMark,
        },
        force: arguments.force,
        lossy: arguments.lossy,
        comments: comments_on(&arguments.file, &load),
        load,
        interrupted: interrupted(),
    };
    match convert(&arguments.file, &arguments.output, &options) {
        Ok(converted) => {
            let printer = DiagnosticPrinter::for_checking();
            for warning in &converted.warnings {
                printer.print_error(warning);
            }
            let files: Vec<_> = converted
                .files
                .iter()
                .map(|file| format!("`{}`", file.display()))
                .collect();
            if let Some(serving) = &converted.served_by {
                let serving = serving.display();
                output::note(&format!(
                    "dataset-level fields stay in `{serving}`, the sidecar of both files"
                ));
            }
            let cases = counted(converted.cases, "case");
            output::note(&format!(
                "wrote {cases} to {}",
                files.join(", dataset-level fields to ")
            ));
            Ok(Exit::Success)
        }
        Err(ConvertError::Interrupted) => {
            output::error(&ConvertError::Interrupted.to_string(), None);
            Ok(Exit::Signal(options.interrupted.load(Ordering::Relaxed)))
        }
        Err(error) => Ok(refused(&error)),
    }
}

/// Returns a number that becomes that of the first signal. A second signal ends the program at once.
fn interrupted() -> Arc<AtomicUsize> {
    let interrupted = Arc::new(AtomicUsize::new(0));
    let again = Arc::new(AtomicBool::new(false));
    for signal in [SIGINT, SIGTERM] {
        // Without handlers the program still stops, only less tidily.
        let _ = flag::register_conditional_shutdown(signal, 128 + signal, Arc::clone(&again));
        let _ = flag::register(signal, Arc::clone(&again));
        let _ = flag::register_usize(signal, Arc::clone(&interrupted), signal as usize);
    }
    interrupted
}

fn refused(error: &ConvertError) -> Exit {
    let printer = DiagnosticPrinter::for_checking();
    if let ConvertError::Problems(problems) = error {
        for problem in problems {
            printer.print_error(problem);
        }
    }
    let (hint, exit) = match error {
        ConvertError::Problems(_) => (Some("`agentv validate` lists all of them"), Exit::Problems),
        ConvertError::Extension { .. } => (None, Exit::Unusable),
        ConvertError::OwnInput(_) => (Some("choose another file with `-o`"), Exit::Unusable),
        ConvertError::Exists(_) => (
            Some("replace it with `--force`, or choose another file with `-o`"),
            Exit::Unusable,
        ),
        ConvertError::NotASidecar(_) => (Some("choose another file with `-o`"), Exit::Unusable),
        ConvertError::Interrupted => (None, Exit::NotWritten),
        ConvertError::Lossy(_) => (Some("drop them with `--lossy`"), Exit::Problems),
        ConvertError::OutOfReach { .. } => (
            Some("write inside the project, or load both with `--allow-outside-root`"),
            Exit::Problems,
        ),
        ConvertError::Io(..) => (None, Exit::NotWritten),
    };
    output::error(&error.to_string(), hint);
    exit
}
