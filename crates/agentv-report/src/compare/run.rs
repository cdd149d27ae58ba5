//! A run, as far as a comparison needs it.

use std::cmp::Ordering;
use std::collections::{BTreeSet, HashMap, HashSet};
use std::ops::Range;
use std::sync::Arc;
use std::thread;

use agentv_core::{PassThreshold, ResultRecord, Status};
use agentv_journal::FileError;

use super::case_digest::{self, digest_of};
use super::records;
use super::totals::{RunTotals, Share};
use crate::render::score_at;
use crate::results::RunResults;
use crate::summary::ThresholdFold;

/// A run, as far as a comparison needs it: about a hundred bytes per trial, sorted by file, case,
/// target and trial.
#[derive(Debug)]
pub struct ComparedRun {
    results: RunResults,
    /// The target, if only one of several is compared.
    only: Option<Arc<str>>,
    pub(super) rows: Vec<Row>,
    /// The scores of evaluators; each row has a range of them.
    grades: Arc<Vec<(Arc<str>, f64)>>,
    totals: RunTotals,
    targets: Vec<Arc<str>>,
    pass_thresholds: Vec<PassThreshold>,
    damaged_lines: u64,
}

/// One trial.
#[derive(Debug, Clone)]
pub(super) struct Row {
    pub(super) file: Arc<str>,
    pub(super) dataset: Arc<str>,
    pub(super) id: Box<str>,
    pub(super) target: Arc<str>,
    pub(super) trial: u32,
    /// The conversation of the case, with its file.
    pub(super) cluster: Option<Arc<str>>,
    pub(super) share: Share,
    /// The judges that used tokens at an unknown price, one per line.
    unpriced_judges: Option<Arc<str>>,
    /// The judges that were asked, one per line.
    judges: Option<Arc<str>>,
    grades: Range<usize>,
    answer_key: u64,
    grade_key: u64,
    /// A digest of the case, if it is known.
    case: Option<u64>,
    /// The offset of its record.
    pub(super) place: u64,
}

impl Row {
    /// Returns the sort key of the row in a run.
    fn order(&self, other: &Row) -> Ordering {
        self.case_order(other)
            .then_with(|| self.target.cmp(&other.target))
            .then(self.trial.cmp(&other.trial))
    }

    /// Returns the sort key of its case.
    pub(super) fn case_order(&self, other: &Row) -> Ordering {
        let files = if Arc::ptr_eq(&self.file, &other.file) {
            Ordering::Equal
        } else {
            self.file.cmp(&other.file)
        };
        files.then_with(|| self.id.cmp(&other.id))
    }

    /// Returns the score of a graded trial.
    pub(super) fn score(&self) -> Option<f64> {
        self.share.score.map(agentv_core::Score::value)
    }

    /// Returns the judges that used tokens at an unknown price.
    pub(super) fn unpriced_judges(&self) -> impl Iterator<Item = &str> {
        self.unpriced_judges.iter().flat_map(|names| names.lines())
    }

    /// Returns the judges that were asked, one per line.
    pub(super) fn judges(&self) -> Option<&Arc<str>> {
        self.judges.as_ref()
    }

    pub(super) fn passed(&self) -> bool {
        self.share.status == Status::Pass
    }

    /// Returns a digest of the case, if it is known.
    pub(super) fn content(&self) -> Option<u64> {
        self.case
    }

    /// Checks if the case of another run's trial asks or grades something else; returns `None` if
    /// that is not known.
    pub(super) fn differs(&self, other: &Row) -> Option<bool> {
        if self.grade_key == other.grade_key {
            return Some(false);
        }
        Some(self.case? != other.case?)
    }
}

impl ComparedRun {
    /// Returns the name of the run: its id, or the path of the file.
    pub fn name(&self) -> &str {
        self.results.name()
    }

    /// Returns the target, if only one of several is compared.
    pub fn only_target(&self) -> Option<&str> {
        self.only.as_deref()
    }

    /// Returns the trials of one target, as a run of its own.
    pub fn of_target(&self, name: &str) -> ComparedRun {
        let rows = self.rows.iter().filter(|row| *row.target == *name);
        let rows: Vec<Row> = rows.cloned().collect();
        ComparedRun {
            results: self.results.clone(),
            only: Some(name.into()),
            totals: RunTotals::of(rows.iter()),
            targets: rows
                .first()
                .map(|row| row.target.clone())
                .into_iter()
                .collect(),
            rows,
            grades: Arc::clone(&self.grades),
            pass_thresholds: self.pass_thresholds.clone(),
            damaged_lines: self.damaged_lines,
        }
    }

