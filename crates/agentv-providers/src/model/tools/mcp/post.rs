//! A call of a tool at an address. Its answer may hold halves of surrogate pairs, which become U+FFFD.

use std::borrow::Cow;
use std::collections::HashMap;
use std::sync::Arc;

use futures_util::{StreamExt, TryStreamExt};
use reqwest::header::{ACCEPT, CONTENT_TYPE, HeaderName, HeaderValue};
use reqwest::{Client, Response, StatusCode};
use rmcp::model::{ClientJsonRpcMessage, JsonRpcMessage, ServerJsonRpcMessage};
use rmcp::transport::common::http_header::HEADER_SESSION_ID;
use rmcp::transport::streamable_http_client::{
    SseError, StreamableHttpError, StreamableHttpPostResponse,
};
use sse_stream::{Sse, SseStream};

use crate::excerpt::excerpt;
use crate::wire::{LARGEST, with_halves};

type Failed = StreamableHttpError<reqwest::Error>;

/// Sends a call, and returns its answer: one message, or the stream that will have it.
///
/// # Errors
/// If there is no answer, or one of another protocol.
pub(super) async fn post(
    client: &Client,
    uri: &str,
    message: &ClientJsonRpcMessage,
    session_id: Option<Arc<str>>,
    auth_header: Option<String>,
    headers: HashMap<HeaderName, HeaderValue>,
) -> Result<StreamableHttpPostResponse, Failed> {
    let mut request = client
        .post(uri)
        .header(ACCEPT, "text/event-stream, application/json");
    for (name, value) in headers {
        request = request.header(name, value);
    }
    if let Some(token) = auth_header {
        request = request.bearer_auth(token);
    }
    if let Some(session) = &session_id {
        request = request.header(HEADER_SESSION_ID, &**session);
    }
    let response = request.json(message).send().await?;
    let status = response.status();
    if status == StatusCode::NOT_FOUND && session_id.is_some() {
        return Err(Failed::SessionExpired);
    }
    let kind = response.headers().get(CONTENT_TYPE);
    let kind = kind.map(|kind| String::from_utf8_lossy(kind.as_bytes()).to_ascii_lowercase());
    let is = |name: &str| kind.as_deref().is_some_and(|kind| kind.starts_with(name));
    let session = response.headers().get(HEADER_SESSION_ID);
    let session = session.and_then(|id| id.to_str().ok()).map(str::to_owned);
    if status.is_success() && is("text/event-stream") {
        let events = SseStream::from_bytes_stream(response.bytes_stream()).map(mended);
        return Ok(StreamableHttpPostResponse::Sse(events.boxed(), session));
    }
    if !is("application/json") {
        return match status.is_success() {
            true => Err(Failed::UnexpectedContentType(kind)),
            false => Err(unexpected(format!("it answered with status {status}"))),
        };
    }
    let body = body(response).await?;
    match message_of(&body) {
        Some(answer) if status.is_success() || matches!(answer, JsonRpcMessage::Error(_)) => {
            Ok(StreamableHttpPostResponse::Json(answer, session))
        }
        _ => {
            let body = String::from_utf8_lossy(&body);
            let words = format!("it answered with status {status}: {}", excerpt(&body));
            Err(unexpected(words))
        }
    }
}

fn unexpected(words: String) -> Failed {
    Failed::UnexpectedServerResponse(Cow::Owned(words))
}

/// Reads a body, if it is not too large.
async fn body(response: Response) -> Result<Vec<u8>, Failed> {
    let mut chunks = response.bytes_stream();
    let mut body = Vec::new();
    while let Some(chunk) = chunks.try_next().await? {
        if body.len() + chunk.len() > LARGEST {
            let words = format!("its answer is larger than {} MiB", LARGEST >> 20);
            return Err(unexpected(words));
        }
        body.extend_from_slice(&chunk);
    }
    Ok(body)
}

/// Reads a message.
pub(super) fn message_of(body: &[u8]) -> Option<ServerJsonRpcMessage> {
    let message = serde_json::from_slice(body).ok();
    message.or_else(|| {
        let value = with_halves(str::from_utf8(body).ok()?)?;
        serde_json::from_value(value).ok()
    })
}

/// Replaces halves of surrogate pairs in an event.
fn mended(event: Result<Sse, SseError>) -> Result<Sse, SseError> {
    let mut event = event?;
    let is_suspect = |data: &&String| data.contains("\\ud") || data.contains("\\uD");
    if let Some(data) = event.data.as_ref().filter(is_suspect)
        && serde_json::from_str::<serde_json::Value>(data).is_err()
        && let Some(value) = with_halves(data)
    {
        event.data = Some(value.to_string());
    }
    Ok(event)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::model::server::{Reply, Server};
    use crate::network::http_client;

    const CUT: &str =
        r#"{"jsonrpc":"2.0","id":7,"result":{"content":[{"type":"text","text":"cut \ud83d"}]}}"#;

    async fn posted(content_type: &str, body: &str) -> StreamableHttpPostResponse {
        let server = Server::start(Reply::text(200, content_type, &[], body)).await;
        let call =
            json!({"jsonrpc": "2.0", "id": 7, "method": "tools/call", "params": {"name": "f"}});
        let call = serde_json::from_value(call).unwrap();
        let client = http_client().unwrap();
        let posting = post(&client, &server.url, &call, None, None, HashMap::new());
        posting.await.unwrap()
    }

    #[tokio::test]
    async fn a_text_that_was_cut_inside_a_character_is_an_answer() {
        let StreamableHttpPostResponse::Json(whole, _) = posted("application/json", CUT).await
        else {
            panic!("expected a message");
        };
        let whole = serde_json::to_string(&whole).unwrap();
        assert!(whole.contains("cut \u{fffd}"), "{whole}");
        let events = format!("data: {CUT}\n\n");
        let StreamableHttpPostResponse::Sse(mut events, _) =
            posted("text/event-stream", &events).await
        else {
            panic!("expected a stream");
        };
        let event = events.next().await.unwrap().unwrap();
        let read = message_of(event.data.unwrap().as_bytes()).unwrap();
        assert_eq!(serde_json::to_string(&read).unwrap(), whole);
    }
}
