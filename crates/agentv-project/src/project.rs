//! A project, seen from a working folder.

use std::path::{Path, PathBuf};

use agentv_dataset::{LoadOptions, Project as ProjectFolder};
use agentv_providers::{Environment, Surroundings};
use agentv_syntax::Definitions;

use crate::error::ProjectError;
use crate::eval_variables::eval_variables;
use crate::run_folders::RunFolders;

/// Everything that may be named in a file: the kinds of evaluators and of targets.
pub const DEFINITIONS: Definitions = Definitions {
    evaluators: &agentv_evaluators::REGISTRY,
    targets: &agentv_providers::REGISTRY,
};

/// A project, seen from a working folder: the start of every command.
#[derive(Debug, Clone)]
pub struct Project {
    /// The canonical working folder, or `None` if it is gone.
    working_dir: Option<PathBuf>,
    environment: Environment,
}

impl Project {
    /// Returns the project of this process: its working folder and its environment variables.
    pub fn here() -> Project {
        let working_dir = std::env::current_dir().and_then(std::fs::canonicalize);
        Project {
            working_dir: working_dir.ok(),
            environment: Environment::of_process(),
        }
    }

    /// Returns the project around a canonical folder, with these variables.
    pub fn at(working_dir: PathBuf, environment: Environment) -> Project {
        Project {
            working_dir: Some(working_dir),
            environment,
        }
    }

    /// Returns the options to load eval files with.
    pub fn load_options(&self) -> LoadOptions {
        LoadOptions {
            variables: eval_variables(self),
            ..LoadOptions::new(DEFINITIONS, self.working_dir())
        }
    }

    /// Returns the runs of the project around the working folder.
    ///
    /// # Errors
    /// If the working folder is gone.
    pub fn run_folders(&self) -> Result<RunFolders, ProjectError> {
        let here = self.working_dir.as_deref();
        let here = here
            .ok_or_else(|| ProjectError::because("the working directory cannot be determined"))?;
        Ok(self.run_folders_of(&ProjectFolder::around(here).root))
    }

    /// Returns the runs of the project with this root.
    pub fn run_folders_of(&self, root: &Path) -> RunFolders {
        RunFolders::at(root.join(".agentv").join("results"), self.clone())
    }

    /// Returns a path as a user in the working folder would write it.
    pub fn shown(&self, path: &Path) -> PathBuf {
        let here = self.working_dir.as_deref();
        match here.and_then(|here| path.strip_prefix(here).ok()) {
            Some(inside) if inside.as_os_str().is_empty() => PathBuf::from("."),
            inside => inside.unwrap_or(path).to_owned(),
        }
    }

    /// Returns the working folder; an empty path if it is gone, so that nothing is found in it.
    pub(crate) fn working_dir(&self) -> PathBuf {
        self.working_dir.clone().unwrap_or_default()
    }

    /// Returns the folder that the user prefers for workspaces (`AGENTV_WORKSPACES`), absolute.
    pub(crate) fn workspaces_place(&self) -> Option<PathBuf> {
        let place = self.environment.get("AGENTV_WORKSPACES");
        let place = place.filter(|place| !place.is_empty())?;
        Some(self.working_dir().join(place))
    }

    /// Returns the variables of the process, without those of any `.env` file.
    pub(crate) fn environment(&self) -> &Environment {
        &self.environment
    }

    /// Returns the places where the targets file and the `.env` file of an eval file may be.
    pub(crate) fn surroundings_of(&self, file: &ProjectFolder) -> Surroundings {
        Surroundings {
            folder: file.folder.clone(),
            root: file.root.clone(),
            working_dir: self.working_dir(),
        }
    }
}
