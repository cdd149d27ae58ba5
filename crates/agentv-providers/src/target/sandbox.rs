//! The fields `sandbox` and `network` of targets that run commands.

use agentv_core::{Cause, Network, ProviderError, Sandbox, TargetSandbox};
use agentv_process::{Runner, SandboxError, check_sandbox};
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

/// Reads the sandbox of a target; `None` if it has none. The file `.env` that this program has read may hold
/// keys.
///
/// # Errors
/// If the target has no sandbox that could take its network away.
pub(crate) fn target_sandbox(settings: &Settings) -> Result<Option<TargetSandbox>, SettingError> {
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
    let dotenv = settings.environment().dotenv_file();
    let dotenv = dotenv.and_then(|file| file.canonicalize().ok());
    Ok(Some(TargetSandbox {
        sandbox,
        network,
        key_files: dotenv.into_iter().collect(),
    }))
}

/// Checks that commands can run in the sandbox.
///
/// # Errors
/// If its program is missing, or does not work on this machine.
pub(crate) async fn check(
    sandbox: &TargetSandbox,
    cancel: &CancellationToken,
) -> Result<(), ProviderError> {
    match check_sandbox(&sandbox.sandbox, &Runner::of_this_program(), cancel).await {
        Ok(()) => Ok(()),
        Err(SandboxError::Cancelled) => Err(ProviderError::cancelled()),
        Err(error) => Err(ProviderError::new(
            Cause::Setup,
            format!("`sandbox`: {error}"),
        )),
    }
}
