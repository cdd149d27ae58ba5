//! The smallest difference that a suite of a given size can detect.

use serde::Serialize;

use crate::distributions::{normal_upper, t_upper};
use crate::{Interval, Level, Power};

/// The smallest difference between two runs that a comparison detects with a given power.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Detectable {
    /// The difference of scores or shares, from 0 to 1.
    pub difference: f64,
    /// The level of the two-sided comparison.
    pub level: Level,
    /// The probability that a difference of this size is detected.
    pub power: Power,
    /// The number of cases of each run.
    pub n: u64,
    /// The data that the difference was computed from.
    pub method: DetectableMethod,
}

/// The data that the smallest difference was computed from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum DetectableMethod {
    /// The differences between the scores of two runs on the same cases.
    PairedScores,
    /// The spread of the scores of one run. The other run is assumed to have different cases, which
    /// is the worst case.
    UnpairedScores,
    /// The share of cases in which one run passes and the other does not.
    PairedPassRates,
    /// No data: pass rates around one half on different cases, which is the worst case.
    UnpairedPassRates,
}

/// Returns the smallest mean difference that the comparison behind `difference` detects: (t₁ +
/// t₂)·SE, with t₁ of the level, t₂ of the power, and the degrees of freedom of the interval. The
/// standard error accounts for clusters. Returns `None` if the interval is not of a mean, or if all
/// differences are equal.
///
/// Above about ten cases it is within a few percent of the noncentral t distribution; below that,
/// it is a rough guide.
pub fn detectable_by(difference: &Interval, power: Power) -> Option<Detectable> {
    let standard_error = difference.standard_error.filter(|error| *error > 0.0)?;
    let freedom = difference.clusters.unwrap_or(difference.n).checked_sub(1)?;
    Some(Detectable {
        difference: reach(difference.level, power, freedom) * standard_error,
        level: difference.level,
        power,
        n: difference.n,
        method: DetectableMethod::PairedScores,
    })
}

/// Returns the smallest difference of mean scores between two runs of `n` cases if only one run is
/// known and its scores have this standard deviation: (t₁ + t₂)·s·√(2/n), with 2n − 2 degrees of
/// freedom. Runs on the same cases usually detect smaller differences. Returns `None` for fewer
/// than two cases or without deviation.
pub fn detectable_scores(
    standard_deviation: f64,
    n: u64,
    level: Level,
    power: Power,
) -> Option<Detectable> {
    if n < 2 || standard_deviation <= 0.0 {
        return None;
    }
    let standard_error = standard_deviation * (2.0 / n as f64).sqrt();
    Some(Detectable {
        difference: reach(level, power, 2 * (n - 1)) * standard_error,
        level,
        power,
        n,
        method: DetectableMethod::UnpairedScores,
    })
}

/// Returns the smallest difference of pass rates between two runs on the same `n` cases if exactly
/// one run passes in the share ψ = `discordance` of them: the δ for which δ√n = z₁√ψ + z₂√(ψ − δ²),
/// as in McNemar's test. Returns `None` if even ψ, with all such cases on one side, is too small.
pub fn detectable_paired_pass_rates(
    discordance: f64,
    n: u64,
    level: Level,
    power: Power,
) -> Option<Detectable> {
    let normals = Normals::of(level, power);
    let difference = normals.solve(discordance, 1.0, n)?;
    (difference <= discordance).then_some(Detectable {
        difference,
        level,
        power,
        n,
        method: DetectableMethod::PairedPassRates,
    })
}

/// Returns the smallest difference of pass rates between two runs of `n` different cases each,
/// around one half, where rates vary most: the δ for which δ√n = z₁√½ + z₂√(½ − δ²/2). Returns
/// `None` if that is more than 1. Below about twenty cases, whose rates are not normal, it is a
/// rough guide.
pub fn detectable_pass_rates(n: u64, level: Level, power: Power) -> Option<Detectable> {
    let normals = Normals::of(level, power);
    let difference = normals.solve(0.5, 0.5, n)?;
    (difference <= 1.0).then_some(Detectable {
        difference,
        level,
        power,
        n,
        method: DetectableMethod::UnpairedPassRates,
    })
}

fn reach(level: Level, power: Power, freedom: u64) -> f64 {
    let freedom = freedom as f64;
    t_upper(level.tail(), freedom) + t_upper(power.missed(), freedom)
}

/// The normal quantiles of a level and a power.
struct Normals {
    level: f64,
    power: f64,
}

impl Normals {
    fn of(level: Level, power: Power) -> Normals {
        Normals {
            level: normal_upper(level.tail()),
            power: normal_upper(power.missed()),
        }
    }

    /// Returns the δ for which δ√n = z₁√v + z₂√(v − f·δ²): the upper root of a quadratic equation,
    /// or `None` if there is none above zero.
    fn solve(&self, variance: f64, factor: f64, n: u64) -> Option<f64> {
        let n = n as f64;
        let leading = n + factor * self.power.powi(2);
        let inner = n + factor * (self.power.powi(2) - self.level.powi(2));
        let root = self.level * n.sqrt() + self.power * inner.max(0.0).sqrt();
        let difference = variance.sqrt() * root / leading;
        (inner >= 0.0 && difference > 0.0).then_some(difference)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LEVEL: Level = Level::NINETY_FIVE;
    const POWER: Power = Power::EIGHTY;

    #[test]
    fn a_suite_that_is_too_small_shows_nothing() {
        for n in [0, 1] {
            assert_eq!(detectable_pass_rates(n, LEVEL, POWER), None);
        }
        for n in [0, 1, 5, 20] {
            assert_eq!(detectable_paired_pass_rates(0.2, n, LEVEL, POWER), None);
        }
        assert_eq!(detectable_paired_pass_rates(0.0, 100, LEVEL, POWER), None);
        assert_eq!(detectable_scores(0.3, 1, LEVEL, POWER), None);
        assert_eq!(detectable_scores(0.0, 100, LEVEL, POWER), None);
    }

    #[test]
    fn four_times_the_cases_show_about_half_the_difference() {
        let of = |n| detectable_pass_rates(n, LEVEL, POWER).unwrap().difference;
        assert!((of(1_600) / of(400) - 0.5).abs() < 0.01);
        let of = |n| detectable_scores(0.3, n, LEVEL, POWER).unwrap().difference;
        assert!((of(1_600) / of(400) - 0.5).abs() < 0.01);
    }
}
