//! The place for the workspaces of a run, and the templates that they start with.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use agentv_core::{WorkspaceSource, WorkspaceSpec};
use agentv_process::Runner;
use agentv_workspace::{Template, TemplateSource, Workspace, WorkspaceError, Workspaces};
use tokio::sync::OnceCell;

/// The place for the workspaces of a run, with the templates that were exported so far. Dropping it
/// removes everything but the workspaces that were kept.
#[derive(Debug)]
pub struct RunWorkspaces {
    workspaces: Arc<Workspaces>,
    templates: Mutex<HashMap<TemplateSource, Arc<OnceCell<Arc<Template>>>>>,
    /// The folders that hold files with a digest, in place of their sources.
    provided: Mutex<HashMap<String, PathBuf>>,
    pub(crate) runner: Runner,
}

/// The reason why a trial has no workspace, a sentence.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct NoWorkspace(pub(crate) String);

impl From<WorkspaceError> for NoWorkspace {
    fn from(error: WorkspaceError) -> NoWorkspace {
        let reason = std::error::Error::source(&error).map(|reason| format!(": {reason}"));
        NoWorkspace(format!("{error}{}", reason.unwrap_or_default()))
    }
}

impl RunWorkspaces {
    /// Makes the place in `preferred`, or else outside of `project` and of every folder with instructions
    /// for agents. Removes what killed runs have left there. `runner` runs the commands of users.
    ///
    /// # Errors
    /// Fails if there is no suitable place.
    pub fn open(
        preferred: Option<&Path>,
        project: &Path,
        runner: Runner,
    ) -> Result<RunWorkspaces, WorkspaceError> {
        Ok(RunWorkspaces {
            workspaces: Arc::new(Workspaces::open(preferred, project)?),
            templates: Mutex::default(),
            provided: Mutex::default(),
            runner,
        })
    }

    /// Exports the files that a workspace starts with, once. Returns their folder, which must only be read.
    ///
    /// # Errors
    /// Says why they cannot be exported.
    pub async fn exported(
        &self,
        spec: &WorkspaceSpec,
        root: &Path,
    ) -> Result<PathBuf, NoWorkspace> {
        Ok(self.template(spec, root).await?.folder().to_owned())
    }

    /// Provides the files with this digest in a folder: workspaces that start with them are copied from there.
    pub fn provide(&self, digest: &str, folder: PathBuf) {
        let mut provided = self.provided.lock().unwrap_or_else(PoisonError::into_inner);
        provided.insert(digest.to_owned(), folder);
    }

    /// Returns the place of the files that a workspace starts with.
    fn source_of(&self, spec: &WorkspaceSpec, root: &Path) -> TemplateSource {
        let provided = self.provided.lock().unwrap_or_else(PoisonError::into_inner);
        let content = spec.from.as_ref().map(WorkspaceSource::digest);
        let provided = content.and_then(|digest| provided.get(digest));
        match (provided, &spec.from) {
            (Some(folder), Some(WorkspaceSource::Git { .. })) => {
                TemplateSource::Committed(folder.clone())
            }
            (Some(folder), _) => TemplateSource::Folder(folder.clone()),
            (None, _) => source_of(spec, root),
        }
    }

    /// Returns the template of a workspace. The first trial that needs it exports it, and the others wait.
    pub(crate) async fn template(
        &self,
        spec: &WorkspaceSpec,
        root: &Path,
    ) -> Result<Arc<Template>, NoWorkspace> {
        let source = self.source_of(spec, root);
        let cell = {
            let mut templates = self
                .templates
                .lock()
                .unwrap_or_else(PoisonError::into_inner);
            Arc::clone(templates.entry(source.clone()).or_default())
        };
        let exported = cell.get_or_try_init(|| async {
            let workspaces = Arc::clone(&self.workspaces);
            let template = blocking(move || workspaces.export(&source)).await?;
            Ok::<_, NoWorkspace>(Arc::new(template))
        });
        let template = Arc::clone(exported.await?);
        match &spec.from {
            Some(WorkspaceSource::Folder { path, digest }) if template.digest() != digest => {
                Err(NoWorkspace(format!(
                    "`{path}` was changed after the run began; run it again"
                )))
            }
            _ => Ok(template),
        }
    }

    /// Removes all workspaces that are not kept, even those of trials that hang. The next run removes what
    /// cannot be removed now.
    pub(crate) async fn remove(&self) {
        let workspaces = Arc::clone(&self.workspaces);
        let _ = blocking(move || workspaces.remove()).await;
    }

    /// Makes a copy of a template.
    pub(crate) async fn create(&self, template: &Arc<Template>) -> Result<Workspace, NoWorkspace> {
        let (workspaces, template) = (Arc::clone(&self.workspaces), Arc::clone(template));
        blocking(move || workspaces.create(&template)).await
    }
}

/// Does blocking work on a thread of its own. It ends there even if nobody waits for it.
pub(crate) async fn blocking<T: Send + 'static>(
    work: impl FnOnce() -> Result<T, WorkspaceError> + Send + 'static,
) -> Result<T, NoWorkspace> {
    match tokio::task::spawn_blocking(work).await {
        Ok(done) => Ok(done?),
        Err(error) => Err(NoWorkspace(format!("the workspace failed: {error}"))),
    }
}

fn source_of(spec: &WorkspaceSpec, root: &Path) -> TemplateSource {
    match &spec.from {
        None => TemplateSource::Empty,
        Some(WorkspaceSource::Folder { path, .. }) => TemplateSource::Folder(root.join(path)),
        Some(WorkspaceSource::Git { path, commit, .. }) => TemplateSource::Commit {
            repository: root.join(path),
            commit: commit.clone(),
        },
    }
}
