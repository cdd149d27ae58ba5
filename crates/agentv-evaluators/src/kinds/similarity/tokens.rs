//! Tokens by the `13a` rules of machine translation.

use std::borrow::Cow;

/// Returns a text with spaces between its tokens.
///
/// Most punctuation marks are tokens of their own, except a full stop or comma between digits, and
/// a hyphen that does not follow a digit. Line breaks and the entities `&quot;`, `&amp;`, `&lt;`
/// and `&gt;` are replaced first.
pub(super) fn tokens(text: &str) -> String {
    let text = undone(text.trim_end_matches(is_space));
    // For ASCII, bytes are faster than letters.
    if text.is_ascii() {
        String::from_utf8(apart(text.bytes()).collect()).unwrap_or_default()
    } else {
        apart(text.chars()).collect()
    }
}

/// Returns a text without line breaks and entities.
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

/// Returns the letters of a text with spaces between its tokens.
fn apart<L: Letter>(letters: impl Iterator<Item = L>) -> impl Iterator<Item = L> {
    let letters = marks_apart(letters);
    let is_digit = |letter: L| letter.into().is_ascii_digit();
    let is_point = |letter: L| matches!(letter.into(), '.' | ',');
    let letters = pairs_apart(letters, |a, b| is_point(b) && !is_digit(a), Apart::Second);
    let letters = pairs_apart(letters, |a, b| is_point(a) && !is_digit(b), Apart::First);
    let is_hyphen = |letter: L| letter.into() == '-';
    let letters = pairs_apart(letters, |a, b| is_hyphen(b) && is_digit(a), Apart::Second);
    let space = L::from(b' ');
    letters.into_iter().map(move |letter| {
        if is_space(letter.into()) {
            space
        } else {
            letter
        }
    })
}

/// A letter, or an ASCII byte.
trait Letter: Copy + From<u8> + Into<char> {}

impl<L: Copy + From<u8> + Into<char>> Letter for L {}

/// Returns true for white space, including the ASCII separators.
fn is_space(letter: char) -> bool {
    letter.is_whitespace() || ('\u{1c}'..='\u{1f}').contains(&letter)
}

/// Returns the letters with a space at both ends and around each punctuation mark.
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

/// The letter of a pair that gets spaces around it.
enum Apart {
    First,
    Second,
}

/// Puts spaces around one letter of each matching pair. Pairs do not overlap.
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
