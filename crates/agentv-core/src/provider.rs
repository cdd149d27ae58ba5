//! Providers: they talk to targets.

use std::future::Future;
use std::path::{Path, PathBuf};
use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;

use tokio_util::sync::CancellationToken;

use crate::{
    ActivityChannel, Allowance, ExchangeLog, Message, Profile, Prompt, TargetSandbox, Toolbox,
    Transcript, WorkspaceFolders,
};

/// A boxed future, for trait objects.
pub type BoxFuture<'a, T> = Pin<Box<dyn Future<Output = T> + Send + 'a>>;

/// A provider talks to one target.
///
/// It makes one attempt. It never retries, limits, caches or times out by itself: the runner does
/// that for all providers. `cancel` asks it to stop soon. Dropping the future must be safe too, and
/// leave no process behind.
pub trait Provider: Send + Sync {
    /// Asks the target once.
    fn answer<'a>(
        &'a self,
        request: &'a Request,
        cancel: &'a CancellationToken,
    ) -> BoxFuture<'a, Result<Transcript, ProviderError>>;

    /// Checks, once before the first request, that the target can be asked.
    fn prepare<'a>(
        &'a self,
        _cancel: &'a CancellationToken,
    ) -> BoxFuture<'a, Result<(), ProviderError>> {
        Box::pin(std::future::ready(Ok(())))
    }

    /// Ends what [`prepare`](Self::prepare) began, after the last request. Dropping the provider does the
    /// same without waiting for it.
    fn end(&self) -> BoxFuture<'_, ()> {
        Box::pin(std::future::ready(()))
    }

    /// Returns what it understood of its settings. The tools of servers are known once it is prepared.
    fn profile(&self) -> Option<Profile> {
        None
    }

    /// Returns the files that decide its answers to the cases of an eval file in `folder`.
    fn program(&self, _folder: &Path) -> ProgramFiles {
        ProgramFiles::default()
    }

    /// Returns true if its settings contain a program, as in `sh -c 'echo …'`, so that a change of it is
    /// noticed without files.
    fn has_inline_program(&self) -> bool {
        false
    }

    /// Returns the body of the request that [`answer`](Self::answer) would send first, without secrets
    /// of the target, if it sends one. It makes no request, but may read files.
    ///
    /// # Errors
    /// If the request cannot be made.
    fn request_body(&self, _request: &Request) -> Option<Result<String, ProviderError>> {
        None
    }

    /// Returns the tools that the runner runs for the target, if it has any.
    fn toolbox(&self) -> Option<&dyn Toolbox> {
        None
    }

    /// Returns true if the settings of this target make it run commands, whatever its kind.
    fn runs_commands(&self) -> bool {
        false
    }

    /// Returns true if the target reads files itself, so that a prompt names their paths.
    fn reads_files(&self) -> bool {
        false
    }

    /// Returns false if the provider makes calls that cost money without checking the
    /// [`allowance`](Request::allowance) between them.
    fn enforces_budget(&self) -> bool {
        true
    }

    /// Returns false if the cost of the target's calls will not be known, so that no budget can stop it.
    fn knows_cost(&self) -> bool {
        true
    }

    /// Returns true if the target works in a folder of its own, so that each trial gets a workspace even
    /// if its case asks for none. [`Request::workspace`] is then never `None`.
    fn needs_workspace(&self) -> bool {
        false
    }

    /// Returns the sandbox that the target runs in, if it has one.
    fn sandbox(&self) -> Option<&TargetSandbox> {
        None
    }

    /// Returns true if an attempt that failed like this may be repeated. The limits of the target then
    /// decide. A provider refuses if the target may have acted before it failed.
    fn may_repeat(&self, _error: &ProviderError) -> bool {
        true
    }

    /// Returns the interface for many requests at once, if the target is asked like that.
    fn batch(&self) -> Option<&dyn BatchProvider> {
        None
    }
}

/// The files that decide what a target answers: its program, and everything that the program reads.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ProgramFiles {
    /// The files, each once.
    pub files: Vec<ProgramFile>,
    /// The patterns of the user that match no file.
    pub unmatched: Vec<String>,
}

/// A file that decides what a target answers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ProgramFile {
    /// The name in records: the path from the project root, with `/`.
    pub name: String,
    /// The absolute path.
    pub path: PathBuf,
}

