//! The tools of a model target: fixed outputs and commands.

use std::time::Duration;

use agentv_core::{BoxFuture, Extra, Request, ToolCall, ToolOutput, Toolbox};
use agentv_process::{CommandSpec, Runner};
use serde_json::Value;
use tokio_util::sync::CancellationToken;

use crate::excerpt::excerpt;
use crate::target::{SettingError, Settings};

/// The number of requests that a trial may make by default.
const MAX_STEPS: u64 = 10;
/// The most bytes of a command's output that a model gets.
const LARGEST_OUTPUT: usize = 1 << 20;

/// The tools of a target that have a result.
pub(super) struct Tools {
    tools: Vec<Tool>,
    /// The names of the tools that have none: a call of one ends the trial.
    without_result: Vec<String>,
    max_steps: u32,
}

struct Tool {
    name: String,
    source: Source,
}

enum Source {
    /// Outputs for certain arguments, and one for all others.
    Fixed {
        by_input: Vec<(Value, Value)>,
        otherwise: Option<Value>,
    },
    Command(Vec<String>),
}

impl Tools {
    /// Reads the tools of a target; `None` if none of them has a result.
    pub(super) fn of(settings: &Settings) -> Result<Option<Tools>, SettingError> {
        let written = settings.value("tools").and_then(Value::as_array);
        let mut tools = Vec::new();
        let mut without_result = Vec::new();
        for fields in written.into_iter().flatten().filter_map(Value::as_object) {
            let name = fields.get("name").and_then(Value::as_str);
            let name = name.unwrap_or_default().to_owned();
            match source(&name, fields)? {
                Some(source) => tools.push(Tool { name, source }),
                None => without_result.push(name),
            }
        }
        let max_steps = settings.count("max_steps")?.unwrap_or(MAX_STEPS);
        if tools.is_empty() {
            return Ok(None);
        }
        Ok(Some(Tools {
            tools,
            without_result,
            max_steps: u32::try_from(max_steps).unwrap_or(u32::MAX).max(1),
        }))
    }

    /// Returns the commands that the tools run.
    pub(super) fn commands(&self) -> Vec<Vec<String>> {
        let commands = self.tools.iter().filter_map(|tool| match &tool.source {
            Source::Command(argv) => Some(argv.clone()),
            Source::Fixed { .. } => None,
        });
        commands.collect()
    }

    async fn run(
        &self,
        call: &ToolCall,
        request: &Request,
        cancel: &CancellationToken,
    ) -> Result<Value, String> {
        let tool = self.tools.iter().find(|tool| tool.name == call.tool);
        let Some(tool) = tool else {
            return Err(format!("there is no tool `{}`", call.tool));
        };
        match &tool.source {
            Source::Fixed {
                by_input,
                otherwise,
            } => {
                let input = call.input.as_ref().unwrap_or(&Value::Null);
                let known = by_input.iter().find(|(given, _)| holds(input, given));
                let output = known.map(|(_, output)| output).or(otherwise.as_ref());
                let missing = || "there is no output for these arguments".to_owned();
                output.cloned().ok_or_else(missing)
            }
            Source::Command(argv) => command(argv, call, request, cancel).await,
        }
    }
}

impl Toolbox for Tools {
    fn answers(&self, tool: &str) -> bool {
        !self.without_result.iter().any(|name| name == tool)
    }

    fn call<'a>(
        &'a self,
        call: &'a ToolCall,
        request: &'a Request,
        cancel: &'a CancellationToken,
    ) -> BoxFuture<'a, ToolOutput> {
        Box::pin(async move {
            match self.run(call, request, cancel).await {
                Ok(output) => ToolOutput {
                    output,
                    is_error: false,
                },
                Err(reason) => ToolOutput {
                    output: Value::String(reason),
                    is_error: true,
                },
            }
        })
    }

    fn max_steps(&self) -> u32 {
        self.max_steps
    }
}

fn source(name: &str, fields: &Extra) -> Result<Option<Source>, SettingError> {
    let wrong = |problem: &str| SettingError::of("tools", format!("tool `{name}`: {problem}"));
    let by_input = fields.get("outputs").and_then(Value::as_array);
    let otherwise = fields.get("output").cloned();
    let is_fixed = by_input.is_some() || otherwise.is_some();
    let Some(argv) = fields.get("command") else {
        return Ok(is_fixed.then(|| Source::Fixed {
            by_input: by_input.into_iter().flatten().map(pair).collect(),
            otherwise,
        }));
    };
    if is_fixed {
        return Err(wrong("`command` and `output` exclude each other"));
    }
    let words = argv.as_array().into_iter().flatten();
    let words: Vec<String> = words.filter_map(Value::as_str).map(str::to_owned).collect();
    match words.first() {
        Some(program) if !program.is_empty() => Ok(Some(Source::Command(words))),
        _ => Err(wrong("`command` needs a program")),
    }
}

fn pair(entry: &Value) -> (Value, Value) {
    let field = |name: &str| entry.get(name).cloned().unwrap_or_default();
    (field("input"), field("output"))
}

/// Checks that `value` has everything of `part`: every field of an object, and equal values elsewhere.
fn holds(value: &Value, part: &Value) -> bool {
    match (value, part) {
        (Value::Object(value), Value::Object(part)) => part.iter().all(|(name, part)| {
            let value = value.get(name);
            value.is_some_and(|value| holds(value, part))
        }),
        (value, part) => value == part,
    }
}

/// Runs a command with the arguments on stdin. Its stdout is the output.
async fn command(
    argv: &[String],
    call: &ToolCall,
    request: &Request,
    cancel: &CancellationToken,
) -> Result<Value, String> {
    let input = call.input.as_ref().unwrap_or(&Value::Null);
    let [program, arguments @ ..] = argv else {
        return Err("the tool has no command".to_owned());
    };
    let deadline = request.timeout.min(Duration::from_secs(24 * 60 * 60));
    let spec = CommandSpec::program(program)
        .args(arguments)
        .current_dir(request.folder.to_path_buf())
        .stdin(input.to_string())
        .deadline(deadline)
        .stdout_limit(LARGEST_OUTPUT);
    let finished = Runner::of_this_program().run(spec, cancel).await;
    let finished = finished.map_err(|error| error.to_string())?;
    if !finished.status.success() {
        let said = excerpt(&finished.stderr.text());
        return Err(format!("the tool failed with {}: {said}", finished.status));
    }
    if finished.stdout.is_truncated() {
        return Err("the output of the tool is larger than 1 MiB".to_owned());
    }
    let text = finished.stdout.text().into_owned();
    Ok(serde_json::from_str(&text).unwrap_or(Value::String(text)))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn an_output_is_found_by_the_arguments_that_it_names() {
        assert!(holds(
            &json!({"a": {"b": 1, "c": 2}}),
            &json!({"a": {"b": 1}})
        ));
        assert!(!holds(&json!({"a": 1}), &json!({"a": 2})));
        assert!(!holds(&json!({"a": 1}), &json!({"b": 1})));
        assert!(holds(&json!({"a": 1}), &json!({})));
    }
}
