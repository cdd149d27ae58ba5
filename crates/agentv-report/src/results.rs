//! The results of a run, read back.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use agentv_core::{ResultRecord, RunRecord, TranscriptRecord};
use agentv_journal::{
    Ending, FileError, FolderError, Key, KeyFields, Latest, Line, Record, RecordFile, RecordsAt,
    RunFolder, latest_by_key, latest_by_key_until,
};

use crate::file_order::{FileOrder, in_file_order};
use crate::run_fold::RunFold;
use crate::run_statistics::RunStatistics;
use crate::summary::{Summary, SummaryFold};

/// The results of a run, in its folder or in a file that was written with `--out`.
///
/// Only the offsets of records are kept in memory; [`each`](RunResults::each) reads the records, as
/// often as needed.
#[derive(Debug, Clone)]
pub struct RunResults {
    name: String,
    run: Option<RunRecord>,
    results: PathBuf,
    transcripts: Option<PathBuf>,
    damaged: Arc<AtomicU64>,
}

impl RunResults {
    /// Opens the results of the run in a folder.
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

    /// Opens the results in a folder, without its description.
    pub fn without_run(folder: &RunFolder) -> RunResults {
        RunResults {
            name: folder.id().to_string(),
            run: None,
            results: folder.file(RecordFile::Results),
            transcripts: Some(folder.file(RecordFile::Transcripts)),
            damaged: Arc::default(),
        }
    }

    /// Opens the results in a file with one record per line, which has no transcripts.
    pub fn of_file(path: &Path) -> RunResults {
        RunResults {
            name: path.display().to_string(),
            run: None,
            results: path.to_owned(),
            transcripts: None,
            damaged: Arc::default(),
        }
    }

    /// Returns the name of the run: its id, or the path of the file.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Returns the description of the run and its totals; a file has none.
    pub fn run(&self) -> Option<&RunRecord> {
        self.run.as_ref()
    }

    /// Returns the file with the results.
    pub(crate) fn results_file(&self) -> &Path {
        &self.results
    }

    /// Returns the ending of the file: that of a run may grow, any other file is complete.
    pub(crate) fn ending(&self) -> Ending {
        match self.transcripts {
            Some(_) => Ending::Growing,
            None => Ending::Finished,
        }
    }

    /// Returns the file with the transcripts, if there is a folder.
    pub(crate) fn transcripts_file(&self) -> Option<&Path> {
        self.transcripts.as_deref()
    }

    /// Calls a function with the records that count, the last one of each trial, in the order in which
    /// trials ended. Returns the number of lines that are not records.
    ///
    /// # Errors
    /// Fails if the file cannot be read.
    pub fn each(&self, visit: &mut dyn FnMut(ResultRecord)) -> Result<u64, FileError> {
        let latest = self.latest()?;
        let mut damaged = latest.damaged_lines();
        for line in latest.records::<ResultRecord>() {
            match line? {
                Line::Record(record) => visit(record.value),
                Line::Damaged(_) => damaged += 1,
            }
        }
        self.found_damaged(damaged);
        Ok(damaged)
    }

    /// Calls a function with the records that count and their offsets, in the order of their cases in
    /// the eval files. Returns the number of lines that are not records.
    ///
    /// # Errors
    /// Fails if the file cannot be read.
    pub fn each_in_file_order(
        &self,
        visit: &mut dyn FnMut(Record<ResultRecord>),
    ) -> Result<u64, FileError> {
        let mut latest = self.latest()?;
        let mut damaged = latest.damaged_lines();
        for offset in in_file_order(self.run.as_ref(), &mut latest)? {
            match serde_json::from_str(latest.text_at(offset)?) {
                Ok(value) => visit(Record { offset, value }),
                Err(_) => damaged += 1,
            }
        }
        self.found_damaged(damaged);
        Ok(damaged)
    }

    /// Sets the number of lines that are not records, for callers that read the results themselves.
    pub(crate) fn found_damaged(&self, lines: u64) {
        self.damaged.store(lines, Ordering::Relaxed);
    }

    /// Returns the number of lines that were not records when the results were last read.
    pub fn damaged_lines(&self) -> u64 {
        self.damaged.load(Ordering::Relaxed)
    }

    /// Returns the number of planned trials that the run lacks, as far as it is known.
    pub(crate) fn not_run(&self, trials: u64) -> u64 {
        let planned = self.run.as_ref().map_or(0, |run| run.planned);
        planned.saturating_sub(trials)
    }