/// A provider that takes all requests of an eval file at once.
pub trait BatchProvider: Send + Sync {
    /// Asks once for all requests. The answers are in the order of the requests; each may be an
    /// error.
    ///
    /// The outer error concerns all requests: the command failed, or its output could not be read.
    fn answer_all<'a>(
        &'a self,
        requests: &'a [Request],
        cancel: &'a CancellationToken,
    ) -> BoxFuture<'a, Result<Vec<Result<Transcript, ProviderError>>, ProviderError>>;

    /// Returns true if the target gets the requests. Otherwise it reads the cases from elsewhere, and
    /// has no answer to a question that is not among them.
    fn gets_requests(&self) -> bool {
        true
    }
}

/// A request to a target.
#[derive(Debug, Clone, PartialEq)]
pub struct Request {
    /// The eval file, as records name it.
    pub eval_file: Arc<str>,
    /// The id of the case.
    pub eval_id: String,
    /// The prompt.
    pub prompt: Prompt,
    /// The messages after the prompt: what the target said in earlier steps, with the results of its
    /// tool calls.
    pub further: Vec<Message>,
    /// The files of the case, including guidelines, as absolute paths.
    pub files: Vec<PathBuf>,
    /// The folder of the eval file, absolute. Relative paths of a target start here.
    pub folder: Arc<Path>,
    /// The root of the project, absolute. The paths of images and documents start here.
    pub root: Arc<Path>,
    /// The number of the trial, from 1.
    pub trial: u32,
    /// The number of the attempt within the trial, from 1.
    pub attempt: u32,
    /// The longest that the attempt may take.
    pub timeout: Duration,
    /// The JSON Schema of the expected answer, for providers that can enforce one.
    pub output_schema: Option<Arc<serde_json::Value>>,
    /// The folders of the trial's workspace. Each attempt of a trial begins with a new one.
    pub workspace: Option<Arc<WorkspaceFolders>>,
    /// The part of the run's budget that the attempt may use, for providers that can enforce it.
    pub allowance: Allowance,
    /// Takes reports of what the target is doing, for people who watch the run.
    pub activity: ActivityChannel,
    /// Collects requests and responses as they are sent, if the user wants to see them.
    pub exchanges: Option<ExchangeLog>,
}

impl Request {
    /// Makes a request that consists of a text.
    pub fn of_text(text: impl Into<String>, folder: Arc<Path>, timeout: Duration) -> Request {
        Request {
            eval_file: Arc::default(),
            eval_id: String::new(),
            prompt: Prompt::of_text(text),
            further: Vec::new(),
            files: Vec::new(),
            root: Arc::clone(&folder),
            folder,
            trial: 1,
            attempt: 1,
            timeout,
            output_schema: None,
            workspace: None,
            allowance: Allowance::default(),
            activity: ActivityChannel::default(),
            exchanges: None,
        }
    }
}

/// The reason for which an attempt gave no answer.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[error("{message}")]
pub struct ProviderError {
    /// The kind of failure. It decides whether the attempt is repeated.
    pub cause: Cause,
    /// The error message, a sentence. It never contains a secret.
    pub message: String,
    /// The wait that the target asks for.
    pub retry_after: Option<Duration>,
    /// The transcript until then, if there is anything to keep. It is recorded with the error and not
    /// graded. Its cost counts.
    pub partial: Option<Box<Transcript>>,
}

/// The kinds of failures of an attempt.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Cause {
    /// The target could not be reached, or the connection broke.
    Network,
    /// The attempt took too long.
    Timeout,
    /// The target answered with an HTTP status that is not a success.
    Status(u16),
    /// The target answered, but the answer is unusable.
    Answer,
    /// A command failed.
    Command,
    /// There is no answer for this case.
    Missing,
    /// The target is set up wrongly: a retry does not help.
    Setup,
    /// The run is being stopped.
    Cancelled,
}

impl ProviderError {
    /// Makes an error without a time to wait.
    pub fn new(cause: Cause, message: impl Into<String>) -> ProviderError {
        ProviderError {
            cause,
            message: message.into(),
            retry_after: None,
            partial: None,
        }
    }

    /// Adds the time that the target asks us to wait.
    pub fn retry_after(self, retry_after: Option<Duration>) -> ProviderError {
        ProviderError {
            retry_after,
            ..self
        }
    }

    /// Adds the transcript until then.
    pub fn with_partial(self, partial: Transcript) -> ProviderError {
        ProviderError {
            partial: Some(Box::new(partial)),
            ..self
        }
    }

    /// Makes the error of an attempt that was cancelled.
    pub fn cancelled() -> ProviderError {
        ProviderError::new(Cause::Cancelled, "stopped before the answer arrived")
    }

    /// Returns true if the target refuses requests because there are too many.
    pub fn is_rate_limit(&self) -> bool {
        matches!(self.cause, Cause::Status(429 | 529))
    }
}
