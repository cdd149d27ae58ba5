//! The folder of one run's workspaces.

use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

use crate::copy::copy_template;
use crate::error::WorkspaceError;
use crate::export::export;
use crate::location::{check_place, choose, make_private, usual_parents};
use crate::remove::remove_folder;
use crate::template::{Template, TemplateSource};
use crate::workspace::{KEPT, Workspace};

const RUN: &str = "run-";
const LOCK: &str = "lock";

/// The folder of one run's workspaces, locked until it is dropped or the process ends.
///
/// Dropping it removes everything in it, except for workspaces that were kept.
#[derive(Debug)]
pub struct Workspaces {
    folder: PathBuf,
    /// Held, not read.
    _lock: File,
    next: AtomicU64,
}

impl Workspaces {
    /// Makes a folder for a run in `preferred`, or else in one of the usual places. It must be outside of
    /// `project` and of every folder with instructions for agents. Removes what killed runs have left there.
    ///
    /// # Errors
    /// Fails if there is no suitable place, or if it cannot be written to.
    pub fn open(preferred: Option<&Path>, project: &Path) -> Result<Workspaces, WorkspaceError> {
        let place = match preferred {
            Some(place) => {
                check_place(place, project)?;
                place.to_owned()
            }
            None => choose(&usual_parents(), project)?,
        };
        make_private(&place)?;
        Workspaces::open_in(&place)
    }

    /// Makes a folder for a run in `place`, and removes what killed runs have left there.
    ///
    /// # Errors
    /// Fails if `place` cannot be written to.
    pub fn open_in(place: &Path) -> Result<Workspaces, WorkspaceError> {
        let creation = lock_of_place(place)?;
        let folder = tempfile::Builder::new().prefix(RUN).tempdir_in(place);
        let folder = folder.map_err(WorkspaceError::at("create a folder in", place))?;
        let lock = open_lock(&folder.path().join(LOCK))?;
        lock.lock()
            .map_err(WorkspaceError::at("lock", folder.path()))?;
        drop(creation);
        let workspaces = Workspaces {
            folder: folder.keep(),
            _lock: lock,
            next: AtomicU64::new(1),
        };
        workspaces.remove_leftovers(place)?;
        Ok(workspaces)
    }

    /// Exports the content that trials start with.
    ///
    /// # Errors
    /// Fails if the source cannot be read, or if git cannot export the commit.
    pub fn export(&self, source: &TemplateSource) -> Result<Template, WorkspaceError> {
        export(source, &self.new_path("template"))
    }

    /// Makes the workspace of a trial.
    ///
    /// # Errors
    /// Fails if the template cannot be copied.
    pub fn create(&self, template: &Template) -> Result<Workspace, WorkspaceError> {
        let root = self.new_path("trial");
        let workspace = Workspace::make(root)?;
        let copied = copy_template(template, workspace.work())?;
        Ok(workspace.with_copied(copied))
    }

    /// Removes the folder of the run, except for the workspaces that were kept. Nothing can be made in it
    /// afterwards.
    ///
    /// # Errors
    /// Fails if something cannot be removed. The next run removes it.
    pub fn remove(&self) -> Result<(), WorkspaceError> {
        remove_run(&self.folder)
    }

    fn new_path(&self, kind: &str) -> PathBuf {
        let number = self.next.fetch_add(1, Ordering::Relaxed);
        self.folder.join(format!("{kind}-{number}"))
    }

    /// Removes the folders of runs that have ended without removing them.
    fn remove_leftovers(&self, place: &Path) -> Result<(), WorkspaceError> {
        let entries = fs::read_dir(place).map_err(WorkspaceError::at("read", place))?;
        for entry in entries.flatten() {
            let folder = entry.path();
            let is_run = entry
                .file_name()
                .as_encoded_bytes()
                .starts_with(RUN.as_bytes());
            if !is_run || folder == self.folder {
                continue;
            }
            if let Some(_lock) = lock_of_ended_run(place, &folder)? {
                // A leftover that cannot be removed must not stop this run.
                let _ = remove_run(&folder);
            }
        }
        Ok(())
    }
}

impl Drop for Workspaces {
    fn drop(&mut self) {
        let _ = remove_run(&self.folder);
    }
}

/// Removes the folder of a run, except for the workspaces that were kept.
fn remove_run(folder: &Path) -> Result<(), WorkspaceError> {
    let entries = fs::read_dir(folder).map_err(WorkspaceError::at("read", folder))?;
    let mut kept = false;
    let mut result = Ok(());
    for entry in entries.flatten() {
        let path = entry.path();
        if entry.file_name() == LOCK {
            continue;
        }
        if path.join(KEPT).exists() {
            kept = true;
        } else {
            result = result.and(remove_folder(&path));
        }
    }
    if kept {
        return result;
    }
    // The lock goes last: while it exists, another run knows whose folder this is.
    result.and_then(|()| remove_folder(folder))
}

/// Returns the lock of a run's folder if no process holds it.
fn lock_of_ended_run(place: &Path, folder: &Path) -> Result<Option<File>, WorkspaceError> {
    // A run that starts holds this lock until it holds that of its own folder.
    let _creation = lock_of_place(place)?;
    let path = folder.join(LOCK);
    let lock = match open_lock(&path) {
        Ok(lock) => lock,
        // Another run has just removed it.
        Err(_) => return Ok(None),
    };
    Ok(lock.try_lock().is_ok().then_some(lock))
}

fn lock_of_place(place: &Path) -> Result<File, WorkspaceError> {
    let path = place.join(LOCK);
    let lock = open_lock(&path)?;
    lock.lock().map_err(WorkspaceError::at("lock", &path))?;
    Ok(lock)
}

fn open_lock(path: &Path) -> Result<File, WorkspaceError> {
    let mut options = fs::OpenOptions::new();
    options.read(true).write(true).create(true).truncate(false);
    let opened: io::Result<File> = options.open(path);
    opened.map_err(WorkspaceError::at("open", path))
}
