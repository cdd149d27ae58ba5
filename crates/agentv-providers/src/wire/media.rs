//! Images, audio and documents in a message.

use std::borrow::Cow;

use super::Unsendable;

/// A piece of a message that is not text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Media<'a> {
    pub(crate) kind: MediaKind,
    /// The media type, such as `image/png`.
    pub(crate) media_type: Cow<'a, str>,
    pub(crate) source: MediaSource<'a>,
    /// The file's name.
    pub(crate) name: Option<Cow<'a, str>>,
    /// OpenAI's `detail` of an image.
    pub(crate) detail: Option<&'a str>,
}

/// The kind of a piece.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum MediaKind {
    Image,
    Audio,
    Document,
}

/// The place of the bytes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum MediaSource<'a> {
    /// An address that the vendor reads.
    Url(Cow<'a, str>),
    /// The bytes in base64.
    Base64(Cow<'a, str>),
}

impl Media<'_> {
    /// Returns the piece in words.
    pub(crate) fn described(&self) -> String {
        let kind = match self.kind {
            MediaKind::Image => "image",
            MediaKind::Audio => "audio",
            MediaKind::Document => "file",
        };
        format!("a block of type `{kind}` ({})", self.media_type)
    }

    /// Returns the error of a protocol that cannot carry the piece.
    pub(crate) fn unsendable(&self, protocol: &'static str) -> Unsendable {
        let source = match &self.source {
            MediaSource::Url(_) => "given as a URL",
            MediaSource::Base64(_) => "in a message",
        };
        Unsendable {
            protocol,
            what: format!("{} {source}", self.described()),
        }
    }

    /// Returns an address of the bytes: the URL, or one that holds them.
    pub(crate) fn url(&self) -> Cow<'_, str> {
        match &self.source {
            MediaSource::Url(url) => Cow::Borrowed(url),
            MediaSource::Base64(bytes) => {
                Cow::Owned(format!("data:{};base64,{bytes}", self.media_type))
            }
        }
    }

    /// Returns the part of the media type after the slash, without parameters.
    pub(crate) fn subtype(&self) -> &str {
        let whole = self.media_type.split(';').next().unwrap_or_default();
        whole.split_once('/').map_or(whole, |(_, subtype)| subtype)
    }
}
