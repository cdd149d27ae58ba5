//! The input of the statistics of a comparison: one pair of values per case.

use std::collections::{BTreeMap, BTreeSet};

use super::cases::{Case, mean};
use super::run::{ComparedRun, Row};
use agentv_statistics::{CasePair, CaseValues, Pair, PassTable};

/// The input of the statistics: one pair per case.
#[derive(Debug)]
pub(super) struct Pairs<'r> {
    a: &'r ComparedRun,
    b: &'r ComparedRun,
    /// True if a case has more trials in one run than in the other, so that the tests need all of
    /// them.
    pub(super) is_uneven: bool,
    /// True if each case has one graded trial in each run, so that it passes or fails.
    pub(super) is_single: bool,
    pub(super) scores: Vec<CasePair<'r>>,
    pub(super) pass_rates: Vec<CasePair<'r>>,
    pub(super) passes: PassTable,
    pub(super) targets: BTreeMap<&'r str, Vec<CasePair<'r>>>,
    pub(super) evaluators: BTreeMap<&'r str, Vec<CasePair<'r>>>,
}

impl<'r> Pairs<'r> {
    pub(super) fn new(a: &'r ComparedRun, b: &'r ComparedRun, cases: &[Case]) -> Pairs<'r> {
        Pairs {
            a,
            b,
            is_uneven: cases.iter().any(Case::is_uneven),
            is_single: true,
            scores: Vec::new(),
            pass_rates: Vec::new(),
            passes: PassTable::default(),
            targets: BTreeMap::new(),
            evaluators: BTreeMap::new(),
        }
    }

    /// Adds a case with all its targets.
    pub(super) fn add(&mut self, of_case: &[Case], by_target: bool) {
        let (a, b) = (self.a, self.b);
        let graded = of_case.iter().filter(|case| case.scores().is_some());
        let graded: Vec<(&'r [Row], &'r [Row])> = graded
            .map(|case| (&a.rows[case.a.clone()], &b.rows[case.b.clone()]))
            .collect();
        if graded.is_empty() {
            return;
        }
        let cluster = cluster(&graded);
        let of_targets = |value: &dyn Fn(&ComparedRun, &Row) -> Option<f64>| -> Vec<Values> {
            let targets = graded.iter();
            targets
                .map(|(a_rows, b_rows)| Values::of([(a, a_rows), (b, b_rows)], value))
                .collect()
        };
        let scores = of_targets(&|_, row| row.score());
        let passes = of_targets(&|_, row| row.score().map(|_| f64::from(u8::from(row.passed()))));
        if by_target {
            for (values, (rows, _)) in scores.iter().zip(&graded) {
                let pair = pair(std::slice::from_ref(values), cluster, self.is_uneven);
                self.targets
                    .entry(&rows[0].target)
                    .or_default()
                    .extend(pair);
            }
        }
        let names: BTreeSet<&'r str> = graded
            .iter()
            .flat_map(|(a_rows, b_rows)| [(a, *a_rows), (b, *b_rows)])
            .flat_map(|(run, rows)| rows.iter().flat_map(|row| run.grades(row)))
            .map(|(name, _)| &**name)
            .collect();
        for name in names {
            let values = of_targets(&|run, row| {
                let mut grades = run.grades(row).iter().filter(|_| row.score().is_some());
                grades
                    .find(|(other, _)| &**other == name)
                    .map(|(_, score)| *score)
            });
            let pair = pair(&values, cluster, self.is_uneven);
            self.evaluators.entry(name).or_default().extend(pair);
        }
        self.is_single &= passes.len() == 1 && passes.iter().all(Values::is_single);
        let pass_rate = pair(&passes, cluster, self.is_uneven);
        if let Some(CasePair { pair, .. }) = &pass_rate {
            self.passes.add(pair.a > 0.5, pair.b > 0.5);
        }
        self.scores.extend(pair(&scores, cluster, self.is_uneven));
        self.pass_rates.extend(pass_rate);
    }
}

/// Returns the conversation of a case. If the runs disagree, the choice does not depend on their
/// order.
fn cluster<'r>(graded: &[(&'r [Row], &'r [Row])]) -> Option<&'r str> {
    let rows = graded.iter().flat_map(|(a, b)| a.iter().chain(*b));
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

    fn means(&self) -> Option<[f64; 2]> {
        let [a, b] = &self.0;
        Some([
            mean(a.iter().flatten().copied())?,
            mean(b.iter().flatten().copied())?,
        ])
    }

    fn is_single(&self) -> bool {
        self.0.iter().all(|side| side.iter().flatten().count() == 1)
    }
}

/// Returns the means of a case over its targets, and the means of its trials if they are needed.
fn pair<'r>(
    targets: &[Values],
    cluster: Option<&'r str>,
    with_trials: bool,
) -> Option<CasePair<'r>> {
    let targets: Vec<(&Values, [f64; 2])> = targets
        .iter()
        .filter_map(|values| Some((values, values.means()?)))
        .collect();
    let of_run = |run: usize| mean(targets.iter().map(|(_, means)| means[run]));
    let trials_of = |run: usize| -> Vec<Option<f64>> {
        let sides = || targets.iter().map(|(Values(sides), _)| &sides[run]);
        let most = sides().map(Vec::len).max().unwrap_or(0);
        let trial = |at: usize| mean(sides().filter_map(|side| *side.get(at)?));
        (0..most).map(trial).collect()
    };
    Some(CasePair {
        pair: Pair {
            a: of_run(0)?,
            b: of_run(1)?,
            cluster,
        },
        trials: with_trials.then(|| CaseValues {
            a: trials_of(0),
            b: trials_of(1),
        }),
    })
}
