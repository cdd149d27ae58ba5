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
