//! Blocks of a message as images, audio and documents.

use std::borrow::Cow;
use std::path::Path;

use agentv_core::{Block, Content, Digest, Extra, Prompt};
use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use serde_json::Value;

use crate::wire::{Media, MediaKind, MediaSource};

/// A block that cannot be sent.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub(super) enum MediaError {
    /// The type of the block is unknown.
    #[error(
        "cannot send a block of type `{0}` to a model; known types: `text`, `file`, `image`, \
         `image_url`, `audio`"
    )]
    Unknown(String),
    /// The block does not say where the bytes are.
    #[error(
        "a block of type `{0}` needs a `value`: the path of a file, or a URL that starts with \
         `data:` or `https:`"
    )]
    NoSource(String),
    /// The block names a file, and takes addresses only.
    #[error(
        "a block of type `image_url` needs a URL that starts with `data:` or `https:`; for a file of the \
         project, use the type `image`"
    )]
    NoAddress,
    /// The file of the block cannot be read.
    #[error("cannot read `{path}`: {reason}")]
    Unreadable { path: String, reason: String },
    /// The bytes are of another kind than the block.
    #[error(
        "a block of type `{name}` holds `{media_type}`; use the type that fits, or set `media_type`"
    )]
    OtherKind { name: String, media_type: String },
    /// The media type of the bytes is not known.
    #[error("the media type of a block of type `{0}` is unknown; set its `media_type`")]
    NoType(String),
}

/// The files of a prompt in base64, by their paths under the root.
#[derive(Debug, Default)]
pub(super) struct MediaFiles(Vec<(String, String)>);

impl MediaFiles {
    /// Returns the paths of the files of a prompt, and the digests of their content.
    pub(super) fn named_in(prompt: &Prompt) -> Vec<(String, Option<String>)> {
        let mut files = Vec::new();
        for message in &prompt.messages {
            let Some(Content::Blocks(blocks)) = &message.content else {
                continue;
            };
            for block in blocks {
                let Block::Other(fields) = block else {
                    continue;
                };
                let text = |name: &str| fields.get(name)?.as_str().map(str::to_owned);
                files.extend(text("path").map(|path| (path, text("digest"))));
            }
        }
        files
    }

    /// Reads files under `root`. One that has changed since the case was read is an error.
    ///
    /// # Errors
    /// If a file cannot be read or has changed.
    pub(super) fn read(
        files: Vec<(String, Option<String>)>,
        root: &Path,
    ) -> Result<MediaFiles, MediaError> {
        let mut read: Vec<(String, String)> = Vec::with_capacity(files.len());
        for (path, digest) in files {
            let wrong = |reason: String| MediaError::Unreadable {
                path: path.clone(),
                reason,
            };
            let bytes =
                std::fs::read(root.join(&path)).map_err(|error| wrong(error.to_string()))?;
            let found = format!("{:?}", Digest::of(&bytes));
            if digest.is_some_and(|digest| digest != found) {
                return Err(wrong("it has changed during the run".to_owned()));
            }
            read.push((path, BASE64_STANDARD.encode(bytes)));
        }
        Ok(MediaFiles(read))
    }

    fn at(&self, path: &str) -> Option<&str> {
        let mut files = self.0.iter();
        let file = files.find(|(known, _)| known == path);
        file.map(|(_, bytes)| bytes.as_str())
    }
}

/// Returns the type of a block.
pub(super) fn type_of(fields: &Extra) -> &str {
    fields
        .get("type")
        .and_then(Value::as_str)
        .unwrap_or_default()
}

