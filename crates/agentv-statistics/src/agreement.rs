//! The agreement of two raters of the same items.

/// Returns Cohen's kappa: how much more often two raters agree than by chance, at most 1.
///
/// `confusion[i][j]` counts the items to which the first rater gave the category `i` and the second
/// the category `j`. Returns `None` if chance alone would never disagree, because both raters always
/// give the same single category.
pub fn kappa<const N: usize>(confusion: &[[u64; N]; N]) -> Option<f64> {
    kappa_with(confusion, |one, other| f64::from(u8::from(one != other)))
}

/// Returns Cohen's kappa of ordered categories, with linear weights: a disagreement by two
/// categories counts twice as much as by one.
pub fn weighted_kappa<const N: usize>(confusion: &[[u64; N]; N]) -> Option<f64> {
    kappa_with(confusion, |one, other| one.abs_diff(other) as f64)
}

fn kappa_with<const N: usize>(
    confusion: &[[u64; N]; N],
    weight: impl Fn(usize, usize) -> f64,
) -> Option<f64> {
    let total: u64 = confusion.iter().flatten().sum();
    let rows = confusion.map(|row| row.iter().sum::<u64>() as f64);
    let columns: [f64; N] =
        std::array::from_fn(|column| confusion.iter().map(|row| row[column]).sum::<u64>() as f64);
    let (mut observed, mut by_chance) = (0.0, 0.0);
    for row in 0..N {
        for column in 0..N {
            observed += weight(row, column) * confusion[row][column] as f64;
            by_chance += weight(row, column) * rows[row] * columns[column];
        }
    }
    (by_chance > 0.0).then(|| 1.0 - observed * total as f64 / by_chance)
}

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