    /// Opens a reader of records at known offsets, in any order.
    ///
    /// # Errors
    /// Fails if the file cannot be read.
    pub fn at(&self) -> Result<RecordsAt, FileError> {
        RecordsAt::with_ending(&self.results, self.ending())
    }

    /// Finds the records that count.
    pub(crate) fn latest(&self) -> Result<Latest, FileError> {
        let fields = KeyFields::new(ResultRecord::TRIAL);
        latest_by_key_until(&self.results, &fields, self.ending())
    }

    /// Finds the last transcript of each key; `None` if there are only results.
    pub(crate) fn latest_transcripts(&self, key: &KeyFields) -> Result<Option<Latest>, FileError> {
        let path = self.transcripts.as_deref();
        path.map(|path| latest_by_key(path, key)).transpose()
    }

    /// Returns the number of cases that were skipped because of problems.
    pub(crate) fn skipped(&self) -> u64 {
        let files = self.run.iter().flat_map(|run| &run.files);
        files.fold(0, |sum, file| sum.saturating_add(file.skipped))
    }

    /// Computes the summary of the results.
    ///
    /// # Errors
    /// Fails if the file cannot be read.
    pub fn summary(&self) -> Result<Summary, FileError> {
        let mut fold = SummaryFold::new();
        self.each(&mut |record| fold.add(&record))?;
        Ok(fold.finish(self.skipped()))
    }

    /// Computes the summary of the results and their statistics, in one pass.
    ///
    /// # Errors
    /// Fails if the file cannot be read.
    pub fn figures(&self) -> Result<(Summary, RunStatistics), FileError> {
        let mut fold = RunFold::of_trials(self.trials()?);
        self.each(&mut |record| fold.add(&record))?;
        Ok(fold.finish(self.skipped()))
    }

    /// Computes the summary and the statistics, and finds the texts of the records that count, in one pass.
    ///
    /// # Errors
    /// Fails if the file cannot be read.
    pub(crate) fn figures_and_texts(
        &self,
    ) -> Result<(Summary, RunStatistics, ResultTexts), FileError> {
        let mut fold = RunFold::of_trials(self.trials()?);
        let mut order = FileOrder::of(self.run.as_ref());
        let latest = self.latest()?;
        let texts = latest.reopen()?;
        let mut damaged = latest.damaged_lines();
        for line in latest.records::<ResultRecord>() {
            match line? {
                Line::Record(record) => {
                    fold.add(&record.value);
                    order.add(&record.value, record.offset);
                }
                Line::Damaged(_) => damaged += 1,
            }
        }
        self.found_damaged(damaged);
        let (summary, statistics) = fold.finish(self.skipped());
        let offsets = order.finish();
        Ok((summary, statistics, ResultTexts { texts, offsets }))
    }

    /// Returns the number of trials per case, as the run says or as the results show.
    pub(crate) fn trials(&self) -> Result<u32, FileError> {
        if let Some(run) = &self.run {
            return Ok(run.trials);
        }
        let mut most = 1;
        self.each(&mut |record| most = most.max(record.trial))?;
        Ok(most)
    }

    /// Opens the transcripts by answer key; `None` if there are only results.
    ///
    /// # Errors
    /// Fails if the file cannot be read.
    pub fn transcripts(&self) -> Result<Option<Transcripts>, FileError> {
        let latest = self.latest_transcripts(&KeyFields::new(["answer_key"]))?;
        Ok(latest.map(Transcripts))
    }
}

/// The records that count as they are on disk, in the order of their cases in the eval files.
#[derive(Debug)]
pub(crate) struct ResultTexts {
    texts: Latest,
    offsets: Vec<u64>,
}

impl ResultTexts {
    /// Calls a function with each text: a JSON object on one line.
    ///
    /// # Errors
    /// Fails if the file cannot be read, or if the function does.
    pub(crate) fn each<E: From<FileError>>(
        mut self,
        mut visit: impl FnMut(&str) -> Result<(), E>,
    ) -> Result<(), E> {
        for offset in self.offsets {
            visit(self.texts.text_at(offset)?)?;
        }
        Ok(())
    }
}

/// The transcripts of a run.
#[derive(Debug)]
pub struct Transcripts(Latest);

impl Transcripts {
    /// Returns the transcript of an answer key, which every result has.
    ///
    /// # Errors
    /// Fails if the file cannot be read.
    pub fn get(&mut self, answer_key: &str) -> Result<Option<TranscriptRecord>, FileError> {
        let record = self.0.get(&Key::from(answer_key))?;
        Ok(record.map(|record| record.value))
    }
}
