//! Runs the call of a tool that is a command.

use std::time::Duration;

use agentv_core::{Cause, ProviderError, Request, ToolCall};
use agentv_process::{CommandSpec, ProcessError, Runner};
use serde_json::Value;
use tokio_util::sync::CancellationToken;

use super::ToolFailure;
use crate::excerpt::excerpt;
use crate::wire::WRITTEN;

/// The most bytes of a command's output that a model gets.
const LARGEST_OUTPUT: usize = 1 << 20;

/// Runs a command with the arguments on stdin. Its stdout is the output, as it is. The model gets the
/// inner error.
///
/// # Errors
/// If there is no such command, which says nothing about the model.
pub(super) async fn run(
    argv: &[String],
    call: &ToolCall,
    request: &Request,
    cancel: &CancellationToken,
) -> Result<Result<Value, ToolFailure>, ProviderError> {
    let input = call.input.as_ref().unwrap_or(&Value::Null);
    // The numbers of an object as the model wrote them, which computing may not keep.
    let written = call.extra.get(WRITTEN).and_then(Value::as_str);
    let is_json = |text: &&str| serde_json::from_str::<Value>(text).is_ok();
    let written = written.filter(|_| input.is_object()).filter(is_json);
    let input = written.map_or_else(|| input.to_string(), str::to_owned);
    let [program, arguments @ ..] = argv else {
        return Ok(Err("the tool has no command".into()));
    };
    let deadline = request.timeout.min(Duration::from_secs(24 * 60 * 60));
    let spec = CommandSpec::program(program)
        .args(arguments)
        .current_dir(request.folder.to_path_buf())
        .stdin(input)
        .deadline(deadline)
        .stdout_limit(LARGEST_OUTPUT);
    let finished = Runner::of_this_program().run(spec, cancel).await;
    let finished = match finished {
        Ok(finished) => finished,
        Err(
            error @ (ProcessError::NotFound { .. }
            | ProcessError::NoInterpreter { .. }
            | ProcessError::NotExecutable { .. }),
        ) => {
            let message = format!("the tool `{}` cannot run: {error}", call.tool);
            return Err(ProviderError::new(Cause::Setup, message));
        }
        Err(error) => return Ok(Err(error.to_string().into())),
    };
    if !finished.status.success() {
        let mut words = format!("the tool failed with {}", finished.status);
        let said = finished.stderr.text();
        if !said.trim().is_empty() {
            words.push_str(&format!(": {}", excerpt(&said)));
        }
        // Many programs report on stdout, whatever their exit code.
        let printed = finished.stdout.text();
        if !printed.trim().is_empty() {
            words.push_str(&format!("\n{printed}"));
        }
        return Ok(Err(words.into()));
    }
    if finished.stdout.is_truncated() {
        return Ok(Err("the output of the tool is larger than 1 MiB".into()));
    }
    Ok(Ok(Value::String(finished.stdout.text().into_owned())))
}
