//! Running a script.

use std::ffi::OsString;
use std::fmt;
use std::path::PathBuf;
use std::time::Duration;

use agentv_core::Extra;
use agentv_process::{CommandSpec, Finished, ProcessError, Runner, Status};
use serde_json::Value;
use tokio::sync::OwnedSemaphorePermit;
use tokio_util::sync::CancellationToken;

use super::error::{Failure, ScriptError};
use super::places::ScriptPlaces;
use super::printed::{Printed, tail};
use super::surroundings::{Inside, ScriptEnvironment};
use crate::workspace::{all_anchored, plain_words};

/// The maximum output of a script.
const LARGEST_OUTPUT: usize = 10 << 20;

/// A user's script: a command, its folder and its time limit.
pub(crate) struct Script {
    pub(super) command: Command,
    pub(super) folder: PathBuf,
    pub(super) deadline: Duration,
    /// The name of the script in errors.
    pub(super) noun: &'static str,
    /// True if the words of the command are paths in a workspace, not beside the eval file.
    pub(super) is_of_workspace: bool,
    /// The environment of the script in a workspace.
    pub(super) script_environment: ScriptEnvironment,
    /// True if the script runs in the sandbox of the target.
    pub(super) is_walled: bool,
    /// Environment variables in addition to the inherited ones.
    pub(super) environment: Vec<(OsString, OsString)>,
    /// The root of the project.
    pub(super) root: PathBuf,
    pub(super) runner: Runner,
    pub(super) places: ScriptPlaces,
}

/// A command to run.
#[derive(Debug)]
pub(super) enum Command {
    /// A program and its arguments.
    Words(Vec<OsString>),
    /// A shell command line.
    Line(String),
}

/// Omits the environment variables, which may be secret.
impl fmt::Debug for Script {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Script")
            .field("command", &self.command)
            .field("folder", &self.folder)
            .field("deadline", &self.deadline)
            .finish_non_exhaustive()
    }
}

impl Script {
    /// Waits until the script may run. The wait does not count towards its time limit.
    pub(crate) async fn turn(&self) -> Result<Turn<'_>, ScriptError> {
        match self.places.take().await {
            Some(place) => Ok(Turn {
                script: self,
                inside: None,
                port: None,
                _place: place,
            }),
            None => Err(ScriptError::NoPlace { noun: self.noun }),
        }
    }

    /// Describes the command, in its own folder or in a workspace.
    fn spec(&self, turn: &Turn<'_>) -> CommandSpec {
        let inside = turn.inside;
        let spec = match (&self.command, inside) {
            (Command::Line(line), None) => CommandSpec::shell(line),
            (Command::Line(line), Some(_)) => match plain_words(line) {
                Some(words) => of_words(&all_anchored(&words, &self.folder)),
                None => CommandSpec::shell(line),
            },
            (Command::Words(words), None) => of_words(words),
            (Command::Words(words), Some(_)) if self.is_of_workspace => of_words(words),
            (Command::Words(words), Some(_)) => of_words(&all_anchored(words, &self.folder)),
        };
        let spec = match inside {
            Some(inside) => {
                let spec = inside.furnish(spec, &self.script_environment, &self.environment);
                inside.wall(spec, &self.root, turn.port)
            }
            None => {
                let added = self.environment.iter().cloned();
                spec.current_dir(&self.folder).envs(added)
            }
        };
        spec.deadline(self.deadline).stdout_limit(LARGEST_OUTPUT)
    }

    /// Returns the place of the script in a workspace: behind the wall of the target, unless the user wants
    /// none.
    fn placed<'s>(&self, inside: Inside<'s>) -> Inside<'s> {
        if self.is_walled {
            inside
        } else {
            inside.unwalled()
        }
    }

    /// Returns the output of a finished command, if it can be used.
    fn printed(&self, finished: Finished) -> Result<Printed, ScriptError> {
        let noun = self.noun;
        let stderr = finished.stderr.text().into_owned();
        let stdout = finished.stdout;
        let shown = stdout.text().into_owned();
        let failure = if !finished.status.success() {
            Failure::Status(finished.status)
        } else if stdout.is_truncated() {
            Failure::TooMuchOutput
        } else {
            match String::from_utf8(stdout.bytes) {
                Ok(stdout) => {
                    return Ok(Printed {
                        noun,
                        stdout,
                        stderr,
                    });
                }
                Err(_) => Failure::NotText,
            }
        };
        Err(ScriptError::Failed {
            noun,
            failure,
            tail: tail(&shown, &stderr),
        })
    }

    /// Explains why a command did not start or finish.
    fn failure(&self, error: ProcessError) -> ScriptError {
        let noun = self.noun;
        match error {
            ProcessError::DeadlinePassed {
                deadline, partial, ..
            } => ScriptError::TooSlow {
                noun,
                deadline,
                tail: tail(&partial.stdout.text(), &partial.stderr.text()),
            },
            source => ScriptError::NotRun { noun, source },
        }
    }
}

