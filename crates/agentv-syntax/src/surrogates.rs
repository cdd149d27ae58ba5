//! Escapes in strings that are half of a surrogate pair.

use std::ops::Range;

/// The replacement for half of a pair: as long as the escape, so that places do not move.
pub(crate) const REPLACEMENT: &str = "\\ufffd";

/// Returns the place of the first escape that is half of a surrogate pair, without the other half.
pub(crate) fn first_lone(source: &str) -> Option<Range<usize>> {
    lone(source).next()
}

/// Replaces each half of a pair that is alone by the escape of U+FFFD.
pub(crate) fn replaced(source: &str) -> String {
    let mut replaced = String::with_capacity(source.len());
    let mut copied = 0;
    for Range { start, end } in lone(source) {
        replaced.push_str(&source[copied..start]);
        replaced.push_str(REPLACEMENT);
        copied = end;
    }
    replaced.push_str(&source[copied..]);
    replaced
}

/// Returns the first escaped pair of a text, and the character that it stands for in JSON.
pub(crate) fn first_pair(source: &str) -> Option<(Range<usize>, char)> {
    let mut at = 0;
    while let Some(start) = next_escape(source, at) {
        let units = [unit(source, start), unit(source, start + 6)];
        if let [Some(first), Some(second)] = units
            && let Some(Ok(letter)) = char::decode_utf16([first, second]).next()
            && letter.len_utf16() == 2
        {
            return Some((start..start + 12, letter));
        }
        at = start + 2;
    }
    None
}

fn lone(source: &str) -> impl Iterator<Item = Range<usize>> {
    let mut at = 0;
    std::iter::from_fn(move || {
        while let Some(start) = next_escape(source, at) {
            at = match unit(source, start) {
                Some(0xD800..=0xDBFF) if is_second(unit(source, start + 6)) => start + 12,
                Some(0xD800..=0xDFFF) => {
                    at = start + 6;
                    return Some(start..at);
                }
                // The character after the backslash may be one, too.
                _ => start + 2,
            };
        }
        None
    })
}

fn next_escape(source: &str, at: usize) -> Option<usize> {
    let rest = source.as_bytes().get(at..)?;
    memchr::memchr(b'\\', rest).map(|found| at + found)
}

fn is_second(unit: Option<u16>) -> bool {
    matches!(unit, Some(0xDC00..=0xDFFF))
}

/// Returns the UTF-16 unit of the `\uXXXX` at that place.
fn unit(source: &str, at: usize) -> Option<u16> {
    let digits = source.get(at..at + 6)?.strip_prefix("\\u")?;
    let is_hex = digits.bytes().all(|digit| digit.is_ascii_hexdigit());
    is_hex.then(|| u16::from_str_radix(digits, 16).ok())?
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_halves_without_the_other_are_alone() {
        for (source, first) in [
            (r#""\ud800""#, Some(1..7)),
            (r#""\udc00\ud83d\ude00""#, Some(1..7)),
            (r#""\ud83d\ude00\ud83d""#, Some(13..19)),
            (r#""\ud83d\ud83d\ude00""#, Some(1..7)),
            (r#""\ud83d A""#, Some(1..7)),
            (r#""\ud83d\ude00""#, None),
            (r#""\\ud800""#, None),
            (r#""\\\ud800""#, Some(3..9)),
            (r#""\u00e9é""#, None),
        ] {
            assert_eq!(first_lone(source), first, "{source}");
        }
        assert_eq!(
            replaced(r#""\ud800\ud83d\ude00\udc00""#),
            r#""\ufffd\ud83d\ude00\ufffd""#
        );
    }

    #[test]
    fn a_pair_is_one_character() {
        let pair = first_pair(r#"a: "\u00e9 \ud83d\ude00""#);
        assert_eq!(pair, Some((11..23, '😀')));
        assert_eq!(first_pair(r#""\ud83d A""#), None);
    }
}
