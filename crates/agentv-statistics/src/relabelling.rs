//! The permutation test of two runs with different numbers of trials per case.

use std::collections::BTreeMap;

use crate::distributions::normal_two_sided;
use crate::permutation::{DRAWN_UP_TO, SEED, permutation_test, samples_of, unit_of};
use crate::random::Random;
use crate::{Pair, PermutationMethod, PermutationTest};

/// The largest number of divisions of a case's trials that are all tried; of more, as many are
/// drawn.
const DIVISIONS: usize = 256;

/// A case in two runs, with its trials if the runs have different numbers of them.
#[derive(Debug, Clone, PartialEq)]
pub struct CasePair<'c> {
    /// The means of both runs.
    pub pair: Pair<'c>,
    /// The values of all trials, in both runs.
    pub trials: Option<CaseValues>,
}

/// The values of the trials of a case in two runs; `None` for a trial without a grade.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct CaseValues {
    /// The trials of the first run.
    pub a: Vec<Option<f64>>,
    /// The trials of the second run.
    pub b: Vec<Option<f64>>,
}

/// Tests if the second run scores higher or lower, as [`permutation_test`] does.
///
/// If the runs have equally many graded trials of a case, its two means could be swapped. Otherwise they
/// could not: the mean of one trial varies more than that of five, and is rarely just below 1. But
/// without a difference, any trial could belong to either run. So the trials of such a case are
/// divided between the runs at random, as many for each as it has. The cases of a cluster are
/// divided together, by the number of the trial. A trial without a grade decides nothing: divisions that
/// leave a case without a grade in one of the runs are not considered.
pub fn case_permutation_test(cases: &[CasePair<'_>]) -> PermutationTest {
    let is_uneven = |case: &CasePair<'_>| case.trials.as_ref().is_some_and(CaseValues::is_uneven);
    if !cases.iter().any(is_uneven) {
        let pairs: Vec<Pair<'_>> = cases.iter().map(|case| case.pair).collect();
        return permutation_test(&pairs);
    }
    let clusters = clusters(cases).into_iter();
    let clusters = clusters.map(|cases| {
        if cases.iter().any(|case| is_uneven(case)) {
            Divided::uneven(&cases)
        } else {
            Divided::even(&cases)
        }
    });
    test(clusters.collect())
}

impl CaseValues {
    /// Checks if the runs have different numbers of grades.
    fn is_uneven(&self) -> bool {
        let graded = |values: &[Option<f64>]| values.iter().flatten().count();
        graded(&self.a) != graded(&self.b)
    }
}

/// Groups cases by cluster.
fn clusters<'p, 'c>(cases: &'p [CasePair<'c>]) -> Vec<Vec<&'p CasePair<'c>>> {
    let mut named: BTreeMap<&str, Vec<&CasePair<'c>>> = BTreeMap::new();
    let mut clusters = Vec::new();
    for case in cases {
        match case.pair.cluster {
            Some(name) => named.entry(name).or_default().push(case),
            None => clusters.push(vec![case]),
        }
    }
    clusters.extend(named.into_values());
    clusters
}

/// The difference of a cluster as it is, and in all divisions of its trials between the runs.
struct Divided {
    observed: f64,
    possible: Vec<f64>,
}

