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
    /// What its arguments must contain; `None` allows any.
    arguments: Option<Value>,
    /// The longest that it may take, in milliseconds.
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

    /// Whether a call is this one: the tool, and its arguments among others.
    pub(super) fn matches(&self, call: &ToolCall) -> bool {
        call.tool == self.tool
            && match (&self.arguments, &call.input) {
                (None, _) => true,
                (Some(expected), Some(found)) => contains(found, expected),
                (Some(expected), None) => expected.as_object().is_some_and(|args| args.is_empty()),
            }
    }

    /// Whether a call took no longer than it may; `None` where there is nothing to say, because no
    /// limit is given or the duration is not known.
    pub(super) fn is_in_time(&self, call: &ToolCall) -> Option<bool> {
        Some(call.duration_ms? <= self.longest?)
    }
}

impl fmt::Display for ExpectedCall {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&quoted(&self.tool))
    }
}
