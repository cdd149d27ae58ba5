//! The commands of users that prepare and clean up a workspace.

use std::path::Path;
use std::time::{Duration, Instant};

use agentv_core::WorkspaceFolders;
use agentv_process::{CommandSpec, Finished, ProcessError, Runner};
use agentv_workspace::environment;
use tokio_util::sync::CancellationToken;

/// The most bytes of a command's output that an error repeats.
const SHOWN: usize = 2_000;

/// The reason why a command did not succeed.
#[derive(Debug, thiserror::Error)]
pub(crate) enum CommandFailure {
    /// The run is being stopped.
    #[error("stopped")]
    Cancelled,
    /// A sentence.
    #[error("{0}")]
    Failed(String),
}

/// The commands of one step of a workspace.
pub(crate) struct Commands<'a> {
    /// The field that they are written in, for errors.
    pub(crate) noun: &'static str,
    pub(crate) commands: &'a [Vec<String>],
    /// The time for all of them together.
    pub(crate) timeout: Duration,
}

/// Runs commands in the work folder of a workspace, one after the other, until one fails.
pub(crate) async fn run_all(
    runner: &Runner,
    Commands {
        noun,
        commands,
        timeout,
    }: Commands<'_>,
    folders: &WorkspaceFolders,
    eval_folder: &Path,
    cancel: &CancellationToken,
) -> Result<(), CommandFailure> {
    let started = Instant::now();
    for words in commands {
        let Some((program, arguments)) = words.split_first() else {
            continue;
        };
        let spec = CommandSpec::program(program)
            .args(arguments)
            .current_dir(&folders.work)
            .deadline(timeout.saturating_sub(started.elapsed()))
            .envs(environment(folders, Some(eval_folder), |name| {
                std::env::var_os(name)
            }));
        let shown = words.join(" ");
        let finished = match runner.run(spec, cancel).await {
            Ok(finished) => finished,
            Err(ProcessError::Cancelled) => return Err(CommandFailure::Cancelled),
            Err(ProcessError::DeadlinePassed { .. }) => {
                let seconds = timeout.as_secs();
                let message = format!(
                    "`{noun}`: `{shown}` did not finish within {seconds} s; to wait longer, set \
                     `workspace.timeout_seconds`"
                );
                return Err(CommandFailure::Failed(message));
            }
            Err(error) => {
                return Err(CommandFailure::Failed(format!("`{noun}`: {error}")));
            }
        };
        if !finished.status.success() {
            let (status, output) = (finished.status, output(&finished));
            let message = format!("`{noun}`: `{shown}` failed with {status}{output}");
            return Err(CommandFailure::Failed(message));
        }
    }
    Ok(())
}

/// Returns the end of what a command printed, for an error.
fn output(finished: &Finished) -> String {
    let parts = [
        ("stdout", finished.stdout.text()),
        ("stderr", finished.stderr.text()),
    ];
    let parts = parts.iter().filter(|(_, text)| !text.trim().is_empty());
    let parts: String = parts
        .map(|(name, text)| format!("; {name}: {}", ending(text.trim())))
        .collect();
    if parts.is_empty() {
        "; it printed nothing".to_owned()
    } else {
        parts
    }
}

fn ending(text: &str) -> String {
    let start = text.ceil_char_boundary(text.len().saturating_sub(SHOWN));
    match start {
        0 => text.to_owned(),
        _ => format!("…{}", &text[start..]),
    }
}
