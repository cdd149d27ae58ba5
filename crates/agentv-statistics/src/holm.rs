//! Several tests at once.

/// Corrects the p-values of a family of tests by Holm's method. If all differences with a corrected
/// p-value below a level are reported, the probability that any of them is due to chance stays
/// below that level. The result has the order of the input; each value is at least the original one
/// and at most 1.
///
/// Sorted from the smallest, the i-th of m values (from 0) becomes the largest so far of (m − i)·p.
/// The tests need not be independent.
pub fn holm(p_values: &[f64]) -> Vec<f64> {
    let mut order: Vec<usize> = (0..p_values.len()).collect();
    order.sort_by(|one, other| p_values[*one].total_cmp(&p_values[*other]));
    let mut corrected = vec![0.0; p_values.len()];
    let mut largest: f64 = 0.0;
    for (rank, index) in order.into_iter().enumerate() {
        let left = (p_values.len() - rank) as f64;
        largest = largest.max((left * p_values[index]).min(1.0));
        corrected[index] = largest;
    }
    corrected
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_tests_and_one_test_need_no_correction() {
        assert!(holm(&[]).is_empty());
        assert_eq!(holm(&[0.03]), [0.03]);
    }
}