/// Returns the image, the audio or the document of a block.
///
/// # Errors
/// If the block is of another type, or its bytes are not there.
pub(super) fn media_of<'a>(
    fields: &'a Extra,
    files: &'a MediaFiles,
) -> Result<Media<'a>, MediaError> {
    let name = type_of(fields);
    let kind = match name {
        "image" | "image_url" => MediaKind::Image,
        "audio" | "input_audio" => MediaKind::Audio,
        "file" | "document" => MediaKind::Document,
        other => return Err(MediaError::Unknown(other.to_owned())),
    };
    let no_source = || match name {
        "image_url" => MediaError::NoAddress,
        name => MediaError::NoSource(name.to_owned()),
    };
    let text = |name: &str| fields.get(name).and_then(Value::as_str);
    let nested = fields.get("image_url");
    let written = text("value")
        .or_else(|| text("url"))
        .or_else(|| nested?.as_str().or_else(|| nested?.get("url")?.as_str()))
        .ok_or_else(no_source)?;
    let detail = text("detail").or_else(|| nested?.get("detail")?.as_str());
    let file = text("path").and_then(|path| files.at(path));
    let (source, found) = match file {
        Some(bytes) => (MediaSource::Base64(Cow::Borrowed(bytes)), None),
        None => source_of(written).ok_or_else(no_source)?,
    };
    let media_type = text("media_type").or(text("mime_type")).or(found);
    let media_type = media_type.or_else(|| match &source {
        MediaSource::Base64(bytes) => type_of_bytes(bytes).or_else(|| type_of_name(written)),
        MediaSource::Url(_) => type_of_address(written, kind),
    });
    let media_type = media_type.ok_or_else(|| MediaError::NoType(name.to_owned()))?;
    check_kind(name, kind, media_type)?;
    Ok(Media {
        kind,
        media_type: Cow::Borrowed(media_type),
        source,
        name: file_name(written).map(Cow::Borrowed),
        detail,
    })
}

/// Returns the words that stand for media where a protocol cannot carry them.
pub(super) fn named_media(kind: &str, media_type: &str, base64: &str) -> String {
    // Base64 has four letters for three bytes.
    let bytes = base64.trim_end_matches('=').len() * 3 / 4;
    format!("[{kind}: {media_type}, {bytes} bytes]")
}

/// Returns the bytes of a URL, and their media type if it says so.
fn source_of(written: &str) -> Option<(MediaSource<'_>, Option<&str>)> {
    if let Some(rest) = written.strip_prefix("data:") {
        let (head, data) = rest.split_once(',')?;
        let media_type = head.strip_suffix(";base64")?;
        let media_type = (!media_type.is_empty()).then_some(media_type);
        return Some((MediaSource::Base64(Cow::Borrowed(data)), media_type));
    }
    let is_url = written.starts_with("https://") || written.starts_with("http://");
    is_url.then_some((MediaSource::Url(Cow::Borrowed(written)), None))
}

/// The media types of files, by the end of their names.
const TYPES: &[(&str, &str)] = &[
    ("png", "image/png"),
    ("jpg", "image/jpeg"),
    ("jpeg", "image/jpeg"),
    ("gif", "image/gif"),
    ("webp", "image/webp"),
    ("bmp", "image/bmp"),
    ("heic", "image/heic"),
    ("svg", "image/svg+xml"),
    ("wav", "audio/wav"),
    ("mp3", "audio/mpeg"),
    ("flac", "audio/flac"),
    ("ogg", "audio/ogg"),
    ("m4a", "audio/mp4"),
    ("pdf", "application/pdf"),
    ("doc", "application/msword"),
    (
        "docx",
        "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
    ),
    (
        "pptx",
        "application/vnd.openxmlformats-officedocument.presentationml.presentation",
    ),
    ("xls", "application/vnd.ms-excel"),
    (
        "xlsx",
        "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
    ),
    ("txt", "text/plain"),
    ("md", "text/markdown"),
    ("csv", "text/csv"),
    ("html", "text/html"),
];

/// Returns the media type of a file by its name.
fn type_of_name(path: &str) -> Option<&'static str> {
    let path = path.split(['?', '#']).next().unwrap_or_default();
    let extension = path.rsplit('.').next().unwrap_or_default();
    let mut types = TYPES.iter();
    let known = types.find(|(end, _)| extension.eq_ignore_ascii_case(end));
    known.map(|(_, media_type)| *media_type)
}

