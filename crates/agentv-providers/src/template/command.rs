//! The words of a command, as far as it was read.

use super::program::Before;

/// Stands in a word for what is known only when it runs.
const UNKNOWN: char = '\u{fffc}';

/// Words behind which a command begins.
const LEADING: &[&str] = &[
    "if", "then", "else", "elif", "while", "until", "do", "!", "{", "time",
];

/// A command without its quotes and redirections.
#[derive(Debug, Default)]
pub(super) struct Command {
    words: Vec<String>,
    word: Option<String>,
    /// The word is the file of a redirection.
    redirects: bool,
    /// How many `case` have no `esac` yet.
    cases: u32,
}

impl Command {
    pub(super) fn in_word(&self) -> bool {
        self.word.is_some()
    }

    /// Whether a `)` ends a pattern.
    pub(super) fn in_case(&self) -> bool {
        self.cases > 0
    }

    /// What is before the word that is being read or begins; `None` for a file of a redirection.
    pub(super) fn before(&self) -> Option<Before<'_>> {
        let begun = self.word.as_deref().unwrap_or_default();
        let words = &self.words;
        (!self.redirects).then_some(Before { words, begun })
    }

    /// Goes on with a word, or begins one.
    pub(super) fn add(&mut self, text: &str) {
        self.word.get_or_insert_default().push_str(text);
    }

    /// Goes on with what is known only when it runs.
    pub(super) fn add_unknown(&mut self) {
        self.word.get_or_insert_default().push(UNKNOWN);
    }

    pub(super) fn end_word(&mut self) {
        let Some(word) = self.word.take() else {
            return;
        };
        if std::mem::take(&mut self.redirects) {
            return;
        }
        let begins = self.words.is_empty();
        match word.as_str() {
            "case" if begins => self.cases += 1,
            "esac" if begins => self.cases = self.cases.saturating_sub(1),
            _ => {}
        }
        let after_case = word == "in" && self.words.len() == 2 && self.words[0] == "case";
        if after_case || (begins && LEADING.contains(&word.as_str())) {
            self.words.clear();
        } else {
            self.words.push(word);
        }
    }

    /// Ends the command; another may follow.
    pub(super) fn end(&mut self) {
        self.end_word();
        self.words.clear();
        self.redirects = false;
    }

    /// The next word is a file. A number before it is no word.
    pub(super) fn redirect(&mut self) {
        let is_number = |word: &String| word.bytes().all(|byte| byte.is_ascii_digit());
        if self.word.as_ref().is_some_and(is_number) {
            self.word = None;
        }
        self.end_word();
        self.redirects = true;
    }
}
