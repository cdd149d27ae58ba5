//! Routing requests to their answers.

use std::time::Duration;

use http_body_util::{BodyExt, LengthLimitError, Limited};
use hyper::body::Incoming;
use hyper::{Method, Request, StatusCode};
use serde_json::Value;
use tokio::time::timeout;

use super::access::{Token, is_for_this_machine};
use super::answer::Refusal;
use super::desk::Desk;

/// The maximum size of a request's body.
const LARGEST_BODY: usize = 16 << 20;
/// The maximum time for a body to arrive.
const LONGEST_BODY: Duration = Duration::from_secs(30);

/// Answers a request, if it is authorized.
pub(super) async fn answer(
    request: Request<Incoming>,
    desk: &Desk<'_>,
    token: &Token,
) -> Result<Value, Refusal> {
    if !is_for_this_machine(request.headers()) {
        let reason = "the header `Host` must name this machine (127.0.0.1 or localhost)";
        return Err(Refusal(StatusCode::FORBIDDEN, reason.to_owned()));
    }
    if !token.is_shown(request.headers()) {
        let reason = "the header `Authorization: Bearer …` must have the value of \
                      `AGENTV_TARGET_PROXY_TOKEN`";
        return Err(Refusal(StatusCode::UNAUTHORIZED, reason.to_owned()));
    }
    match (request.uri().path(), request.method()) {
        ("/info", &Method::GET) => Ok(desk.info()),
        ("/invoke", &Method::POST) => desk.invoke(&body(request, desk).await?).await,
        ("/invokeBatch", &Method::POST) => desk.invoke_batch(&body(request, desk).await?).await,
        ("/info", method) => Err(wrong_method("/info", "GET", method)),
        (path @ ("/invoke" | "/invokeBatch"), method) => Err(wrong_method(path, "POST", method)),
        (path, _) => {
            let reason = format!("path `{path}` not found; known: /info, /invoke, /invokeBatch");
            Err(Refusal(StatusCode::NOT_FOUND, reason))
        }
    }
}

fn wrong_method(path: &str, expected: &str, found: &Method) -> Refusal {
    let reason = format!("`{path}`: expected {expected}, found {found}");
    Refusal(StatusCode::METHOD_NOT_ALLOWED, reason)
}

/// Reads the JSON body of a request.
async fn body(request: Request<Incoming>, desk: &Desk<'_>) -> Result<Value, Refusal> {
    let _place = desk.place_for_a_body().await;
    let body = Limited::new(request.into_body(), LARGEST_BODY);
    let Ok(collected) = timeout(LONGEST_BODY, body.collect()).await else {
        let reason = "the body took too long to arrive".to_owned();
        return Err(Refusal(StatusCode::REQUEST_TIMEOUT, reason));
    };
    let bytes = collected.map_err(|error| {
        if error.is::<LengthLimitError>() {
            Refusal(
                StatusCode::PAYLOAD_TOO_LARGE,
                "the body is larger than 16 MiB".to_owned(),
            )
        } else {
            Refusal::bad(format!("cannot read the body: {error}"))
        }
    })?;
    let parsed = serde_json::from_slice(&bytes.to_bytes());
    parsed.map_err(|error| Refusal::bad(format!("the body is not valid JSON: {error}")))
}
