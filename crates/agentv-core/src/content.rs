//! The content of a message: text, blocks, or structured data.

use std::sync::Arc;

use serde::{Deserialize, Deserializer, Serialize, Serializer, de::Error as _};
use serde_json::Value;

use crate::Extra;

/// The content of a message.
///
/// In JSON a string is [`Text`](Content::Text), an array of objects that all have a `type` is
/// [`Blocks`](Content::Blocks), and any other array or object is [`Structured`](Content::Structured).
///
/// ```
/// use agentv_core::Content;
///
/// let content: Content = serde_json::from_str(r#"{"riskLevel": "High"}"#).unwrap();
/// assert!(matches!(content, Content::Structured(_)));
/// assert_eq!(content.text(), r#"{"riskLevel":"High"}"#);
/// ```
#[derive(Debug, Clone, PartialEq)]
pub enum Content {
    /// Plain text.
    Text(String),
    /// Text, files and other pieces, in order.
    Blocks(Vec<Block>),
    /// An object or array that is the content itself, such as expected JSON.
    Structured(Value),
}

impl Content {
    /// Returns the content as one text: blocks joined by line breaks, structured data as compact
    /// JSON.
    pub fn text(&self) -> String {
        match self {
            Content::Text(text) => text.clone(),
            Content::Structured(value) => value.to_string(),
            Content::Blocks(blocks) => {
                let texts: Vec<_> = blocks.iter().filter_map(Block::text).collect();
                texts.join("\n")
            }
        }
    }

    fn from_value(value: Value) -> Result<Content, NotContent> {
        match value {
            Value::String(text) => Ok(Content::Text(text)),
            Value::Object(_) => Ok(Content::Structured(value)),
            Value::Array(items) if items.iter().all(is_block) => {
                let blocks = items.into_iter().map(Block::from_value);
                Ok(Content::Blocks(blocks.collect()))
            }
            Value::Array(_) => Ok(Content::Structured(value)),
            Value::Null | Value::Bool(_) | Value::Number(_) => Err(NotContent),
        }
    }
}

/// The error of a value that cannot be the content of a message.
#[derive(Debug, thiserror::Error)]
#[error("content is a string, an object or an array")]
struct NotContent;

/// Returns true if a value is a block: an object with a `type`, and with the text that the known
/// types need.
fn is_block(value: &Value) -> bool {
    let has_text = value.get("value").is_some_and(Value::is_string);
    match value.get("type").and_then(Value::as_str) {
        Some("text" | "file") => has_text,
        Some(_) => true,
        None => false,
    }
}

impl From<&str> for Content {
    fn from(text: &str) -> Self {
        Content::Text(text.to_owned())
    }
}

impl From<String> for Content {
    fn from(text: String) -> Self {
        Content::Text(text)
    }
}

impl Serialize for Content {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Content::Text(text) => serializer.serialize_str(text),
            Content::Blocks(blocks) => blocks.serialize(serializer),
            Content::Structured(value) => value.serialize(serializer),
        }
    }
}

impl<'de> Deserialize<'de> for Content {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Content::from_value(Value::deserialize(deserializer)?).map_err(D::Error::custom)
    }
}

/// One piece of a message.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(untagged)]
pub enum Block {
    /// Text.
    Text(TextBlock),
    /// A file.
    File(FileBlock),
    /// A piece of another type, kept as it is.
    Other(Extra),
}

impl Block {
    /// The types of blocks that are images, audio or documents.
    pub const MEDIA: &[&str] = &["image", "image_url", "audio", "file"];

    /// Makes a block of text.
    pub fn of_text(value: impl Into<String>) -> Block {
        Block::Text(TextBlock {
            kind: TextTag::Text,
            value: value.into(),
            extra: Extra::new(),
        })
    }

    /// Makes a reference to a file.
    pub fn of_file(file: FileBlock) -> Block {
        Block::File(file)
    }

