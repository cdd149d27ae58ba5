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
use crate::network::{network_error, retry_after};

/// The API behind a proxy, and the key for it.
pub(super) struct Upstream {
    pub(super) client: reqwest::Client,
    /// The address, without a trailing slash.
    pub(super) base_url: String,
    /// The query of every request.
    pub(super) query: Option<String>,
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
                Ok(response) => answer(response, passed.call.as_ref(), ledger),
                Err(error) => {
                    let reason = network_error(&error, &self.base_url).to_string();
                    let status = if is_final { FINAL } else { 502 };
                    refusal(status, &format!("cannot reach the model: {reason}"))
                }
            };
        }
    }

    /// Returns the address of a request.
    fn url(&self, path: &str) -> String {
        let base_url = &self.base_url;
        match &self.query {
            None => format!("{base_url}{path}"),
            Some(query) => {
                let joint = if path.contains('?') { '&' } else { '?' };
                format!("{base_url}{path}{joint}{query}")
            }
        }
    }

    async fn send(&self, passed: &Passed) -> Result<reqwest::Response, reqwest::Error> {
        let url = self.url(&passed.path);
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
    let mut answer = Response::new(passing(response, meter, Arc::clone(ledger)));
    *answer.status_mut() = status;
    *answer.headers_mut() = headers;
    answer
}

/// Returns the body of an answer as it arrives.
fn passing(response: reqwest::Response, meter: Option<Meter>, ledger: Arc<Ledger>) -> Body {
    let start = (response, meter, ledger);
    let chunks = stream::unfold(start, async |(mut response, mut meter, ledger)| {
        match response.chunk().await {
            Ok(Some(chunk)) => {
                if let Some(meter) = &mut meter {
                    meter.push(&chunk);
                }
                ledger.passed();
                Some((Ok(Frame::data(chunk)), (response, meter, ledger)))
            }
            // The meter is dropped, which ends it.
            Ok(None) => None,
            Err(error) => Some((
                Err(io::Error::other(error.without_url())),
                (response, meter, ledger),
            )),
        }
    });
    BodyExt::boxed_unsync(StreamBody::new(Box::pin(chunks)))
}

#[cfg(test)]
mod tests {
    use super::super::ledger::Limits;
    use super::*;
    use crate::network::http_client;

    #[tokio::test]
    async fn a_server_that_is_not_there_is_named_with_the_reason() {
        // A port that was free a moment ago.
        let port = std::net::TcpListener::bind("127.0.0.1:0")
            .and_then(|listener| listener.local_addr())
            .unwrap()
            .port();
        let upstream = Upstream {
            client: http_client().unwrap(),
            base_url: format!("http://127.0.0.1:{port}"),
            query: None,
            auth: Auth::Bearer,
            key: None,
            failures_are_final: false,
        };
        let passed = Passed {
            method: Method::POST,
            path: "/v1/messages".to_owned(),
            headers: HeaderMap::new(),
            body: Bytes::new(),
            call: None,
        };
        let ledger = Arc::new(Ledger::new(Limits::default()));
        let answer = upstream.pass(passed, &ledger).await;
        assert_eq!(answer.status(), 502);
        let body = answer.into_body().collect().await.unwrap().to_bytes();
        let body = String::from_utf8_lossy(&body);
        let expected = format!("`127.0.0.1:{port}` refused the connection");
        assert!(body.contains(&expected), "{body}");
    }
}
