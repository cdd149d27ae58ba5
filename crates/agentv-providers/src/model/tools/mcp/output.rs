//! The result of a call to a server, as a model gets it.

use rmcp::model::{CallToolResult, ContentBlock, ResourceContents};
use serde_json::{Value, json};

use crate::model::named_media;
use crate::model::tools::{CallOutput, ToolFailure};

/// Returns the output of a call. A failure is the words of the server.
pub(super) fn output(result: CallToolResult) -> Result<CallOutput, ToolFailure> {
    let blocks = result.content.iter().map(block);
    let blocks: Option<Vec<Value>> = blocks.collect();
    let is_media = |block: &Value| block["type"] != "text";
    let blocks = blocks.filter(|blocks| blocks.iter().any(is_media));
    let texts: Vec<String> = result.content.into_iter().map(text).collect();
    let is_error = result.is_error == Some(true);
    let output = match result.structured_content {
        // The text says the same where there is one.
        Some(structured) if texts.is_empty() && !is_error => structured,
        Some(structured) if texts.is_empty() => return Err(structured.to_string().into()),
        _ if is_error => return Err(texts.join("\n").into()),
        _ => Value::String(texts.join("\n")),
    };
    Ok(CallOutput {
        output,
        blocks: blocks.unwrap_or_default(),
    })
}

/// Returns a block as a message of a case has it; `None` for one that no message has.
fn block(block: &ContentBlock) -> Option<Value> {
    let media = |kind: &str, media_type: &str, data: &str| {
        let url = format!("data:{media_type};base64,{data}");
        json!({"type": kind, "value": url})
    };
    let text = |text: &str| json!({"type": "text", "value": text});
    match block {
        ContentBlock::Text(block) => Some(text(&block.text)),
        ContentBlock::Image(image) => Some(media("image", &image.mime_type, &image.data)),
        ContentBlock::Audio(audio) => Some(media("audio", &audio.mime_type, &audio.data)),
        ContentBlock::ResourceLink(link) => Some(text(&format!("[resource: {}]", link.uri))),
        ContentBlock::Resource(embedded) => match &embedded.resource {
            ResourceContents::TextResourceContents { text: words, .. } => Some(text(words)),
            ResourceContents::BlobResourceContents {
                mime_type, blob, ..
            } => {
                let media_type = mime_type.as_deref()?;
                let kinds = ["image", "audio"];
                let kind = kinds.into_iter().find(|kind| media_type.starts_with(kind));
                let kind = kind.unwrap_or("file");
                Some(media(kind, media_type, blob))
            }
            _ => None,
        },
        _ => None,
    }
}

/// Returns a block as text. A block that is not text is named.
fn text(block: ContentBlock) -> String {
    let named = named_media;
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
    use super::*;

    fn read(result: Value) -> Result<Value, ToolFailure> {
        let read = output(serde_json::from_value(result).unwrap());
        read.map(|read| read.output)
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
    fn blocks_are_kept_if_one_of_them_is_more_than_text() {
        let blocks = |content: Value| {
            let result = serde_json::from_value(json!({"content": content})).unwrap();
            output(result).unwrap().blocks
        };
        let text = json!({"type": "text", "text": "Look:"});
        assert!(blocks(json!([text])).is_empty());
        let image = json!({"type": "image", "data": "AAAA", "mimeType": "image/png"});
        let paper = json!({"uri": "file:///a.pdf", "mimeType": "application/pdf", "blob": "BBBB"});
        let paper = json!({"type": "resource", "resource": paper});
        assert_eq!(
            blocks(json!([text, image, paper])),
            [
                json!({"type": "text", "value": "Look:"}),
                json!({"type": "image", "value": "data:image/png;base64,AAAA"}),
                json!({"type": "file", "value": "data:application/pdf;base64,BBBB"}),
            ]
        );
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
