//! The exact test that two outcomes are equally frequent.

/// Returns the probability that a fair coin is at least as uneven as `one` to `other`: the
/// two-sided binomial test with p = ½, min(1, 2·P(X ≤ min)) for X of `one + other` throws. Returns
/// 1 if there are no throws.
///
/// The result is exact for any number: P is a sum of coefficients, each computed from its neighbour
/// and all relative to the largest, so nothing overflows and nothing cancels.
pub(crate) fn fair_coin(one: u64, other: u64) -> f64 {
    let (fewer, throws) = (one.min(other), one + other);
    if throws - fewer * 2 <= 1 {
        return 1.0;
    }
    let middle = throws / 2;
    let (mut coefficient, mut half, mut tail) = (1.0, 0.0, 0.0);
    let mut heads = middle;
    loop {
        // The middle of an even number of throws belongs to both halves.
        let shared = heads * 2 == throws;
        half += if shared {
            coefficient / 2.0
        } else {
            coefficient
        };
        if heads <= fewer {
            tail += coefficient;
        }
        coefficient *= heads as f64 / (throws - heads + 1) as f64;
        if heads == 0 || coefficient == 0.0 {
            break;
        }
        heads -= 1;
    }
    (tail / half).min(1.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn few_throws_are_counted_on_fingers() {
        assert_eq!(fair_coin(0, 0), 1.0);
        assert_eq!(fair_coin(0, 1), 1.0);
        assert_eq!(fair_coin(0, 2), 0.5);
        assert_eq!(fair_coin(5, 0), 2.0 / 32.0);
        assert_eq!(fair_coin(1, 3), 2.0 * 5.0 / 16.0);
        assert_eq!(fair_coin(3, 3), 1.0);
    }

    #[test]
    fn a_probability_too_small_to_write_is_zero() {
        assert_eq!(fair_coin(0, 100_000), 0.0);
    }
}
