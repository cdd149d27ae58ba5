//! The confidence of an interval and the power of a test.

use serde::{Serialize, Serializer};

/// A confidence level: a share between 0 and 1 exclusive, such as 0.95.
#[derive(Debug, Clone, Copy, PartialEq, PartialOrd)]
pub struct Level(f64);

impl Level {
    /// The default.
    pub const NINETY_FIVE: Level = Level(0.95);

    /// Returns the level of this share, or `None` unless it is between 0 and 1 exclusive.
    pub fn new(share: f64) -> Option<Level> {
        open_share(share).map(Level)
    }

    /// Returns the share.
    pub fn share(self) -> f64 {
        self.0
    }

    /// Returns the probability outside an interval on each of its two sides.
    pub(crate) fn tail(self) -> f64 {
        (1.0 - self.0) / 2.0
    }
}

impl Serialize for Level {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_f64(self.0)
    }
}

/// The power of a comparison: the probability that it detects an existing difference. A share
/// between 0 and 1 exclusive, such as 0.8.
#[derive(Debug, Clone, Copy, PartialEq, PartialOrd)]
pub struct Power(f64);

impl Power {
    /// The default.
    pub const EIGHTY: Power = Power(0.8);

    /// Returns the power of this share, or `None` unless it is between 0 and 1 exclusive.
    pub fn new(share: f64) -> Option<Power> {
        open_share(share).map(Power)
    }

    /// Returns the share.
    pub fn share(self) -> f64 {
        self.0
    }

    /// Returns the probability that an existing difference is missed.
    pub(crate) fn missed(self) -> f64 {
        1.0 - self.0
    }
}

impl Serialize for Power {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_f64(self.0)
    }
}

fn open_share(share: f64) -> Option<f64> {
    (share > 0.0 && share < 1.0).then_some(share)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_level_lies_between_nothing_and_certainty() {
        for share in [0.0, 1.0, -0.5, 95.0, f64::NAN, f64::INFINITY] {
            assert_eq!((Level::new(share), Power::new(share)), (None, None));
        }
        assert_eq!(Level::new(0.95), Some(Level::NINETY_FIVE));
        assert_eq!(Power::new(0.8), Some(Power::EIGHTY));
    }
}
