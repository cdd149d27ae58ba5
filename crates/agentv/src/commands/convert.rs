//! `agentv convert`: one format into another.

use agentv_dataset::{Conversion, ConvertError, ConvertOptions, Rules, convert};

use super::load_options;
use crate::arguments::{ConvertArguments, FormatName};
use crate::diagnostics::Teller;
use crate::exit::{Exit, OutputError};
use crate::output::{self, counted};

pub(crate) fn run(arguments: &ConvertArguments) -> Result<Exit, OutputError> {
    let options = ConvertOptions {
        to: match arguments.to {
            FormatName::Yaml => Conversion::Yaml,
            FormatName::Jsonl => Conversion::Jsonl,
            FormatName::Agentmark => Conversion::AgentMark,
        },
        force: arguments.force,
        lossy: arguments.lossy,
        load: load_options(&arguments.load, Rules::Agentv),
    };
    match convert(&arguments.file, &arguments.output, &options) {
        Ok(converted) => {
            let teller = Teller::for_checking();
            for warning in &converted.warnings {
                teller.tell_error(warning);
            }
            let files: Vec<_> = converted
                .files
                .iter()
                .map(|file| format!("`{}`", file.display()))
                .collect();
            let cases = counted(converted.cases, "case");
            output::note(&format!(
                "wrote {cases} to {}",
                files.join(", dataset-level fields to ")
            ));
            Ok(Exit::Success)
        }
        Err(error) => Ok(refused(&error)),
    }
}

fn refused(error: &ConvertError) -> Exit {
    let teller = Teller::for_checking();
    if let ConvertError::Problems(problems) = error {
        for problem in problems {
            teller.tell_error(problem);
        }
    }
    let (hint, exit) = match error {
        ConvertError::Problems(_) => (Some("`agentv validate` lists all of them"), Exit::Problems),
        ConvertError::Extension { .. } => (None, Exit::Unusable),
        ConvertError::OwnInput(_) => (Some("choose another file with -o"), Exit::Unusable),
        ConvertError::Exists(_) => (
            Some("--force replaces it, or choose another file with -o"),
            Exit::Unusable,
        ),
        ConvertError::Lossy(_) => (Some("--lossy drops them"), Exit::Problems),
        ConvertError::OutOfReach { .. } => (
            Some("write inside the project, or load both with --allow-outside-root"),
            Exit::Problems,
        ),
        ConvertError::Io(..) => (None, Exit::NotWritten),
    };
    output::error(&error.to_string(), hint);
    exit
}
