//! A server at an address: messages are requests.

use std::sync::Arc;
use std::time::Duration;

use reqwest::Url;
use reqwest::header::HeaderMap;
use rmcp::transport::common::client_side_sse::FixedInterval;
use rmcp::transport::streamable_http_client::{
    StreamableHttpClientTransportConfig, StreamableHttpError,
};
use rmcp::transport::{DynamicTransportError, StreamableHttpClientTransport};

use crate::excerpt::excerpt;
use crate::network::{http_client, network_error};
use crate::target::SettingError;

/// A transport to an address, on the client that all requests share.
pub(super) type HttpTransport = StreamableHttpClientTransport<reqwest::Client>;

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
        http_client()?,
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
        Some(other) => excerpt(&other.to_string()),
        None => excerpt(&error.error.to_string()),
    }
}
