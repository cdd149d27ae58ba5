//! How two runs differ.

use std::collections::{BTreeMap, HashSet};
use std::ops::Range;

use serde::Serialize;

use super::families::{Member, family, means};
use super::matching::{Matching, NothingShared, by_target, matching};
use super::named::Naming;
use super::run::{ComparedRun, Row};
use crate::Style;
use crate::statistics::{
    Bounds, Level, McNemar, Outcome, Pair, PairedDifference, PassTable, PermutationTest, TooFew,
    Wins, mcnemar, paired_difference, permutation_test, sentence, wins,
};

/// What is less than this is what rounding left of nothing.
const ROUNDING: f64 = 1e-12;

/// How the second of two runs differs from the first.
#[derive(Debug)]
pub struct Comparison<'r> {
    pub(super) a: &'r ComparedRun,
    pub(super) b: &'r ComparedRun,
    pub(super) matching: Matching,
    /// The matched trials of each case on each target.
    pub(super) cases: Vec<Case>,
    pub(super) naming: Naming,
    summary: ComparisonSummary,
    targets: Vec<Member>,
    evaluators: Vec<Member>,
}

/// The matched trials of a case on one target.
#[derive(Debug, Clone)]
pub(super) struct Case {
    pub(super) trials: Range<usize>,
    /// The mean scores of both runs; `None` where one has no graded trial.
    pub(super) scores: Option<(f64, f64)>,
    pub(super) changed: Option<bool>,
}

impl Case {
    pub(super) fn delta(&self) -> Option<f64> {
        self.scores.map(|(a, b)| b - a)
    }
}

/// What a comparison came to, in figures. `wins`, `losses` and `ties` count matched trials; the
/// statistics are of cases.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ComparisonSummary {
    /// How many trials there are in either run.
    pub total: u64,
    /// How many are in both.
    pub matched: u64,
    /// How many are only in the first.
    pub only_in_a: u64,
    /// How many are only in the second.
    pub only_in_b: u64,
    /// How many matched trials have no grade in one of the runs, or in both: they errored, or there
    /// was nothing to grade by.
    pub without_grade: u64,
    /// How many matched trials are of a case that asks or grades something else now.
    pub changed: u64,
    /// Of how many that is not known.
    pub changed_unknown: u64,
    /// How far scores have to differ to count.
    pub threshold: f64,
    /// In how many matched trials the second run is better.
    pub wins: u64,
    /// In how many it is worse.
    pub losses: u64,
    /// In how many neither is.
    pub ties: u64,
    /// The mean score of the first run on the cases that are compared.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub mean_a: Option<f64>,
    /// The mean score of the second.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub mean_b: Option<f64>,
    /// The mean over cases of how much higher the second is; none where no case has a grade in both.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub mean_delta: Option<f64>,
    /// Whether that is more than chance explains.
    pub significant: bool,
    /// What the cases tell.
    pub statistics: Statistics,
}

/// What the cases of two runs tell, the trials and the targets of each averaged.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Statistics {
    /// How many cases have a grade in both runs.
    pub cases: u64,
    /// The mean difference with its interval.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub difference: Option<PairedDifference>,
    /// Why there is no interval, where there is none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub no_interval: Option<TooFew>,
    /// In how many cases each run is better.
    pub wins: Wins,
    /// Whether one run scores higher.
    pub permutation: PermutationTest,
    /// Whether one run passes more cases; not where cases belong to conversations.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub mcnemar: Option<McNemar>,
    /// The same where cases belong to conversations.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pass_rates: Option<PermutationTest>,
}

/// Compares two runs, the first being what the second is held against.
///
/// # Errors
/// When they have no trial in common.
pub fn compare<'r>(
    a: &'r ComparedRun,
    b: &'r ComparedRun,
    threshold: f64,
) -> Result<Comparison<'r>, NothingShared> {
    let matching = matching(a, b)?;
    let cases = cases(a, b, &matching);
    let by_target = by_target(a, b);
    let mut pairs = Pairs::default();
    let mut rest = &cases[..];
    while let Some(first) = rest.first() {
        let row = |case: &Case| &a.rows[matching.matched[case.trials.start].0];
        let same = |case: &&Case| row(case).case_order(row(first)).is_eq();
        let (of_case, others) = rest.split_at(rest.iter().take_while(same).count());
        pairs.add(a, b, &matching, of_case, by_target);
        rest = others;
    }
    let first_file = a.rows.first().map(|row| &row.file);
    let rows = || a.rows.iter().chain(&b.rows);
    Ok(Comparison {
        naming: Naming {
            files: rows().any(|row| Some(&row.file) != first_file),
            targets: by_target,
        },
        summary: summary(a, b, &matching, &cases, &pairs, threshold),
        targets: match by_target {
            true => family(&pairs.targets, threshold),
            false => Vec::new(),
        },
        evaluators: family(&pairs.evaluators, threshold),
        a,
        b,
        matching,
        cases,
    })
}

