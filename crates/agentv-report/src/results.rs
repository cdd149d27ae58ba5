//! The results of a run, read back.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use agentv_core::{ResultRecord, RunRecord, TranscriptRecord};
use agentv_journal::{
    Ending, FileError, FolderError, Key, KeyFields, Latest, Line, Record, RecordFile, RecordsAt,
    RunFolder, latest_by_key, latest_by_key_until,
};

use crate::run_fold::RunFold;
use crate::run_statistics::RunStatistics;
use crate::summary::{Summary, SummaryFold};

/// The results of a run: those in its folder, or in a file that was written with `--out`.
///
/// Nothing is kept in memory but where records begin: whoever wants them goes through them with
/// [`each`](RunResults::each), as often as needed.
#[derive(Debug, Clone)]
pub struct RunResults {
    name: String,
    run: Option<RunRecord>,
    results: PathBuf,
    transcripts: Option<PathBuf>,
    damaged: Arc<AtomicU64>,
}

impl RunResults {
    /// The results of the run in a folder.
    ///
    /// # Errors
    /// Fails if its `run.json` cannot be read.
    pub fn of_folder(folder: &RunFolder) -> Result<RunResults, FolderError> {
        let run = folder.run()?;
        Ok(RunResults {
            run,
            ..RunResults::without_run(folder)
        })
    }

    /// The results in a folder of which only they are wanted.
    pub(crate) fn without_run(folder: &RunFolder) -> RunResults {
        RunResults {
            name: folder.id().to_string(),
            run: None,
            results: folder.file(RecordFile::Results),
            transcripts: Some(folder.file(RecordFile::Transcripts)),
            damaged: Arc::default(),
        }
    }

    /// The results in a file with one record a line. There are no transcripts to them.
    pub fn of_file(path: &Path) -> RunResults {
        RunResults {
            name: path.display().to_string(),
            run: None,
            results: path.to_owned(),
            transcripts: None,
            damaged: Arc::default(),
        }
    }

    /// What people call it: the id of the run, or the path of the file.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// What the run was asked to do, and its totals; of a file alone nothing is known.
    pub fn run(&self) -> Option<&RunRecord> {
        self.run.as_ref()
    }

    /// The file with the results.
    pub(crate) fn results_file(&self) -> &Path {
        &self.results
    }

    /// Whether results may still come: those of a run do, those in a file are all there.
    pub(crate) fn ending(&self) -> Ending {
        match self.transcripts {
            Some(_) => Ending::Growing,
            None => Ending::Finished,
        }
    }

    /// The file with what the targets were asked and answered, of a folder.
    pub(crate) fn transcripts_file(&self) -> Option<&Path> {
        self.transcripts.as_deref()
    }

    /// Goes through the records that count, of each trial the last, in the order in which they were
    /// written. Says how many lines hold no record.
    ///
    /// # Errors
    /// Fails if the file cannot be read.
    pub fn each(&self, visit: &mut dyn FnMut(ResultRecord)) -> Result<u64, FileError> {
        self.each_placed(&mut |record| visit(record.value))
    }

    /// As [`each`](RunResults::each), with the place at which each record begins, where
    /// [`at`](RunResults::at) finds it again.
    ///
    /// # Errors
    /// Fails if the file cannot be read.
    pub fn each_placed(
        &self,
        visit: &mut dyn FnMut(Record<ResultRecord>),
    ) -> Result<u64, FileError> {
        let latest = self.latest()?;
        let mut damaged = latest.damaged_lines();
        for line in latest.records::<ResultRecord>() {
            match line? {
                Line::Record(record) => visit(record),
                Line::Damaged(_) => damaged += 1,
            }
        }
        self.found_damaged(damaged);
        Ok(damaged)
    }

    /// Takes down how many lines hold no record, of who goes through the results by itself.
    pub(crate) fn found_damaged(&self, lines: u64) {
        self.damaged.store(lines, Ordering::Relaxed);
    }

    /// How many lines held no record when the results were last gone through.
    pub fn damaged_lines(&self) -> u64 {
        self.damaged.load(Ordering::Relaxed)
    }

    /// How many trials the run was to have and has not, so far as it says.
    pub(crate) fn not_run(&self, trials: u64) -> u64 {
        let planned = self.run.as_ref().map_or(0, |run| run.planned);
        planned.saturating_sub(trials)
    }

    /// The records at known places, in any order.
    ///
    /// # Errors
    /// Fails if the file cannot be read.
    pub fn at(&self) -> Result<RecordsAt, FileError> {
        RecordsAt::with_ending(&self.results, self.ending())
    }

    /// Where the records that count are.
    pub(crate) fn latest(&self) -> Result<Latest, FileError> {
        let fields = KeyFields::new(ResultRecord::TRIAL);
        latest_by_key_until(&self.results, &fields, self.ending())
    }

    /// Where the last transcript of each key is; nothing where only results are known.
    pub(crate) fn latest_transcripts(&self, key: &KeyFields) -> Result<Option<Latest>, FileError> {
        let path = self.transcripts.as_deref();
        path.map(|path| latest_by_key(path, key)).transpose()
    }

    /// How many cases were left out of the run because something is wrong with them.
    pub(crate) fn skipped(&self) -> u64 {
        let files = self.run.iter().flat_map(|run| &run.files);
        files.fold(0, |sum, file| sum.saturating_add(file.skipped))
    }

    /// What the results came to.
    ///
    /// # Errors
    /// Fails if the file cannot be read.
    pub fn summary(&self) -> Result<Summary, FileError> {
        let mut fold = SummaryFold::new();
        self.each(&mut |record| fold.add(&record))?;
        Ok(fold.finish(self.skipped()))
    }

    /// What the results came to, and how sure that is, in one pass.
    ///
    /// # Errors
    /// Fails if the file cannot be read.
    pub fn figures(&self) -> Result<(Summary, RunStatistics), FileError> {
        let mut fold = RunFold::of_trials(self.trials()?);
        self.each(&mut |record| fold.add(&record))?;
        Ok(fold.finish(self.skipped()))
    }

    /// How often cases were asked: as the run says, or as a file of results shows.
    pub(crate) fn trials(&self) -> Result<u32, FileError> {
        if let Some(run) = &self.run {
            return Ok(run.trials);
        }
        let mut most = 1;
        self.each(&mut |record| most = most.max(record.trial))?;
        Ok(most)
    }

    /// What the targets were asked and answered, by answer key; nothing where only results are known.
    ///
    /// # Errors
    /// Fails if the file cannot be read.
    pub fn transcripts(&self) -> Result<Option<Transcripts>, FileError> {
        let latest = self.latest_transcripts(&KeyFields::new(["answer_key"]))?;
        Ok(latest.map(Transcripts))
    }
}

/// What the targets of a run were asked and answered.
#[derive(Debug)]
pub struct Transcripts(Latest);

impl Transcripts {
    /// What belongs to an answer key, which every result has.
    ///
    /// # Errors
    /// Fails if the file cannot be read.
    pub fn get(&mut self, answer_key: &str) -> Result<Option<TranscriptRecord>, FileError> {
        let record = self.0.get(&Key::from(answer_key))?;
        Ok(record.map(|record| record.value))
    }
}
