//! The targets of a project, by name.

use std::path::Path;
use std::sync::Arc;

use agentv_core::{Secrets, Target};
use agentv_dataset::Project as ProjectFolder;
use agentv_providers::{DotenvError, DotenvRemark, Environment, Surroundings, Targets};
use agentv_syntax::{Diagnostic, Severity};

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

    /// Makes a target ready, for requests outside of runs. Returns the values that must not be shown, too.
    ///
    /// # Errors
    /// If there is no such target, or it cannot be used.
    pub(crate) fn ready(
        &self,
        project: &Project,
        name: &str,
        notices: &mut dyn Notices,
    ) -> Result<(Target, Secrets), ProjectError> {
        let environment = self.environment(project, notices)?;
        let problems = self.targets.problems_of(name).into_iter().cloned();
        let problems: Vec<Diagnostic> = problems.collect();
        if problems
            .iter()
            .any(|problem| problem.severity() != Severity::Warning)
        {
            return Err(ProjectError::Problems(problems));
        }
        let resolved = self.targets.resolve(name, &environment).map_err(|error| {
            let hint = error.hint.clone();
            ProjectError::with_hint(error.to_string(), hint)
        })?;
        for warning in resolved.warnings {
            notices.warn(warning);
        }
        Ok((resolved.target, resolved.secrets))
    }

    /// Returns the environment variables with those of the `.env` file.
    pub(super) fn environment(
        &self,
        project: &Project,
        notices: &mut dyn Notices,
    ) -> Result<Environment, ProjectError> {
        let Some(dotenv) = self.surroundings.dotenv_file() else {
            return Ok(project.environment().clone());
        };
        let environment = with_dotenv(project, &dotenv)?;
        warn_of_lines(&environment, project, notices);
        Ok(environment)
    }
}

/// Returns the variables of the process and those of a `.env` file.
///
/// # Errors
/// If the file cannot be read.
pub(super) fn with_dotenv(project: &Project, dotenv: &Path) -> Result<Environment, ProjectError> {
    let environment = project.environment().with_dotenv(dotenv);
    environment.map_err(|error| {
        ProjectError::from_error(DotenvError {
            path: project.shown(dotenv),
            ..error
        })
    })
}

/// Warns about lines of the `.env` file that cannot be used, or may be misread.
pub(super) fn warn_of_lines(
    environment: &Environment,
    project: &Project,
    notices: &mut dyn Notices,
) {
    for remark in environment.remarks() {
        let remark = DotenvRemark {
            path: project.shown(&remark.path),
            ..remark.clone()
        };
        notices.warn(remark.to_string());
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
