//! A connection to a server: made, asked, and ended.

use std::time::Duration;

use agentv_process::CommandSpec;
use rmcp::model::{ClientCapabilities, ClientConfig, Implementation, ProtocolVersion};
use rmcp::service::{ClientInitializeError, RunningService};
use rmcp::transport::{DynamicTransportError, IntoTransport};
use rmcp::{ClientLifecycleMode, ClientServiceExt, Peer, RoleClient};

use super::http;
use super::spec::{ServerPlace, ServerSpec};
use super::stdio::{self, ServerProcess};

/// The time that a server has to take notice of the end.
const FAREWELL: Duration = Duration::from_secs(5);

/// A server that is ready. Dropping it ends the connection without waiting for it.
pub(super) struct Connection {
    service: Service,
    process: Option<ServerProcess>,
}

type Service = RunningService<RoleClient, ClientConfig>;

/// The reason for which a server is not ready.
#[derive(Debug, thiserror::Error)]
pub(super) enum ConnectError {
    /// The server failed, or does not speak the protocol.
    #[error("{0}")]
    Failed(String),
    /// The server speaks another version of the protocol.
    #[error("{0}")]
    OtherVersion(String),
}

impl Connection {
    /// Connects a server, in the version of the protocol that it speaks.
    ///
    /// # Errors
    /// With the reason, if the server is not ready in time.
    pub(super) async fn open(spec: &ServerSpec) -> Result<Connection, ConnectError> {
        let first = open(spec, ClientLifecycleMode::Initialize).await;
        let Err(ConnectError::OtherVersion(_)) = &first else {
            return first;
        };
        // Since 2026-07-28 there is no handshake.
        let preferred_versions = vec![ProtocolVersion::LATEST];
        let second = open(spec, ClientLifecycleMode::Discover { preferred_versions }).await;
        second.or(first)
    }

    /// Returns the way to ask the server.
    pub(super) fn peer(&self) -> &Peer<RoleClient> {
        self.service.peer()
    }

    /// Returns true if the server can no longer be asked.
    pub(super) fn is_closed(&self) -> bool {
        self.service.peer().is_transport_closed()
    }

    /// Ends the connection, and waits for the server's process. Returns the server's last words, if it is
    /// a process.
    pub(super) async fn close(mut self) -> Option<String> {
        // A server that does not take notice ends all the same.
        let _ = self.service.close_with_timeout(FAREWELL).await;
        drop(self.service);
        match self.process {
            Some(process) => Some(process.ended().await),
            None => None,
        }
    }
}

async fn open(
    spec: &ServerSpec,
    lifecycle: ClientLifecycleMode,
) -> Result<Connection, ConnectError> {
    match &spec.place {
        ServerPlace::Address { url, headers } => {
            let transport = http::open(url, headers);
            let transport = transport.map_err(|error| ConnectError::Failed(error.to_string()))?;
            let service = shake_hands(spec, transport, lifecycle).await;
            let service = service.map_err(|error| {
                let reason = error.transport().map(|failed| http::reason(failed, url));
                error.with(reason.as_deref())
            })?;
            let process = None;
            Ok(Connection { service, process })
        }
        ServerPlace::Command {
            argv,
            folder,
            variables,
        } => {
            let (program, arguments) = argv.split_first().map_or(("", argv.as_slice()), first);
            let mut command = CommandSpec::program(program)
                .args(arguments)
                .current_dir(folder);
            for (name, value) in variables {
                command = command.env(name, value);
            }
            let (process, transport) = stdio::start(command);
            match shake_hands(spec, transport, lifecycle).await {
                Ok(service) => {
                    let process = Some(process);
                    Ok(Connection { service, process })
                }
                Err(error) => {
                    let last_words = match error {
                        Unready::Refused(_) => process.ended().await,
                        Unready::Late(_) => process.stop().await,
                    };
                    Err(error.with(Some(&last_words)))
                }
            }
        }
    }
}

fn first<'a>((program, arguments): (&'a String, &'a [String])) -> (&'a str, &'a [String]) {
    (program, arguments)
}

/// A server that did not answer our first words.
enum Unready {
    Refused(Box<ClientInitializeError>),
    Late(Duration),
}

impl Unready {
    /// Returns the error of a message that could not be delivered.
    fn transport(&self) -> Option<&DynamicTransportError> {
        match self {
            Unready::Refused(error) => match &**error {
                ClientInitializeError::TransportError { error, .. } => Some(error),
                _ => None,
            },
            Unready::Late(_) => None,
        }
    }

    /// Describes it, with what is known besides.
    fn with(&self, reason: Option<&str>) -> ConnectError {
        let because = reason
            .map(|reason| format!(": {reason}"))
            .unwrap_or_default();
        match self {
            Unready::Late(timeout) => ConnectError::Failed(format!(
                "was not ready within {timeout:?}{because}; to wait longer, set `timeout_seconds` of \
                 its `mcp`"
            )),
            Unready::Refused(error) => match &**error {
                ClientInitializeError::JsonRpcError(refusal) => ConnectError::OtherVersion(
                    format!("refused the connection: {}", refusal.message),
                ),
                ClientInitializeError::ConnectionClosed(_)
                | ClientInitializeError::TransportError { .. } => {
                    ConnectError::Failed(format!("cannot be used{because}"))
                }
                other => ConnectError::Failed(format!("does not speak MCP: {other}{because}")),
            },
        }
    }
}

async fn shake_hands<T, E, A>(
    spec: &ServerSpec,
    transport: T,
    lifecycle: ClientLifecycleMode,
) -> Result<Service, Unready>
where
    T: IntoTransport<RoleClient, E, A>,
    E: std::error::Error + Send + Sync + 'static,
{
    let name = Implementation::new("agentv", env!("CARGO_PKG_VERSION"));
    let config = ClientConfig::new(ClientCapabilities::default(), name);
    let config = config.with_protocol_version(ProtocolVersion::LATEST_WITH_INITIALIZE);
    let serving = config.serve_with_lifecycle(transport, lifecycle);
    match tokio::time::timeout(spec.timeout, serving).await {
        Ok(served) => served.map_err(|error| Unready::Refused(Box::new(error))),
        Err(_) => Err(Unready::Late(spec.timeout)),
    }
}
