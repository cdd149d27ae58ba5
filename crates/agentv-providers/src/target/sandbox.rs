//! The fields `sandbox` and `network` of targets that run commands.

use std::path::PathBuf;

use agentv_core::{Cause, ProviderError, WorkspaceFolders};
use agentv_process::{Network, Runner, Sandbox, SandboxError, SandboxSpec};
use agentv_syntax::shape::FILLED;
use agentv_syntax::{Field, Form, Others, Record, Shape, Text};
use serde_json::Value;
use tokio_util::sync::CancellationToken;

use super::Settings;

/// The field `sandbox`.
pub(crate) const SANDBOX: Field = Field {
    name: "sandbox",
    shape: &SANDBOX_SHAPE,
    doc: "The sandbox to run the command in: `none` (default), `bubblewrap`, or `{docker: IMAGE}` for a container of docker or podman. In it, only the workspace of the trial can be changed.",
};

/// The field `network`.
pub(crate) const NETWORK: Field = Field {
    name: "network",
    shape: &NETWORK_SHAPE,
    doc: "The network of the sandbox: `on` (default) or `none`.",
};

static SANDBOX_SHAPE: Shape = Shape {
    expected: "none, bubblewrap, or `{docker: IMAGE}`",
    forms: &[
        Form::Text(Text::OneOf(&["none", "bubblewrap"])),
        Form::Record(&Record {
            name: "container",
            fields: &[Field {
                name: "docker",
                shape: &FILLED,
                doc: "The image.",
            }],
            required: &[&["docker"]],
            others: Others::Refuse,
        }),
    ],
};

static NETWORK_SHAPE: Shape = Shape {
    expected: "on or none",
    forms: &[Form::Text(Text::OneOf(&["on", "none"]))],
};

/// The sandbox of a target.
#[derive(Debug, Clone)]
pub(crate) struct TargetSandbox {
    sandbox: Sandbox,
    network: Network,
    runner: Runner,
}

impl TargetSandbox {
    /// Reads the sandbox of a target; `None` if it has none.
    pub(crate) fn of(settings: &Settings) -> Option<TargetSandbox> {
        let sandbox = match settings.fields.get("sandbox")? {
            Value::String(name) if name == "bubblewrap" => Sandbox::Bubblewrap,
            Value::Object(container) => Sandbox::Container {
                image: container.get("docker")?.as_str()?.to_owned(),
            },
            _ => return None,
        };
        let network = match settings.text("network") {
            Some("none") => Network::None,
            _ => Network::On,
        };
        Some(TargetSandbox {
            sandbox,
            network,
            runner: Runner::of_this_program(),
        })
    }

    /// Checks that commands can run in the sandbox.
    ///
    /// # Errors
    /// If its program is missing, or does not work on this machine.
    pub(crate) async fn check(&self, cancel: &CancellationToken) -> Result<(), ProviderError> {
        match self.sandbox.check(&self.runner, cancel).await {
            Ok(()) => Ok(()),
            Err(SandboxError::Cancelled) => Err(ProviderError::cancelled()),
            Err(error) => Err(ProviderError::new(
                Cause::Setup,
                format!("`sandbox`: {error}"),
            )),
        }
    }

    /// Returns the wall around a command of a trial. The command may also read the `readable` folders, and
    /// reach the `loopback_ports` even without network. Workspaces of other trials are hidden.
    pub(crate) fn around(
        &self,
        workspace: &WorkspaceFolders,
        readable: Vec<PathBuf>,
        loopback_ports: Vec<u16>,
    ) -> SandboxSpec {
        // `PLACE/run-…/trial-…/work`
        let place = workspace.work.ancestors().nth(3);
        SandboxSpec {
            sandbox: self.sandbox.clone(),
            network: self.network,
            writable: vec![
                workspace.work.clone(),
                workspace.home.clone(),
                workspace.tmp.clone(),
            ],
            readable,
            hidden: place.map(PathBuf::from).into_iter().collect(),
            scratch: workspace.tmp.clone(),
            loopback_ports,
        }
    }
}
