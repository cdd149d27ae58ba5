//! One request and its answer, read with a limit, at once or as a stream.

use std::time::{Duration, Instant};

use reqwest::header::{CONTENT_TYPE, HeaderMap};
use reqwest::{Client, Request, StatusCode};
use serde_json::Value;

use super::inflate::InflateError;
use super::recording::{ChunkError, RecordedResponse, Recording};
use super::stream::{Incoming, StreamError};
use super::{Reply, Wire, WireError};

/// The most bytes that an answer may have.
pub(crate) const LARGEST: usize = 64 << 20;
/// The number of bytes that are read of an error.
const LARGEST_ERROR: usize = 1 << 20;
/// The wait for the end of a stream after its last event. A connection that ends can be used again.
const END: Duration = Duration::from_secs(1);

/// The means of an exchange.
pub(crate) struct Exchange<'a> {
    pub(crate) client: &'a Client,
    pub(crate) wire: &'static dyn Wire,
    /// The time without any bytes after which a stream is given up.
    pub(crate) idle: Duration,
}

/// An answer, and what its delivery shows.
#[derive(Debug)]
pub(crate) struct Heard {
    pub(crate) reply: Reply,
    /// The vendor's name for the request.
    pub(crate) request_id: Option<String>,
    /// The time until the first token, if the answer was streamed.
    pub(crate) first_token: Option<Duration>,
}

/// The reason for which an exchange gave no answer.
#[derive(Debug, thiserror::Error)]
pub(crate) enum ExchangeError {
    /// The connection failed.
    #[error(transparent)]
    Network(#[from] reqwest::Error),
    /// The status is no success.
    #[error("status {status}")]
    Status {
        status: StatusCode,
        headers: Box<HeaderMap>,
        body: String,
    },
    /// The answer has another type than JSON.
    #[error("`{content_type}` in place of JSON")]
    NotJson { content_type: String, body: String },
    /// The answer should be JSON and is not.
    #[error("invalid JSON")]
    InvalidJson {
        error: serde_json::Error,
        body: String,
    },
    /// The vendor reports an error in place of an answer.
    #[error("an error in place of an answer")]
    Reported(Value),
    /// The vendor reports an error in the middle of a stream.
    #[error("an error in the middle of an answer")]
    BrokenOff(Value),
    /// The answer says nothing. The JSON is missing for a stream.
    #[error("no message")]
    NoMessage(Value),
    /// The answer is larger than [`LARGEST`].
    #[error("too large")]
    TooLarge,
    /// Nothing came for this time in the middle of a stream.
    #[error("idle for {} s", .0.as_secs_f64())]
    Idle(Duration),
    /// The stream ended before the answer did.
    #[error("the stream ended early")]
    Cut,
    /// The stream is none.
    #[error("the stream is damaged")]
    Damaged,
    /// The arguments of a tool call are nested too deep for a record.
    #[error("arguments nested too deep")]
    TooDeep,
    /// The body is compressed in a way that cannot be read.
    #[error(transparent)]
    Compressed(InflateError),
}

impl From<InflateError> for ExchangeError {
    fn from(error: InflateError) -> ExchangeError {
        match error {
            InflateError::TooLarge => ExchangeError::TooLarge,
            error @ (InflateError::Damaged(_) | InflateError::Unknown(_)) => {
                ExchangeError::Compressed(error)
            }
        }
    }
}

impl From<ChunkError> for ExchangeError {
    fn from(error: ChunkError) -> ExchangeError {
        match error {
            ChunkError::Network(error) => error.into(),
            ChunkError::Inflate(error) => error.into(),
        }
    }
}

impl From<StreamError> for ExchangeError {
    fn from(error: StreamError) -> ExchangeError {
        match error {
            StreamError::Event(error, data) => match explained(error, &data) {
                ExchangeError::Reported(body) => ExchangeError::BrokenOff(body),
                other => other,
            },
            StreamError::Damaged(_) => ExchangeError::Damaged,
        }
    }
}

impl Exchange<'_> {
    /// Sends a request and reads its answer. Whatever comes is recorded, if there is a recording.
    ///
    /// # Errors
    /// If no complete answer comes.
    pub(crate) async fn send(
        &self,
        request: Request,
        recording: Option<Recording>,
    ) -> Result<Heard, ExchangeError> {
        let started = Instant::now();
        let response = self.client.execute(request).await?;
        let mut response = RecordedResponse::new(response, recording)?;
        let status = response.status();
        if !status.is_success() {
            let body = beginning(&mut response).await;
            let headers = Box::new(response.headers().clone());
            return Err(ExchangeError::Status {
                status,
                headers,
                body,
            });
        }
        let request_id = request_id(response.headers());
        let content_type = content_type(response.headers());
        if let Some(mut incoming) = Incoming::of(&content_type, self.wire) {
            let first_token = self.read_stream(&mut response, &mut incoming, started);
            let first_token = first_token.await?;
            return Ok(Heard {
                reply: incoming.finish()?,
                request_id,
                first_token,
            });
        }
        Ok(Heard {
            reply: self.read(&mut response, content_type).await?,
            request_id,
            first_token: None,
        })
    }

