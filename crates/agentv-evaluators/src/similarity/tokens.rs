//! Words as the `13a` rules of machine translation see them.

/// The text with its words separated by spaces.
///
/// Most punctuation marks are words of their own; a full stop or comma is unless it stands between
/// digits, and a hyphen is after a digit. Line breaks and the entities `&quot;`, `&amp;`, `&lt;` and
/// `&gt;` are undone first.
pub(super) fn tokens(text: &str) -> String {
    let text = text.trim_end_matches(is_space);
    let text = text
        .replace("<skipped>", "")
        .replace("-\n", "")
        .replace('\n', " ");
    let text = text
        .replace("&quot;", "\"")
        .replace("&amp;", "&")
        .replace("&lt;", "<")
        .replace("&gt;", ">");
    let letters = marks_apart(&text);
    let is_digit = |letter: char| letter.is_ascii_digit();
    let letters = pairs_apart(&letters, |a, b| !is_digit(a) && is_point(b), Apart::Second);
    let letters = pairs_apart(&letters, |a, b| is_point(a) && !is_digit(b), Apart::First);
    let letters = pairs_apart(&letters, |a, b| is_digit(a) && b == '-', Apart::Second);
    let spaced = letters.into_iter();
    spaced
        .map(|letter| if is_space(letter) { ' ' } else { letter })
        .collect()
}

/// The separators of ASCII count as white space here, beside what Unicode says.
fn is_space(letter: char) -> bool {
    letter.is_whitespace() || ('\u{1c}'..='\u{1f}').contains(&letter)
}

fn is_point(letter: char) -> bool {
    matches!(letter, '.' | ',')
}

/// The letters between two spaces, and a space on either side of each mark.
fn marks_apart(text: &str) -> Vec<char> {
    let mut letters = Vec::with_capacity(text.len() + 2);
    letters.push(' ');
    for letter in text.chars() {
        let stays = matches!(letter, '\'' | ',' | '-' | '.');
        if letter.is_ascii_punctuation() && !stays {
            letters.extend([' ', letter, ' ']);
        } else {
            letters.push(letter);
        }
    }
    letters.push(' ');
    letters
}

/// Which letter of a pair is set apart by spaces.
enum Apart {
    First,
    Second,
}

/// The letters with one of each matching pair set apart. Pairs do not overlap: after one, the next
/// begins behind it.
fn pairs_apart(letters: &[char], is_pair: impl Fn(char, char) -> bool, apart: Apart) -> Vec<char> {
    let mut out = Vec::with_capacity(letters.len() + letters.len() / 4);
    let mut rest = letters;
    while let [first, tail @ ..] = rest {
        match tail {
            [second, tail @ ..] if is_pair(*first, *second) => {
                match apart {
                    Apart::First => out.extend([' ', *first, ' ', *second]),
                    Apart::Second => out.extend([*first, ' ', *second, ' ']),
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
