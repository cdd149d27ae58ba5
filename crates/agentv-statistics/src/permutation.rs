//! The test of whether one of two runs scores higher, without assumptions about the distribution.

use std::collections::BTreeMap;

use serde::Serialize;

use crate::Pair;
use crate::distributions::normal_two_sided;
use crate::random::Random;

/// The largest number of differences for which all signs are tried.
const EXACT_UP_TO: usize = 16;
/// The largest number of differences for which signs are drawn; the sum of more is close to normal.
pub(crate) const DRAWN_UP_TO: usize = 10_000;
/// The largest and smallest number of draws, and the number of signs drawn in total in between.
const MOST_SAMPLES: u64 = 9_999;
const FEWEST_SAMPLES: u64 = 999;
const SIGNS: u64 = 400_000_000;
/// The share of the sum of squares above which a single difference makes the sum not normal.
const DOMINANT: f64 = 0.01;
/// The number of bits below the largest difference that are kept.
const BITS: u32 = 40;
/// The bits of a number that hold its exponent.
const EXPONENT: u64 = 0x7ff0_0000_0000_0000;
pub(crate) const SEED: u64 = 0x6167_656e_7476;

/// The result of a paired permutation test.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct PermutationTest {
    /// The probability that two equally good runs differ at least as much by chance, on either
    /// side.
    pub p_value: f64,
    /// The number of cases, or of clusters of cases, that differ; the others contribute nothing.
    pub n: u64,
    /// The method that the p-value was computed with.
    pub method: PermutationMethod,
    /// The number of draws, if signs were drawn.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub samples: Option<u64>,
}

/// The method that the p-value of a permutation test was computed with.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum PermutationMethod {
    /// All signs were tried.
    PermutationExact,
    /// Signs were drawn, with the same draws in every run of the program.
    PermutationMonteCarlo,
    /// The sum of this many differences with random signs is close to normal.
    PermutationNormal,
}

