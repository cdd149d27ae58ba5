//! Runs and targets side by side, read once and kept while nobody asks for others.

use std::fs;
use std::sync::Arc;
use std::time::SystemTime;

use agentv_journal::{RecordFile, RunFolder};
use agentv_report::RunResults;
use agentv_report::compare::{ComparedRun, SideBySide, read_runs};

use crate::runs::refuse_links;
use crate::view_error::ViewError;

/// The largest number of columns.
const MOST_COLUMNS: usize = 12;

/// A run, or one of its targets.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Column {
    /// The id of the run.
    pub run: String,
    /// The target; all of them if there is none.
    pub target: Option<String>,
}

/// Columns side by side, and a number that changes with the files that they were read from.
#[derive(Debug, Clone)]
pub struct Comparison {
    /// The columns.
    pub sides: Arc<SideBySide>,
    /// The number of the reading.
    pub version: u64,
}

/// The last comparison. A comparison of large runs needs much memory, so there is one at a time.
#[derive(Debug, Default)]
pub(crate) struct Comparisons {
    last: Option<Known>,
    readings: u64,
}

#[derive(Debug)]
struct Known {
    columns: Vec<Column>,
    threshold: f64,
    stamps: Vec<Option<(u64, SystemTime)>>,
    comparison: Comparison,
}

impl Comparisons {
    /// Compares columns; `folders` are the runs of the columns.
    pub(crate) fn of(
        &mut self,
        columns: &[Column],
        folders: &[RunFolder],
        threshold: f64,
    ) -> Result<Comparison, ViewError> {
        if columns.len() < 2 || columns.len() > MOST_COLUMNS {
            let reason = format!("a comparison needs 2 to {MOST_COLUMNS} runs or targets");
            return Err(ViewError::Request(reason));
        }
        let stamps: Vec<_> = folders.iter().map(stamp).collect();
        let is_known = |known: &&Known| {
            known.columns == columns && known.threshold == threshold && known.stamps == stamps
        };
        if let Some(known) = self.last.as_ref().filter(is_known) {
            return Ok(known.comparison.clone());
        }
        // The memory of the last one is needed for the next.
        self.last = None;
        let runs = read(columns, folders)?;
        self.readings += 1;
        let comparison = Comparison {
            sides: Arc::new(SideBySide::of(runs, threshold)),
            version: self.readings,
        };
        self.last = Some(Known {
            columns: columns.to_vec(),
            threshold,
            stamps,
            comparison: comparison.clone(),
        });
        Ok(comparison)
    }
}

/// Reads each run once, and divides it by the targets of its columns.
fn read(columns: &[Column], folders: &[RunFolder]) -> Result<Vec<ComparedRun>, ViewError> {
    let mut distinct: Vec<&RunFolder> = Vec::new();
    for folder in folders {
        refuse_links(folder)?;
        if !distinct.iter().any(|known| known.id() == folder.id()) {
            distinct.push(folder);
        }
    }
    let results = distinct.iter().map(|folder| {
        let results = RunResults::of_folder(folder);
        results.unwrap_or_else(|_| RunResults::without_run(folder))
    });
    let results: Vec<RunResults> = results.collect();
    let mut read: Vec<Option<ComparedRun>> = read_runs(&results)?.into_iter().map(Some).collect();
    let place_of = |column: &Column| {
        let place = distinct
            .iter()
            .position(|folder| folder.id().as_str() == column.run);
        place.ok_or_else(|| ViewError::NoRun(column.run.clone()))
    };
    let mut runs: Vec<Option<ComparedRun>> = Vec::with_capacity(columns.len());
    for column in columns {
        let run = read[place_of(column)?].as_ref();
        runs.push(
            column
                .target
                .as_ref()
                .and_then(|target| Some(run?.of_target(target))),
        );
    }
    // Whole runs are moved, not copied: they may be large.
    for (column, run) in columns.iter().zip(&mut runs) {
        if run.is_none() {
            *run = read[place_of(column)?].take();
        }
    }
    let twice = |column: &Column| ViewError::Request(format!("`{}` is named twice", column.run));
    let runs = columns.iter().zip(runs);
    runs.map(|(column, run)| run.ok_or_else(|| twice(column)))
        .collect()
}

/// Returns the length and the time of the results of a run.
fn stamp(folder: &RunFolder) -> Option<(u64, SystemTime)> {
    let found = fs::symlink_metadata(folder.file(RecordFile::Results)).ok()?;
    Some((found.len(), found.modified().ok()?))
}
