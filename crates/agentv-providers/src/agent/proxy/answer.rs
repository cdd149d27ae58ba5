//! Answers of the proxy to the agent.

use std::io;

use http_body_util::combinators::UnsyncBoxBody;
use http_body_util::{BodyExt, Full};
use hyper::Response;
use hyper::body::Bytes;
use hyper::header::CONTENT_TYPE;
use serde_json::json;

/// The body of an answer.
pub(super) type Body = UnsyncBoxBody<Bytes, io::Error>;

/// Returns an error in a form that every protocol understands.
pub(super) fn refusal(status: u16, message: &str) -> Response<Body> {
    let error = json!({
        "type": "error",
        "error": {"type": "agentv", "code": status, "message": message, "status": "agentv"},
    });
    let mut response = Response::new(whole(error.to_string()));
    *response.status_mut() = hyper::StatusCode::from_u16(status).unwrap_or_default();
    let kind = hyper::header::HeaderValue::from_static("application/json");
    response.headers_mut().insert(CONTENT_TYPE, kind);
    response
}

/// Returns a body that is known.
pub(super) fn whole(text: String) -> Body {
    Full::new(Bytes::from(text))
        .map_err(|never| match never {})
        .boxed_unsync()
}
