//! Files that belong to a transcript and are kept beside the records.

use serde::{Deserialize, Serialize};

/// A file that belongs to a transcript, such as the raw stream of an agent.
///
/// A provider fills in `name` and `content`. The consumer of the run removes secrets, writes the content
/// into `artifacts/` of the run folder, and records the `path` in place of the content.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Artifact {
    /// The name of the file, such as `stream.jsonl`, without folders.
    pub name: String,
    /// The path from the run folder, once the file is written.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub path: Option<String>,
    /// The content, until the file is written.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub content: Option<String>,
}

impl Artifact {
    /// Makes an artifact that is to be written. Bytes that are not UTF-8 are replaced.
    pub fn new(name: impl Into<String>, content: &[u8]) -> Artifact {
        Artifact {
            name: name.into(),
            path: None,
            content: Some(String::from_utf8_lossy(content).into_owned()),
        }
    }
}
