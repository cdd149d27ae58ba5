//! The server and its routes.

use std::net::SocketAddr;
use std::sync::Arc;

use agentv_core::BoxFuture;
use axum::Router;
use axum::extract::DefaultBodyLimit;
use axum::middleware;
use axum::routing::{get, post};
use tokio::net::TcpListener;

use super::access::{Access, Binding, guard};
use super::{api, assets, compare, events, labels, records};
use crate::runs::Runs;
use crate::view_error::ViewError;

/// The largest body of a request in bytes.
const LARGEST_BODY: usize = 128 << 10;

/// A server that listens and waits to be run.
#[derive(Debug)]
pub struct Server {
    listener: TcpListener,
    address: SocketAddr,
    token: Option<String>,
    runs: Arc<Runs>,
}

/// The state that all requests share.
#[derive(Debug, Clone)]
pub(super) struct Shared(Arc<Inner>);

#[derive(Debug)]
struct Inner {
    runs: Arc<Runs>,
    access: Access,
}

impl Shared {
    pub(super) fn access(&self) -> &Access {
        &self.0.access
    }

    pub(super) fn runs(&self) -> &Arc<Runs> {
        &self.0.runs
    }
}

impl Server {
    /// Listens on an address.
    ///
    /// # Errors
    /// Fails if the address is in use, or if it is not a loopback address and there is no token.
    pub async fn bind(runs: Runs, binding: Binding) -> Result<Server, ViewError> {
        let address = SocketAddr::new(binding.host, binding.port);
        let failed = |source| ViewError::Listen {
            address: address.to_string(),
            source,
        };
        if !binding.host.is_loopback() && binding.token.is_none() {
            let reason = "other machines may reach it, so it needs a token";
            return Err(failed(std::io::Error::other(reason)));
        }
        let listener = TcpListener::bind(address).await.map_err(failed)?;
        let address = listener.local_addr().map_err(failed)?;
        Ok(Server {
            listener,
            address,
            token: binding.token,
            runs: Arc::new(runs),
        })
    }

    /// Returns the address of the page, with the token if there is one.
    pub fn address(&self) -> String {
        match &self.token {
            Some(token) => format!("http://{}/?token={token}", self.address),
            None => format!("http://{}/", self.address),
        }
    }

    /// Answers requests until the process ends.
    ///
    /// # Errors
    /// Fails if the listener is broken.
    pub fn run(self) -> BoxFuture<'static, Result<(), ViewError>> {
        // Boxed: a caller in another crate would compile the whole future again.
        Box::pin(async move {
            let address = self.address.to_string();
            let shared = Shared(Arc::new(Inner {
                runs: self.runs,
                access: Access::new(self.address, self.token),
            }));
            let served = axum::serve(self.listener, routes(shared)).await;
            served.map_err(|source| ViewError::Listen { address, source })
        })
    }
}

fn routes(shared: Shared) -> Router {
    Router::new()
        .route("/", get(assets::frame))
        .route("/run/{id}", get(assets::frame))
        .route("/label/{id}", get(assets::frame))
        .route("/compare", get(assets::frame))
        .route("/app.js", get(assets::script))
        .route("/app.css", get(assets::style))
        .route("/api/runs", get(api::runs))
        .route("/api/compare", get(compare::about))
        .route("/api/compare/rows", get(compare::rows))
        .route("/api/runs/{id}", get(api::run))
        .route("/api/runs/{id}/facts", get(api::facts))
        .route("/api/runs/{id}/trials", get(api::trials))
        .route("/api/runs/{id}/locate", get(api::locate))
        .route("/api/runs/{id}/trials/{item}", get(records::trial))
        .route(
            "/api/runs/{id}/trials/{item}/{record}",
            get(records::record),
        )
        .route(
            "/api/runs/{id}/trials/{item}/history",
            get(records::history),
        )
        .route("/api/runs/{id}/trials/{item}/label", get(labels::label_id))
        .route("/api/runs/{id}/labels", get(labels::labels))
        .route("/api/labels", post(labels::write))
        .route("/api/runs/{id}/events", get(events::events))
        .fallback(api::nothing)
        .layer(DefaultBodyLimit::max(LARGEST_BODY))
        .layer(middleware::from_fn_with_state(shared.clone(), guard))
        .with_state(shared)
}
