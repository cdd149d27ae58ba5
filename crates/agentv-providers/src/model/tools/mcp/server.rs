//! A server of tools, from its connection before the first request to its end after the last one.

use std::fmt;
use std::time::Duration;

use agentv_core::{Cause, ProviderError, ToolCall};
use rmcp::model::{CallToolRequestParams, CallToolResponse};
use rmcp::service::ServiceError;
use rmcp::{Peer, RoleClient};
use serde_json::Value;
use tokio::sync::Mutex;
use tokio_util::sync::CancellationToken;

use super::connection::Connection;
use super::http;
use super::output::output;
use super::spec::{ServerPlace, ServerSpec};
use crate::model::tools::{CallOutput, ToolFailure};
use crate::wire::Tool;

/// A server of tools.
pub(in crate::model::tools) struct Server {
    spec: ServerSpec,
    connection: Mutex<Option<Connection>>,
    /// The last words of the process that ended last, for all calls that were in flight then.
    last_words: Mutex<Option<String>>,
}

impl fmt::Display for Server {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.spec.fmt(f)
    }
}

impl Server {
    /// Makes a server that is not connected yet.
    pub(in crate::model::tools) fn new(spec: ServerSpec) -> Server {
        Server {
            spec,
            connection: Mutex::new(None),
            last_words: Mutex::new(None),
        }
    }

    /// Returns the words of the command, if the server is one.
    pub(in crate::model::tools) fn command(&self) -> Option<Vec<String>> {
        self.spec.command()
    }

    /// Connects the server, and returns its tools.
    ///
    /// # Errors
    /// If the server is not ready in time, or does not list its tools.
    pub(in crate::model::tools) async fn tools(
        &self,
        cancel: &CancellationToken,
    ) -> Result<Vec<Tool>, ProviderError> {
        let listing = async {
            let peer = self.peer().await?;
            let listed = tokio::time::timeout(self.spec.timeout, peer.list_all_tools()).await;
            match listed {
                Ok(Ok(tools)) => Ok(tools),
                Ok(Err(error)) => Err(self.failed(&error, "while it listed its tools").await),
                Err(_) => Err(self.error(&format!(
                    "did not list its tools within {:?}",
                    self.spec.timeout
                ))),
            }
        };
        let tools = tokio::select! {
            biased;
            () = cancel.cancelled() => return Err(ProviderError::cancelled()),
            tools = listing => tools?,
        };
        let tools = tools.into_iter().map(|tool| Tool {
            name: tool.name.into_owned(),
            description: tool.description.map(|text| text.into_owned()),
            parameters: Tool::schema((*tool.input_schema).clone()),
        });
        Ok(tools.collect())
    }

    /// Runs a call. The model gets the inner error.
    ///
    /// # Errors
    /// If the server is gone.
    pub(in crate::model::tools) async fn call(
        &self,
        call: &ToolCall,
        timeout: Duration,
        cancel: &CancellationToken,
    ) -> Result<Result<CallOutput, ToolFailure>, ProviderError> {
        let mut parameters = CallToolRequestParams::new(call.tool.clone());
        match &call.input {
            Some(Value::Object(arguments)) => {
                parameters = parameters.with_arguments(arguments.clone());
            }
            None | Some(Value::Null) => {}
            Some(_) => return Ok(Err("the arguments are not a JSON object".into())),
        }
        let limit = self.spec.timeout.min(timeout);
        let calling = async {
            let peer = self.peer().await?;
            let answered = tokio::time::timeout(limit, peer.call_tool_once(parameters)).await;
            Ok::<_, ProviderError>(answered)
        };
        let answered = tokio::select! {
            biased;
            () = cancel.cancelled() => return Err(ProviderError::cancelled()),
            answered = calling => answered?,
        };
        match answered {
            Err(_) => Ok(Err(
                format!("the tool did not answer within {limit:?}").into()
            )),
            Ok(Ok(CallToolResponse::Complete(result))) => Ok(output(result)),
            Ok(Ok(_)) => Ok(Err("the tool asks for input that nobody can give".into())),
            Ok(Err(ServiceError::McpError(error))) => Ok(Err(error.message.into_owned().into())),
            Ok(Err(ServiceError::UnexpectedResponse)) => Ok(Err(
                "the tool gave a result that is none of the protocol".into(),
            )),
            Ok(Err(error)) => {
                let doing = format!("while it ran the tool `{}`", call.tool);
                Err(self.failed(&error, &doing).await)
            }
        }
    }

    /// Ends the connection, and waits for the server's process.
    pub(in crate::model::tools) async fn end(&self) {
        let connection = self.connection.lock().await.take();
        if let Some(connection) = connection {
            connection.close().await;
        }
    }

    /// Returns the way to ask the server. One that has ended is started again.
    async fn peer(&self) -> Result<Peer<RoleClient>, ProviderError> {
        let mut connection = self.connection.lock().await;
        if let Some(open) = connection.as_ref().filter(|open| !open.is_closed()) {
            return Ok(open.peer().clone());
        }
        if let Some(closed) = connection.take() {
            *self.last_words.lock().await = closed.close().await;
        }
        let open = Connection::open(&self.spec).await;
        let open = open.map_err(|error| self.error(&error.to_string()))?;
        let peer = open.peer().clone();
        *connection = Some(open);
        Ok(peer)
    }

    /// Returns the error of a server that could not be asked, with its last words if it has ended.
    async fn failed(&self, error: &ServiceError, doing: &str) -> ProviderError {
        let last_words = self.last_words().await;
        let reason = last_words.unwrap_or_else(|| match (error, &self.spec.place) {
            (ServiceError::TransportSend(failed), ServerPlace::Address { url, .. }) => {
                http::reason(failed, url)
            }
            (ServiceError::TransportClosed | ServiceError::Cancelled { .. }, _) => {
                "it closed the connection".to_owned()
            }
            (ServiceError::UnexpectedResponse, _) => {
                "its answer is not one of MCP; each tool needs a `name` and an `inputSchema`"
                    .to_owned()
            }
            (error, _) => error.to_string(),
        });
        self.error(&format!("failed {doing}: {reason}"))
    }

    /// Returns the last words of a process that has ended. Others that ask at the same time get the same
    /// ones.
    async fn last_words(&self) -> Option<String> {
        let mut connection = self.connection.lock().await;
        let mut last_words = self.last_words.lock().await;
        let closed = connection.take_if(|connection| connection.is_closed());
        if let Some(closed) = closed {
            *last_words = closed.close().await;
        }
        last_words.clone()
    }

    fn error(&self, problem: &str) -> ProviderError {
        ProviderError::new(Cause::Network, format!("{} {problem}", self.spec))
    }
}
