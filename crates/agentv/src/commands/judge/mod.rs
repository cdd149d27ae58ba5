//! `agentv judge`: how far judges are to be trusted.

mod calibrate;
mod labelled;
mod told;

use crate::arguments::{JudgeAction, JudgeArguments};
use crate::exit::{Exit, OutputError};

pub(crate) fn run(arguments: &JudgeArguments) -> Result<Exit, OutputError> {
    match &arguments.action {
        JudgeAction::Calibrate(arguments) => calibrate::run(arguments),
    }
}
