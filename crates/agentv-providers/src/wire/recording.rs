//! A recording of one exchange, as it was sent.

use std::collections::BTreeMap;

use agentv_core::{ExchangeLog, RawExchange, RawMessage, Secrets};
use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use bytes::Bytes;
use reqwest::header::HeaderMap;
use reqwest::{Request, Response, StatusCode};

use super::inflate::{Inflate, InflateError};

/// A recording of one exchange. It is added to its log when it is dropped, however the exchange ended.
pub(crate) struct Recording {
    log: ExchangeLog,
    exchange: RawExchange,
    /// The headers of the response, once it has begun.
    headers: Option<BTreeMap<String, String>>,
    /// The bytes of the response so far.
    body: Vec<u8>,
}

impl Recording {
    /// Begins with a request.
    pub(crate) fn begin(log: &ExchangeLog, request: &Request) -> Recording {
        let mut url = request.url().clone();
        // These fail only for addresses without a host, which are refused earlier.
        let _ = url.set_username("");
        let _ = url.set_password(None);
        let body = request.body().and_then(|body| body.as_bytes());
        Recording {
            log: log.clone(),
            exchange: RawExchange {
                method: request.method().to_string(),
                url: url.into(),
                request: message(shown(request.headers()), body.unwrap_or_default()),
                status: None,
                response: None,
            },
            headers: None,
            body: Vec::new(),
        }
    }

    /// Takes the beginning of the response.
    fn answered(&mut self, response: &Response) {
        self.exchange.status = Some(response.status().as_u16());
        self.headers = Some(shown(response.headers()));
    }

    /// Takes a piece of the response.
    fn received(&mut self, bytes: &[u8]) {
        self.body.extend_from_slice(bytes);
    }
}

/// A response whose bytes are recorded, if there is a recording.
pub(crate) struct RecordedResponse {
    response: Response,
    recording: Option<Recording>,
    /// Unpacks a compressed body.
    inflate: Option<Inflate>,
}

/// A piece of a body that did not arrive.
#[derive(Debug, thiserror::Error)]
pub(crate) enum ChunkError {
    /// The connection failed.
    #[error(transparent)]
    Network(#[from] reqwest::Error),
    /// The body is compressed in a way that cannot be read.
    #[error(transparent)]
    Inflate(#[from] InflateError),
}

impl RecordedResponse {
    /// Takes a response that has begun.
    ///
    /// # Errors
    /// If its body is compressed in a way that cannot be read.
    pub(crate) fn new(
        response: Response,
        mut recording: Option<Recording>,
    ) -> Result<RecordedResponse, InflateError> {
        if let Some(recording) = &mut recording {
            recording.answered(&response);
        }
        Ok(RecordedResponse {
            inflate: Inflate::of(response.headers())?,
            response,
            recording,
        })
    }

    /// Waits for the next piece of the body; `None` after the last one. A compressed body is unpacked.
    ///
    /// # Errors
    /// If the connection fails, or the compressed body is damaged or too large.
    pub(crate) async fn chunk(&mut self) -> Result<Option<Bytes>, ChunkError> {
        let mut chunk = self.response.chunk().await?;
        if let (Some(inflate), Some(chunk)) = (&mut self.inflate, &mut chunk) {
            *chunk = inflate.push(chunk)?.into();
        }
        if let (Some(recording), Some(chunk)) = (&mut self.recording, &chunk) {
            recording.received(chunk);
        }
        Ok(chunk)
    }

    pub(crate) fn status(&self) -> StatusCode {
        self.response.status()
    }

    pub(crate) fn headers(&self) -> &HeaderMap {
        self.response.headers()
    }

    pub(crate) fn content_length(&self) -> Option<u64> {
        self.response.content_length()
    }
}

impl Drop for Recording {
    fn drop(&mut self) {
        let mut exchange = std::mem::take(&mut self.exchange);
        let headers = self.headers.take();
        exchange.response = headers.map(|headers| message(headers, &self.body));
        self.log.add(exchange);
    }
}

fn message(headers: BTreeMap<String, String>, body: &[u8]) -> RawMessage {
    let text = str::from_utf8(body).ok();
    RawMessage {
        headers,
        body: text.map(str::to_owned),
        body_base64: match text {
            Some(_) => None,
            None => Some(BASE64_STANDARD.encode(body)),
        },
    }
}

/// Returns headers without the values of those that hold keys.
fn shown(headers: &HeaderMap) -> BTreeMap<String, String> {
    let shown = headers.iter().map(|(name, value)| {
        let is_secret = value.is_sensitive() || Secrets::is_secret_name(name.as_str());
        let value = if is_secret {
            Secrets::REPLACEMENT.to_owned()
        } else {
            String::from_utf8_lossy(value.as_bytes()).into_owned()
        };
        (name.to_string(), value)
    });
    shown.collect()
}
