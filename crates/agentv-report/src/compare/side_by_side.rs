//! Several runs side by side: a row per case, a cell per run.

use std::cmp::Ordering;
use std::ops::Range;

use agentv_core::Status;
use agentv_statistics::PairOutcome;
use serde::Serialize;

use super::cases::mean_score;
use super::json::{pair_value, run_value};
use super::labels::label;
use super::pairwise::{Pairwise, RunPair};
use super::run::{ComparedRun, Row};
use super::side_rows::{Cells, has_targets, rows_of};

/// Several runs side by side. The first is the baseline of the others.
#[derive(Debug)]
pub struct SideBySide {
    runs: Vec<ComparedRun>,
    pairs: Vec<RunPair>,
    rows: Vec<Cells>,
    threshold: f64,
}

/// The rows to list. An empty filter lists all.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct SideFilter {
    /// A text in the id or the file, in any case.
    pub text: String,
    /// The outcome of the case, as [`SideRow::outcomes`] says.
    pub outcome: Option<String>,
    /// A target in any cell.
    pub target: Option<String>,
}

/// The order of rows.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum SideOrder {
    /// The largest loss first, then cases that lost their grade, then gains.
    #[default]
    Regression,
    /// The largest gain first.
    Improvement,
    /// By file, case and target.
    Name,
}

/// A case in all runs.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct SideRow {
    /// Its number, which does not depend on filter and order.
    pub item: usize,
    /// The eval file.
    pub file: String,
    /// The id of the case.
    pub id: String,
    /// The target, if a run has several.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub target: Option<String>,
    /// `loss`, `win`, `tie`, `missing` (a grade of the first run is missing in a later one),
    /// `unmatched` (not in all runs) and `changed` (asks or grades something else).
    pub outcomes: Vec<&'static str>,
    /// The case in each run; `None` if the run does not have it.
    pub cells: Vec<Option<SideCell>>,
}

/// A case in one run, with all of its trials.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct SideCell {
    /// The eval file, which may have another name in another run.
    pub file: String,
    /// The target.
    pub target: String,
    /// The mean score of the graded trials.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub score: Option<f64>,
    /// The score minus that of the first run.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub delta: Option<f64>,
    /// The comparison with the first run.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub outcome: Option<PairOutcome>,
    /// The number of all trials.
    pub count: usize,
    /// The number of trials that passed.
    pub passed: usize,
    /// The first trials.
    pub trials: Vec<SideTrial>,
}

/// One trial in a cell.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct SideTrial {
    /// Its number, from 1.
    pub trial: u32,
    /// Its status.
    pub status: Status,
    /// Its score.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub score: Option<f64>,
}

/// The largest number of trials in a cell.
const MOST_TRIALS: usize = 50;

impl SideBySide {
    /// Puts runs side by side; differences of scores count from `threshold` on.
    pub fn of(runs: Vec<ComparedRun>, threshold: f64) -> SideBySide {
        let pairs = Pairwise::of(&runs, threshold).pairs;
        SideBySide {
            rows: rows_of(&runs),
            pairs,
            runs,
            threshold,
        }
    }

    /// Returns the number of rows.
    pub fn len(&self) -> usize {
        self.rows.len()
    }

    /// Checks if there are no rows.
    pub fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    /// Returns the smallest difference of scores that counts.
    pub fn threshold(&self) -> f64 {
        self.threshold
    }

    /// Returns the facts about each run, as `agentv compare --format json` has them, with its letter.
    pub fn runs(&self) -> Vec<serde_json::Value> {
        let runs = self.runs.iter().enumerate().map(|(index, run)| {
            let mut value = run_value(run);
            value["label"] = label(index).into();
            value["only"] = run.only_target().into();
            value["dry_run"] = run.is_dry_run().into();
            value
        });
        runs.collect()
    }

    /// Returns the figures of every two runs, as `agentv compare --format json` has them.
    pub fn pairs(&self) -> Vec<serde_json::Value> {
        self.pairs.iter().map(pair_value).collect()
    }

