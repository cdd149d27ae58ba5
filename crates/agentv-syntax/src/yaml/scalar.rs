//! The values of plain and quoted scalars.

use std::borrow::Cow;

use saphyr_parser::{ScalarStyle, Tag};

use super::reader::ParsedValue;
use crate::tree::NodeKind;

/// The prefix of the tags that YAML itself defines.
const CORE_TAG: &str = "tag:yaml.org,2002:";

/// Returns the value of a scalar, with its text in JSON's spelling.
pub(super) fn scalar<'s>(
    text: Cow<'s, str>,
    style: ScalarStyle,
    tag: Option<&Tag>,
) -> ParsedValue<'s> {
    let name = tag.map(|tag| format!("{}{}", tag.handle, tag.suffix));
    let core_tag = name.as_deref().and_then(|name| name.strip_prefix(CORE_TAG));
    // `!` alone says that the value is not to be resolved by its looks.
    let is_text = core_tag == Some("str") || name.as_deref() == Some("!");
    if is_text || (core_tag.is_none() && style != ScalarStyle::Plain) {
        return ParsedValue::Scalar(NodeKind::String, text);
    }
    let (kind, text) = match text.as_ref() {
        // The text stays, because as a key it is one.
        "" | "~" | "null" | "Null" | "NULL" => (NodeKind::Null, text),
        "true" | "True" | "TRUE" => (NodeKind::Bool, Cow::Borrowed("true")),
        "false" | "False" | "FALSE" => (NodeKind::Bool, Cow::Borrowed("false")),
        plain => match number(plain) {
            Some(number) => (NodeKind::Number, Cow::Owned(number)),
            None if is_number_like(plain) => return ParsedValue::NumberLike(text),
            None => (NodeKind::String, text),
        },
    };
    ParsedValue::Scalar(kind, text)
}

/// Checks if YAML has a number for a text that we do not read as one: JSON has no infinity, and a
/// number that starts with 0 may be a version, a date or a code, and is octal in YAML 1.1.
fn is_number_like(plain: &str) -> bool {
    let unsigned = plain.strip_prefix(['+', '-']).unwrap_or(plain);
    match unsigned {
        ".inf" | ".Inf" | ".INF" => true,
        ".nan" | ".NaN" | ".NAN" => unsigned == plain,
        _ => {
            let digits = unsigned.trim_start_matches('0');
            unsigned.starts_with('0')
                && (number(digits).is_some() || number(&format!("0{digits}")).is_some())
        }
    }
}

/// Returns a plain scalar's number in JSON's spelling, or `None` if it is text.
fn number(plain: &str) -> Option<String> {
    let (sign, digits) = match plain.as_bytes().first()? {
        b'-' => ("-", &plain[1..]),
        b'+' => ("", &plain[1..]),
        _ => ("", plain),
    };
    if sign.is_empty() && digits.len() == plain.len() {
        let radix = match digits.get(..2) {
            Some("0x") => Some(16),
            Some("0o") => Some(8),
            _ => None,
        };
        if let Some(radix) = radix {
            let all_digits = digits[2..].chars().all(|digit| digit.is_digit(radix));
            let value = u64::from_str_radix(&digits[2..], radix).ok();
            return value.filter(|_| all_digits).map(|value| value.to_string());
        }
    }
    let (mantissa, exponent) = match digits.find(['e', 'E']) {
        Some(at) => (&digits[..at], Some(&digits[at + 1..])),
        None => (digits, None),
    };
    let (whole, fraction) = match mantissa.split_once('.') {
        Some((whole, fraction)) => (whole, Some(fraction)),
        None => (mantissa, None),
    };
    let is_digits = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
    if whole.is_empty() && fraction.is_none_or(str::is_empty) {
        return None;
    }
    let leading_zero = whole.len() > 1 && whole.starts_with('0');
    if leading_zero || !is_digits(whole) || !fraction.is_none_or(is_digits) {
        return None;
    }
    let mut json = format!("{sign}{}", if whole.is_empty() { "0" } else { whole });
    if let Some(fraction) = fraction {
        json.push('.');
        json.push_str(if fraction.is_empty() { "0" } else { fraction });
    }
    if let Some(exponent) = exponent {
        let unsigned = exponent.strip_prefix(['+', '-']).unwrap_or(exponent);
        if unsigned.is_empty() || !is_digits(unsigned) {
            return None;
        }
        json.push('e');
        json.push_str(exponent);
    }
    Some(json)
}