impl Divided {
    fn even(cases: &[&CasePair<'_>]) -> Divided {
        let observed: f64 = cases.iter().map(|case| case.pair.difference()).sum();
        Divided {
            observed,
            possible: vec![observed, -observed],
        }
    }

    fn uneven(cases: &[&CasePair<'_>]) -> Divided {
        let values = cases.iter().filter_map(|case| case.trials.as_ref());
        let of_cases = without_empty_trials(values.collect());
        let most = |of: fn(&CaseValues) -> usize| of_cases.iter().map(of).max().unwrap_or(0);
        let [in_a, in_b] = [most(|case| case.a.len()), most(|case| case.b.len())];
        let difference = |is_in_b: &[bool]| {
            let of_cases = of_cases.iter();
            of_cases.map(|case| case.difference(is_in_b, in_a)).sum()
        };
        let actual: Vec<bool> = (0..in_a + in_b).map(|trial| trial >= in_a).collect();
        // The actual division has a difference, so the others that have one are equally likely.
        let mut possible: Vec<f64> = divisions(&actual)
            .iter()
            .filter_map(|division| difference(division))
            .collect();
        let observed: Option<f64> = difference(&actual);
        let observed = observed.unwrap_or_default();
        if possible.is_empty() {
            possible.push(observed);
        }
        Divided { observed, possible }
    }
}

/// Removes the trials in which no case of a cluster has a grade: they decide nothing.
fn without_empty_trials(cases: Vec<&CaseValues>) -> Vec<CaseValues> {
    let graded = |of: fn(&CaseValues) -> &[Option<f64>]| {
        let longest = cases.iter().map(|case| of(case).len()).max().unwrap_or(0);
        let has_grade = |trial: &usize| {
            let mut values = cases.iter().map(|case| of(case).get(*trial));
            values.any(|value| matches!(value, Some(Some(_))))
        };
        let trials: Vec<usize> = (0..longest).filter(has_grade).collect();
        let kept = cases.iter().map(|case| {
            let value = |trial: &usize| of(case).get(*trial).copied().flatten();
            trials.iter().map(value).collect::<Vec<Option<f64>>>()
        });
        kept.collect::<Vec<_>>()
    };
    let sides = graded(|case| &case.a)
        .into_iter()
        .zip(graded(|case| &case.b));
    sides.map(|(a, b)| CaseValues { a, b }).collect()
}

impl CaseValues {
    /// Returns the difference of the means if the marked trials are those of the second run; `None` if
    /// one of the runs then has no grade. The trials of the second run follow `in_a` of the first.
    fn difference(&self, is_in_b: &[bool], in_a: usize) -> Option<f64> {
        let mut means = [(0.0, 0u32); 2];
        let of_a = self.a.iter().enumerate();
        let of_b = self
            .b
            .iter()
            .enumerate()
            .map(|(at, value)| (in_a + at, value));
        for (trial, value) in of_a.chain(of_b) {
            if let Some(value) = value {
                let (sum, count) = &mut means[usize::from(is_in_b[trial])];
                *sum += value;
                *count += 1;
            }
        }
        match means {
            [(_, 0), _] | [_, (_, 0)] => None,
            [(a, of_a), (b, of_b)] => Some(b / f64::from(of_b) - a / f64::from(of_a)),
        }
    }
}

/// Returns all divisions with as many marks as `actual`, or as many drawn ones as are considered.
fn divisions(actual: &[bool]) -> Vec<Vec<bool>> {
    let marks = actual.iter().filter(|mark| **mark).count();
    let mut found = vec![Vec::new()];
    for left in (0..actual.len()).rev() {
        let mut longer = Vec::new();
        for division in found {
            let made = division.iter().filter(|mark| **mark).count();
            let needed = marks - made;
            for mark in [false, true] {
                if (mark && needed > 0) || (!mark && needed <= left) {
                    longer.push([&division[..], &[mark]].concat());
                }
            }
        }
        if longer.len() > DIVISIONS {
            return drawn_divisions(actual);
        }
        found = longer;
    }
    found
}

fn drawn_divisions(actual: &[bool]) -> Vec<Vec<bool>> {
    let mut random = Random::seeded(SEED);
    let mut division = actual.to_vec();
    let draw = |_| {
        for last in (1..division.len()).rev() {
            division.swap(last, random.below(last + 1));
        }
        division.clone()
    };
    (0..DIVISIONS).map(draw).collect()
}

/// Computes the share of random divisions whose sum is as far from 0 as the observed one.
fn test(clusters: Vec<Divided>) -> PermutationTest {
    let total: f64 = clusters.iter().map(|cluster| cluster.observed).sum();
    // Exchanging the runs must not change the draws.
    let sign = if total < 0.0 { -1.0 } else { 1.0 };
    let values = clusters.iter().flat_map(|cluster| &cluster.possible);
    let largest = values.fold(0.0, |most: f64, value| most.max(value.abs()));
    let Some(unit) = unit_of(largest, clusters.len()) else {
        return permutation_test(&[]);
    };
    // Every value is rounded to a unit: sums this close to each other are equal.
    let rounding = 2 * clusters.len() as i64;
    let whole = |value: f64| (sign * value / unit).round() as i64;
    let observed: i64 = clusters.iter().map(|cluster| whole(cluster.observed)).sum();
    let observed = (observed.abs() - rounding).max(0).unsigned_abs();
    let mut possible: Vec<Vec<i64>> = clusters
        .iter()
        .map(|cluster| {
            let mut values: Vec<i64> = cluster.possible.iter().map(|value| whole(*value)).collect();
            values.sort_unstable();
            values
        })
        .filter(|values| values.iter().any(|value| value.abs() > rounding))
        .collect();
    possible.sort_unstable();
    let n = possible.len() as u64;
    if possible.len() > DRAWN_UP_TO {
        let squares = possible.iter().map(|values| {
            let squares = values.iter().map(|value| (*value as f64).powi(2));
            squares.sum::<f64>() / values.len() as f64
        });
        return PermutationTest {
            p_value: normal_two_sided(observed as f64 / squares.sum::<f64>().sqrt()),
            n,
            method: PermutationMethod::PermutationNormal,
            samples: None,
        };
    }
    let samples = samples_of(n);
    PermutationTest {
        p_value: drawn(&possible, observed, samples),
        n,
        method: PermutationMethod::PermutationMonteCarlo,
        samples: Some(samples),
    }
}

/// Returns the share of draws that are as far from 0. The observed division counts as one more
/// draw.
fn drawn(possible: &[Vec<i64>], observed: u64, samples: u64) -> f64 {
    let mut random = Random::seeded(SEED);
    let mut as_far = 0;
    for _ in 0..samples {
        let sum: i64 = possible
            .iter()
            .map(|values| values[random.below(values.len())])
            .sum();
        as_far += u64::from(sum.unsigned_abs() >= observed);
    }
    (as_far + 1) as f64 / (samples + 1) as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    fn case(a: &[f64], b: &[f64]) -> CasePair<'static> {
        let mean = |values: &[f64]| values.iter().sum::<f64>() / values.len() as f64;
        let some = |values: &[f64]| values.iter().copied().map(Some).collect();
        CasePair {
            pair: Pair {
                a: mean(a),
                b: mean(b),
                cluster: None,
            },
            trials: Some(CaseValues {
                a: some(a),
                b: some(b),
            }),
        }
    }

    #[test]
    fn equally_many_trials_are_swapped_as_a_whole() {
        let cases: Vec<CasePair<'_>> = (0..8).map(|_| case(&[1.0, 0.5], &[0.0, 0.5])).collect();
        let pairs: Vec<Pair<'_>> = cases.iter().map(|case| case.pair).collect();
        assert_eq!(case_permutation_test(&cases), permutation_test(&pairs));
    }

    #[test]
    fn a_drop_from_one_good_trial_to_four_bad_of_five_is_not_chance() {
        let cases = vec![case(&[1.0], &[1.0, 0.0, 0.0, 0.0, 0.0]); 12];
        let found = case_permutation_test(&cases);
        assert_eq!((found.p_value, found.n), (0.0001, 12));
        // The first trial is one of six, of which two are good: (1/3)³.
        let found = case_permutation_test(&cases[..3]);
        assert!((found.p_value - 1.0 / 27.0).abs() < 0.006, "{found:?}");
    }

    #[test]
    fn a_trial_without_a_grade_is_not_divided() {
        let mut one = case(&[1.0], &[1.0, 0.0]);
        if let Some(trials) = &mut one.trials {
            trials.b.insert(1, None);
        }
        // Of 1, 1 and 0, either run may have any: the difference is always 0.5 or more.
        assert_eq!(case_permutation_test(&[one]).p_value, 1.0);
    }

    #[test]
    fn a_division_that_leaves_a_case_of_a_conversation_without_a_grade_is_not_considered() {
        let of = |a: &[Option<f64>], b: &[Option<f64>], means: [f64; 2]| CasePair {
            pair: Pair {
                a: means[0],
                b: means[1],
                cluster: Some("talk"),
            },
            trials: Some(CaseValues {
                a: a.to_vec(),
                b: b.to_vec(),
            }),
        };
        let cases = [
            of(&[Some(1.0)], &[Some(0.0), None], [1.0, 0.0]),
            of(&[Some(1.0)], &[Some(0.0), Some(0.0)], [1.0, 0.0]),
        ];
        // The first run has trial 1, or the first of the others: 2 and 1.5. With the last one, it would have
        // no grade of the first case.
        let found = case_permutation_test(&cases);
        assert!((found.p_value - 0.5).abs() < 0.02, "{found:?}");
        // A trial in which nothing is graded changes nothing.
        let mut longer = cases.clone();
        for case in &mut longer {
            case.trials.as_mut().unwrap().a.insert(0, None);
        }
        assert_eq!(case_permutation_test(&longer), found);
    }

    #[test]
    fn trials_are_equally_many_if_as_many_have_a_grade() {
        let mut one = case(&[1.0], &[0.0, 0.0, 0.0]);
        let trials = one.trials.as_mut().unwrap();
        trials.a.extend([None, None]);
        // The first run has the good trial in one of four divisions, and else the difference is 1/3.
        let found = case_permutation_test(&[one]);
        assert!((found.p_value - 0.25).abs() < 0.02, "{found:?}");
    }

    #[test]
    fn all_divisions_are_tried_if_they_are_few() {
        let marks = |a: usize, b: usize| [vec![false; a], vec![true; b]].concat();
        for (a, b, expected) in [(1, 5, 6), (3, 5, 56), (255, 1, 256), (5, 10, 256)] {
            let found = divisions(&marks(a, b));
            assert_eq!(found.len(), expected, "{a} {b}");
            let is_right = |d: &Vec<bool>| d.iter().filter(|mark| **mark).count() == b;
            assert!(found.iter().all(is_right));
        }
    }

    #[test]
    fn trials_without_a_grade_are_ignored() {
        let mut cases = vec![case(&[1.0], &[0.0, 1.0]); 9];
        for case in &mut cases {
            let trials = case.trials.as_mut().unwrap();
            trials.b[1] = None;
            trials.b.push(None);
        }
        let found = case_permutation_test(&cases);
        assert!(found.p_value < 0.05, "{found:?}");
    }
}
