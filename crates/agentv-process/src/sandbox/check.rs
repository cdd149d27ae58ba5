//! The check that a sandbox can be used.

use std::time::Duration;

use agentv_core::Sandbox;
use tokio_util::sync::CancellationToken;

use super::{bubblewrap, container, leftovers};
use crate::{CommandSpec, ProcessError, Runner};

/// A sandbox that cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum SandboxError {
    /// Its program is not installed.
    #[error("{program} not found; {advice}, or set `sandbox: none`")]
    Missing {
        /// The program, or the programs.
        program: &'static str,
        /// The advice.
        advice: &'static str,
    },
    /// Its program does not work here.
    #[error("`{program}` does not work here: {reason}")]
    Unusable {
        /// The program.
        program: String,
        /// The end of what it printed.
        reason: String,
    },
    /// The run is being stopped.
    #[error("stopped")]
    Cancelled,
}

/// Checks that commands can run in the sandbox. Removes containers that killed runs have left behind.
///
/// # Errors
/// If its program is missing, or does not work on this machine.
pub async fn check_sandbox(
    sandbox: &Sandbox,
    runner: &Runner,
    cancel: &CancellationToken,
) -> Result<(), SandboxError> {
    let (program, spec, missing) = match sandbox {
        Sandbox::Bubblewrap => (
            bubblewrap::PROGRAM,
            CommandSpec::program(bubblewrap::PROGRAM)
                .args(bubblewrap::base())
                .args(["--unshare-net", "--", "true"]),
            SandboxError::Missing {
                program: "`bwrap`",
                advice: "install the package `bubblewrap`",
            },
        ),
        Sandbox::Container { .. } => {
            let missing = SandboxError::Missing {
                program: "`docker` and `podman`",
                advice: "install one of them",
            };
            let Some(engine) = container::engine() else {
                return Err(missing);
            };
            (engine, CommandSpec::program(engine).arg("version"), missing)
        }
    };
    let unusable = |reason: String| SandboxError::Unusable {
        program: program.to_owned(),
        reason,
    };
    let spec = spec.deadline(Duration::from_secs(60));
    match runner.run(spec, cancel).await {
        Ok(finished) if finished.status.success() => {
            if let Sandbox::Container { .. } = sandbox {
                leftovers::remove(program, runner, cancel).await;
            }
            Ok(())
        }
        Ok(finished) => {
            let printed = finished.stderr.text();
            let last = printed.lines().rev().find(|line| !line.trim().is_empty());
            let status = finished.status;
            Err(unusable(match last {
                Some(line) => format!("{} ({status})", line.trim()),
                None => status.to_string(),
            }))
        }
        Err(ProcessError::NotFound { .. }) => Err(missing),
        Err(ProcessError::Cancelled) => Err(SandboxError::Cancelled),
        Err(error) => Err(unusable(error.to_string())),
    }
}
