//! A server that runs until it is dropped.

use std::io;
use std::net::{Ipv4Addr, SocketAddr, TcpListener as StdListener};
use std::sync::{Arc, Mutex};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use tokio::io::AsyncWriteExt;
use tokio::net::{TcpListener, TcpStream};
use tokio::runtime;
use tokio::sync::watch;
use tokio_rustls::TlsAcceptor;

use crate::model::connection::Shared;
use crate::model::log::Log;
use crate::model::observed::Observed;
use crate::model::tls::SelfSigned;
use crate::model::{Behaviour, Calls, Received, Tls};

/// A server on its own threads, for tests with and without a runtime. Dropping it closes its port
/// and its connections.
#[derive(Debug)]
pub struct ModelServer {
    address: SocketAddr,
    tls: Tls,
    certificate: Option<String>,
    shared: Arc<Shared>,
    running: watch::Sender<bool>,
    threads: Vec<JoinHandle<()>>,
}

impl ModelServer {
    /// Starts a server on 127.0.0.1, which accepts calls when this returns.
    ///
    /// # Errors
    /// Fails if the port is taken, the log cannot be written, or a thread cannot be started.
    pub fn start(behaviour: Behaviour) -> io::Result<ModelServer> {
        let listener = StdListener::bind((Ipv4Addr::LOCALHOST, behaviour.port))?;
        listener.set_nonblocking(true)?;
        let address = listener.local_addr()?;
        let tls = behaviour.tls;
        let signed = match tls {
            Tls::SelfSigned => Some(SelfSigned::new()?),
            Tls::None | Tls::Refused => None,
        };
        let count = behaviour.threads.max(1);
        let shared = Arc::new(Shared {
            observed: Observed::new(behaviour.keep),
            log: behaviour.log.as_deref().map(Log::open).transpose()?,
            script: Mutex::new(behaviour.script.iter().cloned().collect()),
            released: watch::Sender::new(false),
            behaviour,
        });
        let (running, stop) = watch::channel(true);
        let mut threads = Vec::with_capacity(count);
        for _ in 0..count {
            let worker = Worker {
                listener: listener.try_clone()?,
                shared: Arc::clone(&shared),
                acceptor: signed.as_ref().map(|signed| signed.acceptor.clone()),
                stop: stop.clone(),
            };
            let runtime = runtime::Builder::new_current_thread()
                .enable_all()
                .build()?;
            let thread = thread::Builder::new().name("model-server".to_owned());
            threads.push(thread.spawn(move || runtime.block_on(worker.run()))?);
        }
        Ok(ModelServer {
            address,
            tls,
            certificate: signed.map(|signed| signed.pem),
            shared,
            running,
            threads,
        })
    }

    /// Returns its URL: `http://127.0.0.1:PORT`, without a trailing slash.
    pub fn url(&self) -> String {
        let scheme = match self.tls {
            Tls::None => "http",
            Tls::SelfSigned | Tls::Refused => "https",
        };
        format!("{scheme}://{}", self.address)
    }

    /// Returns its address.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// Returns the certificate that a client must trust, as PEM, if there is one.
    pub fn certificate(&self) -> Option<&str> {
        self.certificate.as_deref()
    }

    /// Returns the number of calls so far.
    pub fn calls(&self) -> Calls {
        self.shared.observed.calls()
    }

    /// Returns the number of calls of the case with this last user message.
    pub fn calls_of(&self, message: &str) -> u64 {
        self.shared.observed.calls_of(message)
    }

    /// Returns the recent requests, as many as the behaviour keeps.
    pub fn requests(&self) -> Vec<Received> {
        self.shared.observed.requests()
    }

    /// Returns the arrival time of each call since the start of the server, at most the first
    /// 262,144.
    pub fn arrivals(&self) -> Vec<Duration> {
        self.shared.observed.arrivals()
    }

    /// Waits until there were `total` calls; returns false if that takes longer than `longest`.
    pub fn wait_for_calls(&self, total: u64, longest: Duration) -> bool {
        self.shared.observed.wait_for_calls(total, longest)
    }

    /// Answers all calls that were held back, and holds back no further ones.
    pub fn release(&self) {
        self.shared.released.send_replace(true);
    }

    /// Serves until the process ends.
    pub fn serve_forever(mut self) {
        for thread in self.threads.drain(..) {
            let _ = thread.join();
        }
    }
}

impl Drop for ModelServer {
    fn drop(&mut self) {
        let _ = self.running.send(false);
        for thread in self.threads.drain(..) {
            let _ = thread.join();
        }
    }
}

/// Serves connections on one thread.
struct Worker {
    listener: StdListener,
    shared: Arc<Shared>,
    acceptor: Option<TlsAcceptor>,
    stop: watch::Receiver<bool>,
}

impl Worker {
    async fn run(self) {
        let mut stop = self.stop.clone();
        // The connections end with the runtime, which is dropped after this.
        tokio::select! {
            _ = self.accept() => {}
            _ = stop.changed() => {}
        }
    }

    async fn accept(&self) -> io::Result<()> {
        let listener = TcpListener::from_std(self.listener.try_clone()?)?;
        loop {
            let Ok((stream, _)) = listener.accept().await else {
                // Probably out of file descriptors: existing connections must close first.
                tokio::time::sleep(Duration::from_millis(10)).await;
                continue;
            };
            let _ = stream.set_nodelay(true);
            let shared = Arc::clone(&self.shared);
            let acceptor = self.acceptor.clone();
            // A broken connection is the client's problem.
            tokio::spawn(async move {
                let _ = serve(stream, &shared, acceptor).await;
            });
        }
    }
}

async fn serve(
    mut stream: TcpStream,
    shared: &Shared,
    acceptor: Option<TlsAcceptor>,
) -> io::Result<()> {
    if shared.behaviour.tls == Tls::Refused {
        let refusal = b"HTTP/1.1 400 Bad Request\r\ncontent-length: 0\r\nconnection: close\r\n\r\n";
        return stream.write_all(refusal).await;
    }
    match acceptor {
        None => shared.serve(stream).await,
        Some(acceptor) => shared.serve(acceptor.accept(stream).await?).await,
    }
}
