//! The workspace of one trial, from its creation to its end.

use std::sync::Arc;
use std::time::Duration;

use agentv_core::{
    FileChange, KeepWorkspace, Provider, RunEvent, Status, Transcript, Trial, WorkspaceFolders,
    WorkspaceSpec,
};
use agentv_workspace::{DiffLimits, Snapshot, Template, Workspace};
use tokio_util::sync::CancellationToken;

use super::commands::{CommandFailure, Commands, run_all};
use super::templates::{NoWorkspace, RunWorkspaces, blocking};
use crate::trial::execute::Executor;

/// The time that `teardown` gets once the run is being stopped, less than the run waits for aborted work.
const LAST_TEARDOWN: Duration = Duration::from_secs(4);

/// Returns true if the trials of a case on this target have a workspace.
pub(crate) fn needs_workspace(workspace: Option<&WorkspaceSpec>, provider: &dyn Provider) -> bool {
    workspace.is_some() || provider.needs_workspace()
}

/// The workspace of a trial. Dropping it removes it without `teardown`.
pub(crate) struct TrialWorkspace {
    workspace: Workspace,
    before: Snapshot,
    pub(crate) folders: Arc<WorkspaceFolders>,
    /// The changed files beyond those that the transcript lists.
    pub(crate) further_changes: Vec<FileChange>,
    run: Arc<RunWorkspaces>,
    spec: Arc<WorkspaceSpec>,
}

/// The reason why a trial got no workspace.
pub(crate) enum Unmade {
    /// The run is being stopped.
    Stopped,
    /// The trial is errored.
    Failed {
        /// The reason, a sentence.
        message: String,
        /// The folder of the workspace, if it was kept.
        kept: Option<String>,
    },
}

impl From<NoWorkspace> for Unmade {
    fn from(reason: NoWorkspace) -> Unmade {
        Unmade::Failed {
            message: reason.0,
            kept: None,
        }
    }
}

impl TrialWorkspace {
    /// Makes the workspace of a trial, runs `setup` in it, and notes its state.
    pub(crate) async fn make(executor: &Executor, trial: &Trial) -> Result<TrialWorkspace, Unmade> {
        let Some(run) = executor.workspaces.clone() else {
            let message = "there is no place for the workspace of this trial".to_owned();
            return Err(NoWorkspace(message).into());
        };
        let spec = trial.case.workspace.clone().unwrap_or_default();
        let making = async {
            let template = run.template(&spec, &trial.file.root).await?;
            let workspace = run.create(&template).await?;
            Ok::<_, Unmade>((template, workspace))
        };
        let (template, workspace) = tokio::select! {
            biased;
            () = executor.stop.abortion().cancelled() => return Err(Unmade::Stopped),
            made = making => made?,
        };
        let folders = Arc::new(folders_of(&workspace));
        let set_up = run_all(
            &run.runner,
            Commands {
                noun: "workspace.setup",
                commands: &spec.setup,
                timeout: spec.timeout(),
            },
            &folders,
            &trial.file.folder,
            executor.stop.abortion(),
        );
        let set_up = set_up.await;
        let is_untouched = spec.setup.is_empty();
        let (workspace, before) = snapshot(workspace, template, is_untouched).await?;
        let made = TrialWorkspace {
            workspace,
            before,
            folders,
            further_changes: Vec::new(),
            run,
            spec,
        };
        match set_up {
            Ok(()) => Ok(made),
            Err(CommandFailure::Cancelled) => {
                made.abandon(executor, trial).await;
                Err(Unmade::Stopped)
            }
            Err(CommandFailure::Failed(message)) => {
                let kept = made.finish(executor, trial, Status::Error).await;
                Err(Unmade::Failed { message, kept })
            }
        }
    }

    /// Gives the next attempt of a trial a new workspace in place of `old`.
    pub(crate) async fn renew(
        old: TrialWorkspace,
        executor: &Executor,
        trial: &Trial,
    ) -> Result<TrialWorkspace, Unmade> {
        old.abandon(executor, trial).await;
        TrialWorkspace::make(executor, trial).await
    }

