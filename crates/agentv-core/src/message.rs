//! Messages of a conversation.

use std::borrow::Cow;
use std::fmt;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::{Content, Extra};

/// The author of a message.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Role {
    /// Instructions to the model.
    System,
    /// The user.
    User,
    /// The model.
    Assistant,
    /// The result of a tool call.
    Tool,
}

impl Role {
    /// All roles.
    pub const ALL: [Role; 4] = [Role::System, Role::User, Role::Assistant, Role::Tool];
    /// The names of all roles, as written.
    pub const NAMES: &[&str] = &["system", "user", "assistant", "tool"];

    /// Returns the role as written.
    pub fn as_str(self) -> &'static str {
        match self {
            Role::System => "system",
            Role::User => "user",
            Role::Assistant => "assistant",
            Role::Tool => "tool",
        }
    }

    /// Returns the role with this name.
    pub fn named(name: &str) -> Option<Role> {
        Role::ALL.into_iter().find(|role| role.as_str() == name)
    }
}

impl fmt::Display for Role {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// One turn of a conversation.
///
/// ```
/// use agentv_core::Message;
///
/// let written = r#"{"role":"user","content":"Hi","cache_control":"ephemeral"}"#;
/// let message: Message = serde_json::from_str(written).unwrap();
/// assert_eq!(serde_json::to_string(&message).unwrap(), written);
/// ```
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Message {
    /// The author.
    pub role: Role,
    /// The content. A message that only calls tools has none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub content: Option<Content>,
    /// The name of the author or of the tool.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// The tool calls.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tool_calls: Vec<ToolCall>,
    /// All other fields of the message.
    #[serde(flatten)]
    pub extra: Extra,
}

impl Message {
    /// Makes a message with this content and nothing else.
    pub fn new(role: Role, content: impl Into<Content>) -> Message {
        Message {
            role,
            content: Some(content.into()),
            name: None,
            tool_calls: Vec::new(),
            extra: Extra::new(),
        }
    }

    /// Returns the content as text; empty if there is none.
    pub fn text(&self) -> Cow<'_, str> {
        match &self.content {
            None => Cow::Borrowed(""),
            Some(Content::Text(text)) => Cow::Borrowed(text),
            Some(content) => Cow::Owned(content.text()),
        }
    }

    /// Returns a copy without the content.
    pub(crate) fn clone_without_content(&self) -> Message {
        Message {
            role: self.role,
            content: None,
            name: self.name.clone(),
            tool_calls: self.tool_calls.clone(),
            extra: self.extra.clone(),
        }
    }
}

/// The kinds of tools, for comparisons across agents that name their tools differently.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ToolKind {
    /// Runs a command.
    Execute,
    /// Changes files.
    Edit,
    /// Reads files.
    Read,
    /// Searches files, or the web.
    Search,
    /// Gets something from the network.
    Fetch,
    /// Anything else.
    Other,
}

impl ToolKind {
    /// All kinds.
    pub const ALL: [ToolKind; 6] = [
        ToolKind::Execute,
        ToolKind::Edit,
        ToolKind::Read,
        ToolKind::Search,
        ToolKind::Fetch,
        ToolKind::Other,
    ];
    /// The names of all kinds, as written.
    pub const NAMES: &[&str] = &["execute", "edit", "read", "search", "fetch", "other"];

    /// Returns the kind as written.
    pub fn as_str(self) -> &'static str {
        match self {
            ToolKind::Execute => "execute",
            ToolKind::Edit => "edit",
            ToolKind::Read => "read",
            ToolKind::Search => "search",
            ToolKind::Fetch => "fetch",
            ToolKind::Other => "other",
        }
    }

    /// Returns the kind with this name.
    pub fn named(name: &str) -> Option<ToolKind> {
        ToolKind::ALL.into_iter().find(|kind| kind.as_str() == name)
    }
}

/// One call of a tool. Names and arguments belong to the user and are never rewritten.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ToolCall {
    /// The tool's name.
    pub tool: String,
    /// Its arguments.
    #[serde(
        default,
        deserialize_with = "crate::present",
        skip_serializing_if = "Option::is_none"
    )]
    pub input: Option<Value>,
    /// The output of the tool.
    #[serde(
        default,
        deserialize_with = "crate::present",
        skip_serializing_if = "Option::is_none"
    )]
    pub output: Option<Value>,
    /// The call's identifier.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub id: Option<String>,
    /// The time of the call.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub timestamp: Option<String>,
    /// The duration, in milliseconds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub duration_ms: Option<f64>,
    /// All other fields of the call.
    #[serde(flatten)]
    pub extra: Extra,
}

