//! The input of the statistics of a comparison: one pair of values per case.

use std::collections::{BTreeMap, BTreeSet};

use super::cases::{Case, mean};
use super::run::{ComparedRun, Row};
use agentv_statistics::{CasePair, CaseValues, Pair, PassTable};

/// The input of the statistics of two runs. Several targets are never averaged, because the average is
/// the figure of none of them.
#[derive(Debug)]
pub(super) struct Pairs<'r> {
    a: &'r ComparedRun,
    b: &'r ComparedRun,
    /// True if a case has more trials in one run than in the other, so that the tests need all of
    /// them.
    is_uneven: bool,
    /// The cases of each target; `None` for all cases if each run has one target.
    pub(super) targets: BTreeMap<Option<&'r str>, PairSet<'r>>,
    /// The cases of each evaluator on each target.
    pub(super) evaluators: BTreeMap<(&'r str, Option<&'r str>), Vec<CasePair<'r>>>,
}

/// One pair of values per case.
#[derive(Debug, Default)]
pub(super) struct PairSet<'r> {
    /// True if a case has several graded trials in a run, so that it has a pass rate, not a verdict.
    pub(super) is_repeated: bool,
    pub(super) scores: Vec<CasePair<'r>>,
    pub(super) pass_rates: Vec<CasePair<'r>>,
    pub(super) passes: PassTable,
}

impl<'r> Pairs<'r> {
    /// Collects the cases that both runs graded, by target if runs have several.
    pub(super) fn of(
        a: &'r ComparedRun,
        b: &'r ComparedRun,
        cases: &[Case],
        by_target: bool,
    ) -> Pairs<'r> {
        let mut pairs = Pairs {
            a,
            b,
            is_uneven: cases.iter().any(Case::is_uneven),
            targets: BTreeMap::new(),
            evaluators: BTreeMap::new(),
        };
        let graded = cases.iter().filter(|case| case.scores().is_some());
        graded.for_each(|case| pairs.add(case, by_target));
        pairs
    }

    fn add(&mut self, case: &Case, by_target: bool) {
        let (a, b) = (self.a, self.b);
        let rows = (&a.rows[case.a.clone()], &b.rows[case.b.clone()]);
        let target = by_target.then(|| &*rows.0[0].target);
        let cluster = cluster(rows);
        let values = |value: &dyn Fn(&ComparedRun, &Row) -> Option<f64>| {
            Values::of([(a, rows.0), (b, rows.1)], value)
        };
        let scores = values(&|_, row| row.score());
        let passes = values(&|_, row| row.score().map(|_| f64::from(u8::from(row.passed()))));
        for name in self.evaluators_of(rows) {
            let grades = values(&|run, row| {
                let mut grades = run.grades(row).iter().filter(|_| row.score().is_some());
                grades
                    .find(|(other, _)| &**other == name)
                    .map(|(_, score)| *score)
            });
            let pair = grades.pair(cluster, self.is_uneven);
            self.evaluators
                .entry((name, target))
                .or_default()
                .extend(pair);
        }
        let set = self.targets.entry(target).or_default();
        set.is_repeated |= !passes.is_single();
        let pass_rate = passes.pair(cluster, self.is_uneven);
        if let Some(CasePair { pair, .. }) = &pass_rate {
            set.passes.add(pair.a > 0.5, pair.b > 0.5);
        }
        set.scores.extend(scores.pair(cluster, self.is_uneven));
        set.pass_rates.extend(pass_rate);
    }

    /// Returns the names of the evaluators of a case.
    fn evaluators_of(&self, (of_a, of_b): (&'r [Row], &'r [Row])) -> BTreeSet<&'r str> {
        let runs = [(self.a, of_a), (self.b, of_b)];
        let grades = runs
            .into_iter()
            .flat_map(|(run, rows)| rows.iter().flat_map(|row| run.grades(row)));
        grades.map(|(name, _)| &**name).collect()
    }
}

/// Returns the conversation of a case. If the runs disagree, the choice does not depend on their
/// order.
fn cluster<'r>((a, b): (&'r [Row], &'r [Row])) -> Option<&'r str> {
    let rows = a.iter().chain(b);
    rows.filter_map(|row| row.cluster.as_deref()).min()
}

/// The values of the trials of a case on one target, in both runs.
struct Values([Vec<Option<f64>>; 2]);

impl Values {
    fn of(
        sides: [(&ComparedRun, &[Row]); 2],
        value: &dyn Fn(&ComparedRun, &Row) -> Option<f64>,
    ) -> Values {
        Values(sides.map(|(run, rows)| rows.iter().map(|row| value(run, row)).collect()))
    }

    fn is_single(&self) -> bool {
        self.0.iter().all(|side| side.iter().flatten().count() == 1)
    }

    /// Returns the means of the case, and its trials if they are needed.
    fn pair(self, cluster: Option<&str>, with_trials: bool) -> Option<CasePair<'_>> {
        let Values([a, b]) = self;
        let [mean_a, mean_b] = [&a, &b].map(|side| mean(side.iter().flatten().copied()));
        Some(CasePair {
            pair: Pair {
                a: mean_a?,
                b: mean_b?,
                cluster,
            },
            trials: with_trials.then_some(CaseValues { a, b }),
        })
    }
}
