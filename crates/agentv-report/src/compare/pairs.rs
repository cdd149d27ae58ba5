//! The input of the statistics of a comparison: one pair of values per case.

use std::collections::BTreeMap;

use super::cases::{Case, Mean};
use super::matching::Matching;
use super::run::{ComparedRun, Row};
use agentv_statistics::{Pair, PassTable};

/// The input of the statistics: one pair per case.
#[derive(Debug, Default)]
pub(super) struct Pairs<'r> {
    /// The number of cases, with or without a grade.
    pub(super) cases: u64,
    pub(super) scores: Vec<Pair<'r>>,
    pub(super) pass_rates: Vec<Pair<'r>>,
    pub(super) passes: PassTable,
    pub(super) targets: BTreeMap<&'r str, Vec<Pair<'r>>>,
    pub(super) evaluators: BTreeMap<&'r str, Vec<Pair<'r>>>,
}

/// The scores and passes of a case in one run.
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
    /// Adds a case with all its targets.
    pub(super) fn add(
        &mut self,
        a: &'r ComparedRun,
        b: &'r ComparedRun,
        matching: &Matching,
        of_case: &[Case],
        by_target: bool,
    ) {
        self.cases += 1;
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
                // If the runs disagree, the choice does not depend on their order.
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
