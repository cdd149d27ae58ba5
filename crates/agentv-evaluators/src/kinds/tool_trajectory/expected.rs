//! A tool call that the target should make.

use std::fmt;

use agentv_core::{ToolCall, ToolKind};
use serde_json::Value;

use crate::error::BuildError;
use crate::json::contains;
use crate::options::Options;
use crate::words::quoted;

/// The tool that should be called.
#[derive(Debug)]
enum ExpectedTool {
    /// The tool of this name.
    Named(String),
    /// Any tool of this kind.
    OfKind(ToolKind),
}

/// A tool call that the target should make.
#[derive(Debug)]
pub(super) struct ExpectedCall {
    tool: ExpectedTool,
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
            tool: match options.text("kind")? {
                Some(kind) if options.get("tool").is_none() => {
                    let known = ToolKind::named(kind);
                    let expected = format!("expected one of {}", ToolKind::NAMES.join(", "));
                    ExpectedTool::OfKind(known.ok_or_else(|| options.invalid("kind", expected))?)
                }
                _ => ExpectedTool::Named(options.required_text("tool")?.to_owned()),
            },
            arguments,
            longest: options.amount("max_duration_ms")?,
        })
    }

    /// Returns true if a call has this tool, with whatever arguments.
    pub(super) fn has_tool(&self, call: &ToolCall) -> bool {
        match &self.tool {
            ExpectedTool::Named(tool) => call.tool == *tool,
            ExpectedTool::OfKind(kind) => call.kind() == Some(*kind),
        }
    }

    /// Returns true if a call has this tool and at least these arguments.
    pub(super) fn matches(&self, call: &ToolCall) -> bool {
        self.has_tool(call)
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
        match &self.tool {
            ExpectedTool::Named(tool) => f.write_str(&quoted(tool)),
            ExpectedTool::OfKind(kind) => write!(f, "a tool of kind `{}`", kind.as_str()),
        }
    }
}
