//! An index and the files that it refers to.

use std::fs::File;
use std::io;
use std::ops::Range;
use std::path::{Path, PathBuf};

use agentv_core::Status;
use agentv_journal::{RecordFile, RunFolder, open_to_read};
use serde::{Deserialize, Serialize};
use tempfile::NamedTempFile;

use super::error::IndexError;
use super::joins::Joins;
use super::names::Names;
use super::part::Read;
use super::pieces::read_part;
use super::row::{Row, TranscriptPlace};
use super::stamp::FileStamp;
use super::stored;
use super::texts::{PART, Texts};

/// The index of a run.
#[derive(Debug)]
pub struct RunIndex {
    pub(super) run: RunFolder,
    pub(super) rows: Vec<Row>,
    pub(super) places: Vec<TranscriptPlace>,
    pub(super) names: Names,
    pub(super) words: Texts,
    pub(super) questions: Texts,
    pub(super) results: Read,
    pub(super) transcripts: Read,
    /// The stamps of the results and of the transcripts.
    pub(super) stamps: [FileStamp; 2],
    /// Needed only to add further trials.
    pub(super) joins: Option<Joins>,
    /// Counts the updates that changed something.
    pub(super) version: u64,
}

/// The name of a trial.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct TrialName {
    /// The eval file.
    pub file: String,
    /// The id of the case.
    pub id: String,
    /// The target.
    pub target: String,
    /// The number of the trial, from 1.
    pub trial: u32,
}

/// A trial as lists show it.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct TrialRow {
    /// Its number in the index.
    pub item: u32,
    /// Its name.
    #[serde(flatten)]
    pub name: TrialName,
    /// Its status.
    pub status: Status,
    /// Its score.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub score: Option<f64>,
    /// The duration of the call in milliseconds.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ms: Option<f32>,
    /// The cost in US dollars.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cost: Option<f32>,
    /// The start of its question.
    pub question: String,
    /// The start of the reason for its status.
    pub reason: String,
}

/// The places of the records of a trial in the files of its run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Records {
    /// The place of the result.
    pub result: Range<u64>,
    /// The place of the transcript, if it has one.
    pub transcript: Option<Range<u64>>,
}

impl RunIndex {
    /// Opens the index of a run: from the folder where indexes are kept, if it is up to date, otherwise
    /// from the run itself.
    ///
    /// # Errors
    /// Fails if the files of the run cannot be read, or texts cannot be written anywhere.
    pub fn open(run: &RunFolder, kept: Option<&Path>) -> Result<RunIndex, IndexError> {
        let stored = kept.and_then(|kept| stored::load(run, kept));
        stored.map_or_else(|| RunIndex::build(run, kept), Ok)
    }

    /// Builds the index of a run and keeps it. An index that cannot be kept is used nevertheless.
    ///
    /// # Errors
    /// Fails if the files of the run cannot be read, or texts cannot be written anywhere.
    pub fn build(run: &RunFolder, kept: Option<&Path>) -> Result<RunIndex, IndexError> {
        let kept = kept.filter(|kept| stored::create_folder(kept).is_ok());
        let folder = kept.map_or_else(std::env::temp_dir, Path::to_owned);
        let failed = || IndexError::of("write texts of the index to", &folder);
        let words = Texts::create(&folder).map_err(failed())?;
        let questions = Texts::create(&folder).map_err(failed())?;
        let reopened = |texts: &NamedTempFile| texts.reopen().and_then(Texts::in_file);
        let mut index = RunIndex {
            run: run.clone(),
            rows: Vec::new(),
            places: Vec::new(),
            names: Names::default(),
            words: reopened(&words).map_err(failed())?,
            questions: reopened(&questions).map_err(failed())?,
            results: Read::default(),
            transcripts: Read::default(),
            stamps: Default::default(),
            joins: Some(Joins::default()),
            version: 0,
        };
        index.update()?;
        if run.is_being_written() {
            return Ok(index);
        }
        index.joins = None;
        index.rows.shrink_to_fit();
        index.places.shrink_to_fit();
        let stored = kept.map(|kept| stored::keep(&index, kept, words, questions));
        if let Some(Err(error)) = stored {
            tracing::debug!("the index of {} is not kept: {error}", run.id());
        }
        Ok(index)
    }

