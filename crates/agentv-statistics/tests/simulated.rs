//! Trials of a simulated target, from a seed.

/// Random numbers: SplitMix64.
pub(crate) struct Random(u64);

impl Random {
    pub(crate) fn seeded(seed: u64) -> Random {
        Random(seed)
    }

    /// Returns a number from 0 to 1.
    pub(crate) fn share(&mut self) -> f64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((mixed ^ (mixed >> 31)) >> 11) as f64 / (1u64 << 53) as f64
    }

    /// Returns the outcomes of `size` trials that pass with probability `rate`. The correlation of
    /// any two is `correlation`: 0 is independent, 1 all alike. They are drawn from Pólya's urn, so
    /// the number of passes has the beta-binomial distribution.
    pub(crate) fn cluster(&mut self, size: u64, rate: f64, correlation: f64) -> Vec<bool> {
        let mut passed = 0.0;
        let mut outcomes = Vec::new();
        for drawn in 0..size {
            let weight = 1.0 - correlation + drawn as f64 * correlation;
            let chance = match drawn {
                0 => rate,
                _ => (rate * (1.0 - correlation) + passed * correlation) / weight,
            };
            let passes = self.share() < chance;
            passed += f64::from(u8::from(passes));
            outcomes.push(passes);
        }
        outcomes
    }
}

/// Checks if the long form of the simulations is wanted: `AGENTV_CAMPAIGN=long`.
pub(crate) fn is_long() -> bool {
    std::env::var("AGENTV_CAMPAIGN").is_ok_and(|form| form == "long")
}
