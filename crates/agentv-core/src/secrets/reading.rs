//! Values that read like words, paths or addresses, and not like random letters.

use super::name::humps;

/// The letters that often follow each letter of the alphabet in words of English and in names of
/// software: nine of ten pairs in words are among these, and four of ten in random letters.
const FOLLOWERS: [&str; 26] = [
    "bcdgiklmnprstuvwy",
    "aeilorsuy",
    "acehiklorstuy",
    "adeilorsuy",
    "abcdefglmnpqrstvwxy",
    "aefilorsu",
    "aehilnorsu",
    "aeiortuy",
    "abcdefgklmnoprstvz",
    "aeou",
    "aeins",
    "adeilostuy",
    "abeimopsu",
    "acdefgiknostuvy",
    "abcdfgiklmnoprstuvwx",
    "aehiloprstuy",
    "u",
    "acdefgiklmnorstuy",
    "acehiklmopqstuwy",
    "acefhiloprstuwy",
    "abcegilmnprst",
    "aeio",
    "aehior",
    "aept",
    "enops",
    "aeio",
];

/// The shortest run of letters whose pairs are looked at.
const SHORTEST_RUN: usize = 4;
/// The longest mix of letters and digits that is an ordinary word, such as `4o`, `70B` and `8x7b`.
const SHORT_MIX: usize = 5;
/// The most digits of an ordinary number, such as a date.
const MOST_DIGITS: usize = 8;

/// The most letters of a plain word: longer ones are several words that were written together.
const LONGEST_WORD: usize = 16;
/// The letters of a keyboard, row by row, and the most of them in a row that a plain word has, as
/// `property` has.
const ROWS: [&str; 3] = ["qwertyuiop", "asdfghjkl", "zxcvbnm"];
const MOST_IN_A_ROW: usize = 5;

/// Checks for one word of letters, such as `postgres`.
pub(super) fn is_plain_word(value: &str) -> bool {
    let is_word = value.chars().all(char::is_alphabetic) && humps(value).len() == 1;
    is_word
        && value.chars().count() <= LONGEST_WORD
        && !is_typed_along_a_row(value)
        && reads_like_words(value)
}

/// Checks for letters beside each other on a keyboard, such as `qwertyuiop`.
fn is_typed_along_a_row(value: &str) -> bool {
    let value = value.to_lowercase();
    let rows = ROWS.iter();
    let mut runs = rows.flat_map(|row| row.as_bytes().windows(MOST_IN_A_ROW + 1));
    runs.any(|run| value.as_bytes().windows(run.len()).any(|part| part == run))
}

/// Checks for words and numbers that people and programs write: names of models, regions, versions,
/// sentences.
pub(super) fn reads_like_words(value: &str) -> bool {
    let mut letters = Letters::default();
    let mut parts = value.split(|letter: char| !letter.is_alphanumeric());
    parts.all(|part| letters.take(part)) && letters.are_ordinary()
}

/// Checks for a path from the root, from home or from here. A part of it may be unreadable, such as
/// the digest in the name of a folder.
pub(super) fn reads_like_path(value: &str) -> bool {
    let starts = ["/", "~/", "./", "../"];
    let has_drive =
        matches!(value.as_bytes(), [drive, b':', b'\\' | b'/', ..] if drive.is_ascii_alphabetic());
    if !has_drive && !starts.iter().any(|start| value.starts_with(start)) {
        return false;
    }
    let parts = value.split(['/', '\\', ':']);
    let parts: Vec<&str> = parts.filter(|part| !part.is_empty()).collect();
    let readable = parts.iter().filter(|part| reads_like_words(part)).count();
    readable * 2 > parts.len()
}

/// Checks for the address of a server. Secret parts of addresses are looked for one by one.
pub(super) fn reads_like_address(value: &str) -> bool {
    let scheme = value.split_once("://").map(|(scheme, _)| scheme);
    let is_scheme = |scheme: &str| {
        let mut letters = scheme.chars();
        letters
            .next()
            .is_some_and(|letter| letter.is_ascii_alphabetic())
            && letters.all(|letter| letter.is_ascii_alphanumeric() || "+-.:".contains(letter))
    };
    let is_server = |value: &str| {
        let ip = value.parse::<std::net::IpAddr>().is_ok();
        ip || value.parse::<std::net::SocketAddr>().is_ok()
    };
    scheme.is_some_and(is_scheme) || is_server(value)
}

/// The letters of a value, counted.
#[derive(Default)]
struct Letters {
    /// Pairs of letters, and those among them that are common in words.
    pairs: usize,
    common: usize,
    /// All letters and digits, and those in mixes of both.
    all: usize,
    mixed: usize,
}

impl Letters {
    /// Counts a part between punctuation. Returns false if it is neither a word nor a number.
    fn take(&mut self, part: &str) -> bool {
        let length = part.chars().count();
        self.all += length;
        let runs = runs_of(part);
        runs.iter().for_each(|run| self.count_pairs(run));
        let is_digits = |run: &str| run.starts_with(|letter: char| letter.is_ascii_digit());
        match runs.as_slice() {
            [] => true,
            [run] if is_digits(run) => length <= MOST_DIGITS,
            [run] => has_ordinary_case(run),
            // `Llama3`, `v20241022`
            [word, digits] if is_digits(digits) => {
                let most = if word.len() <= 2 { MOST_DIGITS } else { 4 };
                digits.len() <= most && has_ordinary_case(word)
            }
            _ => {
                self.mixed += length;
                length <= SHORT_MIX
            }
        }
    }

    fn count_pairs(&mut self, run: &str) {
        if run.len() < SHORTEST_RUN || !run.bytes().all(|letter| letter.is_ascii_alphabetic()) {
            return;
        }
        let run = run.to_ascii_lowercase().into_bytes();
        for pair in run.windows(2) {
            let followers = FOLLOWERS[usize::from(pair[0] - b'a')];
            self.pairs += 1;
            self.common += usize::from(followers.as_bytes().contains(&pair[1]));
        }
    }

    fn are_ordinary(&self) -> bool {
        self.common * 8 >= self.pairs * 5 && self.mixed * 2 <= self.all
    }
}

/// Splits a part into runs of digits and runs of other letters.
fn runs_of(part: &str) -> Vec<&str> {
    let mut runs = Vec::new();
    let mut rest = part;
    while let Some(first) = rest.chars().next() {
        let is_digit = first.is_ascii_digit();
        let end = rest.find(|letter: char| letter.is_ascii_digit() != is_digit);
        let (run, after) = rest.split_at(end.unwrap_or(rest.len()));
        runs.push(run);
        rest = after;
    }
    runs
}

/// Checks for `word`, `Word`, `WORD` and `twoWords`: a new capital at most every third letter.
fn has_ordinary_case(run: &str) -> bool {
    let length = run.chars().count();
    length < 6 || humps(run).len() * 3 <= length
}
