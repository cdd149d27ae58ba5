//! `agentv targets`: what can be asked, and whether it answers.

mod check;
mod list;

use std::path::{Path, PathBuf};
use std::sync::Arc;

use agentv_dataset::Project;
use agentv_providers::{Environment, Surroundings, Targets};

use crate::arguments::{TargetsAction, TargetsArguments};
use crate::diagnostics::Teller;
use crate::exit::{CommandError, Exit};
use crate::output;

pub(crate) fn run(arguments: &TargetsArguments) -> Result<Exit, CommandError> {
    match &arguments.action {
        TargetsAction::List(arguments) => list::run(arguments),
        TargetsAction::Check(arguments) => check::run(arguments),
    }
}

/// What is around an eval file in the working directory.
fn surroundings() -> Surroundings {
    let working_dir = std::env::current_dir().and_then(std::fs::canonicalize);
    let working_dir = working_dir.unwrap_or_default();
    let Project { root, folder } = Project::around(&working_dir);
    Surroundings {
        folder,
        root,
        working_dir,
    }
}

/// The targets of the file that was named or found, and the built-in ones; tells what is wrong.
fn open(named: Option<&PathBuf>, surroundings: &Surroundings) -> Result<Targets, Exit> {
    let Some(path) = named.cloned().or_else(|| surroundings.targets_file()) else {
        return Ok(Targets::built_in(surroundings));
    };
    let shown: Arc<str> = shown(&path, surroundings).into();
    let teller = Teller::for_checking();
    let targets = Targets::read(&path, &shown, surroundings);
    let targets = targets.map_err(|problems| {
        problems
            .iter()
            .for_each(|problem| teller.tell_error(problem));
        Exit::Unusable
    })?;
    let warnings = targets.warnings().iter();
    warnings.for_each(|warning| teller.tell_error(warning));
    Ok(targets)
}

/// The environment with the `.env` file that applies; tells what is wrong with that.
fn environment(surroundings: &Surroundings) -> Result<Environment, Exit> {
    let environment = Environment::of_process();
    let Some(dotenv) = surroundings.dotenv_file() else {
        return Ok(environment);
    };
    environment.with_dotenv(&dotenv).map_err(|mut error| {
        error.path = shown(&dotenv, surroundings).into();
        output::error(&error.to_string(), None);
        Exit::Unusable
    })
}

/// A path as the user would write it.
fn shown(path: &Path, surroundings: &Surroundings) -> String {
    let shown = path.strip_prefix(&surroundings.working_dir).unwrap_or(path);
    shown.to_string_lossy().into_owned()
}
