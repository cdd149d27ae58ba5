//! `agentv import`: turns sessions, traces and logs of other tools into a recording.

use std::collections::HashSet;
use std::path::Path;

use agentv_project::{ProjectError, counted};
use agentv_providers::import::ImportedAnswer;
use agentv_report::replace_file;

use crate::arguments::ImportArguments;
use crate::exit::{CommandError, Exit};
use crate::output;

pub(crate) fn run(arguments: &ImportArguments) -> Result<Exit, CommandError> {
    if arguments.output.exists() && !arguments.force {
        let message = format!("`{}` already exists", arguments.output.display());
        let hint = "replace it with `--force`, or choose another file with `-o`".to_owned();
        return Err(ProjectError::with_hint(message, Some(hint)).into());
    }
    let mut answers = Vec::new();
    for file in &arguments.files {
        answers.append(&mut answers_of(file, arguments)?);
    }
    name(&mut answers, arguments.id.as_deref())?;
    let written = replace_file(&arguments.output, &mut |out| {
        for answer in &answers {
            writeln!(out, "{}", answer.to_line())?;
        }
        Ok(())
    });
    written.map_err(ProjectError::not_written)?;
    let count = counted(answers.len() as u64, "answer");
    output::note(&format!(
        "wrote {count} to `{}`",
        arguments.output.display()
    ));
    Ok(Exit::Success)
}

fn answers_of(
    file: &Path,
    arguments: &ImportArguments,
) -> Result<Vec<ImportedAnswer>, ProjectError> {
    let failed = |reason: String| ProjectError::because(format!("`{}`: {reason}", file.display()));
    let content = std::fs::read(file).map_err(|error| failed(error.to_string()))?;
    let name = file.file_stem().unwrap_or_default().to_string_lossy();
    let answers = arguments.source.answers(&name, &content);
    answers.map_err(|error| failed(error.to_string()))
}

/// Gives the only answer the id that the user wants, and refuses two answers for the same trial of a case.
fn name(answers: &mut [ImportedAnswer], id: Option<&str>) -> Result<(), ProjectError> {
    if let Some(id) = id {
        let [answer] = answers else {
            let count = counted(answers.len() as u64, "answer");
            return Err(ProjectError::because(format!(
                "`--id` names one answer, but there are {count}"
            )));
        };
        answer.id = id.to_owned();
    }
    let mut known = HashSet::new();
    for answer in answers.iter() {
        if !known.insert((&answer.id, answer.trial)) {
            let message = format!("there are two answers for `{}`", answer.id);
            let hint = "import the files one by one, with `--id`".to_owned();
            return Err(ProjectError::with_hint(message, Some(hint)));
        }
    }
    Ok(())
}
