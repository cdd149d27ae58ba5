//! Words as the `13a` rules of machine translation see them.

use std::borrow::Cow;

/// The text with its words separated by spaces.
///
/// Most punctuation marks are words of their own; a full stop or comma is unless it stands between
/// digits, and a hyphen is after a digit. Line breaks and the entities `&quot;`, `&amp;`, `&lt;` and
/// `&gt;` are undone first.
pub(super) fn tokens(text: &str) -> String {
    let text = undone(text.trim_end_matches(is_space));
    // Bytes are quicker to go through than letters, where they are the same.
    match text.is_ascii() {
        true => String::from_utf8(apart(text.bytes()).collect()).unwrap_or_default(),
        false => apart(text.chars()).collect(),
    }
}

/// The text without line breaks and entities.
fn undone(text: &str) -> Cow<'_, str> {
    if !text.contains(['<', '\n', '&']) {
        return Cow::Borrowed(text);
    }
    let text = text
        .replace("<skipped>", "")
        .replace("-\n", "")
        .replace('\n', " ");
    let text = text
        .replace("&quot;", "\"")
        .replace("&amp;", "&")
        .replace("&lt;", "<")
        .replace("&gt;", ">");
    Cow::Owned(text)
}

/// The letters of a text with spaces between its words.
fn apart<L: Letter>(letters: impl Iterator<Item = L>) -> impl Iterator<Item = L> {
    let letters = marks_apart(letters);
    let is_digit = |letter: L| letter.into().is_ascii_digit();
    let is_point = |letter: L| matches!(letter.into(), '.' | ',');
    let letters = pairs_apart(letters, |a, b| is_point(b) && !is_digit(a), Apart::Second);
    let letters = pairs_apart(letters, |a, b| is_point(a) && !is_digit(b), Apart::First);
    let is_hyphen = |letter: L| letter.into() == '-';
    let letters = pairs_apart(letters, |a, b| is_hyphen(b) && is_digit(a), Apart::Second);
    let space = L::from(b' ');
    letters
        .into_iter()
        .map(move |letter| match is_space(letter.into()) {
            true => space,
            false => letter,
        })
}

/// A letter, or the byte that is one.
trait Letter: Copy + From<u8> + Into<char> {}

impl<L: Copy + From<u8> + Into<char>> Letter for L {}

/// The separators of ASCII count as white space here, beside what Unicode says.
fn is_space(letter: char) -> bool {
    letter.is_whitespace() || ('\u{1c}'..='\u{1f}').contains(&letter)
}

/// The letters between two spaces, and a space on either side of each mark.
fn marks_apart<L: Letter>(text: impl Iterator<Item = L>) -> Vec<L> {
    let space = L::from(b' ');
    let mut letters = Vec::with_capacity(text.size_hint().1.unwrap_or_default() + 2);
    letters.push(space);
    for letter in text {
        let stays = matches!(letter.into(), '\'' | ',' | '-' | '.');
        if letter.into().is_ascii_punctuation() && !stays {
            letters.extend([space, letter, space]);
        } else {
            letters.push(letter);
        }
    }
    letters.push(space);
    letters
}

/// Which letter of a pair is set apart by spaces.
enum Apart {
    First,
    Second,
}

/// The letters with one of each matching pair set apart. Pairs do not overlap: after one, the next
/// begins behind it.
fn pairs_apart<L: Letter>(letters: Vec<L>, is_pair: impl Fn(L, L) -> bool, apart: Apart) -> Vec<L> {
    let is_any = letters.windows(2).any(|pair| is_pair(pair[0], pair[1]));
    if !is_any {
        return letters;
    }
    let space = L::from(b' ');
    let mut out = Vec::with_capacity(letters.len() + letters.len() / 4);
    let mut rest = letters.as_slice();
    while let [first, tail @ ..] = rest {
        match tail {
            [second, tail @ ..] if is_pair(*first, *second) => {
                match apart {
                    Apart::First => out.extend([space, *first, space, *second]),
                    Apart::Second => out.extend([*first, space, *second, space]),
                }
                rest = tail;
            }
            _ => {
                out.push(*first);
                rest = tail;
            }
        }
    }
    out
}
