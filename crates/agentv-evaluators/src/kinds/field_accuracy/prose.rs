//! Dates as people write them, with weekdays, times and ordinals.

use std::borrow::Cow;
use std::sync::LazyLock;

use jiff::civil::Weekday;
use regex::Regex;

const WEEKDAYS: [(&str, Weekday); 7] = [
    ("monday", Weekday::Monday),
    ("tuesday", Weekday::Tuesday),
    ("wednesday", Weekday::Wednesday),
    ("thursday", Weekday::Thursday),
    ("friday", Weekday::Friday),
    ("saturday", Weekday::Saturday),
    ("sunday", Weekday::Sunday),
];

/// A time at the end of a text, with its zone: ` at 10:00 a.m.`, `, 10:00`, ` 10:00:00 GMT+0100 (…)`.
static TIME: LazyLock<Option<Regex>> = LazyLock::new(|| {
    let hour = r"(?i)(?:,|\s+at)?\s+\d{1,2}:\d{2}(?::\d{2}(?:[.,]\d+)?)?(?:\s*[ap]\.?m\.?)?";
    let zone = r"(?:\s*[a-z]{1,4})?(?:\s*[+-]\d{2}:?\d{2})?(?:\s*\([^()]*\))?$";
    Regex::new(&format!("{hour}{zone}")).ok()
});

/// Returns the weekday at the start of a text, and the text after it.
pub(super) fn without_weekday(text: &str) -> (Option<Weekday>, &str) {
    let end = text
        .find(|letter: char| !letter.is_ascii_alphabetic())
        .unwrap_or(text.len());
    let word = text[..end].to_ascii_lowercase();
    let known = WEEKDAYS.iter();
    let mut meant = known.filter(|(name, _)| word.len() >= 3 && name.starts_with(&word));
    match meant.next() {
        Some((_, weekday)) => {
            let rest = text[end..].trim_start_matches(['.', ',']).trim_start();
            (Some(*weekday), rest)
        }
        None => (None, text),
    }
}

/// Returns a text without the time at its end.
pub(super) fn without_time(text: &str) -> &str {
    let is_iso = matches!(text.as_bytes().get(10), Some(b'T' | b't' | b' '))
        && text.as_bytes().get(11).is_some_and(u8::is_ascii_digit);
    let day = text.get(..10).filter(|day| is_iso && day.is_ascii());
    if let Some(day) = day.filter(|day| !day.contains(|c: char| c.is_alphabetic())) {
        return day;
    }
    let time = TIME.as_ref().and_then(|time| time.find(text));
    time.map_or(text, |time| &text[..time.start()])
}

/// Writes ordinals as numbers and names of months without a period: `25th of Dec. 2026` is `25 Dec 2026`.
pub(super) fn plain(text: &str) -> Cow<'_, str> {
    if !text.contains(|letter: char| letter.is_ascii_alphabetic()) {
        return Cow::Borrowed(text);
    }
    let words = text.split_whitespace();
    let words = words.filter(|word| !matches!(*word, "of" | "the"));
    let plain: Vec<String> = words.map(plain_word).collect();
    Cow::Owned(plain.join(" "))
}

fn plain_word(word: &str) -> String {
    let (word, comma) = match word.strip_suffix(',') {
        Some(word) => (word, ","),
        None => (word, ""),
    };
    let is_day = |number: &&str| {
        (1..=2).contains(&number.len()) && number.bytes().all(|byte| byte.is_ascii_digit())
    };
    let ordinals = ["st", "nd", "rd", "th"].into_iter();
    let number = ordinals
        .filter_map(|ending| word.strip_suffix(ending))
        .find(is_day);
    let name = word.strip_suffix('.').unwrap_or(word);
    let plain = match number {
        Some(number) => number,
        None if name.eq_ignore_ascii_case("sept") => "Sep",
        None if name.bytes().all(|byte| byte.is_ascii_alphabetic()) => name,
        None => word,
    };
    format!("{plain}{comma}")
}