    /// Returns the folder of the run.
    pub fn run(&self) -> &RunFolder {
        &self.run
    }

    /// Returns the number of trials.
    pub fn len(&self) -> usize {
        self.rows.len()
    }

    /// Checks if there are no trials.
    pub fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    /// Returns the trials.
    pub fn rows(&self) -> &[Row] {
        &self.rows
    }

    /// Returns the names that trials refer to.
    pub fn names(&self) -> &Names {
        &self.names
    }

    /// Returns the number of lines of the results that are not results.
    pub fn damaged(&self) -> u64 {
        self.results.damaged
    }

    /// Returns the number of trials of each status, in the order of [`Status::ALL`].
    pub fn statuses(&self) -> [usize; 5] {
        let mut counts = [0; 5];
        for row in &self.rows {
            if let Some(count) = counts.get_mut(usize::from(row.status)) {
                *count += 1;
            }
        }
        counts
    }

    /// Returns the state of the results that the index was built from.
    pub(crate) fn results_stamp(&self) -> Option<serde_json::Value> {
        serde_json::to_value(&self.stamps[0]).ok()
    }

    /// Returns a number that grows when trials are added or replaced.
    pub fn version(&self) -> u64 {
        self.version
    }

    /// Returns the index with a version after another one.
    pub(crate) fn since(self, version: u64) -> RunIndex {
        RunIndex {
            version: version + 1,
            ..self
        }
    }

    /// Returns the trial with a number, as lists show it.
    ///
    /// # Errors
    /// Fails if its texts cannot be read.
    pub fn shown(&self, item: u32) -> Result<Option<TrialRow>, IndexError> {
        let Some(row) = self.rows.get(item as usize) else {
            return Ok(None);
        };
        let shown = self.texts_of(row).map(|(id, reason, question)| TrialRow {
            item,
            name: TrialName {
                file: self.names.files.get(row.file).cloned().unwrap_or_default(),
                id,
                target: self
                    .names
                    .targets
                    .get(row.target)
                    .cloned()
                    .unwrap_or_default(),
                trial: row.trial,
            },
            status: row.status(),
            score: row.score(),
            ms: row.ms(),
            cost: row.cost(),
            question,
            reason,
        });
        shown
            .map(Some)
            .map_err(IndexError::of("read the index of", self.run.path()))
    }

    /// Returns the id, the reason and the question of a trial.
    fn texts_of(&self, row: &Row) -> io::Result<(String, String, String)> {
        let words = self.words.entry(row.words)?;
        let mut parts = words.split(|byte| *byte == PART).map(text);
        let (id, reason) = (parts.next(), parts.next());
        let question = match self.places.get(row.transcript as usize) {
            Some(place) => {
                let entry = self.questions.entry(place.question)?;
                entry.split(|byte| *byte == PART).next().map(text)
            }
            None => None,
        };
        Ok((
            id.unwrap_or_default(),
            reason.unwrap_or_default(),
            question.unwrap_or_default(),
        ))
    }

    /// Returns the places of the records of a trial.
    pub fn records(&self, item: u32) -> Option<Records> {
        let row = self.rows.get(item as usize)?;
        let range = |at: u64, length: u32| at..at + u64::from(length);
        let place = self.places.get(row.transcript as usize);
        Some(Records {
            result: range(row.at, row.length),
            transcript: place.map(|place| range(place.at, place.length)),
        })
    }

    /// Reads some bytes of a file of the run.
    ///
    /// # Errors
    /// Fails if the file cannot be read.
    pub fn read(&self, name: RecordFile, part: Range<u64>) -> Result<Vec<u8>, IndexError> {
        let path = self.run.file(name);
        let mut bytes = Vec::new();
        let read = open_to_read(&path).and_then(|file| read_part(&file, part, &mut bytes));
        read.map_err(IndexError::of("read", &path))?;
        Ok(bytes)
    }

    /// Returns the path of one of the files of the run.
    pub(super) fn path(&self, name: RecordFile) -> PathBuf {
        self.run.file(name)
    }
}

/// Opens a file of a run; `None` if it does not exist yet.
pub(super) fn opened(path: &Path) -> io::Result<Option<File>> {
    match open_to_read(path) {
        Ok(file) => Ok(Some(file)),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(error),
    }
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}
