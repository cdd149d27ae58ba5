//! `agentv lsp`: serves an editor.

use agentv_project::ProjectError;

use crate::exit::{CommandError, Exit};

pub(crate) fn run() -> Result<Exit, CommandError> {
    let served = agentv_lsp::serve();
    served.map_err(|error| ProjectError::because(error.to_string()))?;
    Ok(Exit::Success)
}
