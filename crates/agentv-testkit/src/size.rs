//! Sizes in human notation.

use std::num::ParseIntError;

/// A text that is not a size.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum InvalidSize {
    /// The unit is unknown.
    #[error("unknown unit `{0}`: use kB, MB or GB")]
    Unit(String),
    /// There is no number before the unit.
    #[error("`{text}` is not a size")]
    Number {
        /// The text.
        text: String,
        /// The reason.
        #[source]
        source: ParseIntError,
    },
    /// The size has more bytes than 64 bits can count.
    #[error("`{0}` is too large")]
    TooLarge(String),
}

/// Parses `900`, `650kB`, `20MB` or `1GB` into bytes; units are powers of a thousand.
///
/// # Errors
/// Fails if there is no number, an unknown unit, or the size is too large.
pub fn parse(text: &str) -> Result<u64, InvalidSize> {
    let digits = text.trim_end_matches(|one: char| !one.is_ascii_digit());
    let unit: u64 = match &text[digits.len()..] {
        "" | "B" => 1,
        "k" | "kB" | "K" | "KB" => 1_000,
        "M" | "MB" => 1_000_000,
        "G" | "GB" => 1_000_000_000,
        other => return Err(InvalidSize::Unit(other.to_owned())),
    };
    let number: u64 = digits.parse().map_err(|source| InvalidSize::Number {
        text: text.to_owned(),
        source,
    })?;
    let too_large = || InvalidSize::TooLarge(text.to_owned());
    number.checked_mul(unit).ok_or_else(too_large)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_are_decimal() {
        assert_eq!(parse("900"), Ok(900));
        assert_eq!(parse("650kB"), Ok(650_000));
        assert_eq!(parse("1GB"), Ok(1_000_000_000));
    }

    #[test]
    fn an_invalid_size_is_refused() {
        for text in ["", "GB", "1GiB", "-1", "1.5GB", "99999999999GB"] {
            assert!(parse(text).is_err(), "{text}");
        }
    }
}