    /// Reads an answer that comes at once. One that does not state its type is JSON. Simple servers state
    /// another type for a stream, which its first word shows.
    async fn read(
        &self,
        response: &mut RecordedResponse,
        content_type: String,
    ) -> Result<Reply, ExchangeError> {
        let is_json = content_type.is_empty() || content_type.to_ascii_lowercase().contains("json");
        let length = response.content_length().unwrap_or(0);
        let length = usize::try_from(length).unwrap_or(usize::MAX);
        if length > LARGEST {
            return Err(ExchangeError::TooLarge);
        }
        let mut bytes = Vec::with_capacity(length.min(1 << 20));
        while let Some(chunk) = response.chunk().await? {
            if bytes.len() + chunk.len() > LARGEST {
                return Err(ExchangeError::TooLarge);
            }
            bytes.extend_from_slice(&chunk);
            if !is_json && bytes.len() >= LARGEST_ERROR && !is_stream(&bytes) {
                bytes.truncate(LARGEST_ERROR);
                break;
            }
        }
        if is_stream(&bytes)
            && let Some(mut incoming) = Incoming::of("text/event-stream", self.wire)
        {
            incoming.push(&bytes)?;
            return Ok(incoming.finish()?);
        }
        let text = String::from_utf8_lossy(&bytes);
        if !is_json {
            let body = text.into_owned();
            return Err(ExchangeError::NotJson { content_type, body });
        }
        let text = text.strip_prefix('\u{feff}').unwrap_or(&text);
        let reply = self.wire.read(text);
        reply.map_err(|error| explained(error, text))
    }

    /// Reads a stream to its end. Returns the time until its first token.
    async fn read_stream(
        &self,
        response: &mut RecordedResponse,
        incoming: &mut Incoming,
        started: Instant,
    ) -> Result<Option<Duration>, ExchangeError> {
        let (mut length, mut first_token) = (0, None);
        loop {
            let wait = if incoming.is_done() { END } else { self.idle };
            let chunk = match tokio::time::timeout(wait, response.chunk()).await {
                Ok(Ok(chunk)) => chunk,
                // The answer is complete: only the end of the connection is missing.
                Ok(Err(_)) | Err(_) if incoming.is_done() => return Ok(first_token),
                Ok(Err(error)) => return Err(error.into()),
                Err(_) => return Err(ExchangeError::Idle(wait)),
            };
            let Some(chunk) = chunk else {
                return Ok(first_token);
            };
            length += chunk.len();
            if length > LARGEST {
                return Err(ExchangeError::TooLarge);
            }
            incoming.push(&chunk)?;
            if first_token.is_none() && incoming.has_begun() {
                first_token = Some(started.elapsed());
            }
        }
    }
}

/// Returns true if bytes begin like the events of a stream, and so not like JSON or HTML.
fn is_stream(bytes: &[u8]) -> bool {
    bytes.starts_with(b"data:") || bytes.starts_with(b"event:")
}

fn content_type(headers: &HeaderMap) -> String {
    let value = headers.get(CONTENT_TYPE);
    let value = value.map(|value| String::from_utf8_lossy(value.as_bytes()).into_owned());
    value.unwrap_or_default()
}

/// Returns the meaning of an answer that its protocol could not read.
fn explained(error: WireError, text: &str) -> ExchangeError {
    let value = |text: &str| serde_json::from_str::<Value>(text);
    match error {
        WireError::Json(_) => match value(text) {
            Ok(value) => ExchangeError::NoMessage(value),
            Err(error) => ExchangeError::InvalidJson {
                error,
                body: text.to_owned(),
            },
        },
        WireError::Reported(body) => {
            let text = || Value::String(body.clone());
            ExchangeError::Reported(value(&body).unwrap_or_else(|_| text()))
        }
        WireError::NoMessage => ExchangeError::NoMessage(value(text).unwrap_or_default()),
        WireError::Cut => ExchangeError::Cut,
        WireError::TooDeep => ExchangeError::TooDeep,
    }
}

/// Returns the vendor's name for a request, from the headers in which vendors put it.
fn request_id(headers: &HeaderMap) -> Option<String> {
    const NAMES: &[&str] = &[
        "x-request-id",
        "request-id",
        "x-amzn-requestid",
        "apim-request-id",
    ];
    let id = NAMES.iter().find_map(|name| headers.get(*name))?;
    id.to_str().ok().map(str::to_owned)
}

/// Reads the beginning of a response, as far as it arrives.
async fn beginning(response: &mut RecordedResponse) -> String {
    let mut bytes = Vec::new();
    while let Ok(Some(chunk)) = response.chunk().await {
        bytes.extend_from_slice(&chunk);
        if bytes.len() >= LARGEST_ERROR {
            bytes.truncate(LARGEST_ERROR);
            break;
        }
    }
    String::from_utf8_lossy(&bytes).into_owned()
}
