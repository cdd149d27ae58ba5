//! Two texts as numbers: the same number for the same letter, or the same word.

use std::collections::HashMap;

/// Two texts as numbers, which compare faster than letters and words do.
pub(super) struct Symbols {
    pub(super) first: Vec<u32>,
    pub(super) second: Vec<u32>,
    /// Every number is below this.
    pub(super) count: usize,
}

impl Symbols {
    /// The letters of two texts.
    pub(super) fn of_letters(first: &str, second: &str) -> Symbols {
        // Most letters are ASCII, and a table is much quicker than hashing.
        let mut ascii = [u32::MAX; 128];
        let mut others = HashMap::new();
        let mut count = 0;
        let mut number = |letter: char| {
            let known = match ascii.get_mut(letter as usize) {
                Some(known) => known,
                None => others.entry(letter).or_insert(u32::MAX),
            };
            if *known == u32::MAX {
                *known = count;
                count += 1;
            }
            *known
        };
        Symbols {
            first: first.chars().map(&mut number).collect(),
            second: second.chars().map(&mut number).collect(),
            count: count as usize,
        }
    }

    /// The words of two texts.
    pub(super) fn of_words<'t>(
        first: impl Iterator<Item = &'t str>,
        second: impl Iterator<Item = &'t str>,
    ) -> Symbols {
        let mut known = HashMap::new();
        let mut number = |word: &'t str| {
            let next = known.len() as u32;
            *known.entry(word).or_insert(next)
        };
        let first = first.map(&mut number).collect();
        let second = second.map(&mut number).collect();
        Symbols {
            first,
            second,
            count: known.len(),
        }
    }
}

/// The most pairs of symbols that are compared: two texts of a hundred thousand each, which takes
/// about half a second.
const MOST_PAIRS: usize = 10_000_000_000;

/// Refuses texts so long that comparing them would hold up the run.
pub(super) fn refuse_if_too_long(first: usize, second: usize) -> Result<(), String> {
    match first.checked_mul(second) {
        Some(pairs) if pairs <= MOST_PAIRS => Ok(()),
        _ => Err(format!(
            "an answer and a reference of {first} and {second} are too long to compare"
        )),
    }
}
