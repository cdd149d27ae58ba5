//! A tool call that the target should make.

use std::fmt;

use agentv_core::ToolCall;
use serde_json::Value;

use crate::error::BuildError;
use crate::json::contains;
use crate::options::Options;
use crate::words::quoted;

/// A tool call that the target should make.
#[derive(Debug)]
pub(super) struct ExpectedCall {
    tool: String,
    /// The arguments that the call must contain. `None` allows any.
    arguments: Option<Value>,
    /// The maximum duration, in milliseconds.
    pub(super) longest: Option<f64>,
}

impl ExpectedCall {
    pub(super) fn read(options: &Options<'_>) -> Result<ExpectedCall, BuildError> {
        let arguments = match options.get("args") {
            None => None,
            Some(Value::String(word)) if word == "any" => None,
            Some(arguments @ Value::Object(_)) => Some(arguments.clone()),
            Some(_) => {
                return Err(options.invalid("args", "expected `any` or an object of arguments"));
            }
        };
        Ok(ExpectedCall {
            tool: options.required_text("tool")?.to_owned(),
            arguments,
            longest: options.amount("max_duration_ms")?,
        })
    }

    pub(super) fn tool(&self) -> &str {
        &self.tool
    }

    /// Returns true if a call has this tool and at least these arguments.
    pub(super) fn matches(&self, call: &ToolCall) -> bool {
        call.tool == self.tool
            && match (&self.arguments, &call.input) {
                (None, _) => true,
                (Some(expected), Some(found)) => contains(found, expected),
                (Some(expected), None) => expected.as_object().is_some_and(|args| args.is_empty()),
            }
    }

    /// Returns true if a call is within the time limit, or `None` if there is no limit or no known
    /// duration.
    pub(super) fn is_in_time(&self, call: &ToolCall) -> Option<bool> {
        Some(call.duration_ms? <= self.longest?)
    }
}

impl fmt::Display for ExpectedCall {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&quoted(&self.tool))
    }
}