/// Returns the media type of bytes in base64 by their beginning, where that is certain.
fn type_of_bytes(base64: &str) -> Option<&'static str> {
    // Whole groups of four letters.
    let start = base64.get(..base64.len().min(16) / 4 * 4)?;
    let bytes = BASE64_STANDARD.decode(start).ok()?;
    let known = match bytes.as_slice() {
        [0x89, b'P', b'N', b'G', ..] => "image/png",
        [0xff, 0xd8, 0xff, ..] => "image/jpeg",
        [b'G', b'I', b'F', b'8', ..] => "image/gif",
        [b'R', b'I', b'F', b'F', _, _, _, _, b'W', b'E', b'B', b'P'] => "image/webp",
        [b'R', b'I', b'F', b'F', _, _, _, _, b'W', b'A', b'V', b'E'] => "audio/wav",
        [b'I', b'D', b'3', ..] => "audio/mpeg",
        [b'f', b'L', b'a', b'C', ..] => "audio/flac",
        [b'%', b'P', b'D', b'F', ..] => "application/pdf",
        _ => return None,
    };
    Some(known)
}

/// Returns the media type of an address by its path. An image without one may be of any type, and a
/// document is a PDF.
fn type_of_address(address: &str, kind: MediaKind) -> Option<&'static str> {
    let usual = match kind {
        MediaKind::Image => Some("image/*"),
        MediaKind::Document => Some("application/pdf"),
        MediaKind::Audio => None,
    };
    type_of_name(address).or(usual)
}

/// Checks that bytes are what their block says.
fn check_kind(name: &str, kind: MediaKind, media_type: &str) -> Result<(), MediaError> {
    let fits = match kind {
        MediaKind::Image => media_type.starts_with("image/"),
        MediaKind::Audio => media_type.starts_with("audio/"),
        MediaKind::Document => {
            !media_type.starts_with("image/") && !media_type.starts_with("audio/")
        }
    };
    if fits {
        return Ok(());
    }
    Err(MediaError::OtherKind {
        name: name.to_owned(),
        media_type: media_type.to_owned(),
    })
}

/// Returns the last part of a path or of the path of a URL.
fn file_name(written: &str) -> Option<&str> {
    if written.starts_with("data:") {
        return None;
    }
    let path = written.split(['?', '#']).next()?;
    let name = path.rsplit(['/', '\\']).next()?;
    (!name.is_empty()).then_some(name)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn read(block: &Value) -> Result<Media<'_>, MediaError> {
        static NONE: MediaFiles = MediaFiles(Vec::new());
        media_of(block.as_object().unwrap(), &NONE)
    }

    #[test]
    fn an_image_is_found_in_every_spelling() {
        for block in [
            json!({"type": "image", "value": "data:image/png;base64,AAAA"}),
            json!({"type": "image_url", "image_url": {"url": "data:image/png;base64,AAAA"}}),
            json!({"type": "image_url", "image_url": "data:image/png;base64,AAAA"}),
            json!({"type": "image", "url": "data:;base64,AAAA", "media_type": "image/png"}),
        ] {
            let media = read(&block).unwrap();
            assert_eq!(media.media_type, "image/png", "{block}");
            assert_eq!(media.source, MediaSource::Base64("AAAA".into()));
        }
        let block = json!({"type": "image", "value": "https://h/cat.JPG?x=1", "detail": "low"});
        let media = read(&block).unwrap();
        assert_eq!(media.media_type, "image/jpeg");
        assert_eq!(media.name.as_deref(), Some("cat.JPG"));
        assert_eq!(media.detail, Some("low"));
    }

    #[test]
    fn a_block_without_bytes_is_an_error() {
        for block in [
            json!({"type": "image_url", "value": "./a.png"}),
            json!({"type": "image_url", "image_url": {"url": "a.png"}}),
        ] {
            assert_eq!(read(&block).unwrap_err(), MediaError::NoAddress);
        }
        let block = json!({"type": "audio", "value": "data:text"});
        assert_eq!(
            read(&block).unwrap_err(),
            MediaError::NoSource("audio".to_owned())
        );
        let block = json!({"type": "audio", "value": "https://h/a"});
        assert_eq!(
            read(&block).unwrap_err(),
            MediaError::NoType("audio".to_owned())
        );
    }
}