    /// Returns the totals.
    pub fn totals(&self) -> &RunTotals {
        &self.totals
    }

    /// Returns a score of the run as tables show it. One just below a threshold of the run never reads as if
    /// it reached it.
    pub(super) fn shown_score(&self, score: f64) -> String {
        score_at(score, &self.pass_thresholds)
    }

    /// Returns the names of the targets, sorted.
    pub fn targets(&self) -> &[Arc<str>] {
        &self.targets
    }

    /// Checks if a target is part of the run, with or without results.
    pub(super) fn has_target(&self, name: &str) -> bool {
        let planned = self.results.run().into_iter().flat_map(|run| &run.targets);
        let is_meant = |name: &&str| self.only.as_deref().is_none_or(|only| only == *name);
        let mut planned = planned.map(|target| target.name.as_str()).filter(is_meant);
        self.targets.iter().any(|target| **target == *name)
            || planned.any(|planned| planned == name)
    }

    /// Checks if a target or judge has other settings in another run. This is not known of a single file.
    pub(super) fn has_other_settings(&self, other: &ComparedRun, name: &str) -> bool {
        let settings = |run: &ComparedRun| {
            let record = run.results.run()?;
            let mut all = record.judges.iter().chain(&record.targets);
            let found = all.find(|target| target.name == name)?;
            Some((found.provider.clone(), found.settings_digest.clone()))
        };
        let known = settings(self).zip(settings(other));
        known.is_some_and(|(one, other)| one != other)
    }

    /// Returns the paths and digests of the eval files. They are not known of a single file.
    pub(super) fn file_digests(&self) -> impl Iterator<Item = (&str, &str)> {
        let files = self.results.run().into_iter().flat_map(|run| &run.files);
        let known = files.filter(|file| !file.digest.is_empty());
        known.map(|file| (file.path.as_str(), file.digest.as_str()))
    }

    /// Returns the number of lines that are not records.
    pub fn damaged_lines(&self) -> u64 {
        self.damaged_lines
    }

    /// Checks if the run is incomplete: in progress, stopped or killed. This is not known of a
    /// single file.
    pub fn is_unfinished(&self) -> bool {
        let run = self.results.run();
        run.is_some_and(|run| run.finished_at.is_none() || run.stopped.is_some())
    }

    /// Checks if evaluators were skipped after a required one had failed; `None` for a single file, of which
    /// this is not known.
    pub fn stops_on_required(&self) -> Option<bool> {
        self.results.run().map(|run| run.stop_on_required)
    }

    /// Checks if mocks answered in place of the targets.
    pub fn is_dry_run(&self) -> bool {
        self.totals.dry_run > 0
    }

    /// Checks if both have the same trials of one file.
    pub fn is_same(&self, other: &ComparedRun) -> bool {
        let place = |run: &ComparedRun| std::fs::canonicalize(run.results.results_file()).ok();
        self.only == other.only && place(self).is_some() && place(self) == place(other)
    }

    /// Returns the scores of the evaluators of a trial, with their names.
    pub(super) fn grades(&self, row: &Row) -> &[(Arc<str>, f64)] {
        &self.grades[row.grades.clone()]
    }

    /// Reads the complete records of some rows again.
    pub(super) fn records(&self, places: &[u64]) -> Result<Vec<Option<ResultRecord>>, FileError> {
        records::at(self.results.results_file(), places)
    }

    /// Keeps the data of the records that count: the last one of each trial.
    fn read(results: &RunResults) -> Result<ComparedRun, FileError> {
        let mut rows = Rows::default();
        let damaged_lines = records::each(
            results.results_file(),
            results.ending(),
            &mut |place, record| {
                rows.add(place, &record);
            },
        )?;
        let Rows {
            mut rows,
            grades,
            thresholds,
            ..
        } = rows;
        // A stable sort: the last row of a trial in the file is the last one here.
        rows.sort_by(Row::order);
        let mut kept: Vec<Row> = Vec::with_capacity(rows.len());
        for row in rows {
            match kept.last_mut() {
                Some(last) if last.order(&row).is_eq() => *last = row,
                _ => kept.push(row),
            }
        }
        let targets: BTreeSet<&Arc<str>> = kept.iter().map(|row| &row.target).collect();
        Ok(ComparedRun {
            totals: RunTotals::of(kept.iter()),
            targets: targets.into_iter().cloned().collect(),
            results: results.clone(),
            only: None,
            rows: kept,
            grades: Arc::new(grades),
            pass_thresholds: thresholds.finish(),
            damaged_lines,
        })
    }

