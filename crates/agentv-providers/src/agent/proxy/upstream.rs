//! The API behind the proxy.

use std::io;
use std::sync::Arc;
use std::time::Duration;

use futures_util::stream;
use http_body_util::{BodyExt, StreamBody};
use hyper::body::{Bytes, Frame};
use hyper::header::{CONTENT_TYPE, HeaderMap, HeaderName};
use hyper::{Method, Response};
use reqwest::header::HeaderValue;

use super::answer::{Body, refusal};
use super::call::{KEY_HEADERS, ModelCall};
use super::ledger::{Ledger, Trouble};
use super::meter::Meter;
use crate::model::Auth;
use crate::network::retry_after;

/// The API behind a proxy, and the key for it.
pub(super) struct Upstream {
    pub(super) client: reqwest::Client,
    /// The address, without a trailing slash.
    pub(super) base_url: String,
    pub(super) auth: Auth,
    pub(super) key: Option<String>,
    /// True if every failure is answered as one that the agent does not repeat.
    pub(super) failures_are_final: bool,
}

/// A request of the agent.
pub(super) struct Passed {
    pub(super) method: Method,
    pub(super) path: String,
    pub(super) headers: HeaderMap,
    pub(super) body: Bytes,
    pub(super) call: Option<ModelCall>,
}

/// The headers that belong to one connection, and those that we set ourselves.
const OWN: &[&str] = &[
    "host",
    "connection",
    "keep-alive",
    "proxy-authorization",
    "proxy-connection",
    "te",
    "trailer",
    "transfer-encoding",
    "upgrade",
    "content-length",
    "expect",
    // The answer is read while it passes.
    "accept-encoding",
];

/// The waits before calls are repeated. An agent that has begun its work is not started again, so that
/// a busy API must not end it.
const WAITS: &[Duration] = &[
    Duration::from_secs(1),
    Duration::from_secs(4),
    Duration::from_secs(15),
];
const LONGEST_WAIT: Duration = Duration::from_secs(60);

impl Upstream {
    /// Passes a request on, and returns its answer, which is counted while it passes.
    pub(super) async fn pass(&self, passed: Passed, ledger: &Arc<Ledger>) -> Response<Body> {
        let mut waits = WAITS.iter();
        loop {
            let result = self.send(&passed).await;
            let trouble = match &result {
                Ok(response) if response.status().is_success() => None,
                Ok(response) => Some(Trouble::Status(response.status().as_u16())),
                Err(_) => Some(Trouble::Unreachable),
            };
            let asked = result
                .as_ref()
                .ok()
                .and_then(|response| retry_after(response.headers()));
            if let Some(trouble) = trouble
                && passed.call.is_some()
                && ledger.has_answers()
                && is_passing(trouble)
                && let Some(wait) = waits.next()
            {
                ledger.retried();
                tokio::time::sleep(asked.unwrap_or(*wait).min(LONGEST_WAIT)).await;
                continue;
            }
            if let (Some(trouble), Some(call)) = (trouble, &passed.call) {
                ledger.failed(trouble, call.is_turn);
            }
            let is_final = self.failures_are_final && passed.call.is_some();
            return match result {
                Ok(response) if is_final && trouble.is_some() => final_failure(response).await,
                Err(error) if is_final => {
                    refusal(FINAL, &format!("cannot reach the model: {error}"))
                }
                Ok(response) => answer(response, passed.call.as_ref(), ledger),
                Err(error) => refusal(502, &format!("cannot reach the model: {error}")),
            };
        }
    }

    async fn send(&self, passed: &Passed) -> Result<reqwest::Response, reqwest::Error> {
        let url = format!("{}{}", self.base_url, passed.path);
        let mut headers = HeaderMap::new();
        for (name, value) in &passed.headers {
            if !OWN.contains(&name.as_str()) && !KEY_HEADERS.contains(&name.as_str()) {
                headers.append(name, value.clone());
            }
        }
        let key = self.key.as_deref().map(|key| self.auth.value(key));
        let value = key.and_then(|key| HeaderValue::from_str(&key).ok());
        if let Some(mut value) = value {
            value.set_sensitive(true);
            headers.insert(HeaderName::from_static(self.auth.header()), value);
        }
        self.client
            .request(passed.method.clone(), url)
            .headers(headers)
            .body(passed.body.clone())
            .send()
            .await
            .map_err(reqwest::Error::without_url)
    }
}

/// The status of a failure that no agent repeats.
const FINAL: u16 = 400;
/// The most bytes of a failure that are repeated.
const LONGEST_FAILURE: usize = 2_000;

/// Returns a failure as one that the agent does not repeat.
async fn final_failure(mut response: reqwest::Response) -> Response<Body> {
    let status = response.status().as_u16();
    let mut body = Vec::new();
    while body.len() < LONGEST_FAILURE
        && let Ok(Some(chunk)) = response.chunk().await
    {
        body.extend_from_slice(&chunk);
    }
    body.truncate(LONGEST_FAILURE);
    let words = String::from_utf8_lossy(&body);
    let message = format!("the model answered with HTTP {status}: {}", words.trim());
    refusal(FINAL, &message)
}

/// Checks for a failure that passes.
fn is_passing(trouble: Trouble) -> bool {
    match trouble {
        Trouble::Unreachable => true,
        Trouble::Status(status) => matches!(status, 408 | 429 | 500 | 502 | 503 | 504 | 529),
    }
}

/// Returns the answer of the API for the agent.
fn answer(
    response: reqwest::Response,
    call: Option<&ModelCall>,
    ledger: &Arc<Ledger>,
) -> Response<Body> {
    let status = response.status();
    let mut headers = HeaderMap::new();
    for (name, value) in response.headers() {
        if !OWN.contains(&name.as_str()) {
            headers.append(name, value.clone());
        }
    }
    let kind = headers
        .get(CONTENT_TYPE)
        .and_then(|kind| kind.to_str().ok());
    let meter = call
        .filter(|_| status.is_success())
        .map(|call| Meter::new(Arc::clone(ledger), call, kind.unwrap_or_default()));
    let mut answer = Response::new(passing(response, meter));
    *answer.status_mut() = status;
    *answer.headers_mut() = headers;
    answer
}

/// Returns the body of an answer as it arrives.
fn passing(response: reqwest::Response, meter: Option<Meter>) -> Body {
    let chunks = stream::unfold((response, meter), async |(mut response, mut meter)| {
        match response.chunk().await {
            Ok(Some(chunk)) => {
                if let Some(meter) = &mut meter {
                    meter.push(&chunk);
                }
                Some((Ok(Frame::data(chunk)), (response, meter)))
            }
            // The meter is dropped, which ends it.
            Ok(None) => None,
            Err(error) => Some((
                Err(io::Error::other(error.without_url())),
                (response, meter),
            )),
        }
    });
    BodyExt::boxed_unsync(StreamBody::new(Box::pin(chunks)))
}
