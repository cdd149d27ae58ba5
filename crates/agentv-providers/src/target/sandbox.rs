//! The fields `sandbox` and `network` of targets that run commands.

use std::path::PathBuf;

use agentv_core::{Cause, ProviderError, WorkspaceFolders};
use agentv_process::{Network, Runner, Sandbox, SandboxError, SandboxSpec};
use agentv_syntax::shape::FILLED;
use agentv_syntax::{Field, Form, Others, Record, Shape, Text};
use serde_json::Value;
use tokio_util::sync::CancellationToken;

use super::{SettingError, Settings};

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
                doc: "The image of the container.",
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

fn sandbox_of(settings: &Settings) -> Option<Sandbox> {
    match settings.fields.get("sandbox")? {
        Value::String(name) if name == "bubblewrap" => Some(Sandbox::Bubblewrap),
        Value::Object(container) => Some(Sandbox::Container {
            image: container.get("docker")?.as_str()?.to_owned(),
        }),
        _ => None,
    }
}

/// The sandbox of a target.
#[derive(Debug, Clone)]
pub(crate) struct TargetSandbox {
    sandbox: Sandbox,
    network: Network,
    runner: Runner,
}

impl TargetSandbox {
    /// Reads the sandbox of a target; `None` if it has none.
    ///
    /// # Errors
    /// If the target has no sandbox that could take its network away.
    pub(crate) fn of(settings: &Settings) -> Result<Option<TargetSandbox>, SettingError> {
        let network = match settings.text("network") {
            Some("none") => Network::None,
            _ => Network::On,
        };
        let Some(sandbox) = sandbox_of(settings) else {
            return match network {
                Network::On => Ok(None),
                Network::None => Err(SettingError::of("network", "`none` needs a sandbox")
                    .hint("set `sandbox: bubblewrap` or `sandbox: {docker: IMAGE}`")),
            };
        };
        Ok(Some(TargetSandbox {
            sandbox,
            network,
            runner: Runner::of_this_program(),
        }))
    }

    /// Returns true if the command reaches nothing but the loopback address.
    pub(crate) fn has_no_network(&self) -> bool {
        self.network == Network::None
    }

    /// Returns true if the sandbox has programs and settings of its own.
    pub(crate) fn is_container(&self) -> bool {
        matches!(self.sandbox, Sandbox::Container { .. })
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
            hidden_files: Vec::new(),
            scratch: workspace.tmp.clone(),
            loopback_ports,
        }
    }
}
