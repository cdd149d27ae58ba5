//! How sure a pass rate is.

/// The quantile of the normal distribution for an interval of 95%.
const Z: f64 = 1.959_963_984_540_054;

/// The Wilson interval of 95% of a share; none of nothing.
pub(super) fn wilson(hits: u64, of: u64) -> Option<[f64; 2]> {
    if of == 0 {
        return None;
    }
    let n = of as f64;
    let share = hits as f64 / n;
    let middle = share + Z * Z / (2.0 * n);
    let half = Z * (share * (1.0 - share) / n + Z * Z / (4.0 * n * n)).sqrt();
    let whole = 1.0 + Z * Z / n;
    let bound = |value: f64| (value / whole).clamp(0.0, 1.0);
    Some([bound(middle - half), bound(middle + half)])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_interval_is_that_of_the_tables() {
        for ((hits, of), (low, high)) in [
            ((8, 10), (0.4902, 0.9433)),
            ((0, 10), (0.0, 0.2775)),
            ((10, 10), (0.7225, 1.0)),
            ((900, 1_000), (0.8799, 0.9171)),
        ] {
            let found = wilson(hits, of).unwrap();
            assert!((found[0] - low).abs() < 1e-4, "{hits} of {of}: {found:?}");
            assert!((found[1] - high).abs() < 1e-4, "{hits} of {of}: {found:?}");
        }
        assert_eq!(wilson(0, 0), None);
    }
}
