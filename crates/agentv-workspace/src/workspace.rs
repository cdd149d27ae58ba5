//! The workspace of one trial.

use std::collections::HashMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use crate::changes::{Changes, changes};
use crate::diff::DiffLimits;
use crate::error::WorkspaceError;
use crate::file_state::{FileContent, Stamp};
use crate::remove::remove_folder;
use crate::snapshot::{KnownFiles, Snapshot, take};
use crate::template::{Template, TemplateEntryKind};

/// The file that marks a kept workspace.
pub(crate) const KEPT: &str = "kept";

/// The private folder of one trial. Dropping it removes it.
#[derive(Debug)]
pub struct Workspace {
    root: PathBuf,
    work: PathBuf,
    home: PathBuf,
    tmp: PathBuf,
    copies: PathBuf,
    copied: HashMap<PathBuf, Stamp>,
    copied_at: SystemTime,
    kept: bool,
}

impl Workspace {
    /// Makes the folders of a workspace, all empty.
    pub(crate) fn make(root: PathBuf) -> Result<Workspace, WorkspaceError> {
        let workspace = Workspace {
            work: root.join("work"),
            home: root.join("home"),
            tmp: root.join("tmp"),
            copies: root.join("before"),
            root,
            copied: HashMap::new(),
            copied_at: SystemTime::now(),
            kept: false,
        };
        let folders = [
            &workspace.root,
            &workspace.work,
            &workspace.home,
            &workspace.tmp,
            &workspace.copies,
        ];
        for folder in folders {
            fs::create_dir(folder).map_err(WorkspaceError::at("create", folder))?;
        }
        Ok(workspace)
    }

    pub(crate) fn with_copied(self, copied: HashMap<PathBuf, Stamp>) -> Workspace {
        // `..self` would move out of a type that removes its folder when dropped.
        let mut workspace = self;
        workspace.copied = copied;
        workspace.copied_at = SystemTime::now();
        workspace
    }

    /// Returns the folder that an agent works in.
    pub fn work(&self) -> &Path {
        &self.work
    }

    /// Returns the home folder of an agent.
    pub fn home(&self) -> &Path {
        &self.home
    }

    /// Returns the folder for an agent's temporary files.
    pub fn tmp(&self) -> &Path {
        &self.tmp
    }

    /// Returns the folder that holds all others.
    pub fn root(&self) -> &Path {
        &self.root
    }

    /// Records the present state of `work/`. Take one snapshot per workspace, after its setup.
    ///
    /// # Errors
    /// Fails if a copy of a file cannot be written.
    pub fn snapshot(&self, template: &Template) -> Result<Snapshot, WorkspaceError> {
        let known = CopiedFiles::new(self, template);
        take(&self.work, &known, &self.copies)
    }

    /// Lists the changes of `work/` since a snapshot. The process tree of the agent must have ended.
    ///
    /// # Errors
    /// Does not fail because of what an agent did to its files: what cannot be read is reported as a
    /// change.
    pub fn changes(
        &self,
        before: &Snapshot,
        limits: &DiffLimits,
    ) -> Result<Changes, WorkspaceError> {
        changes(&self.work, before, limits)
    }

    /// Removes the workspace.
    ///
    /// # Errors
    /// Fails if something in it cannot be removed, such as a file of another user.
    pub fn remove(mut self) -> Result<(), WorkspaceError> {
        self.kept = true;
        remove_folder(&self.root)
    }

    /// Keeps `work/` for the user and returns its path. Home and temporary files are removed: an agent
    /// may have written keys there.
    ///
    /// # Errors
    /// Fails if the workspace cannot be marked as kept.
    pub fn keep(mut self) -> Result<PathBuf, WorkspaceError> {
        let mark = self.root.join(KEPT);
        fs::write(&mark, "").map_err(WorkspaceError::at("write", &mark))?;
        self.kept = true;
        for folder in [&self.home, &self.tmp, &self.copies] {
            remove_folder(folder)?;
        }
        Ok(self.work.clone())
    }
}

impl Drop for Workspace {
    fn drop(&mut self) {
        if !self.kept {
            let _ = remove_folder(&self.root);
        }
    }
}

/// The files of a workspace that came from its template.
struct CopiedFiles<'a> {
    workspace: &'a Workspace,
    template: &'a Template,
    contents: HashMap<&'a Path, FileContent>,
}

impl<'a> CopiedFiles<'a> {
    fn new(workspace: &'a Workspace, template: &'a Template) -> CopiedFiles<'a> {
        let contents = template
            .entries
            .iter()
            .filter_map(|entry| match &entry.kind {
                TemplateEntryKind::File { content, .. } => {
                    Some((entry.path.as_path(), (*content)?))
                }
                TemplateEntryKind::Folder | TemplateEntryKind::Link(_) => None,
            });
        CopiedFiles {
            workspace,
            template,
            contents: contents.collect(),
        }
    }
}

impl KnownFiles for CopiedFiles<'_> {
    fn known(&self, path: &Path, stamp: &Stamp) -> Option<(FileContent, PathBuf)> {
        let copied = self.workspace.copied.get(path)?;
        if copied != stamp || !copied.is_reliable_at(self.workspace.copied_at) {
            return None;
        }
        let content = self.contents.get(path)?;
        Some((*content, self.template.folder.join(path)))
    }

    fn copy(&self, path: &Path, content: &FileContent) -> Option<PathBuf> {
        let same = self.contents.get(path)?.digest == content.digest;
        same.then(|| self.template.folder.join(path))
    }
}
