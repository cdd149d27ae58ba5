//! Quantiles and tails of the normal distribution and of Student's t.

use std::f64::consts::SQRT_2;

use statrs::function::{beta::checked_beta_reg, erf};

/// The number of degrees of freedom from which t is computed by a series around the normal
/// distribution.
const SERIES_FROM: f64 = 1_000.0;

/// Returns the z that a normal value exceeds with probability `tail`, which is between 0 and 1.
pub(crate) fn normal_upper(tail: f64) -> f64 {
    SQRT_2 * erf::erfc_inv(2.0 * tail)
}

/// Returns the probability that a normal value is at least as far from 0 as `z`, on either side.
pub(crate) fn normal_two_sided(z: f64) -> f64 {
    erf::erfc(z.abs() / SQRT_2)
}

/// Returns the t that Student's t with `freedom` ≥ 1 degrees of freedom exceeds with probability
/// `tail`, which is between 0 and 1.
pub(crate) fn t_upper(tail: f64, freedom: f64) -> f64 {
    if tail > 0.5 {
        return -t_upper(1.0 - tail, freedom);
    }
    let z = normal_upper(tail);
    if freedom >= SERIES_FROM {
        return series(z, freedom);
    }
    // The tails of t are heavier than the normal ones, so z is a lower bound.
    let (mut low, mut high) = (z.max(0.0), z.max(1.0));
    while t_tail(high, freedom) > tail && high < 1e100 {
        high *= 2.0;
    }
    loop {
        let middle = f64::midpoint(low, high);
        if middle <= low || middle >= high {
            return middle;
        }
        if t_tail(middle, freedom) > tail {
            low = middle
        } else {
            high = middle
        }
    }
}

/// Computes P(T > t) = I_{ν/(ν+t²)}(ν/2, ½) / 2, for t ≥ 0.
fn t_tail(t: f64, freedom: f64) -> f64 {
    let x = freedom / (freedom + t * t);
    checked_beta_reg(freedom / 2.0, 0.5, x).map_or(0.0, |share| share / 2.0)
}

/// Computes the Cornish-Fisher expansion to the fourth power of 1/ν.
fn series(z: f64, freedom: f64) -> f64 {
    let square = z * z;
    let polynomial = |factors: &[f64], divisor: f64| {
        z * factors
            .iter()
            .fold(0.0, |sum, factor| sum * square + factor)
            / divisor
    };
    let terms = [
        z,
        polynomial(&[1.0, 1.0], 4.0),
        polynomial(&[5.0, 16.0, 3.0], 96.0),
        polynomial(&[3.0, 19.0, 17.0, -15.0], 384.0),
        polynomial(&[79.0, 776.0, 1482.0, -1920.0, -945.0], 92_160.0),
    ];
    let term_by_term = terms.iter().rev();
    term_by_term.fold(0.0, |sum, term| sum / freedom + term)
}

#[cfg(test)]
mod tests {
    use serde_json::Value;

    use super::*;

    #[test]
    fn quantiles_are_those_of_scipy() {
        let written = include_str!("../tests/expectations/statistics.json");
        let all: Value = serde_json::from_str(written).unwrap();
        let cases = all["t_quantiles"].as_array().unwrap();
        assert!(cases.len() > 100);
        for case in cases {
            let [tail, freedom, t, z] =
                ["tail", "freedom", "t", "z"].map(|name| case[name].as_f64().unwrap());
            let found = t_upper(tail, freedom);
            assert!((found - t).abs() <= 1e-10 * t.abs(), "{found} {case}");
            let found = normal_upper(tail);
            assert!((found - z).abs() <= 1e-12, "{found} {case}");
            let both = 2.0 * tail.min(1.0 - tail);
            let found = normal_two_sided(z);
            assert!((found - both).abs() <= 1e-9 * both, "{found} {case}");
        }
    }
}
