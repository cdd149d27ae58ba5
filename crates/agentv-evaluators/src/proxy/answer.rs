//! Responses of the server: a status and JSON.

use http_body_util::Full;
use hyper::body::Bytes;
use hyper::header::{ALLOW, CONNECTION, CONTENT_TYPE, HeaderValue, WWW_AUTHENTICATE};
use hyper::{Response, StatusCode};
use serde_json::{Value, json};

/// A response that is not a success: its status and the reason.
#[derive(Debug)]
pub(super) struct Refusal(pub(super) StatusCode, pub(super) String);

impl Refusal {
    pub(super) fn bad(reason: impl Into<String>) -> Refusal {
        Refusal(StatusCode::BAD_REQUEST, reason.into())
    }
}

/// Makes the response from an answer or a refusal.
pub(super) fn response(answer: Result<Value, Refusal>) -> Response<Full<Bytes>> {
    let (status, body) = match answer {
        Ok(value) => (StatusCode::OK, value),
        Err(Refusal(status, reason)) => (status, json!({"error": reason})),
    };
    let mut response = Response::new(Full::new(Bytes::from(body.to_string())));
    *response.status_mut() = status;
    let headers = response.headers_mut();
    headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
    match status {
        StatusCode::UNAUTHORIZED => {
            headers.insert(WWW_AUTHENTICATE, HeaderValue::from_static("Bearer"));
        }
        StatusCode::METHOD_NOT_ALLOWED => {
            headers.insert(ALLOW, HeaderValue::from_static("GET, POST"));
        }
        // The rest of the body is unread and would be taken for the next request.
        StatusCode::PAYLOAD_TOO_LARGE => {
            headers.insert(CONNECTION, HeaderValue::from_static("close"));
        }
        _ => {}
    }
    response
}