/// Describes a program and its arguments.
fn of_words(words: &[OsString]) -> CommandSpec {
    let mut words = words.iter();
    let program = words.next().cloned().unwrap_or_default();
    CommandSpec::program(program).args(words)
}

/// Permission for a script to run now.
#[derive(Debug)]
pub(crate) struct Turn<'s> {
    script: &'s Script,
    /// The workspace that it runs in.
    inside: Option<Inside<'s>>,
    /// The port of the loopback address that it can reach in every sandbox.
    port: Option<u16>,
    _place: OwnedSemaphorePermit,
}

/// The end of a command that is judged by its status.
pub(crate) struct CommandEnd {
    pub(crate) status: Status,
    /// The end of stdout and of stderr, ready to be appended to a message.
    pub(crate) tail: String,
}

impl<'s> Turn<'s> {
    /// Makes the script run in a workspace.
    pub(crate) fn inside(self, inside: Inside<'s>) -> Turn<'s> {
        Turn {
            inside: Some(self.script.placed(inside)),
            ..self
        }
    }

    /// Lets the script reach a port of the loopback address, whatever its sandbox is.
    pub(crate) fn reaching(self, port: u16) -> Turn<'s> {
        Turn {
            port: Some(port),
            ..self
        }
    }

    /// Runs the command without input, and returns how it ended.
    ///
    /// # Errors
    /// Fails if the command could not start or ran too long.
    pub(crate) async fn end(&self) -> Result<CommandEnd, ScriptError> {
        let spec = self.script.spec(self);
        // To cancel the run, drop the future.
        let never = CancellationToken::new();
        let finished = self.script.runner.run(spec, &never).await;
        let finished = finished.map_err(|error| self.script.failure(error))?;
        let tail = tail(&finished.stdout.text(), &finished.stderr.text());
        let is_contained = self.inside.is_some_and(|inside| inside.is_container());
        if is_contained && finished.status == NO_CONTAINER {
            return Err(ScriptError::Failed {
                noun: self.script.noun,
                failure: Failure::Status(finished.status),
                tail,
            });
        }
        Ok(CommandEnd {
            tail,
            status: finished.status,
        })
    }
}

/// The status with which docker and podman report that they could not start a container.
const NO_CONTAINER: Status = Status::Exited(125);

impl Turn<'_> {
    /// Runs the script with JSON on its stdin, which it need not read, and with additional
    /// environment variables. Dropping the future ends the script and all of its processes.
    ///
    /// # Errors
    /// Fails if the script could not start, failed, ran too long, or printed something other than
    /// text.
    pub(crate) async fn run(
        &self,
        input: Extra,
        variables: &[(&str, String)],
    ) -> Result<Printed, ScriptError> {
        let spec = self
            .script
            .spec(self)
            .stdin(Value::Object(input).to_string());
        let spec = variables
            .iter()
            .fold(spec, |spec, (name, value)| spec.env(name, value));
        // To cancel the run, drop the future.
        let never = CancellationToken::new();
        match self.script.runner.run(spec, &never).await {
            Ok(finished) => self.script.printed(finished),
            Err(error) => Err(self.script.failure(error)),
        }
    }
}
