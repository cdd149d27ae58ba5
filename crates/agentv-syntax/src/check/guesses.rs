//! Guesses at what unknown keys were meant to be.

use crate::suggest::nearest;

/// Guesses at what unknown keys were meant to be. Kept from case to case, because comparing names is
/// slow and the same keys come again.
#[derive(Debug, Default)]
pub(super) struct Guesses {
    /// The record that does not know the key, the key, and the guess.
    known: Vec<(&'static str, String, Option<&'static str>)>,
}

impl Guesses {
    /// Number of keys that are remembered: few, so that a search is quick.
    const KEPT: usize = 32;

    pub(super) fn guess<I: Iterator<Item = &'static str>>(
        &mut self,
        owner: &'static str,
        name: &str,
        known: impl Fn() -> I,
    ) -> Option<&'static str> {
        let found = self
            .known
            .iter()
            .find(|(known_owner, known_name, _)| known_name == name && *known_owner == owner);
        if let Some((_, _, guess)) = found {
            return *guess;
        }
        let guess = nearest(name, known());
        if self.known.len() >= Self::KEPT {
            self.known.clear();
        }
        self.known.push((owner, name.to_owned(), guess));
        guess
    }
}
