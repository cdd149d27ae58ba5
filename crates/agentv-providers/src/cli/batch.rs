//! One command for all cases: JSONL in, JSONL out.

use std::collections::HashMap;
use std::path::PathBuf;

use agentv_core::{Cause, Extra, ProviderError, Request, Transcript};
use agentv_syntax::nearest;
use serde_json::{Value, json};
use tokio_util::sync::CancellationToken;

use super::command::Command;
use super::provider::Cli;
use super::temporary_files::TemporaryFiles;
use super::values::Values;
use crate::answer;
use crate::excerpt::excerpt;
use crate::target::SettingError;

/// The most bytes that the answers to all cases may have.
const LARGEST_OUTPUT: usize = 1 << 30;

type Answers = Vec<Result<Transcript, ProviderError>>;

/// Checks that a command for all cases gets them as a file, or reads the eval file itself.
///
/// # Errors
/// If it has placeholders for a single case.
pub(super) fn check(command: &Command) -> Result<(), SettingError> {
    let refuse = |message: &str| Err(SettingError::of(command.field(), message));
    if command.uses("PROMPT") || command.uses("GUIDELINES") {
        return refuse(
            "`{PROMPT}` and `{GUIDELINES}` cannot be used with `provider_batching`: the command \
             reads all cases from `{PROMPT_FILE}`",
        );
    }
    Ok(())
}

pub(super) async fn answer_all(
    cli: &Cli,
    requests: &[Request],
    cancel: &CancellationToken,
) -> Result<Answers, ProviderError> {
    let Some(first) = requests.first() else {
        return Ok(Vec::new());
    };
    let temporary = TemporaryFiles::new(
        &cli.command,
        "batch",
        cli.keep_temp_files,
        first.workspace.as_deref(),
    )?;
    temporary.write_prompt(&rows(requests)).await?;
    let values = Values {
        prompt: "",
        guidelines: "",
        eval_id: "batch",
        attempt: first.attempt,
        files: &files(requests),
        temporary: &temporary,
    };
    let output = cli
        .command
        .run(&values, first, LARGEST_OUTPUT, cancel)
        .await;
    let output = temporary.explained(output)?;
    temporary.explained(of_batch(&output, requests))
}

/// Parses the output of a command that ran for all cases at once.
///
/// # Errors
/// If a line of it is not an answer.
pub fn of_batch(output: &str, requests: &[Request]) -> Result<Answers, ProviderError> {
    Ok(Lines::of(output)?.answers(requests))
}

fn rows(requests: &[Request]) -> Vec<u8> {
    let mut rows = Vec::new();
    for request in requests {
        let row = json!({
            "id": request.eval_id,
            "question": request.prompt.question,
            "guidelines": request.prompt.guidelines,
        });
        rows.extend_from_slice(row.to_string().as_bytes());
        rows.push(b'\n');
    }
    rows
}

/// Returns the files of all cases, each once.
fn files(requests: &[Request]) -> Vec<PathBuf> {
    let mut files: Vec<PathBuf> = Vec::new();
    let mut known = std::collections::HashSet::new();
    for file in requests.iter().flat_map(|request| &request.files) {
        if known.insert(file) {
            files.push(file.clone());
        }
    }
    files
}

/// The lines of an output by id, in the order of the output.
struct Lines {
    by_id: HashMap<String, Vec<Extra>>,
}

impl Lines {
    fn of(output: &str) -> Result<Lines, ProviderError> {
        let mut by_id: HashMap<String, Vec<Extra>> = HashMap::new();
        for (index, line) in output.lines().enumerate() {
            if line.trim().is_empty() {
                continue;
            }
            let (id, fields) = row(line).map_err(|reason| {
                let message = format!("line {} of the command's output: {reason}", index + 1);
                ProviderError::new(Cause::Answer, message)
            })?;
            by_id.entry(id).or_default().push(fields);
        }
        Ok(Lines { by_id })
    }

    /// Assigns the lines to the requests. A case with several requests gets its lines in their order.
    fn answers(mut self, requests: &[Request]) -> Answers {
        let mut asked: HashMap<&str, usize> = HashMap::new();
        for request in requests {
            *asked.entry(&request.eval_id).or_default() += 1;
        }
        let mut foreign = Vec::new();
        let mut repeated = HashMap::new();
        for (id, lines) in &mut self.by_id {
            match asked.get(id.as_str()) {
                None => foreign.push(id.clone()),
                Some(count) if lines.len() > *count => {
                    repeated.insert(id.clone(), lines.len());
                }
                Some(_) => lines.reverse(),
            }
        }
        foreign.sort_unstable();
        let answers = requests.iter().map(|request| {
            let id = request.eval_id.as_str();
            if let Some(count) = repeated.get(id) {
                let message = format!("the command's output has {count} lines with id `{id}`");
                return Err(ProviderError::new(Cause::Answer, message));
            }
            let line = self.by_id.get_mut(id).and_then(Vec::pop);
            transcript(id, line.ok_or_else(|| missing(id, &foreign))?)
        });
        answers.collect()
    }
}

fn transcript(id: &str, fields: Extra) -> Result<Transcript, ProviderError> {
    answer::of_fields(fields).map_err(|reason| {
        let message = format!("the line with id `{id}` in the command's output: {reason}");
        ProviderError::new(Cause::Answer, message)
    })
}

/// A line of the output that is not an answer.
#[derive(Debug, thiserror::Error)]
enum LineError {
    #[error("invalid JSON: {}", answer::reason_in_line(.0))]
    NotJson(#[from] serde_json::Error),
    #[error("expected an object with `id`, found {0}")]
    NotAnObject(&'static str),
    #[error("`id`: expected a string, found {0}")]
    WrongId(&'static str),
    #[error("missing id")]
    NoId,
}

fn row(line: &str) -> Result<(String, Extra), LineError> {
    let value = serde_json::from_str(line)?;
    let Value::Object(mut fields) = value else {
        return Err(LineError::NotAnObject(answer::described(&value)));
    };
    match fields.shift_remove("id") {
        Some(Value::String(id)) => Ok((id, fields)),
        Some(other) => Err(LineError::WrongId(answer::described(&other))),
        None => Err(LineError::NoId),
    }
}

fn missing(id: &str, foreign: &[String]) -> ProviderError {
    let near =
        nearest(id, foreign.iter().map(String::as_str)).or(foreign.first().map(String::as_str));
    let found = match near {
        Some(other) => format!(
            "; it has one with id `{}`, which is not a case of this batch",
            excerpt(other)
        ),
        None => String::new(),
    };
    let message = format!("the command's output has no line with id `{id}`{found}");
    ProviderError::new(Cause::Missing, message)
}
