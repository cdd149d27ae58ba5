//! Runs the call of a tool that is a command.

use std::time::Duration;

use agentv_core::{Request, ToolCall};
use agentv_process::{CommandSpec, Runner};
use serde_json::Value;
use tokio_util::sync::CancellationToken;

use crate::excerpt::excerpt;

/// The most bytes of a command's output that a model gets.
const LARGEST_OUTPUT: usize = 1 << 20;

/// Runs a command with the arguments on stdin. Its stdout is the output.
///
/// # Errors
/// With the words for the model, if the command fails.
pub(super) async fn run(
    argv: &[String],
    call: &ToolCall,
    request: &Request,
    cancel: &CancellationToken,
) -> Result<Value, String> {
    let input = call.input.as_ref().unwrap_or(&Value::Null);
    let [program, arguments @ ..] = argv else {
        return Err("the tool has no command".to_owned());
    };
    let deadline = request.timeout.min(Duration::from_secs(24 * 60 * 60));
    let spec = CommandSpec::program(program)
        .args(arguments)
        .current_dir(request.folder.to_path_buf())
        .stdin(input.to_string())
        .deadline(deadline)
        .stdout_limit(LARGEST_OUTPUT);
    let finished = Runner::of_this_program().run(spec, cancel).await;
    let finished = finished.map_err(|error| error.to_string())?;
    if !finished.status.success() {
        let said = excerpt(&finished.stderr.text());
        return Err(format!("the tool failed with {}: {said}", finished.status));
    }
    if finished.stdout.is_truncated() {
        return Err("the output of the tool is larger than 1 MiB".to_owned());
    }
    let text = finished.stdout.text().into_owned();
    Ok(serde_json::from_str(&text).unwrap_or(Value::String(text)))
}
