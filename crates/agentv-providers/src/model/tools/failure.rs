//! The failure of a tool.

/// The failure of a tool, in words that the model gets.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub(super) struct ToolFailure(String);

impl From<String> for ToolFailure {
    fn from(words: String) -> ToolFailure {
        ToolFailure(words)
    }
}

impl From<&str> for ToolFailure {
    fn from(words: &str) -> ToolFailure {
        ToolFailure(words.to_owned())
    }
}