    /// Adds the changes of the files to a transcript that has none. The processes of the target have
    /// ended.
    pub(crate) async fn add_changes(
        self,
        transcript: &mut Transcript,
    ) -> Result<TrialWorkspace, NoWorkspace> {
        if transcript.file_changes.is_some() {
            return Ok(self);
        }
        let (mut workspace, changes) = blocking(move || {
            let changes = self
                .workspace
                .changes(&self.before, &DiffLimits::default())?;
            Ok((self, changes))
        })
        .await?;
        transcript.file_changes = Some(changes.files);
        transcript.file_changes_omitted = changes.further.len() as u64;
        workspace.further_changes = changes.further;
        Ok(workspace)
    }

    /// Runs `teardown`, then removes the workspace or keeps it. Returns the folder that was kept.
    pub(crate) async fn finish(
        self,
        executor: &Executor,
        trial: &Trial,
        status: Status,
    ) -> Option<String> {
        tokio::select! {
            biased;
            () = executor.stop.at_once() => {}
            () = aborted_for(executor, LAST_TEARDOWN) => {}
            () = self.tear_down(executor, trial) => {}
        }
        let keeps = match self.spec.keep {
            KeepWorkspace::Never => false,
            KeepWorkspace::OnFailure => match status {
                Status::Fail | Status::Borderline | Status::Error => true,
                Status::Pass | Status::Ungraded => false,
            },
            KeepWorkspace::Always => true,
        };
        let workspace = self.workspace;
        let ended = blocking(move || match keeps {
            true => workspace.keep().map(Some),
            // The next run removes what is left, such as files of another user.
            false => workspace.remove().map(|()| None),
        });
        match ended.await {
            Ok(kept) => kept.map(|folder| folder.display().to_string()),
            Err(NoWorkspace(reason)) => {
                notice(executor, trial, &reason);
                None
            }
        }
    }

    /// Ends the workspace of a trial that gets no result, because the run is being stopped.
    pub(crate) async fn abandon(self, executor: &Executor, trial: &Trial) {
        tokio::select! {
            biased;
            () = executor.stop.at_once() => {}
            () = tokio::time::sleep(LAST_TEARDOWN) => {}
            () = self.tear_down(executor, trial) => {}
        }
        let workspace = self.workspace;
        let _ = blocking(move || workspace.remove()).await;
    }

    async fn tear_down(&self, executor: &Executor, trial: &Trial) {
        // A run that is being stopped still cleans up.
        let never = CancellationToken::new();
        let torn_down = run_all(
            &self.run.runner,
            Commands {
                noun: "workspace.teardown",
                commands: &self.spec.teardown,
                timeout: self.spec.timeout(),
            },
            &self.folders,
            &trial.file.folder,
            &never,
        );
        match torn_down.await {
            Ok(()) | Err(CommandFailure::Cancelled) => {}
            Err(CommandFailure::Failed(message)) => notice(executor, trial, &message),
        }
    }
}

fn folders_of(workspace: &Workspace) -> WorkspaceFolders {
    WorkspaceFolders {
        work: workspace.work().to_owned(),
        home: workspace.home().to_owned(),
        tmp: workspace.tmp().to_owned(),
    }
}

/// Waits until the run has been aborted for some time.
async fn aborted_for(executor: &Executor, time: Duration) {
    executor.stop.abortion().cancelled().await;
    tokio::time::sleep(time).await;
}

/// Notes the state of a workspace. Nothing has run in one that is untouched.
async fn snapshot(
    workspace: Workspace,
    template: Arc<Template>,
    is_untouched: bool,
) -> Result<(Workspace, Snapshot), NoWorkspace> {
    blocking(move || {
        let before = if is_untouched {
            workspace.first_snapshot(&template)
        } else {
            workspace.snapshot(&template)?
        };
        Ok((workspace, before))
    })
    .await
}

/// Reports a problem that changes no result.
fn notice(executor: &Executor, trial: &Trial, reason: &str) {
    let message = format!("case `{}`: {reason}", trial.case.id);
    let message = executor.secrets.redact(&message).into_owned();
    executor.notify(RunEvent::Noticed { message });
}