/// The names of the fields of a call that have a meaning only with certain values. Any other value is
/// the user's own.
const KIND: &str = "kind";
const IS_ERROR: &str = "is_error";
const EXIT_CODE: &str = "exit_code";
const OUTPUT_BLOCKS: &str = "output_blocks";

/// The names of arguments that say most about a call, the most telling first.
const TELLING: &[&str] = &[
    "command",
    "cmd",
    "file_path",
    "filePath",
    "absolute_path",
    "notebook_path",
    "path",
    "dir_path",
    "dirPath",
    "pattern",
    "query",
    "url",
];

impl ToolCall {
    /// Makes a call of a tool without arguments.
    pub fn new(tool: impl Into<String>) -> ToolCall {
        ToolCall {
            tool: tool.into(),
            input: None,
            output: None,
            id: None,
            timestamp: None,
            duration_ms: None,
            extra: Extra::new(),
        }
    }

    /// Returns the argument that says most about a call with this input: the command, the path, the pattern.
    /// Agents have different names for them.
    pub fn telling_argument(input: &Value) -> Option<&Value> {
        TELLING.iter().find_map(|name| input.get(name))
    }

    /// Returns the kind of the tool, if the call has one (`kind`).
    pub fn kind(&self) -> Option<ToolKind> {
        ToolKind::named(self.extra.get(KIND)?.as_str()?)
    }

    /// Sets the kind of the tool.
    pub fn set_kind(&mut self, kind: ToolKind) {
        self.extra.insert(KIND.to_owned(), kind.as_str().into());
    }

    /// Returns the exit code of a command, if the call has one (`exit_code`).
    pub fn exit_code(&self) -> Option<i64> {
        self.extra.get(EXIT_CODE)?.as_i64()
    }

    /// Sets the exit code of a command. A code other than 0 makes the call an error.
    pub fn set_exit_code(&mut self, code: i64) {
        self.extra.insert(EXIT_CODE.to_owned(), code.into());
        if code != 0 {
            self.set_error();
        }
    }

    /// Returns the content blocks of an output that is more than text (`output_blocks`).
    pub fn output_blocks(&self) -> Option<&[Value]> {
        self.extra.get(OUTPUT_BLOCKS)?.as_array().map(Vec::as_slice)
    }

    /// Sets the content blocks of an output that is more than text.
    pub fn set_output_blocks(&mut self, blocks: Vec<Value>) {
        self.extra
            .insert(OUTPUT_BLOCKS.to_owned(), Value::Array(blocks));
    }

    /// Marks the call as failed (`is_error`).
    pub fn set_error(&mut self) {
        self.extra.insert(IS_ERROR.to_owned(), Value::Bool(true));
    }

    /// Returns true if the call failed: it says so, or its exit code is not 0.
    pub fn is_error(&self) -> bool {
        let says = |value: &Value| !matches!(value, Value::Null | Value::Bool(false));
        let output = self.output.as_ref().and_then(|output| output.get("error"));
        self.extra.get("error").is_some_and(says)
            || self.extra.get(IS_ERROR) == Some(&Value::Bool(true))
            || self.exit_code().is_some_and(|code| code != 0)
            || output.is_some_and(says)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_nonzero_exit_code_is_an_error_whatever_else_a_call_says() {
        let mut call = ToolCall::new("Bash");
        call.extra.insert("is_error".to_owned(), false.into());
        call.extra.insert("exit_code".to_owned(), 3.into());
        assert!(call.is_error());
        call.set_exit_code(0);
        assert!(!call.is_error());
        call.set_exit_code(3);
        let json = serde_json::to_value(&call).unwrap();
        assert_eq!(
            json,
            serde_json::json!({"tool": "Bash", "is_error": true, "exit_code": 3})
        );
    }

    #[test]
    fn a_kind_of_the_users_own_is_kept_and_means_nothing() {
        let written = r#"{"tool":"a","kind":"function","exit_code":"x","is_error":7}"#;
        let call: ToolCall = serde_json::from_str(written).unwrap();
        assert_eq!((call.kind(), call.exit_code()), (None, None));
        assert!(!call.is_error());
        assert_eq!(serde_json::to_string(&call).unwrap(), written);
    }
}