/// Tests if the second run scores higher or lower. Without a difference, the two scores of each
/// case could be swapped: the p-value is the share of signs with |Σ±d| ≥ |Σd|. The differences of a
/// cluster change their sign together.
///
/// Up to 16 differences other than 0, all signs are tried. Up to 10,000 there are 9,999 draws and p
/// = (b + 1) / (m + 1), so no p-value is below 0.0001. Beyond that, z = |Σd| / √Σd² is normal by
/// the central limit theorem; if a single difference still outweighs the others, signs are drawn,
/// but fewer. The draws depend only on the differences, not on their order. With five differences
/// or fewer, no p-value is below 0.05.
pub fn permutation_test(pairs: &[Pair<'_>]) -> PermutationTest {
    let differences = whole_differences(pairs);
    // Every pair was rounded to a unit: sums this close to each other are equal.
    let rounding = pairs.len() as i64;
    let sum = differences.iter().sum::<i64>().abs();
    let observed = sum.saturating_sub(rounding).max(0).unsigned_abs();
    let mut sizes: Vec<i64> = differences.iter().map(|units| units.abs()).collect();
    sizes.retain(|size| *size > rounding);
    sizes.sort_unstable();
    let n = sizes.len() as u64;
    let samples = samples_of(n);
    let method = method(&sizes);
    let is_drawn = method == PermutationMethod::PermutationMonteCarlo;
    PermutationTest {
        p_value: match method {
            PermutationMethod::PermutationExact => exact(&sizes, observed),
            PermutationMethod::PermutationMonteCarlo => drawn(&sizes, observed, samples),
            PermutationMethod::PermutationNormal => {
                normal_two_sided(observed as f64 / square_sum(&sizes).sqrt())
            }
        },
        n,
        method,
        samples: is_drawn.then_some(samples),
    }
}

/// Chooses the method for differences of these sizes, the largest last.
fn method(sizes: &[i64]) -> PermutationMethod {
    let largest = square_sum(&sizes[sizes.len().saturating_sub(1)..]);
    if sizes.len() <= EXACT_UP_TO {
        PermutationMethod::PermutationExact
    } else if sizes.len() <= DRAWN_UP_TO || largest > DOMINANT * square_sum(sizes) {
        PermutationMethod::PermutationMonteCarlo
    } else {
        PermutationMethod::PermutationNormal
    }
}

fn square_sum(sizes: &[i64]) -> f64 {
    sizes.iter().map(|size| (*size as f64).powi(2)).sum()
}

/// Returns the number of draws for `n` differences.
pub(crate) fn samples_of(n: u64) -> u64 {
    (SIGNS / n.max(1)).clamp(FEWEST_SAMPLES, MOST_SAMPLES)
}

/// Returns a unit in which `count` numbers of at most this size, as whole numbers, can be added;
/// `None` if all are 0.
pub(crate) fn unit_of(largest: f64, count: usize) -> Option<f64> {
    let room = 62 - (u64::BITS - (count as u64).leading_zeros());
    // The power of two below the largest number, minus as many bits as there is room for.
    let power = f64::from_bits(largest.to_bits() & EXPONENT);
    let unit = power / (1u64 << (BITS.min(room) - 1)) as f64;
    unit.is_normal().then_some(unit)
}

/// Returns the differences of cases and clusters in whole units, so that sums do not depend on
/// their order.
fn whole_differences(pairs: &[Pair<'_>]) -> Vec<i64> {
    let sizes = pairs.iter().map(|pair| pair.difference().abs());
    let largest = sizes.fold(0.0, f64::max);
    let Some(unit) = unit_of(largest, pairs.len()) else {
        return Vec::new();
    };
    let mut clusters: BTreeMap<&str, i64> = BTreeMap::new();
    let mut differences = Vec::with_capacity(pairs.len());
    for pair in pairs {
        let units = (pair.difference() / unit).round() as i64;
        match pair.cluster {
            Some(cluster) => *clusters.entry(cluster).or_default() += units,
            None => differences.push(units),
        }
    }
    differences.extend(clusters.into_values());
    differences
}

/// Returns the share of all signs whose sum is as far from 0, changing one sign at a time.
fn exact(sizes: &[i64], observed: u64) -> f64 {
    let patterns = 1u32 << sizes.len();
    let mut signed = sizes.to_vec();
    let mut sum: i64 = sizes.iter().sum();
    let mut as_far = u32::from(sum.unsigned_abs() >= observed);
    for pattern in 1..patterns {
        let turned = &mut signed[pattern.trailing_zeros() as usize];
        *turned = -*turned;
        sum += 2 * *turned;
        as_far += u32::from(sum.unsigned_abs() >= observed);
    }
    f64::from(as_far) / f64::from(patterns)
}

/// Returns the share of drawn signs whose sum is as far from 0. The observed signs count as one
/// more draw.
fn drawn(sizes: &[i64], observed: u64, samples: u64) -> f64 {
    let mut random = Random::seeded(SEED);
    let all: i64 = sizes.iter().sum();
    let fours: Vec<[i64; 16]> = sizes.chunks(4).map(subset_sums).collect();
    let mut as_far = 0;
    for _ in 0..samples {
        let mut positive = 0;
        for fours in fours.chunks(16) {
            let mut bits = random.bits();
            for sums in fours {
                positive += sums[(bits & 15) as usize];
                bits >>= 4;
            }
        }
        as_far += u64::from((2 * positive - all).unsigned_abs() >= observed);
    }
    (as_far + 1) as f64 / (samples + 1) as f64
}

/// Returns the sum of each choice of up to four sizes, so that one lookup draws four signs.
fn subset_sums(four: &[i64]) -> [i64; 16] {
    std::array::from_fn(|choice| {
        let chosen = four.iter().enumerate();
        let chosen = chosen.filter(|(index, _)| choice >> index & 1 == 1);
        chosen.map(|(_, size)| size).sum()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn test(differences: impl IntoIterator<Item = f64>) -> PermutationTest {
        let pairs: Vec<Pair<'_>> = differences
            .into_iter()
            .map(|b| Pair {
                a: 0.0,
                b,
                cluster: None,
            })
            .collect();
        permutation_test(&pairs)
    }

    #[test]
    fn runs_that_are_equal_do_not_differ() {
        for differences in [vec![], vec![0.0; 40]] {
            let found = test(differences);
            assert_eq!((found.p_value, found.n), (1.0, 0));
        }
        assert_eq!(test([0.1 + 0.2 - 0.3, 0.5, -0.5]).n, 2);
    }

    #[test]
    fn sums_that_are_equal_but_for_rounding_are_equal() {
        let whole = [1.0, 2.0, -3.0, 6.0, 7.0, -4.0, 1.0, -1.0];
        let expected = test(whole);
        for part in [10.0, 3.0, 7.0, 1e-9, 12_345.678] {
            let found = test(whole.map(|units| units / part));
            assert_eq!(found, expected, "{part}");
        }
    }

    #[test]
    fn the_cases_of_a_cluster_turn_together() {
        let pair = |cluster| Pair {
            a: 0.0,
            b: 0.5,
            cluster,
        };
        let found = permutation_test(&[pair(Some("a")), pair(Some("a")), pair(Some("b"))]);
        assert_eq!((found.p_value, found.n), (0.5, 2));
        let found = permutation_test(&[pair(None), pair(None), pair(None)]);
        assert_eq!((found.p_value, found.n), (0.25, 3));
    }

    #[test]
    fn many_differences_are_taken_for_normal_unless_one_outweighs_them() {
        let even = (0..10_001).map(|case| if case % 2 == 0 { 0.25 } else { -0.25 });
        let found = test(even.clone());
        assert_eq!(found.method, PermutationMethod::PermutationNormal);
        assert!((found.p_value - 0.992).abs() < 1e-3, "{found:?}");
        let uneven = even.map(|difference| difference * 1e-3).chain([1.0]);
        let found = test(uneven);
        assert_eq!(found.method, PermutationMethod::PermutationMonteCarlo);
        assert!(found.p_value > 0.1, "{found:?}");
    }

    #[test]
    fn drawn_signs_come_near_to_all_signs() {
        let sizes: Vec<i64> = (1..=16).map(|size| size * size).collect();
        for observed in [0, 200, 500, 900, 1_200, 1_496] {
            let (all, some) = (exact(&sizes, observed), drawn(&sizes, observed, 9_999));
            let away = 5.0 * (all * (1.0 - all) / 9_999.0).sqrt() + 2e-4;
            assert!((all - some).abs() <= away, "{observed}: {all} {some}");
        }
    }
}
