//! A script of the user's that prints the prompt of a judge.

use std::path::PathBuf;
use std::time::Duration;

use agentv_core::{Extra, Subject};
use agentv_process::{CommandSpec, Runner};
use serde_json::{Value, json};
use tokio_util::sync::CancellationToken;

use super::fence::Fence;
use super::variables;

/// The longest that a script may take.
const DEADLINE: Duration = Duration::from_secs(300);
/// The most that it may print.
const LARGEST_PROMPT: usize = 4 << 20;
/// The most that is told of what it wrote to stderr.
const TOLD: usize = 1_000;

/// A command that reads a case and its answer as JSON, and prints what the judge is shown.
#[derive(Debug)]
pub(crate) struct PromptScript {
    pub(super) arguments: Vec<String>,
    pub(super) config: Extra,
    pub(super) folder: PathBuf,
    pub(super) runner: Runner,
}

impl PromptScript {
    /// Runs the script. It reads the variables of prompts as they are, `config`, and under `delimited`
    /// the same variables in the tags that are declared to the judge.
    pub(super) async fn run(&self, subject: &Subject<'_>, fence: &Fence) -> Result<String, String> {
        let mut input = variables::plain(subject);
        let delimited = json!(variables::fenced(subject, fence, |_| true));
        input.insert("delimited".to_owned(), delimited);
        input.insert("config".to_owned(), Value::Object(self.config.clone()));
        let [program, arguments @ ..] = self.arguments.as_slice() else {
            return Err("the prompt script names no program".to_owned());
        };
        let spec = CommandSpec::program(program)
            .args(arguments)
            .current_dir(&self.folder)
            .stdin(Value::Object(input).to_string())
            .deadline(DEADLINE)
            .stdout_limit(LARGEST_PROMPT);
        let finished = self.runner.run(spec, &CancellationToken::new()).await;
        let finished = finished.map_err(|error| format!("the prompt script: {error}"))?;
        if !finished.status.success() {
            let said = finished.stderr.text();
            let start = said.char_indices().rev().nth(TOLD).map_or(0, |(at, _)| at);
            let end = said[start..].trim();
            let told = if end.is_empty() { "" } else { ": " };
            let status = finished.status;
            return Err(format!("the prompt script failed with {status}{told}{end}"));
        }
        if finished.stdout.is_truncated() {
            return Err("the prompt script printed more than 4 MiB".to_owned());
        }
        let prompt = String::from_utf8(finished.stdout.bytes);
        let prompt =
            prompt.map_err(|_| "the prompt script printed what is not UTF-8".to_owned())?;
        match prompt.trim() {
            "" => Err("the prompt script printed nothing".to_owned()),
            prompt => Ok(prompt.to_owned()),
        }
    }
}