    /// Reads the digests of the cases, to detect changes.
    fn know_cases(&mut self) -> Result<(), FileError> {
        let Some(path) = self.results.transcripts_file() else {
            return Ok(());
        };
        let digests = case_digest::read(path)?;
        for row in &mut self.rows {
            row.case = digests.get(&row.answer_key).copied();
        }
        Ok(())
    }
}

/// Reads runs, each on its own thread.
///
/// # Errors
/// Fails if a file cannot be read.
pub fn read_runs(runs: &[RunResults]) -> Result<Vec<ComparedRun>, FileError> {
    let mut read = thread::scope(|scope| {
        let started: Vec<_> = runs
            .iter()
            .map(|run| scope.spawn(|| ComparedRun::read(run)))
            .collect();
        started
            .into_iter()
            .map(joined)
            .collect::<Result<Vec<_>, _>>()
    })?;
    if are_of_one_kind(&read) {
        return Ok(read);
    }
    thread::scope(|scope| {
        let started: Vec<_> = read
            .iter_mut()
            .map(|run| scope.spawn(|| run.know_cases()))
            .collect();
        started.into_iter().try_for_each(joined)
    })?;
    Ok(read)
}

fn joined<T>(thread: thread::ScopedJoinHandle<'_, T>) -> T {
    match thread.join() {
        Ok(value) => value,
        Err(panic) => std::panic::resume_unwind(panic),
    }
}

/// Checks if the keys alone prove that no case has changed, so that the transcripts, which may be
/// large, need not be read.
fn are_of_one_kind(runs: &[ComparedRun]) -> bool {
    let Some((first, others)) = runs.split_first() else {
        return true;
    };
    let known: HashSet<u64> = first.rows.iter().map(|row| row.grade_key).collect();
    let mut others = others.iter().flat_map(|run| &run.rows);
    others.all(|row| known.contains(&row.grade_key))
}

/// A builder of rows, which stores repeated texts once.
#[derive(Default)]
struct Rows {
    rows: Vec<Row>,
    grades: Vec<(Arc<str>, f64)>,
    texts: HashMap<Arc<str>, Arc<str>>,
    thresholds: ThresholdFold,
}

impl Rows {
    fn add(&mut self, place: u64, record: &ResultRecord) {
        let conversation = record.conversation_id.as_deref();
        let cluster = conversation.map(|id| format!("{}\n{id}", record.eval_file));
        let unpriced: Vec<&str> = record.unpriced_judges().collect();
        let unpriced = (!unpriced.is_empty()).then(|| unpriced.join("\n"));
        let judges: BTreeSet<&str> = record.judge_calls().map(|call| &*call.target).collect();
        let judges: Vec<&str> = judges.into_iter().collect();
        let judges = (!judges.is_empty()).then(|| judges.join("\n"));
        let threshold = record.pass_threshold.into_iter();
        threshold.for_each(|threshold| self.thresholds.add(threshold));
        let from = self.grades.len();
        for result in &record.evaluator_results {
            if let Some(score) = result.score {
                let name = self.text(&result.name);
                self.grades.push((name, score.value()));
            }
        }
        let row = Row {
            file: self.text(&record.eval_file),
            dataset: self.text(&record.dataset),
            id: record.eval_id.as_str().into(),
            target: self.text(&record.target),
            trial: record.trial,
            cluster: cluster.map(|cluster| self.text(&cluster)),
            share: Share::of(record),
            unpriced_judges: unpriced.map(|names| self.text(&names)),
            judges: judges.map(|names| self.text(&names)),
            grades: from..self.grades.len(),
            answer_key: digest_of(&record.answer_key),
            grade_key: digest_of(&record.grade_key),
            case: None,
            place,
        };
        self.rows.push(row);
    }

    fn text(&mut self, text: &str) -> Arc<str> {
        if let Some(known) = self.texts.get(text) {
            return Arc::clone(known);
        }
        let text: Arc<str> = text.into();
        self.texts.insert(Arc::clone(&text), Arc::clone(&text));
        text
    }
}
