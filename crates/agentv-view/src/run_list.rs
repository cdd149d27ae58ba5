//! The runs of a folder on lines, read again only if they have changed.

use std::collections::HashMap;
use std::fs;
use std::time::{Duration, Instant, SystemTime};

use agentv_journal::{RecordFile, RunFolder};
use agentv_report::{PastRun, RunLine};
use serde::Serialize;

use crate::runs::refuse_links;

/// The shortest time between two readings of a run that is being written.
const PAUSE: Duration = Duration::from_secs(2);

/// A run in a list.
#[derive(Debug, Clone, Serialize)]
pub struct ListedRun {
    /// Its id.
    pub id: String,
    /// Its figures, a line for each target.
    pub lines: Vec<RunLine>,
    /// The reason why its figures are not known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub problem: Option<String>,
}

/// The lines of runs that were read before.
#[derive(Debug, Default)]
pub(crate) struct RunLines {
    known: HashMap<String, KnownRun>,
}

#[derive(Debug)]
struct KnownRun {
    stamp: Vec<Option<(u64, SystemTime)>>,
    running: bool,
    read_at: Instant,
    /// The time that reading took.
    took: Duration,
    run: ListedRun,
}

impl RunLines {
    /// Returns the lines of a run.
    pub(crate) fn of(&mut self, folder: &RunFolder) -> ListedRun {
        let stamp = stamp(folder);
        let running = folder.is_being_written();
        let known = self.known.get(folder.id().as_str());
        if let Some(known) = known.filter(|known| known.is_current(&stamp, running)) {
            return known.run.clone();
        }
        let read_at = Instant::now();
        let run = read(folder);
        let known = KnownRun {
            stamp,
            running,
            read_at,
            took: read_at.elapsed(),
            run: run.clone(),
        };
        self.known.insert(folder.id().to_string(), known);
        run
    }
}

impl KnownRun {
    fn is_current(&self, stamp: &[Option<(u64, SystemTime)>], running: bool) -> bool {
        let is_fresh = self.read_at.elapsed() < PAUSE.max(10 * self.took);
        self.running == running && (self.stamp == stamp || (running && is_fresh))
    }
}

/// Returns the length and the time of each file of a run.
fn stamp(folder: &RunFolder) -> Vec<Option<(u64, SystemTime)>> {
    let results = folder.file(RecordFile::Results);
    let files = [folder.path().join("run.json"), results];
    let files = files.iter().map(|path| {
        let found = fs::symlink_metadata(path).ok()?;
        Some((found.len(), found.modified().ok()?))
    });
    files.collect()
}

fn read(folder: &RunFolder) -> ListedRun {
    let lines = refuse_links(folder).map_err(|error| error.to_string());
    let lines = lines.and_then(|()| match PastRun::open(folder.clone()) {
        Ok(Some(run)) => run.lines().map_err(|error| error.to_string()),
        Ok(None) => Err("it has no `run.json`".to_owned()),
        Err(error) => Err(error.to_string()),
    });
    ListedRun {
        id: folder.id().to_string(),
        problem: lines.as_ref().err().cloned(),
        lines: lines.unwrap_or_default(),
    }
}