    /// Returns the block's text: a file's content once it has been read. `None` for other types.
    pub fn text(&self) -> Option<&str> {
        match self {
            Block::Text(block) => Some(&block.value),
            Block::File(block) => block.text.as_deref(),
            Block::Other(_) => None,
        }
    }

    /// Reads a block from an object with a `type`. An object that does not fit its type is kept
    /// unchanged.
    pub fn from_value(value: Value) -> Block {
        let kind = value.get("type").and_then(Value::as_str);
        let known = match kind {
            Some("text") => serde_json::from_value(value.clone()).ok().map(Block::Text),
            Some("file") => serde_json::from_value(value.clone()).ok().map(Block::File),
            _ => None,
        };
        known.unwrap_or_else(|| match value {
            Value::Object(fields) => Block::Other(fields),
            other => Block::Other(Extra::from_iter([("value".to_owned(), other)])),
        })
    }
}

impl<'de> Deserialize<'de> for Block {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Value::deserialize(deserializer).map(Block::from_value)
    }
}

/// A block of text.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct TextBlock {
    #[serde(rename = "type")]
    kind: TextTag,
    /// The text.
    pub value: String,
    /// All other fields of the block.
    #[serde(flatten)]
    pub extra: Extra,
}

impl TextBlock {
    /// Makes a block of text with further fields.
    pub fn new(value: impl Into<String>, extra: Extra) -> TextBlock {
        TextBlock {
            kind: TextTag::Text,
            value: value.into(),
            extra,
        }
    }
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
enum TextTag {
    Text,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
enum FileTag {
    File,
}

/// A reference to a file. Once the file was found, it has a path and content.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct FileBlock {
    #[serde(rename = "type")]
    kind: FileTag,
    /// The reference as written, relative to the eval file.
    pub value: String,
    /// The path of the file, relative to the project root if it is inside.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub path: Option<String>,
    /// Its content. Cases that use the same file share one copy.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub text: Option<Arc<str>>,
    /// All other fields of the block.
    #[serde(flatten)]
    pub extra: Extra,
}

impl FileBlock {
    /// Makes a reference to the file `value`, which is not looked up yet.
    pub fn new(value: impl Into<String>) -> FileBlock {
        FileBlock {
            kind: FileTag::File,
            value: value.into(),
            path: None,
            text: None,
            extra: Extra::new(),
        }
    }
}

impl FileBlock {
    /// Returns the block as fields.
    pub(crate) fn fields(&self) -> Extra {
        match serde_json::to_value(self) {
            Ok(Value::Object(fields)) => fields,
            _ => Extra::new(),
        }
    }
}

/// Two references are equal if they lead to the same file. Once it was found, the spelling of the
/// path does not matter.
impl PartialEq for FileBlock {
    fn eq(&self, other: &Self) -> bool {
        let same_file = match (&self.path, &other.path) {
            (Some(path), Some(other_path)) => path == other_path,
            (None, None) => self.value == other.value,
            (Some(_), None) | (None, Some(_)) => false,
        };
        same_file && self.text == other.text && self.extra == other.extra
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn content_comes_back_as_it_was_written() {
        for written in [
            json!("text"),
            json!({"riskLevel": "High"}),
            json!([1, 2]),
            json!([{"type": "text", "value": "a", "lang": "en"}, {"type": "file", "value": "b.md"}]),
            json!([{"type": "image", "url": "x"}]),
            json!([{"type": "text"}]),
            json!([]),
        ] {
            let content: Content = serde_json::from_value(written.clone()).unwrap();
            assert_eq!(serde_json::to_value(&content).unwrap(), written);
        }
    }

    #[test]
    fn how_a_found_file_was_spelled_does_not_count() {
        let found = |value: &str| FileBlock {
            path: Some("evals/code.py".to_owned()),
            ..FileBlock::new(value)
        };
        assert_eq!(found("./code.py"), found("../evals/code.py"));
        assert_ne!(FileBlock::new("./code.py"), FileBlock::new("code.py"));
    }
}
