//! A small random number generator whose sequence never changes.

/// SplitMix64: the same seed gives the same numbers on every machine and in every version.
#[derive(Debug, Clone)]
pub struct Random {
    state: u64,
}

const STEP: u64 = 0x9E37_79B9_7F4A_7C15;

impl Random {
    /// Returns the sequence of `seed`.
    pub fn new(seed: u64) -> Random {
        Random { state: seed }
    }

    /// Returns the sequence of the `index`-th item of `seed`, unrelated to that of its neighbours.
    pub fn of_item(seed: u64, index: u64) -> Random {
        let mut sequence = Random::new(seed);
        sequence.state = sequence.next() ^ index.wrapping_mul(STEP);
        Random::new(sequence.next())
    }

    /// Returns the next 64 bits.
    #[expect(
        clippy::should_implement_trait,
        reason = "an endless sequence is no iterator to collect"
    )]
    pub fn next(&mut self) -> u64 {
        self.state = self.state.wrapping_add(STEP);
        let mut bits = self.state;
        bits = (bits ^ (bits >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        bits = (bits ^ (bits >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        bits ^ (bits >> 31)
    }

    /// Returns a number from `low` to `high`, both included.
    ///
    /// # Panics
    /// Panics if `low` is above `high`.
    pub fn between(&mut self, low: u64, high: u64) -> u64 {
        assert!(low <= high, "`{low}..={high}` is empty");
        let Some(width) = (high - low).checked_add(1) else {
            return self.next();
        };
        low + self.next() % width
    }

    /// Returns true in about `percent` of a hundred calls.
    pub fn chance(&mut self, percent: u64) -> bool {
        self.next() % 100 < percent
    }

    /// Returns one of `items`.
    ///
    /// # Panics
    /// Panics if there are none.
    pub fn pick<T: Copy>(&mut self, items: &[T]) -> T {
        let index = self.next() % items.len() as u64;
        items[index as usize]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_sequence_is_that_of_the_published_algorithm() {
        let mut random = Random::new(1_234_567);
        assert_eq!(random.next(), 6_457_827_717_110_365_317);
        assert_eq!(random.next(), 3_203_168_211_198_807_973);
    }

    #[test]
    fn both_ends_of_a_range_are_reached_and_nothing_beyond() {
        let mut random = Random::new(1);
        let drawn: Vec<u64> = (0..200).map(|_| random.between(3, 5)).collect();
        assert_eq!(drawn.iter().min(), Some(&3));
        assert_eq!(drawn.iter().max(), Some(&5));
        random.between(0, u64::MAX);
    }
}
