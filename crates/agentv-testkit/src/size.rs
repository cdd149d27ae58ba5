//! Sizes in human notation.

/// Parses `900`, `650kB`, `20MB` or `1GB` into bytes; units are powers of a thousand.
///
/// # Errors
/// Fails if there is no number, an unknown unit, or the size is too large.
pub fn parse(text: &str) -> Result<u64, String> {
    let digits = text.trim_end_matches(|one: char| !one.is_ascii_digit());
    let unit: u64 = match &text[digits.len()..] {
        "" | "B" => 1,
        "k" | "kB" | "K" | "KB" => 1_000,
        "M" | "MB" => 1_000_000,
        "G" | "GB" => 1_000_000_000,
        other => return Err(format!("`{other}` is no unit: use kB, MB or GB")),
    };
    let number: u64 = digits
        .parse()
        .map_err(|error| format!("`{digits}`: {error}"))?;
    number
        .checked_mul(unit)
        .ok_or_else(|| format!("`{text}` is too large"))
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
