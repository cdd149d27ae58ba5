//! Numbers with units.

use serde_json::Value;

/// A number, and the unit that follows it.
#[derive(Debug, PartialEq)]
pub(super) struct Quantity<'v> {
    pub(super) number: f64,
    /// The unit, or an empty text.
    pub(super) unit: &'v str,
}

/// Reads a number, or a text of a number and an optional unit (`12.5 kg`, `85%`, `1,234.5 USD`). A text
/// that can be read in several ways (`1,234`, `5-7`, `12:30`) is no number.
pub(super) fn quantity(value: &Value) -> Option<Quantity<'_>> {
    let (number, unit) = match value {
        Value::String(text) => {
            let text = text.trim();
            let (number, end) = leading_number(text)?;
            (number, text[end..].trim_start())
        }
        value => (value.as_f64()?, ""),
    };
    let is_valid = f64::is_finite(number) && is_unit(unit);
    is_valid.then_some(Quantity { number, unit })
}

/// Returns the number at the start of a text, and its length.
fn leading_number(text: &str) -> Option<(f64, usize)> {
    if let Some((digits, end)) = grouped(text) {
        return Some((digits.parse().ok()?, end));
    }
    let end = number_length(text)?;
    Some((text[..end].parse().ok()?, end))
}

/// Returns the digits of a number with separators of thousands, and its length. Which of point and comma
/// separates thousands must be certain: `1,234.5`, `1.234,5` and `1,234,567` are such numbers, `1,234` is
/// not.
fn grouped(text: &str) -> Option<(String, usize)> {
    let signed = text.strip_prefix(['+', '-']).unwrap_or(text);
    let is_part = |letter: char| letter.is_ascii_digit() || matches!(letter, '.' | ',');
    let length = signed.find(|letter| !is_part(letter));
    let written = &signed[..length.unwrap_or(signed.len())];
    let separator = written.find(['.', ',']).map(|at| &written[at..=at])?;
    let decimal = if separator == "," { '.' } else { ',' };
    let (whole, fraction) = match written.split_once(decimal) {
        Some((whole, fraction)) => (whole, Some(fraction)),
        None => (written, None),
    };
    let is_digits = |part: &str| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit());
    let mut groups = whole.split(separator);
    let first = groups
        .next()
        .filter(|first| is_digits(first) && first.len() <= 3)?;
    let groups: Vec<&str> = groups.collect();
    let are_thousands = groups
        .iter()
        .all(|group| is_digits(group) && group.len() == 3);
    let is_certain = groups.len() > 1 || !groups.is_empty() && fraction.is_some();
    if !are_thousands || !is_certain || !fraction.is_none_or(is_digits) {
        return None;
    }
    let sign = &text[..text.len() - signed.len()];
    let fraction = fraction.unwrap_or("0");
    let digits = format!("{sign}{first}{}.{fraction}", groups.concat());
    Some((digits, sign.len() + written.len()))
}

/// Returns the length of a number without separators at the start of a text.
fn number_length(text: &str) -> Option<usize> {
    let bytes = text.as_bytes();
    let digits = |from: usize| {
        bytes[from..]
            .iter()
            .take_while(|byte| byte.is_ascii_digit())
            .count()
    };
    let sign = usize::from(matches!(bytes.first(), Some(b'+' | b'-')));
    let whole = digits(sign);
    let mut end = sign + whole;
    let mut fraction = 0;
    if bytes.get(end) == Some(&b'.') {
        fraction = digits(end + 1);
        end += if whole + fraction > 0 {
            1 + fraction
        } else {
            0
        };
    }
    if whole + fraction == 0 {
        return None;
    }
    if matches!(bytes.get(end), Some(b'e' | b'E')) {
        let sign = usize::from(matches!(bytes.get(end + 1), Some(b'+' | b'-')));
        let exponent = digits((end + 1 + sign).min(bytes.len()));
        end += if exponent > 0 { 1 + sign + exponent } else { 0 };
    }
    Some(end)
}

/// Returns true for an empty text and for a unit: it starts with a letter or a sign such as `%`, and
/// none of its words starts with a number.
fn is_unit(unit: &str) -> bool {
    let starts_like_one = |first: char| first.is_alphabetic() || "%‰°$€£¥₹'\"µΩ".contains(first);
    let mut words = unit.split_whitespace();
    unit.chars().next().is_none_or(starts_like_one)
        && words.all(|word| number_length(word).is_none())
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn a_number_may_have_a_unit() {
        for (value, number, unit) in [
            (json!(12.5), 12.5, ""),
            (json!("12.5"), 12.5, ""),
            (json!(" 12.5 kg "), 12.5, "kg"),
            (json!("12.5kg"), 12.5, "kg"),
            (json!("-3 °C"), -3.0, "°C"),
            (json!("85%"), 85.0, "%"),
            (json!("1e3 m2"), 1000.0, "m2"),
            (json!("5 eggs"), 5.0, "eggs"),
            (json!("5e"), 5.0, "e"),
            (json!(".5"), 0.5, ""),
            (json!("5."), 5.0, ""),
            (json!("+5 square metres"), 5.0, "square metres"),
            (json!("1,234.5 USD"), 1234.5, "USD"),
            (json!("-1.234,5"), -1234.5, ""),
            (json!("12,345,678"), 12_345_678.0, ""),
            (json!("1.234.567 €"), 1_234_567.0, "€"),
        ] {
            assert_eq!(quantity(&value), Some(Quantity { number, unit }), "{value}");
        }
    }

    #[test]
    fn a_text_that_can_be_read_in_several_ways_is_no_number() {
        for text in [
            "1,234",
            "1,5",
            "12,34.5",
            "1234,567.8",
            "1,234.5.6",
            "1,234.5,6",
            "1,,234.5",
            ",234.5",
            "1,234.",
            "1.234.5",
            "5-7",
            "5 to 7",
            "5 - 7",
            "12:30",
            "1/2",
            "",
            "kg",
            "about 5",
            "-",
            ".",
            "NaN",
            "inf",
            "1e999",
            "$5",
        ] {
            assert_eq!(quantity(&json!(text)), None, "{text}");
        }
        for value in [json!(null), json!(true), json!([1])] {
            assert_eq!(quantity(&value), None, "{value}");
        }
    }
}
