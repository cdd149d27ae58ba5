//! The cases that two runs share.

use std::collections::BTreeMap;

use serde::Serialize;

use super::CaseTrials;

/// A case in two runs: a value of each, the mean of its trials where there are several.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Pair<'c> {
    /// The value in the first run.
    pub a: f64,
    /// The value in the second.
    pub b: f64,
    /// The cluster that the case belongs to: its `conversation_id`.
    pub cluster: Option<&'c str>,
}

impl Pair<'_> {
    /// How much higher the second is.
    pub fn difference(&self) -> f64 {
        self.b - self.a
    }
}

/// In how many cases each of two runs passes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize)]
pub struct PassTable {
    /// Both pass.
    pub both: u64,
    /// Only the first passes.
    pub only_a: u64,
    /// Only the second passes.
    pub only_b: u64,
    /// Neither passes.
    pub neither: u64,
}

impl PassTable {
    /// Counts a case.
    pub fn add(&mut self, a_passes: bool, b_passes: bool) {
        let count = match (a_passes, b_passes) {
            (true, true) => &mut self.both,
            (true, false) => &mut self.only_a,
            (false, true) => &mut self.only_b,
            (false, false) => &mut self.neither,
        };
        *count += 1;
    }

    /// How many cases there are.
    pub fn cases(&self) -> u64 {
        self.both + self.only_a + self.only_b + self.neither
    }

    /// The share of cases in which one run passes and the other does not; `None` without cases.
    pub fn discordance(&self) -> Option<f64> {
        let cases = self.cases();
        (cases > 0).then(|| (self.only_a + self.only_b) as f64 / cases as f64)
    }
}

/// What two runs have in common.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct SharedCases<'c> {
    /// The mean score of each case.
    pub scores: Vec<Pair<'c>>,
    /// The share of trials that passed, of each case.
    pub pass_rates: Vec<Pair<'c>>,
    /// In how many cases more than half of the trials passed.
    pub passes: PassTable,
    /// How many cases only the first run has a grade for.
    pub only_a: u64,
    /// How many cases only the second run has a grade for.
    pub only_b: u64,
}

/// The cases that have a graded trial in both runs, in the order of their keys.
pub fn shared_cases<'c, K: Ord>(
    a: &'c BTreeMap<K, CaseTrials>,
    b: &'c BTreeMap<K, CaseTrials>,
) -> SharedCases<'c> {
    let graded = |cases: &BTreeMap<K, CaseTrials>| {
        cases.values().filter(|case| case.trials() > 0).count() as u64
    };
    let mut shared = SharedCases::default();
    for (key, of_a) in a {
        if let Some(of_b) = b.get(key) {
            shared.add(of_a, of_b);
        }
    }
    shared.only_a = graded(a) - shared.passes.cases();
    shared.only_b = graded(b) - shared.passes.cases();
    shared
}

impl<'c> SharedCases<'c> {
    fn add(&mut self, a: &'c CaseTrials, b: &'c CaseTrials) {
        let cluster = a.cluster().or(b.cluster());
        let pair = |a: Option<f64>, b: Option<f64>| {
            Some(Pair {
                a: a?,
                b: b?,
                cluster,
            })
        };
        let Some(scores) = pair(a.scores().mean(), b.scores().mean()) else {
            return;
        };
        self.scores.push(scores);
        self.pass_rates.extend(pair(a.pass_rate(), b.pass_rate()));
        self.passes.add(a.passes(), b.passes());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn case(scores: &[f64]) -> CaseTrials {
        let mut case = CaseTrials::new(Some("talk".into()));
        scores
            .iter()
            .for_each(|score| case.add(*score, *score >= 0.8));
        case
    }

    #[test]
    fn only_cases_with_a_grade_in_both_runs_are_compared() {
        let a = BTreeMap::from([
            ("gone", case(&[1.0])),
            ("errored", case(&[0.5])),
            ("kept", case(&[1.0, 0.0])),
        ]);
        let b = BTreeMap::from([
            ("errored", case(&[])),
            ("kept", case(&[0.9])),
            ("new", case(&[1.0])),
        ]);
        let shared = shared_cases(&a, &b);
        let pair = |a, b| Pair {
            a,
            b,
            cluster: Some("talk"),
        };
        assert_eq!(shared.scores, [pair(0.5, 0.9)]);
        assert_eq!(shared.pass_rates, [pair(0.5, 1.0)]);
        assert_eq!((shared.only_a, shared.only_b), (2, 1));
        assert_eq!((shared.passes.only_b, shared.passes.cases()), (1, 1));
        assert_eq!(shared.passes.discordance(), Some(1.0));
    }
}
