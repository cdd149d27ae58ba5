//! The removal of old runs.

use std::fs;
use std::path::Path;
use std::time::Duration;

use agentv_core::RunRecord;
use agentv_journal::{FolderError, RunFolder, remove_leftovers};
use jiff::Timestamp;

use crate::error::ProjectError;
use crate::notices::Notices;
use crate::run_folders::{RunFolders, not_written};

/// The runs to keep. A run is removed only if no option keeps it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct PruneOptions {
    /// The number of the newest runs to keep.
    pub keep: Option<usize>,
    /// The age from which runs are removed, since they were last written.
    pub older_than: Option<Duration>,
    /// Set if nothing is removed.
    pub is_dry_run: bool,
}

/// A run that was removed, or would be.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PrunedRun {
    /// The id of the run.
    pub id: String,
    /// The size of its files in bytes.
    pub bytes: u64,
}

impl RunFolders {
    /// Removes old runs, oldest first, and calls `pruned` for each. A run that another process is
    /// writing, and a folder that is not a run, stays.
    ///
    /// # Errors
    /// If the folder cannot be listed, or a run cannot be removed.
    pub fn prune(
        &self,
        options: &PruneOptions,
        now: Timestamp,
        notices: &mut dyn Notices,
        pruned: &mut dyn FnMut(PrunedRun),
    ) -> Result<(), ProjectError> {
        if !options.is_dry_run {
            remove_leftovers(self.path()).map_err(ProjectError::not_written)?;
        }
        let folders = self.all()?;
        let runs = folders.into_iter().filter_map(|folder| {
            let record = record_of(&folder, notices)?;
            Some((folder, record))
        });
        let runs: Vec<(RunFolder, RunRecord)> = runs.collect();
        let old = runs.iter().skip(options.keep.unwrap_or(0));
        let old: Vec<_> = old
            .filter(|(_, record)| options.is_old(record, now))
            .collect();
        for (folder, _) in old.into_iter().rev() {
            let bytes = size_of(folder.path());
            if remove(folder, options.is_dry_run, now, notices)? {
                let id = folder.id().to_string();
                pruned(PrunedRun { id, bytes });
            }
        }
        Ok(())
    }
}

impl PruneOptions {
    /// Checks if a run is older than the age from which runs are removed. A run without a time stays.
    fn is_old(&self, record: &RunRecord, now: Timestamp) -> bool {
        let Some(age) = self.older_than else {
            return true;
        };
        let written = record.finished_at.as_ref().unwrap_or(&record.started_at);
        let Ok(written) = written.parse::<Timestamp>() else {
            return false;
        };
        Duration::try_from(now.duration_since(written)).is_ok_and(|since| since > age)
    }
}

/// Returns the record of a run, or `None` with a warning if a folder is not a run.
fn record_of(folder: &RunFolder, notices: &mut dyn Notices) -> Option<RunRecord> {
    let path = folder.path();
    if path
        .symlink_metadata()
        .is_ok_and(|found| found.is_symlink())
    {
        notices.warn(format!("kept `{}`: it is a link", path.display()));
        return None;
    }
    match folder.run::<RunRecord>() {
        Ok(Some(record)) => Some(record),
        Ok(None) => {
            let shown = path.display();
            notices.warn(format!(
                "kept `{shown}`: it is not a run, it has no `run.json`"
            ));
            None
        }
        Err(error) => {
            notices.warn(format!("kept `{}`: {error}", path.display()));
            None
        }
    }
}

/// Removes a run, unless another process is writing it. Returns false if it stays.
fn remove(
    folder: &RunFolder,
    is_dry_run: bool,
    now: Timestamp,
    notices: &mut dyn Notices,
) -> Result<bool, ProjectError> {
    if folder.is_being_written() {
        notices.warn(format!("kept run `{}`: it is being written", folder.id()));
        return Ok(false);
    }
    if is_dry_run {
        return Ok(true);
    }
    match folder.write(now) {
        Err(FolderError::Locked { .. }) => {
            notices.warn(format!("kept run `{}`: it is being written", folder.id()));
            Ok(false)
        }
        Err(error) => Err(not_written(error)),
        Ok(writer) => {
            writer.remove().map_err(not_written)?;
            Ok(true)
        }
    }
}

/// Returns the size of all files below a folder. Links are not followed, and unreadable folders count
/// as empty.
fn size_of(folder: &Path) -> u64 {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    let sizes = entries.map(|entry| match entry.metadata() {
        Ok(found) if found.is_dir() => size_of(&entry.path()),
        Ok(found) => found.len(),
        Err(_) => 0,
    });
    sizes.sum()
}