    /// Returns the targets of all runs, sorted.
    pub fn targets(&self) -> Vec<String> {
        let targets = self.runs.iter().flat_map(ComparedRun::targets);
        let mut targets: Vec<String> = targets.map(|target| target.to_string()).collect();
        targets.sort_unstable();
        targets.dedup();
        targets
    }

    /// Returns the numbers of the rows that match a filter, in an order.
    pub fn find(&self, filter: &SideFilter, order: SideOrder) -> Vec<usize> {
        let text = filter.text.trim().to_lowercase();
        let all = 0..self.rows.len();
        let mut found: Vec<usize> = all
            .filter(|item| self.matches(*item, filter, &text))
            .collect();
        match order {
            SideOrder::Name => found.sort_by(|a, b| self.by_name(*a, *b)),
            SideOrder::Regression => sort_by_key(&mut found, |item| self.regression(item)),
            SideOrder::Improvement => sort_by_key(&mut found, |item| self.improvement(item)),
        }
        found
    }

    /// Counts the rows by what became of them, in the order of [`OUTCOMES`](SideBySide::OUTCOMES).
    pub fn counts(&self) -> [usize; 6] {
        let mut counts = [0; 6];
        for item in 0..self.rows.len() {
            for outcome in self.outcomes(item) {
                let place = SideBySide::OUTCOMES.iter().position(|one| *one == outcome);
                counts[place.unwrap_or_default()] += 1;
            }
        }
        counts
    }

    /// The names of what may become of a case.
    pub const OUTCOMES: [&'static str; 6] =
        ["loss", "win", "tie", "missing", "unmatched", "changed"];

    /// Returns a row.
    pub fn row(&self, item: usize) -> Option<SideRow> {
        let cells = self.rows.get(item)?;
        let first = self.first_row(item)?;
        let base = self.mean(cells, 0);
        let shown = cells.iter().enumerate().map(|(run, cell)| {
            let rows = &self.runs[run].rows[cell.clone()?];
            Some(self.cell(rows, base.filter(|_| run > 0)))
        });
        Some(SideRow {
            item,
            file: first.file.to_string(),
            id: first.id.to_string(),
            target: has_targets(&self.runs).then(|| first.target.to_string()),
            outcomes: self.outcomes(item),
            cells: shown.collect(),
        })
    }

    fn cell(&self, rows: &[Row], base: Option<f64>) -> SideCell {
        let score = mean_score(rows);
        let delta = score.zip(base).map(|(score, base)| score - base);
        let trials = rows.iter().take(MOST_TRIALS).map(|row| SideTrial {
            trial: row.trial,
            status: row.share.status,
            score: row.score(),
        });
        SideCell {
            file: rows[0].file.to_string(),
            target: rows[0].target.to_string(),
            score,
            delta,
            outcome: delta.map(|delta| PairOutcome::of(delta, self.threshold)),
            count: rows.len(),
            passed: rows.iter().filter(|row| row.passed()).count(),
            trials: trials.collect(),
        }
    }

    /// Returns the first trial of a row, of the first run that has it.
    fn first_row(&self, item: usize) -> Option<&Row> {
        let mut cells = self.rows[item].iter().enumerate();
        cells.find_map(|(run, cell)| self.runs[run].rows.get(cell.as_ref()?.start))
    }

    fn trials(&self, run: usize, cell: &Range<usize>) -> &[Row] {
        &self.runs[run].rows[cell.clone()]
    }

    /// Returns the mean score of a case in a run.
    fn mean(&self, cells: &Cells, run: usize) -> Option<f64> {
        mean_score(self.trials(run, cells[run].as_ref()?))
    }

    /// Returns the differences of a case in later runs from the first.
    fn deltas(&self, item: usize) -> impl Iterator<Item = f64> {
        let cells = &self.rows[item];
        let base = self.mean(cells, 0);
        (1..cells.len()).filter_map(move |run| Some(self.mean(cells, run)? - base?))
    }

    /// Checks if a later run that has the case did not grade it, but the first run did.
    fn is_missing(&self, item: usize) -> bool {
        let cells = &self.rows[item];
        let later = || (1..cells.len()).any(|run| self.mean(cells, run).is_none());
        self.mean(cells, 0).is_some() && later()
    }

    fn outcomes(&self, item: usize) -> Vec<&'static str> {
        let cells = &self.rows[item];
        let outcomes = || {
            let deltas = self.deltas(item);
            deltas.map(|delta| PairOutcome::of(delta, self.threshold))
        };
        let is_any = |wanted: PairOutcome| outcomes().any(|outcome| outcome == wanted);
        let is_tie = || outcomes().all(|outcome| outcome == PairOutcome::Tie);
        let found = [
            is_any(PairOutcome::Loss),
            is_any(PairOutcome::Win),
            outcomes().next().is_some() && is_tie(),
            self.is_missing(item),
            cells.iter().any(Option::is_none),
            self.is_changed(cells),
        ];
        let named = SideBySide::OUTCOMES.into_iter().zip(found);
        named.filter(|(_, is)| *is).map(|(name, _)| name).collect()
    }

