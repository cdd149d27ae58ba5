//! The rank correlation of two raters of the same items.

/// Returns Spearman's rank correlation of pairs of scores.
///
/// Returns `None` if all scores of one side are equal.
pub fn spearman(scores: &[(f64, f64)]) -> Option<f64> {
    let first = ranks(scores.iter().map(|(one, _)| *one).collect());
    let second = ranks(scores.iter().map(|(_, other)| *other).collect());
    let middle = (scores.len() as f64 + 1.0) / 2.0;
    let product = |one: &[f64], other: &[f64]| -> f64 {
        let pairs = one.iter().zip(other);
        pairs
            .map(|(one, other)| (one - middle) * (other - middle))
            .sum()
    };
    let spread = product(&first, &first) * product(&second, &second);
    (spread > 0.0).then(|| (product(&first, &second) / spread.sqrt()).clamp(-1.0, 1.0))
}

/// Returns the rank of each value from 1; equal values share their mean rank.
fn ranks(values: Vec<f64>) -> Vec<f64> {
    let mut order: Vec<usize> = (0..values.len()).collect();
    order.sort_by(|one, other| values[*one].total_cmp(&values[*other]));
    let mut ranks = vec![0.0; values.len()];
    let mut below = 0;
    for same in order.chunk_by(|one, other| values[*one] == values[*other]) {
        let rank = below as f64 + (same.len() as f64 + 1.0) / 2.0;
        same.iter().for_each(|at| ranks[*at] = rank);
        below += same.len();
    }
    ranks
}
