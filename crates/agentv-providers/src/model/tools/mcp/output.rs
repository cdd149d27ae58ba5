//! The result of a call to a server, as a model gets it.

use rmcp::model::{CallToolResult, ContentBlock, ResourceContents};
use serde_json::Value;

use crate::model::tools::ToolFailure;

/// Returns the output of a call. A failure is the words of the server.
pub(super) fn output(result: CallToolResult) -> Result<Value, ToolFailure> {
    let texts: Vec<String> = result.content.into_iter().map(text).collect();
    let is_error = result.is_error == Some(true);
    match result.structured_content {
        // The text says the same where there is one.
        Some(structured) if texts.is_empty() && !is_error => Ok(structured),
        Some(structured) if texts.is_empty() => Err(structured.to_string().into()),
        _ if is_error => Err(texts.join("\n").into()),
        _ => Ok(Value::String(texts.join("\n"))),
    }
}

/// Returns a block as text. A block that is not text is named: no protocol has a place for all of them.
fn text(block: ContentBlock) -> String {
    let named = |kind: &str, media_type: &str, data: &str| {
        // Base64 has four letters for three bytes.
        let bytes = data.trim_end_matches('=').len() * 3 / 4;
        format!("[{kind}: {media_type}, {bytes} bytes]")
    };
    match block {
        ContentBlock::Text(text) => text.text,
        ContentBlock::Image(image) => named("image", &image.mime_type, &image.data),
        ContentBlock::Audio(audio) => named("audio", &audio.mime_type, &audio.data),
        ContentBlock::ResourceLink(link) => format!("[resource: {}]", link.uri),
        ContentBlock::Resource(embedded) => match embedded.resource {
            ResourceContents::TextResourceContents { text, .. } => text,
            ResourceContents::BlobResourceContents {
                uri,
                mime_type,
                blob,
                ..
            } => {
                let media_type = mime_type.as_deref().unwrap_or(&uri);
                named("resource", media_type, &blob)
            }
            _ => "[resource]".to_owned(),
        },
        _ => "[unknown content]".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn read(result: Value) -> Result<Value, ToolFailure> {
        output(serde_json::from_value(result).unwrap())
    }

    #[test]
    fn text_is_kept_to_the_byte_and_other_content_is_named() {
        let block = json!({"type": "text", "text": "  a\n\n"});
        assert_eq!(read(json!({"content": [block]})), Ok(json!("  a\n\n")));
        let image = json!({"type": "image", "data": "AAAA", "mimeType": "image/png"});
        let both = json!([{"type": "text", "text": "Look:"}, image]);
        assert_eq!(
            read(json!({"content": both})),
            Ok(json!("Look:\n[image: image/png, 3 bytes]"))
        );
        let resource =
            json!({"type": "resource", "resource": {"uri": "file:///a", "text": "of a"}});
        assert_eq!(read(json!({"content": [resource]})), Ok(json!("of a")));
    }

    #[test]
    fn a_failure_is_what_the_server_says() {
        let content = json!([{"type": "text", "text": "no such city"}]);
        assert_eq!(
            read(json!({"content": content, "isError": true})),
            Err("no such city".into())
        );
    }

    #[test]
    fn structured_content_without_text_is_the_output() {
        let result = json!({"content": [], "structuredContent": {"sun": true}});
        assert_eq!(read(result), Ok(json!({"sun": true})));
    }
}
