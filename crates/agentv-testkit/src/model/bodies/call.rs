//! Calls of tools in an answer.

use serde_json::Value;

use super::quoted;

/// A call of a tool.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Call {
    pub(crate) name: String,
    pub(crate) input: CallInput,
}

/// The input of a call.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum CallInput {
    /// Arguments, as JSON.
    Arguments(String),
    /// A text in the tool's own format, which only OpenAI's responses have.
    Text(String),
}

impl Call {
    /// Returns a call with arguments that are always the same.
    pub(crate) fn fixed(name: &str) -> Call {
        Call {
            name: name.to_owned(),
            input: CallInput::Arguments(r#"{"query":"weather"}"#.to_owned()),
        }
    }

    /// Returns a call with these arguments.
    pub(crate) fn with(name: &str, arguments: &Value) -> Call {
        Call {
            name: name.to_owned(),
            input: CallInput::Arguments(arguments.to_string()),
        }
    }

    /// Returns the name as a JSON string.
    pub(crate) fn name(&self) -> String {
        quoted(&self.name)
    }

    /// Returns the arguments as JSON; a text becomes the argument `input`.
    pub(crate) fn arguments(&self) -> String {
        match &self.input {
            CallInput::Arguments(arguments) => arguments.clone(),
            CallInput::Text(text) => format!(r#"{{"input":{}}}"#, quoted(text)),
        }
    }
}

/// Returns the identifier of the call with this position in the answer with this number.
pub(crate) fn id(prefix: &str, number: u64, position: usize) -> String {
    match position {
        0 => format!("{prefix}_{number}"),
        _ => format!("{prefix}_{number}_{position}"),
    }
}
