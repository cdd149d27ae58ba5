//! The variables that eval files of other dialects may use.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use agentv_dataset::{Project as ProjectFolder, Variables};
use agentv_providers::Environment;

use crate::project::Project;

/// Returns the variables of the process, and those of the `.env` file nearest to an eval file.
pub(crate) fn eval_variables(project: &Project) -> Variables {
    let project = project.clone();
    let known: Mutex<HashMap<PathBuf, Environment>> = Mutex::default();
    Variables::new(move |folder, name| {
        let mut known = known.lock().unwrap_or_else(PoisonError::into_inner);
        let environment = known
            .entry(folder.to_owned())
            .or_insert_with(|| environment_at(&project, folder));
        environment.get(name).map(str::to_owned)
    })
}

/// Returns the variables at a folder. A `.env` file that cannot be read is reported when targets need it.
fn environment_at(project: &Project, folder: &Path) -> Environment {
    let own = project.environment();
    let surroundings = project.surroundings_of(&ProjectFolder::around(folder));
    let dotenv = surroundings.dotenv_file();
    let with_file = dotenv.and_then(|file| own.with_dotenv(&file).ok());
    with_file.unwrap_or_else(|| own.clone())
}
