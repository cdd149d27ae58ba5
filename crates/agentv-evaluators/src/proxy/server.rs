//! The server of the proxy.

use std::convert::Infallible;
use std::io;
use std::net::{Ipv4Addr, SocketAddr};
use std::time::Duration;

use agentv_core::Judging;
use futures_util::StreamExt;
use futures_util::stream::FuturesUnordered;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::{TokioIo, TokioTimer};
use thiserror::Error;
use tokio::net::{TcpListener, TcpStream};
use tokio::time::sleep;

use super::access::Token;
use super::answer::response;
use super::desk::Desk;
use super::route::answer;

/// The maximum number of connections at a time. Others wait.
const MOST_CONNECTIONS: usize = 256;
/// The maximum time for the head of a request to arrive.
const LONGEST_HEAD: Duration = Duration::from_secs(30);
/// The wait after a connection could not be accepted, for example with too many open files.
const PAUSE: Duration = Duration::from_millis(50);

/// A server for one script.
pub(crate) struct Proxy<'j> {
    listener: TcpListener,
    address: SocketAddr,
    token: Token,
    desk: Desk<'j>,
}

/// The reason why no proxy can be opened.
#[derive(Debug, Error)]
pub(crate) enum ProxyError {
    #[error("there is no target that the script can ask")]
    NoTarget,
    #[error("cannot open the proxy to the targets: {0}")]
    NoPort(#[from] io::Error),
}

/// Opens a server on a free port of this machine. The script may make `most_calls` calls.
///
/// # Errors
/// Fails if there is no target to ask or no free port.
pub(crate) async fn open(
    judging: Option<Judging<'_>>,
    most_calls: u64,
) -> Result<Proxy<'_>, ProxyError> {
    let Some(Judging(judges)) = judging else {
        return Err(ProxyError::NoTarget);
    };
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await?;
    let address = listener.local_addr()?;
    Ok(Proxy {
        listener,
        address,
        token: Token::new(),
        desk: Desk::new(judges, most_calls),
    })
}

impl Proxy<'_> {
    /// Returns the port of the server.
    pub(crate) fn port(&self) -> u16 {
        self.address.port()
    }

    /// Returns the environment variables that tell the script about the server.
    pub(crate) fn variables(&self) -> [(&'static str, String); 2] {
        let url = format!("http://{}", self.address);
        let token = self.token.as_str().to_owned();
        [
            ("AGENTV_TARGET_PROXY_URL", url),
            ("AGENTV_TARGET_PROXY_TOKEN", token),
        ]
    }

    /// Answers requests until it is dropped, which also drops requests in flight.
    pub(crate) async fn serve(&self) -> Infallible {
        let mut connections = FuturesUnordered::new();
        loop {
            tokio::select! {
                accepted = self.listener.accept(), if connections.len() < MOST_CONNECTIONS => {
                    match accepted {
                        Ok((stream, _)) => connections.push(self.talk(stream)),
                        Err(_) => sleep(PAUSE).await,
                    }
                }
                Some(()) = connections.next(), if !connections.is_empty() => {}
            }
        }
    }

    /// Serves one connection until it ends.
    async fn talk(&self, stream: TcpStream) {
        let service = service_fn(async |request| {
            let answer = answer(request, &self.desk, &self.token).await;
            Ok::<_, Infallible>(response(answer))
        });
        let connection = http1::Builder::new()
            .timer(TokioTimer::new())
            .header_read_timeout(LONGEST_HEAD)
            .serve_connection(TokioIo::new(stream), service);
        // A broken connection is up to the script.
        let _ = connection.await;
    }
}
