//! The share of simulated comparisons whose interval contains the true difference.

use agentv_statistics::{Bounds, Level, Pair, TooFew, paired_difference};

use crate::simulated::{Random, is_long};

/// A simulated comparison: most cases differ by `usual`, and some by `other`.
#[derive(Debug, Clone, Copy)]
struct Design {
    cases: u64,
    usual: f64,
    other: f64,
    /// The share of the cases that differ by `other`.
    share: f64,
}

/// The number of comparisons, by their interval.
#[derive(Debug, Default)]
struct Counts {
    covered: f64,
    missed: f64,
    without_interval: f64,
}

impl Design {
    fn compare(&self, repeats: u32, random: &mut Random) -> Counts {
        let truth = self.usual + self.share * (self.other - self.usual);
        let mut counts = Counts::default();
        for _ in 0..repeats {
            let pairs: Vec<Pair<'_>> = (0..self.cases).map(|_| self.pair(random)).collect();
            let found = paired_difference(&pairs, Level::NINETY_FIVE, Bounds::DIFFERENCE).unwrap();
            match found.no_interval() {
                Some(_) => counts.without_interval += 1.0,
                None if found.difference.excludes(truth) => counts.missed += 1.0,
                None => counts.covered += 1.0,
            }
        }
        counts
    }

    fn pair(&self, random: &mut Random) -> Pair<'static> {
        let is_usual = random.share() >= self.share;
        Pair {
            a: 0.0,
            b: if is_usual { self.usual } else { self.other },
            cluster: None,
        }
    }
}

/// An interval of width 0 would contain the true difference only if no other one exists: of 6 cases that
/// differ by 0 with a probability of 95%, 74% of all comparisons would have such an interval, and all would
/// be wrong.
#[test]
#[expect(
    clippy::print_stdout,
    reason = "the figures of the simulation, with --show-output"
)]
fn an_interval_is_given_only_if_cases_differ_and_then_contains_the_difference() {
    let repeats = if is_long() { 20_000 } else { 1_000 };
    let mut random = Random::seeded(20_261_116);
    let (mut lowest, mut most_without) = (1.0_f64, 0.0_f64);
    let (mut covered, mut given) = (0.0, 0.0);
    for cases in [6, 10, 20, 40] {
        for share in [0.02, 0.05, 0.1, 0.2, 0.4] {
            for (usual, other) in [(0.0, 1.0), (0.0, -1.0), (-0.1, 0.9), (-0.2, 0.3)] {
                let design = Design {
                    cases,
                    usual,
                    other,
                    share,
                };
                let counts = design.compare(repeats, &mut random);
                let with_interval = counts.covered + counts.missed;
                let coverage = counts.covered / with_interval;
                assert!(coverage >= 0.88, "{design:?}: {coverage}, {counts:?}");
                lowest = lowest.min(coverage);
                most_without = most_without.max(counts.without_interval / f64::from(repeats));
                covered += counts.covered;
                given += with_interval;
            }
        }
    }
    let mean = covered / given;
    println!("coverage {mean:.4}, lowest {lowest:.4}; without interval at most {most_without:.4}");
    assert!(mean >= 0.93, "{mean}");
    assert!(most_without > 0.5, "{most_without}");
}

#[test]
fn equal_differences_have_no_interval_and_only_their_mean_is_written() {
    let pairs = |difference: f64| {
        [Pair {
            a: 0.5,
            b: 0.5 + difference,
            cluster: None,
        }; 20]
    };
    for difference in [0.0, -0.1, 0.3] {
        let found =
            paired_difference(&pairs(difference), Level::NINETY_FIVE, Bounds::DIFFERENCE).unwrap();
        assert_eq!(found.no_interval(), Some(TooFew::NoVariation));
        let written = serde_json::to_value(found).unwrap();
        let estimate = found.difference.estimate;
        assert_eq!(
            written["difference"],
            serde_json::json!({"estimate": estimate, "n": 20})
        );
    }
}
