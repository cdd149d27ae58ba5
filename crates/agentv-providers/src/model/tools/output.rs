//! The output of a tool.

use serde_json::Value;

/// The output of a call that did not fail.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct CallOutput {
    pub(super) output: Value,
    /// The content blocks of an output that is more than text.
    pub(super) blocks: Vec<Value>,
}

impl From<Value> for CallOutput {
    fn from(output: Value) -> CallOutput {
        CallOutput {
            output,
            blocks: Vec::new(),
        }
    }
}