    /// Checks if the case asks or grades something else in a later run.
    fn is_changed(&self, cells: &Cells) -> bool {
        let Some(base) = cells[0].as_ref().map(|cell| self.trials(0, cell)) else {
            return false;
        };
        let mut later = (1..cells.len()).filter_map(|run| {
            let cell = cells[run].as_ref()?;
            Some(self.trials(run, cell))
        });
        later.any(|rows| super::cases::changed(base, rows) == Some(true))
    }

    fn matches(&self, item: usize, filter: &SideFilter, text: &str) -> bool {
        let has_text = || {
            self.first_row(item).is_some_and(|row| {
                row.id.to_lowercase().contains(text) || row.file.to_lowercase().contains(text)
            })
        };
        let has_target = |wanted: &String| {
            let mut cells = self.rows[item].iter().enumerate();
            cells.any(|(run, cell)| {
                cell.as_ref()
                    .is_some_and(|cell| *self.runs[run].rows[cell.start].target == **wanted)
            })
        };
        let has_outcome = |wanted: &String| self.outcomes(item).iter().any(|one| one == wanted);
        (text.is_empty() || has_text())
            && filter.target.as_ref().is_none_or(has_target)
            && filter.outcome.as_ref().is_none_or(has_outcome)
    }

    /// Returns the place of a row if the worst comes first: losses, lost grades, ties and gains, and
    /// then cases that cannot be compared.
    fn regression(&self, item: usize) -> (u8, f64) {
        let worst = self.deltas(item).min_by(f64::total_cmp);
        match worst {
            Some(delta) if PairOutcome::of(delta, 0.0) == PairOutcome::Loss => (0, delta),
            _ if self.is_missing(item) => (1, worst.unwrap_or_default()),
            Some(delta) => (2, delta),
            None => (3, 0.0),
        }
    }

    /// Returns the place of a row if the best comes first.
    fn improvement(&self, item: usize) -> (u8, f64) {
        let best = self.deltas(item).max_by(f64::total_cmp);
        best.map_or((1, 0.0), |delta| (0, -delta))
    }

    fn by_name(&self, a: usize, b: usize) -> Ordering {
        let [a, b] = [a, b].map(|item| self.first_row(item));
        match (a, b) {
            (Some(a), Some(b)) => a.case_order(b).then_with(|| a.target.cmp(&b.target)),
            _ => a.is_none().cmp(&b.is_none()),
        }
    }
}

/// Differences this close are equal: they come from rounding.
const TOLERANCE: f64 = 1e-9;

/// Sorts rows by a key; rows with the same key keep their order.
fn sort_by_key(items: &mut Vec<usize>, key: impl Fn(usize) -> (u8, f64)) {
    let mut keyed: Vec<(u8, f64, usize)> = items
        .iter()
        .map(|item| {
            let (class, value) = key(*item);
            (class, (value / TOLERANCE).round(), *item)
        })
        .collect();
    keyed.sort_by(|a, b| (a.0.cmp(&b.0)).then_with(|| a.1.total_cmp(&b.1)));
    *items = keyed.into_iter().map(|(_, _, item)| item).collect();
}
