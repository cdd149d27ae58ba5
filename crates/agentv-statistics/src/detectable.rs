//! The smallest difference that a suite of its size shows.

use serde::Serialize;

use crate::distributions::{normal_upper, t_upper};
use crate::{Interval, Level, Power};

/// The smallest difference between two runs that a comparison shows with a certain power.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Detectable {
    /// The difference, of scores or shares from 0 to 1.
    pub difference: f64,
    /// The level of the comparison, which is two-sided.
    pub level: Level,
    /// How often a difference of this size is seen.
    pub power: Power,
    /// How many cases each run has.
    pub n: u64,
    /// What was known.
    pub method: DetectableMethod,
}

/// From what the smallest difference was found.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum DetectableMethod {
    /// From how much the scores of two runs on the same cases differ.
    PairedScores,
    /// From how much the scores of one run spread: as if the other were of other cases, which is
    /// the worst case.
    UnpairedScores,
    /// From the share of cases in which one run passes and the other does not.
    PairedPassRates,
    /// From nothing: pass rates about one half on other cases, which is the worst case.
    UnpairedPassRates,
}

/// The smallest mean difference that the comparison behind `difference` shows: (t₁ + t₂)·SE, with
/// t₁ of the level, t₂ of the power, and the degrees of freedom of the interval. It knows of
/// clusters by the standard error. `None` of an interval that is not of a mean, or where all
/// differences are equal.
///
/// Above some ten cases it is within a few percent of what the noncentral t distribution gives,
/// below that it is a rough guide.
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

/// The smallest difference of mean scores between two runs of `n` cases, when only one run is
/// known and its scores have this standard deviation: (t₁ + t₂)·s·√(2/n), with 2n − 2 degrees of
/// freedom. Runs on the same cases show smaller ones, as a rule. `None` of fewer than two cases or
/// without deviation.
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

/// The smallest difference of pass rates between two runs on the same `n` cases, when one passes
/// and the other does not in the share ψ = `discordance` of them: the δ for which
/// δ√n = z₁√ψ + z₂√(ψ − δ²), as of the test of McNemar. `None` where even ψ, all such cases on one
/// side, is too little.
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

/// The smallest difference of pass rates between two runs of `n` other cases each, about one half,
/// where rates stray most: the δ for which δ√n = z₁√½ + z₂√(½ − δ²/2). `None` where that is more
/// than 1; a rough guide below some twenty cases, whose rates are not normal.
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

    /// The δ for which δ√n = z₁√v + z₂√(v − f·δ²): the upper root of a quadratic equation. `None`
    /// where there is none above zero.
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
