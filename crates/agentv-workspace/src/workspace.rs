//! The workspace of one trial.

use std::collections::HashMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use crate::changes::{Changes, changes};
use crate::diff::DiffLimits;
use crate::error::WorkspaceError;
use crate::export::copy_folder;
use crate::file_state::{FileContent, FileState, Stamp};
use crate::remove::remove_folder;
use crate::snapshot::{ContentCopy, KnownFiles, Snapshot, take};
use crate::template::{Template, TemplateEntryKind};
use crate::tree::GIT;

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
    /// The home folder as `setup` left it, if it left anything there.
    home_before: PathBuf,
    /// The stamps of the copied files, in the order of the template's entries.
    copied: Vec<Option<Stamp>>,
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
            home_before: root.join("home-before"),
            root,
            copied: Vec::new(),
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

    pub(crate) fn with_copied(self, copied: Vec<Option<Stamp>>) -> Workspace {
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
        self.save_home();
        let known = CopiedFiles::new(self, template);
        take(&self.work, &template.folder, &known, &self.copies)
    }

    /// Returns the state of a workspace in which nothing has run since it was made. Reads no file.
    pub fn first_snapshot(&self, template: &Template) -> Snapshot {
        let mut snapshot = Snapshot::empty(&template.folder);
        for (entry, stamp) in template.entries.iter().zip(&self.copied) {
            let (state, copy) = match &entry.kind {
                TemplateEntryKind::File {
                    content: Some(content),
                    ..
                } => (FileState::File(*content), ContentCopy::InTemplate),
                TemplateEntryKind::Link(target) if !entry.path.starts_with(GIT) => {
                    (FileState::Link(target.clone()), ContentCopy::None)
                }
                TemplateEntryKind::Folder
                | TemplateEntryKind::Link(_)
                | TemplateEntryKind::File { content: None, .. } => continue,
            };
            snapshot.add(entry.path.clone(), state, *stamp, copy);
        }
        snapshot
    }

    /// Copies the home folder, unless it is empty. What cannot be copied, such as a socket, is lost.
    fn save_home(&self) {
        let entries = fs::read_dir(&self.home);
        let is_empty = entries.is_ok_and(|mut entries| entries.next().is_none());
        if !is_empty && fs::create_dir(&self.home_before).is_ok() {
            let _ = copy_folder(&self.home, &self.home_before, true);
        }
    }

    /// Makes `home/` what it was at the snapshot, and `tmp/` empty. An agent could otherwise leave files
    /// there that change what graders do.
    fn restore_home(&self) -> Result<(), WorkspaceError> {
        for (folder, left) in [(&self.home, "home-left"), (&self.tmp, "tmp-left")] {
            if remove_folder(folder).is_err() {
                let _ = fs::rename(folder, self.root.join(left));
            }
        }
        if fs::symlink_metadata(&self.home_before).is_ok_and(|found| found.is_dir()) {
            let _ = fs::rename(&self.home_before, &self.home);
        }
        restore_folder(&self.home)?;
        restore_folder(&self.tmp)
    }

    /// Lists the changes of `work/` since a snapshot. The process tree of the agent must have ended.
    ///
    /// Afterwards, `work/` is a folder again. If an agent has put a link in its place, or has removed it, it
    /// is empty: commands that run in it later must not run elsewhere. `home/` is what it was at the
    /// snapshot, and `tmp/` is empty.
    ///
    /// # Errors
    /// Does not fail because of what an agent did to its files: what cannot be read is reported as a
    /// change. Fails if a folder cannot be made again.
    pub fn changes(
        &self,
        before: &Snapshot,
        limits: &DiffLimits,
    ) -> Result<Changes, WorkspaceError> {
        for folder in [&self.root, &self.work] {
            restore_folder(folder)?;
        }
        self.restore_home()?;
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
        // An agent may have made further files beside `work/`.
        let entries = fs::read_dir(&self.root).map_err(WorkspaceError::at("read", &self.root))?;
        for entry in entries.flatten() {
            let path = entry.path();
            if path != self.work && path != mark {
                remove_folder(&path)?;
            }
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

/// Makes a folder again if it is gone, or if something else is in its place.
fn restore_folder(folder: &Path) -> Result<(), WorkspaceError> {
    match fs::symlink_metadata(folder) {
        Ok(metadata) if metadata.is_dir() => return Ok(()),
        Ok(_) => fs::remove_file(folder).map_err(WorkspaceError::at("remove", folder))?,
        Err(_) => {}
    }
    fs::create_dir(folder).map_err(WorkspaceError::at("create", folder))
}

/// The files of a workspace that came from its template.
struct CopiedFiles<'a> {
    workspace: &'a Workspace,
    files: HashMap<&'a Path, (FileContent, Option<Stamp>)>,
}

impl<'a> CopiedFiles<'a> {
    fn new(workspace: &'a Workspace, template: &'a Template) -> CopiedFiles<'a> {
        let entries = template.entries.iter().zip(&workspace.copied);
        let files = entries.filter_map(|(entry, stamp)| match &entry.kind {
            TemplateEntryKind::File { content, .. } => {
                Some((entry.path.as_path(), ((*content)?, *stamp)))
            }
            TemplateEntryKind::Folder | TemplateEntryKind::Link(_) => None,
        });
        CopiedFiles {
            workspace,
            files: files.collect(),
        }
    }
}

impl KnownFiles for CopiedFiles<'_> {
    fn known(&self, path: &Path, stamp: &Stamp) -> Option<FileContent> {
        let (content, copied) = self.files.get(path)?;
        let is_proven = *copied == Some(*stamp) && stamp.is_reliable_at(self.workspace.copied_at);
        is_proven.then_some(*content)
    }

    fn is_in_template(&self, path: &Path, content: &FileContent) -> bool {
        let known = self.files.get(path);
        known.is_some_and(|(known, _)| known.digest == content.digest)
    }
}
