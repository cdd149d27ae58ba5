//! The server of the proxy.

use std::convert::Infallible;
use std::io;
use std::net::{Ipv4Addr, SocketAddr};
use std::sync::Arc;
use std::time::Duration;

use agentv_core::Allowance;
use futures_util::StreamExt;
use futures_util::stream::FuturesUnordered;
use http_body_util::{BodyExt, Limited};
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper::{Request, Response};
use hyper_util::rt::TokioIo;
use tokio::net::{TcpListener, TcpStream};

use super::answer::{Body, refusal};
use super::call::{ModelCall, path_and_query, presents};
use super::ledger::{Ledger, Limit, Limits};
use super::upstream::{Passed, Upstream};
use crate::model::Auth;

/// The most bytes of a request.
const LARGEST_REQUEST: usize = 64 << 20;
/// The most connections at a time. Others wait.
const MOST_CONNECTIONS: usize = 64;
/// The wait after a connection could not be accepted, for example with too many open files.
const PAUSE: Duration = Duration::from_millis(50);

/// The settings of a proxy.
pub(crate) struct ProxySpec {
    pub(crate) client: reqwest::Client,
    /// The address of the API.
    pub(crate) base_url: String,
    /// The query of every request to it.
    pub(crate) query: Option<String>,
    pub(crate) auth: Auth,
    pub(crate) key: Option<String>,
    pub(crate) max_turns: Option<u64>,
    pub(crate) allowance: Allowance,
    /// The price of all models, if the user set one.
    pub(crate) price: Option<crate::model::Price>,
    /// The vendor's name in the table of prices.
    pub(crate) prices: &'static str,
    /// True if every failure is answered as one that the agent does not repeat, for an agent that would
    /// not stop to repeat its call.
    pub(crate) failures_are_final: bool,
}

/// A proxy for one trial.
pub(crate) struct Proxy {
    listener: TcpListener,
    address: SocketAddr,
    url: String,
    key: String,
    upstream: Upstream,
    ledger: Arc<Ledger>,
}

impl Proxy {
    /// Opens a proxy on a free port of the loopback address.
    ///
    /// # Errors
    /// If there is no free port, or the system has no random numbers.
    pub(crate) async fn open(spec: ProxySpec) -> io::Result<Proxy> {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await?;
        let address = listener.local_addr()?;
        Ok(Proxy {
            listener,
            address,
            url: format!("http://{address}"),
            key: secret()?,
            ledger: Arc::new(Ledger::new(Limits {
                max_turns: spec.max_turns,
                allowance: spec.allowance,
                price: spec.price,
                prices: spec.prices,
            })),
            upstream: Upstream {
                client: spec.client,
                base_url: spec.base_url.trim_end_matches('/').to_owned(),
                query: spec.query,
                auth: spec.auth,
                key: spec.key,
                failures_are_final: spec.failures_are_final,
            },
        })
    }

    /// Returns the address that stands for that of the API.
    pub(crate) fn address(&self) -> &str {
        &self.url
    }

    /// Returns its port.
    pub(crate) fn port(&self) -> u16 {
        self.address.port()
    }

    /// Returns the key that the agent must present.
    pub(crate) fn key(&self) -> &str {
        &self.key
    }

    /// Returns the account of the calls.
    pub(crate) fn ledger(&self) -> &Arc<Ledger> {
        &self.ledger
    }

    /// Answers requests until it is dropped, which also drops requests in flight.
    pub(crate) async fn serve(&self) -> Infallible {
        let mut connections = FuturesUnordered::new();
        loop {
            tokio::select! {
                accepted = self.listener.accept(), if connections.len() < MOST_CONNECTIONS => {
                    match accepted {
                        Ok((stream, _)) => connections.push(self.talk(stream)),
                        Err(_) => tokio::time::sleep(PAUSE).await,
                    }
                }
                Some(()) = connections.next(), if !connections.is_empty() => {}
            }
        }
    }

    /// Serves one connection until it ends.
    async fn talk(&self, stream: TcpStream) {
        let _ = stream.set_nodelay(true);
        let service = service_fn(async |request| Ok::<_, Infallible>(self.answer(request).await));
        let connection = http1::Builder::new().serve_connection(TokioIo::new(stream), service);
        // A broken connection is up to the agent.
        let _ = connection.await;
    }

    async fn answer(&self, request: Request<Incoming>) -> Response<Body> {
        if !presents(&self.key, request.headers(), request.uri()) {
            return refusal(401, "this proxy belongs to another program");
        }
        let (head, body) = request.into_parts();
        let Ok(body) = Limited::new(body, LARGEST_REQUEST).collect().await else {
            return refusal(413, "the request is too large");
        };
        let body = body.to_bytes();
        self.ledger.passed();
        let call = ModelCall::of(head.uri.path(), &body);
        if let Some(call) = &call
            && let Err(limit) = self.ledger.admit(call.is_turn)
        {
            return refusal(
                403,
                match limit {
                    Limit::Turns => "the limit of turns is reached",
                    Limit::Budget => "the budget of the run is used up",
                },
            );
        }
        let passed = Passed {
            method: head.method,
            path: path_and_query(&head.uri),
            headers: head.headers,
            body,
            call,
        };
        self.upstream.pass(passed, &self.ledger).await
    }
}

/// Returns a new key, which other programs of this machine cannot guess: they must not use the key behind
/// the proxy.
fn secret() -> io::Result<String> {
    let mut bytes = [0; 16];
    getrandom::fill(&mut bytes).map_err(|error| io::Error::other(error.to_string()))?;
    Ok(format!("agentv-{:032x}", u128::from_ne_bytes(bytes)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_two_keys_are_the_same() {
        let keys = [(); 3].map(|()| secret().unwrap());
        assert!(keys.iter().all(|key| key.len() == "agentv-".len() + 32));
        assert!(keys[0] != keys[1] && keys[1] != keys[2] && keys[0] != keys[2]);
    }
}
