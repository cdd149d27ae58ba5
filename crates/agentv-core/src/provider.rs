//! What talks to a target.

use std::future::Future;
use std::path::{Path, PathBuf};
use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;

use tokio_util::sync::CancellationToken;

use crate::{Prompt, Transcript};

/// A future that an object gives.
pub type BoxFuture<'a, T> = Pin<Box<dyn Future<Output = T> + Send + 'a>>;

/// What talks to one target.
///
/// A provider makes one attempt. It never retries, limits, caches or times out by itself: whoever
/// calls it does that for all of them. `cancel` asks it to give up soon; dropping the future must be
/// safe too, and leave no process behind.
pub trait Provider: Send + Sync {
    /// Asks the target once.
    fn answer<'a>(
        &'a self,
        request: &'a Request,
        cancel: &'a CancellationToken,
    ) -> BoxFuture<'a, Result<Transcript, ProviderError>>;

    /// Makes sure, once before the first request, that the target can be asked.
    fn prepare<'a>(
        &'a self,
        _cancel: &'a CancellationToken,
    ) -> BoxFuture<'a, Result<(), ProviderError>> {
        Box::pin(std::future::ready(Ok(())))
    }

    /// Whether the target reads files by itself, so that a prompt names them in place of their text.
    fn reads_files(&self) -> bool {
        false
    }

    /// The way to hand over many requests at once, where the target is asked like that.
    fn batch(&self) -> Option<&dyn BatchProvider> {
        None
    }
}

/// A provider that takes all requests of an eval file at once.
pub trait BatchProvider: Send + Sync {
    /// Asks once for all. The answers stand in the order of the requests; each may be an error of
    /// its own.
    ///
    /// The outer error is one of all requests: the command failed, its output could not be read.
    fn answer_all<'a>(
        &'a self,
        requests: &'a [Request],
        cancel: &'a CancellationToken,
    ) -> BoxFuture<'a, Result<Vec<Result<Transcript, ProviderError>>, ProviderError>>;
}

/// What a target is asked.
#[derive(Debug, Clone, PartialEq)]
pub struct Request {
    /// The eval file, as records name it.
    pub eval_file: Arc<str>,
    /// The id of the case.
    pub eval_id: String,
    /// What is said to the target.
    pub prompt: Prompt,
    /// The files of the case that are no guidelines, as absolute paths.
    pub files: Vec<PathBuf>,
    /// The folder of the eval file, absolute: relative paths of a target start here.
    pub folder: Arc<Path>,
    /// Which repeat of the case this is, from 1.
    pub trial: u32,
    /// Which attempt within the trial this is, from 1.
    pub attempt: u32,
    /// The longest that the attempt may take.
    pub timeout: Duration,
    /// The JSON Schema that the answer is to fit, for providers that can hold a model to one.
    pub output_schema: Option<Arc<serde_json::Value>>,
}

impl Request {
    /// A request that is nothing but a text.
    pub fn of_text(text: impl Into<String>, folder: Arc<Path>, timeout: Duration) -> Request {
        Request {
            eval_file: Arc::default(),
            eval_id: String::new(),
            prompt: Prompt::of_text(text),
            files: Vec::new(),
            folder,
            trial: 1,
            attempt: 1,
            timeout,
            output_schema: None,
        }
    }
}

/// The reason for which an attempt gave no answer.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[error("{message}")]
pub struct ProviderError {
    /// What kind of failure it was: decides whether it is tried again.
    pub cause: Cause,
    /// What happened, a sentence for people. Never holds a secret.
    pub message: String,
    /// How long the target asks us to wait.
    pub retry_after: Option<Duration>,
}

/// The kinds of failures of an attempt.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Cause {
    /// The target could not be reached, or the connection broke.
    Network,
    /// The attempt took too long.
    Timeout,
    /// The target answered with an HTTP status that is no success.
    Status(u16),
    /// The target answered, but not with anything that can be used.
    Answer,
    /// A command failed.
    Command,
    /// There is no answer for this case.
    Missing,
    /// The target is set up wrongly: asking it again does not help.
    Setup,
    /// We were asked to stop.
    Cancelled,
}

impl ProviderError {
    /// A failure without a time to wait.
    pub fn new(cause: Cause, message: impl Into<String>) -> ProviderError {
        ProviderError {
            cause,
            message: message.into(),
            retry_after: None,
        }
    }

    /// The same, with how long the target asks us to wait.
    pub fn retry_after(self, retry_after: Option<Duration>) -> ProviderError {
        ProviderError {
            retry_after,
            ..self
        }
    }

    /// We were asked to stop.
    pub fn cancelled() -> ProviderError {
        ProviderError::new(Cause::Cancelled, "stopped before the answer came")
    }

    /// Whether the target says that it is asked too much.
    pub fn is_rate_limit(&self) -> bool {
        matches!(self.cause, Cause::Status(429 | 529))
    }
}
