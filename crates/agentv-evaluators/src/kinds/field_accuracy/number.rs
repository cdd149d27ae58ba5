//! Numbers with units.

use serde_json::Value;

/// A number, and the unit that follows it.
#[derive(Debug, PartialEq)]
pub(super) struct Quantity<'v> {
    pub(super) number: f64,
    /// The unit, or an empty text.
    pub(super) unit: &'v str,
}

/// Reads a number, or a text of a number and an optional unit (`12.5 kg`, `85%`). A text with further
/// numbers (`1,234`, `5-7`, `12:30`) can be read in several ways, so it is no number.
pub(super) fn quantity(value: &Value) -> Option<Quantity<'_>> {
    let (number, unit) = match value {
        Value::String(text) => {
            let text = text.trim();
            let end = number_length(text)?;
            (text[..end].parse().ok()?, text[end..].trim_start())
        }
        value => (value.as_f64()?, ""),
    };
    let is_valid = f64::is_finite(number) && is_unit(unit);
    is_valid.then_some(Quantity { number, unit })
}

/// Returns the length of the number at the start of a text.
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
        ] {
            assert_eq!(quantity(&value), Some(Quantity { number, unit }), "{value}");
        }
    }

    #[test]
    fn a_text_that_can_be_read_in_several_ways_is_no_number() {
        for text in [
            "1,234.5", "1.234.5", "5-7", "5 to 7", "5 - 7", "12:30", "1/2", "", "kg", "about 5",
            "-", ".", "NaN", "inf", "1e999", "$5",
        ] {
            assert_eq!(quantity(&json!(text)), None, "{text}");
        }
        for value in [json!(null), json!(true), json!([1])] {
            assert_eq!(quantity(&value), None, "{value}");
        }
    }
}