impl Comparison<'_> {
    /// What it came to.
    pub fn summary(&self) -> &ComparisonSummary {
        &self.summary
    }

    /// The same for each target, where a run has several.
    pub fn targets(&self) -> &[Member] {
        &self.targets
    }

    /// The same for each evaluator.
    pub fn evaluators(&self) -> &[Member] {
        &self.evaluators
    }

    /// What it came to in a sentence, the runs under these names.
    pub fn sentence(&self, a: &str, b: &str, style: Style) -> String {
        let statistics = &self.summary.statistics;
        if self.a.is_same(self.b) {
            return format!("{b} is the same run as {a}: all is a tie");
        }
        match (&statistics.difference, self.summary.mean_delta) {
            (Some(difference), _) => sentence(difference, a, b, style),
            (None, None) => {
                format!("{b} cannot be compared with {a}: no case has a grade in both runs")
            }
            (None, Some(delta)) => {
                let why = statistics.no_interval.map(|why| format!("; {why}"));
                let points = format!("{:.1}", delta.abs() * 100.0);
                let told = match delta {
                    delta if delta > 0.0 => format!("{b} is better by {points} points"),
                    delta if delta < 0.0 => format!("{b} is worse by {points} points"),
                    _ => format!("no difference: {b} and {a} score the same"),
                };
                told + &why.unwrap_or_default()
            }
        }
    }

    /// The rows of a matched trial.
    pub(super) fn rows(&self, trial: usize) -> (&Row, &Row) {
        let (a, b) = self.matching.matched[trial];
        (&self.a.rows[a], &self.b.rows[b])
    }
}

/// The matched trials, one case on one target after the other.
fn cases(a: &ComparedRun, b: &ComparedRun, matching: &Matching) -> Vec<Case> {
    let rows = |trial: usize| {
        let (of_a, of_b) = matching.matched[trial];
        (&a.rows[of_a], &b.rows[of_b])
    };
    let mut cases: Vec<Case> = Vec::new();
    let mut start = 0;
    while start < matching.matched.len() {
        let first = rows(start).0;
        let is_same = |row: &Row| row.case_order(first).is_eq() && row.target == first.target;
        let end = (start..matching.matched.len()).find(|trial| !is_same(rows(*trial).0));
        let end = end.unwrap_or(matching.matched.len());
        let [mut of_a, mut of_b] = [Mean::default(), Mean::default()];
        let mut changed = Some(false);
        for trial in start..end {
            let (row_a, row_b) = rows(trial);
            row_a.score().into_iter().for_each(|score| of_a.add(score));
            row_b.score().into_iter().for_each(|score| of_b.add(score));
            changed = match (changed, row_a.differs(row_b)) {
                (Some(true), _) | (_, Some(true)) => Some(true),
                (None, _) | (_, None) => None,
                (Some(false), Some(false)) => Some(false),
            };
        }
        cases.push(Case {
            trials: start..end,
            scores: of_a.value().zip(of_b.value()),
            changed,
        });
        start = end;
    }
    cases
}

/// A mean of a few scores.
#[derive(Debug, Clone, Copy, Default)]
struct Mean {
    sum: f64,
    count: u32,
}

impl Mean {
    fn add(&mut self, score: f64) {
        self.sum += score;
        self.count += 1;
    }

    fn value(self) -> Option<f64> {
        (self.count > 0).then(|| self.sum / f64::from(self.count))
    }
}

/// What the statistics are made of: a pair a case.
#[derive(Debug, Default)]
struct Pairs<'r> {
    scores: Vec<Pair<'r>>,
    pass_rates: Vec<Pair<'r>>,
    passes: PassTable,
    targets: BTreeMap<&'r str, Vec<Pair<'r>>>,
    evaluators: BTreeMap<&'r str, Vec<Pair<'r>>>,
}

/// The scores and the passes of one side of a case.
#[derive(Debug, Clone, Copy, Default)]
struct Side {
    scores: Mean,
    passed: Mean,
}

impl Side {
    fn add(&mut self, row: &Row) {
        if let Some(score) = row.score() {
            self.scores.add(score);
            self.passed.add(f64::from(u8::from(row.passed())));
        }
    }
}

