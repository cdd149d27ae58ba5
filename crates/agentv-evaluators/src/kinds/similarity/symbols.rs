//! Two texts as numbers: the same number for the same word.

use std::collections::HashMap;

/// Two texts as numbers, which compare faster than words do.
pub(super) struct Symbols {
    pub(super) first: Vec<u32>,
    pub(super) second: Vec<u32>,
}

impl Symbols {
    /// Numbers the words of two texts.
    pub(super) fn of_words<'t>(
        first: impl Iterator<Item = &'t str>,
        second: impl Iterator<Item = &'t str>,
    ) -> Symbols {
        let mut known = HashMap::new();
        let mut number = |word: &'t str| {
            let next = known.len() as u32;
            *known.entry(word).or_insert(next)
        };
        Symbols {
            first: first.map(&mut number).collect(),
            second: second.map(&mut number).collect(),
        }
    }
}
