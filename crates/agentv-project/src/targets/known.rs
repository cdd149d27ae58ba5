//! The targets of a project, by name.

use std::path::Path;
use std::sync::Arc;

use agentv_dataset::Project as ProjectFolder;
use agentv_providers::{Environment, Surroundings, Targets};

use crate::error::ProjectError;
use crate::notices::Notices;
use crate::project::Project;

/// The targets that can be named in a folder: those of its targets file, and the built-in ones.
pub struct KnownTargets {
    pub(super) surroundings: Surroundings,
    pub(super) targets: Targets,
}

impl Project {
    /// Reads the targets file, or the nearest one if none is named.
    ///
    /// # Errors
    /// If the file is wrong.
    pub fn targets(
        &self,
        file: Option<&Path>,
        notices: &mut dyn Notices,
    ) -> Result<KnownTargets, ProjectError> {
        let surroundings = self.surroundings_of(&ProjectFolder::around(&self.working_dir()));
        let found = file
            .map(Path::to_owned)
            .or_else(|| surroundings.targets_file());
        let targets = read(found.as_deref(), &surroundings, notices)?;
        Ok(KnownTargets {
            surroundings,
            targets,
        })
    }
}

impl KnownTargets {
    /// Returns the targets.
    pub fn targets(&self) -> &Targets {
        &self.targets
    }

    /// Returns the environment variables with those of the `.env` file.
    pub(super) fn environment(&self, project: &Project) -> Result<Environment, ProjectError> {
        let environment = project.environment();
        let Some(dotenv) = self.surroundings.dotenv_file() else {
            return Ok(environment.clone());
        };
        environment.with_dotenv(&dotenv).map_err(|mut error| {
            error.path = project.shown(&dotenv);
            ProjectError::from_error(error)
        })
    }
}

/// Reads a targets file, or returns the built-in targets if there is none.
pub(super) fn read(
    file: Option<&Path>,
    surroundings: &Surroundings,
    notices: &mut dyn Notices,
) -> Result<Targets, ProjectError> {
    let Some(file) = file else {
        return Ok(Targets::built_in(surroundings));
    };
    let shown = file.strip_prefix(&surroundings.working_dir);
    let shown: Arc<str> = shown.unwrap_or(file).to_string_lossy().into();
    tracing::info!(path = %shown, "targets file read");
    let targets = Targets::read(file, &shown, surroundings).map_err(ProjectError::Problems)?;
    for warning in targets.warnings() {
        notices.problem(warning.clone());
    }
    Ok(targets)
}
