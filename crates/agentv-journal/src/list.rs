//! The runs of a results folder, newest first.

use std::fs;
use std::io::{BufReader, ErrorKind};
use std::path::Path;

use jiff::Timestamp;
use serde::Deserialize;

use crate::file_error::FileError;
use crate::folder::{RUN_FILE, RunFolder};
use crate::open::open_to_read;

/// A run and its start time.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ListedRun {
    /// Its folder.
    pub folder: RunFolder,
    /// The field `merged_at` of its `run.json`, otherwise `started_at`, otherwise the time in its id.
    pub started: Option<Timestamp>,
}

/// Lists the runs in `results`, newest first.
///
/// Runs are sorted by their start time, or by the time at which they were merged, then by id, so that the one created last comes first among
/// those that began at the same moment. If the clock was set back, a new run is sorted by its time
/// nevertheless. Runs without a time come last. Files and hidden folders are ignored. A missing folder
/// has no runs.
///
/// # Errors
/// Fails if the folder cannot be read.
///
/// ```
/// use agentv_journal::{RunFolder, list_runs};
///
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// # let project = tempfile::tempdir()?;
/// let results = project.path().join(".agentv/results");
/// assert!(list_runs(&results)?.is_empty());
/// let older = RunFolder::create_at(&results, "2026-11-15T10:43:07Z".parse()?)?;
/// let newer = RunFolder::create_at(&results, "2026-11-15T10:43:08Z".parse()?)?;
/// let runs: Vec<_> = list_runs(&results)?.into_iter().map(|run| run.folder).collect();
/// assert_eq!(runs, [newer, older]);
/// # Ok(())
/// # }
/// ```
pub fn list_runs(results: &Path) -> Result<Vec<ListedRun>, FileError> {
    let failed = || FileError::of("list", results);
    let entries = match fs::read_dir(results) {
        Ok(entries) => entries,
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(Vec::new()),
        Err(error) => return Err(failed()(error)),
    };
    let mut runs = Vec::new();
    for entry in entries {
        let entry = entry.map_err(failed())?;
        if let Ok(folder) = RunFolder::open(&entry.path()) {
            let started = started(&folder).or_else(|| folder.id().time());
            runs.push(ListedRun { folder, started });
        }
    }
    runs.sort_by(|one, other| {
        let newest = (other.started, other.folder.id());
        newest.cmp(&(one.started, one.folder.id()))
    });
    Ok(runs)
}

#[derive(Deserialize)]
struct Times {
    started_at: String,
    merged_at: Option<String>,
}

fn started(folder: &RunFolder) -> Option<Timestamp> {
    let file = open_to_read(&folder.path().join(RUN_FILE)).ok()?;
    let times: Times = serde_json::from_reader(BufReader::new(file)).ok()?;
    let merged = times.merged_at.and_then(|time| time.parse().ok());
    merged.or_else(|| times.started_at.parse().ok())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn created(results: &Path, time: &str) -> RunFolder {
        let now = time.parse().unwrap();
        let folder = RunFolder::create_at(results, now).unwrap();
        let writer = folder.write(now).unwrap();
        let run = serde_json::json!({"started_at": now.to_string()});
        writer.write_run(&run).unwrap();
        folder
    }

    fn listed(results: &Path) -> Vec<RunFolder> {
        let runs = list_runs(results).unwrap().into_iter();
        runs.map(|run| run.folder).collect()
    }

    #[test]
    fn among_runs_that_start_together_the_last_created_is_the_newest() {
        let results = tempfile::tempdir().unwrap();
        let create = |_| created(results.path(), "2026-11-15T10:43:07.309Z");
        let mut folders: Vec<RunFolder> = (0..20).map(create).collect();
        folders.reverse();
        assert_eq!(listed(results.path()), folders);
    }

    #[test]
    fn a_clock_that_goes_back_hides_no_run_and_the_latest_time_stays_the_newest() {
        let results = tempfile::tempdir().unwrap();
        let before = created(results.path(), "2026-11-15T10:43:07Z");
        let back = created(results.path(), "2026-11-15T09:43:07Z");
        // The clock reaches the same moment again.
        let again = created(results.path(), "2026-11-15T10:43:07Z");
        assert_eq!(listed(results.path()), [again, before, back]);
    }
}
