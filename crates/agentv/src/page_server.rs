//! The server of a page on this machine, and the browser that shows it.

use std::process::{Command, Stdio};

use agentv_project::ProjectError;
use agentv_view::{Binding, Runs, Server, ViewError};
use tokio::runtime::Runtime;

/// The port that is tried first, so that the address of the page is usually the same.
pub(crate) const USUAL_PORT: u16 = 7333;

/// A server that listens, and the runtime to run it on.
pub(crate) struct PageServer {
    pub(crate) runtime: Runtime,
    pub(crate) server: Server,
}

impl PageServer {
    /// Listens on the loopback, on the usual port or, if that is in use, on a free one.
    ///
    /// # Errors
    /// Fails if no port is free.
    pub(crate) fn on_usual_port(runs: &dyn Fn() -> Runs) -> Result<PageServer, ProjectError> {
        PageServer::listen(runs, Binding::loopback(USUAL_PORT), true)
    }

    /// Listens on an address; with `any_port`, on a free port if the given one is in use.
    ///
    /// # Errors
    /// Fails if the address is in use.
    pub(crate) fn listen(
        runs: &dyn Fn() -> Runs,
        binding: Binding,
        any_port: bool,
    ) -> Result<PageServer, ProjectError> {
        let runtime = tokio::runtime::Builder::new_multi_thread()
            .enable_all()
            .build()
            .map_err(|error| ProjectError::because(format!("cannot start: {error}")))?;
        let free = Binding {
            port: 0,
            ..binding.clone()
        };
        let server = match runtime.block_on(Server::bind(runs(), binding)) {
            Err(ViewError::Listen { .. }) if any_port => {
                let server = runtime.block_on(Server::bind(runs(), free));
                server.map_err(ProjectError::from_error)
            }
            server => server.map_err(|error| {
                let hint =
                    Some("choose another port with `--port`, or `--port 0` for any".to_owned());
                ProjectError::with_hint(error.to_string(), hint)
            }),
        }?;
        Ok(PageServer { runtime, server })
    }
}

/// Returns the name of the user of the system.
pub(crate) fn user_name() -> String {
    let names = ["USER", "LOGNAME", "USERNAME"].into_iter();
    let mut found = names.filter_map(|name| std::env::var(name).ok());
    let name = found.find(|name| !name.is_empty());
    name.unwrap_or_else(|| "unknown".to_owned())
}

/// Starts the browser of the system.
pub(crate) fn opens(address: &str) -> bool {
    let program = if cfg!(target_os = "macos") {
        "open"
    } else {
        "xdg-open"
    };
    let mut command = Command::new(program);
    command
        .arg(address)
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null());
    command.spawn().is_ok()
}