impl<'r> Pairs<'r> {
    /// Takes a case, on all its targets.
    fn add(
        &mut self,
        a: &'r ComparedRun,
        b: &'r ComparedRun,
        matching: &Matching,
        of_case: &[Case],
        by_target: bool,
    ) {
        let [mut of_a, mut of_b] = [Side::default(), Side::default()];
        let mut graded: BTreeMap<&str, [Mean; 2]> = BTreeMap::new();
        let mut cluster = None;
        for case in of_case {
            let Some(scores) = case.scores else { continue };
            for trial in case.trials.clone() {
                let (at_a, at_b) = matching.matched[trial];
                let (row_a, row_b) = (&a.rows[at_a], &b.rows[at_b]);
                of_a.add(row_a);
                of_b.add(row_b);
                // Where the runs do not agree, the choice does not depend on which is which.
                let known = [cluster, row_a.cluster.as_deref(), row_b.cluster.as_deref()];
                cluster = known.into_iter().flatten().min();
                for (side, run, row) in [(0, a, row_a), (1, b, row_b)] {
                    let grades = run.grades(row).iter().filter(|_| row.score().is_some());
                    grades.for_each(|(name, score)| {
                        graded.entry(name).or_default()[side].add(*score)
                    });
                }
            }
            if by_target {
                let target = &a.rows[matching.matched[case.trials.start].0].target;
                let pair = Pair {
                    a: scores.0,
                    b: scores.1,
                    cluster,
                };
                self.targets.entry(target).or_default().push(pair);
            }
        }
        self.scores.extend(pair(of_a.scores, of_b.scores, cluster));
        let pass_rates = pair(of_a.passed, of_b.passed, cluster);
        if let Some(rates) = pass_rates {
            self.passes.add(rates.a > 0.5, rates.b > 0.5);
            self.pass_rates.push(rates);
        }
        for (name, [of_a, of_b]) in graded {
            let pair = pair(of_a, of_b, cluster);
            self.evaluators.entry(name).or_default().extend(pair);
        }
    }
}

fn pair<'r>(a: Mean, b: Mean, cluster: Option<&'r str>) -> Option<Pair<'r>> {
    let (a, b) = a.value().zip(b.value())?;
    Some(Pair { a, b, cluster })
}

fn statistics(pairs: &Pairs<'_>, threshold: f64) -> Statistics {
    let difference = paired_difference(&pairs.scores, Level::NINETY_FIVE, Bounds::DIFFERENCE);
    let clusters = || pairs.scores.iter().filter_map(|pair| pair.cluster);
    let is_clustered = clusters().collect::<HashSet<_>>().len() < clusters().count();
    Statistics {
        cases: pairs.scores.len() as u64,
        no_interval: difference.err(),
        difference: difference.ok(),
        wins: wins(&pairs.scores, threshold),
        permutation: permutation_test(&pairs.scores),
        mcnemar: (!is_clustered).then(|| mcnemar(pairs.passes)),
        pass_rates: is_clustered.then(|| permutation_test(&pairs.pass_rates)),
    }
}

impl Statistics {
    /// Whether the difference is more than chance explains: its interval leaves 0 out or, where all
    /// cases differ by the same and there is none, the permutation test says so.
    pub fn is_significant(&self) -> bool {
        let Some(PairedDifference { difference, .. }) = &self.difference else {
            return false;
        };
        match difference.standard_error {
            Some(error) if error < ROUNDING => {
                self.permutation.p_value < super::families::SIGNIFICANT
            }
            _ => difference.excludes(0.0),
        }
    }
}

fn summary(
    a: &ComparedRun,
    b: &ComparedRun,
    matching: &Matching,
    cases: &[Case],
    pairs: &Pairs<'_>,
    threshold: f64,
) -> ComparisonSummary {
    let (mut wins, mut losses, mut ties, mut without_grade) = (0, 0, 0, 0);
    for (of_a, of_b) in &matching.matched {
        let scores = a.rows[*of_a].score().zip(b.rows[*of_b].score());
        match scores.map(|(a, b)| Outcome::of(b - a, threshold)) {
            None => without_grade += 1,
            Some(Outcome::Win) => wins += 1,
            Some(Outcome::Loss) => losses += 1,
            Some(Outcome::Tie) => ties += 1,
        }
    }
    let trials_of = |changed: Option<bool>| {
        let of_kind = cases.iter().filter(|case| case.changed == changed);
        of_kind.map(|case| case.trials.len() as u64).sum()
    };
    let [matched, only_in_a, only_in_b] = [
        matching.matched.len() as u64,
        matching.only_a.len() as u64,
        matching.only_b.len() as u64,
    ];
    let means = means(&pairs.scores);
    let statistics = statistics(pairs, threshold);
    ComparisonSummary {
        total: matched + only_in_a + only_in_b,
        matched,
        only_in_a,
        only_in_b,
        without_grade,
        changed: trials_of(Some(true)),
        changed_unknown: trials_of(None),
        threshold,
        wins,
        losses,
        ties,
        mean_a: means.map(|[mean, ..]| mean),
        mean_b: means.map(|[_, mean, _]| mean),
        mean_delta: means.map(|[.., mean]| mean),
        significant: statistics.is_significant(),
        statistics,
    }
}
