//! A server at an address: messages are requests.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use futures_util::stream::BoxStream;
use reqwest::Url;
use reqwest::header::{HeaderMap, HeaderName, HeaderValue};
use rmcp::model::{ClientJsonRpcMessage, ClientRequest, ErrorCode, JsonRpcMessage};
use rmcp::transport::common::client_side_sse::FixedInterval;
use rmcp::transport::streamable_http_client::{
    SseError, StreamableHttpClient, StreamableHttpClientTransportConfig, StreamableHttpError,
    StreamableHttpPostResponse,
};
use rmcp::transport::{DynamicTransportError, StreamableHttpClientTransport};
use sse_stream::Sse;

use super::post::post;
use crate::excerpt::excerpt;
use crate::network::{http_client, network_error};
use crate::target::SettingError;

/// A transport to an address, on the client that all requests share.
pub(super) type HttpTransport = StreamableHttpClientTransport<SessionClient>;

/// A client that takes an error which belongs to no request for the end of the request. Many servers that
/// were started again answer so: they do not know the session.
#[derive(Clone)]
pub(super) struct SessionClient(reqwest::Client);

type Failed = StreamableHttpError<reqwest::Error>;
type Headers = HashMap<HeaderName, HeaderValue>;

impl StreamableHttpClient for SessionClient {
    type Error = reqwest::Error;

    async fn post_message(
        &self,
        uri: Arc<str>,
        message: ClientJsonRpcMessage,
        session_id: Option<Arc<str>>,
        auth_header: Option<String>,
        headers: Headers,
    ) -> Result<StreamableHttpPostResponse, Failed> {
        let asked = match (&message, &session_id) {
            (JsonRpcMessage::Request(request), Some(_)) => Some(request.id.clone()),
            _ => None,
        };
        let is_call = match &message {
            JsonRpcMessage::Request(request) => {
                matches!(request.request, ClientRequest::CallToolRequest(_))
            }
            _ => false,
        };
        let answer = if is_call {
            post(&self.0, &uri, &message, session_id, auth_header, headers).await?
        } else {
            let client = &self.0;
            client
                .post_message(uri, message, session_id, auth_header, headers)
                .await?
        };
        match (asked, answer) {
            (Some(asked), StreamableHttpPostResponse::Json(JsonRpcMessage::Error(failed), _))
                if failed.id.as_ref() != Some(&asked) =>
            {
                let is_own = failed.id.is_some() || failed.error.code == ErrorCode::INTERNAL_ERROR;
                Err(match is_own {
                    // The call may have been made, so it is not repeated.
                    true => Failed::UnexpectedServerResponse(failed.error.message),
                    false => Failed::SessionExpired,
                })
            }
            (_, answer) => Ok(answer),
        }
    }

    async fn delete_session(
        &self,
        uri: Arc<str>,
        session_id: Arc<str>,
        auth_header: Option<String>,
        headers: Headers,
    ) -> Result<(), Failed> {
        let deleting = self.0.delete_session(uri, session_id, auth_header, headers);
        deleting.await
    }

    async fn get_stream(
        &self,
        uri: Arc<str>,
        session_id: Option<Arc<str>>,
        last_event_id: Option<String>,
        auth_header: Option<String>,
        headers: Headers,
    ) -> Result<BoxStream<'static, Result<Sse, SseError>>, Failed> {
        let opening = self
            .0
            .get_stream(uri, session_id, last_event_id, auth_header, headers);
        opening.await
    }
}

/// Opens a transport. The first message makes the first request.
///
/// # Errors
/// If the system has no HTTP client.
pub(super) fn open(url: &Url, headers: &HeaderMap) -> Result<HttpTransport, SettingError> {
    let headers = headers.iter();
    let headers = headers.map(|(name, value)| (name.clone(), value.clone()));
    let config = StreamableHttpClientTransportConfig::with_uri(url.as_str());
    let mut config = config.custom_headers(headers.collect());
    // A server whose connection breaks during a call is gone: one attempt to take it up again is enough.
    let mut once = FixedInterval::default();
    (once.max_times, once.duration) = (Some(1), Duration::from_millis(100));
    config.retry_config = Arc::new(once);
    Ok(StreamableHttpClientTransport::with_client(
        SessionClient(http_client()?),
        config,
    ))
}

/// Describes a message that could not be delivered.
pub(super) fn reason(error: &DynamicTransportError, url: &Url) -> String {
    let failed = error
        .error
        .downcast_ref::<StreamableHttpError<reqwest::Error>>();
    match failed {
        Some(StreamableHttpError::Client(failed)) => network_error(failed, url.as_str()).message,
        Some(StreamableHttpError::AuthRequired(_)) => {
            "it requires authorization (status 401); set `headers` of its `mcp`".to_owned()
        }
        Some(StreamableHttpError::UnexpectedContentType(found)) => {
            let found = match found {
                Some(found) => format!("`{}`", excerpt(found)),
                None => "a body without a type".to_owned(),
            };
            format!(
                "it answered with {found}, which is not MCP; is this the address of an MCP server?"
            )
        }
        Some(StreamableHttpError::SessionExpired) => {
            "it does not know the session, not even a new one".to_owned()
        }
        Some(other) => excerpt(&other.to_string()),
        None => excerpt(&error.error.to_string()),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;
    use crate::model::server::{Reply, Server};

    /// Returns the answer to a call in a session, and without one.
    async fn posted(session: Option<&str>, status: u16, reply: &Value) -> String {
        let server = Server::start(Reply::json(status, &[], reply)).await;
        let call =
            json!({"jsonrpc": "2.0", "id": 7, "method": "tools/call", "params": {"name": "f"}});
        let message = serde_json::from_value(call).unwrap();
        let client = SessionClient(http_client().unwrap());
        let session = session.map(Arc::from);
        let uri = Arc::from(server.url.as_str());
        let posting = client.post_message(uri, message, session, None, Headers::new());
        match posting.await {
            Ok(_) => "an answer".to_owned(),
            Err(Failed::SessionExpired) => "no session".to_owned(),
            Err(other) => other.to_string(),
        }
    }

    #[tokio::test]
    async fn an_error_of_no_request_ends_the_session() {
        let error = |id: Value, code: i32| json!({"jsonrpc": "2.0", "id": id, "error": {"code": code, "message": "lost"}});
        let lost = error(Value::Null, -32000);
        assert_eq!(posted(Some("s"), 400, &lost).await, "no session");
        assert_eq!(posted(Some("s"), 500, &lost).await, "no session");
        assert_eq!(posted(None, 400, &lost).await, "an answer");
        let own = error(json!(7), -32000);
        assert_eq!(posted(Some("s"), 400, &own).await, "an answer");
        let failed = posted(Some("s"), 500, &error(json!("server-error"), -32603)).await;
        assert!(failed.ends_with("lost"), "{failed}");
        let failed = posted(Some("s"), 500, &error(Value::Null, -32603)).await;
        assert!(failed.ends_with("lost"), "{failed}");
    }
}
