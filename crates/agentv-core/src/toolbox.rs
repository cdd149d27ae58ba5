//! Tools that a model calls and we run.

use serde_json::Value;
use tokio_util::sync::CancellationToken;

use crate::{BoxFuture, ProviderError, Request, ToolCall};

/// The tools of a target.
///
/// It runs one call. The runner decides how often the model may call, and asks the model again with the
/// results.
pub trait Toolbox: Send + Sync {
    /// Returns true if a call of this tool gets a result. The call of a tool without one ends the trial.
    fn answers(&self, tool: &str) -> bool;

    /// Runs a call. A tool that fails gives a result that says so, for the model.
    ///
    /// # Errors
    /// If no tool could run, because its server is gone: that says nothing about the model.
    fn call<'a>(
        &'a self,
        call: &'a ToolCall,
        request: &'a Request,
        cancel: &'a CancellationToken,
    ) -> BoxFuture<'a, Result<ToolOutput, ProviderError>>;

    /// Returns the maximum number of requests per trial.
    fn max_steps(&self) -> u32;
}

/// The result of a call.
#[derive(Debug, Clone, PartialEq)]
pub struct ToolOutput {
    /// The output, or the reason of the failure.
    pub output: Value,
    /// The content blocks of an output that is more than text, such as images. The output names them.
    pub blocks: Vec<Value>,
    /// True if the tool failed.
    pub is_error: bool,
}
