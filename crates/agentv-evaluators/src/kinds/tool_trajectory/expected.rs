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
    /// The arguments to compare with. `None` allows any.
    arguments: Option<Value>,
    compared: Compared,
    /// The maximum duration, in milliseconds.
    pub(super) longest: Option<f64>,
}

/// The way to compare the arguments of a call with the expected ones.
#[derive(Debug, Clone, Default)]
pub(super) enum Compared {
    /// They contain the expected ones, at every level.
    #[default]
    Contained,
    /// They are equal.
    Exact,
    /// Each expected argument is there, with an equal value.
    Superset,
    /// Each argument is expected, with an equal value.
    Subset,
    /// They are not compared.
    Ignored,
    /// Only these are compared; a dot leads into an object.
    Fields(Vec<String>),
}

impl Compared {
    /// Reads the option `args_match`.
    pub(super) fn read(options: &Options<'_>) -> Result<Option<Compared>, BuildError> {
        match options.get("args_match") {
            None => Ok(None),
            Some(Value::Array(_)) => {
                let fields = options.texts("args_match")?.unwrap_or_default();
                let fields = fields.into_iter().map(str::to_owned);
                Ok(Some(Compared::Fields(fields.collect())))
            }
            Some(Value::String(word)) => Ok(Some(match word.as_str() {
                "exact" => Compared::Exact,
                "superset" => Compared::Superset,
                "subset" => Compared::Subset,
                "ignore" => Compared::Ignored,
                _ => return Err(options.invalid("args_match", ARGS_MATCH_EXPECTED)),
            })),
            Some(_) => Err(options.invalid("args_match", ARGS_MATCH_EXPECTED)),
        }
    }

    /// Returns true if the arguments of a call are as expected.
    fn holds(&self, found: Option<&Value>, expected: &Value) -> bool {
        let Some(found) = found else {
            return match self {
                Compared::Ignored => true,
                _ => expected.as_object().is_some_and(|args| args.is_empty()),
            };
        };
        let all_in = |some: &Value, others: &Value| match (some.as_object(), others.as_object()) {
            (Some(some), Some(others)) => some
                .iter()
                .all(|(name, value)| others.get(name).is_some_and(|other| equal(other, value))),
            _ => equal(some, others),
        };
        match self {
            Compared::Contained => contains(found, expected),
            Compared::Exact => equal(found, expected),
            Compared::Superset => all_in(expected, found),
            Compared::Subset => all_in(found, expected),
            Compared::Ignored => true,
            Compared::Fields(fields) => fields.iter().all(|field| {
                let wanted = at(expected, field);
                wanted.is_none_or(|wanted| at(found, field).is_some_and(|it| equal(it, wanted)))
            }),
        }
    }
}

/// The values of `args_match`, in words.
pub(super) const ARGS_MATCH_EXPECTED: &str =
    "exact, superset, subset, ignore, or an array of the names of arguments";

/// Returns true if two values contain each other.
fn equal(one: &Value, other: &Value) -> bool {
    contains(one, other) && contains(other, one)
}

/// Returns the value at a path of names with dots.
fn at<'v>(value: &'v Value, path: &str) -> Option<&'v Value> {
    path.split('.')
        .try_fold(value, |value, name| value.get(name))
}

impl ExpectedCall {
    pub(super) fn read(
        options: &Options<'_>,
        compared: Option<&Compared>,
    ) -> Result<ExpectedCall, BuildError> {
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
            compared: Compared::read(options)?
                .or_else(|| compared.cloned())
                .unwrap_or_default(),
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

    /// Returns true if a call has this tool and these arguments.
    pub(super) fn matches(&self, call: &ToolCall) -> bool {
        self.has_tool(call)
            && self
                .arguments
                .as_ref()
                .is_none_or(|expected| self.compared.holds(call.input.as_ref(), expected))
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
