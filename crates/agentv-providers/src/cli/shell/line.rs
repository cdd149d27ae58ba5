//! A shell line with placeholders.

use super::super::placeholder::placeholder_at;
use super::super::program_text::{ProgramText, after_shell_words, within_option};
use super::quotes::{Quotes, Scanner};

/// A shell line, or a part of one, with placeholders.
///
/// `"{PROMPT}"`, `'{PROMPT}'` and `{PROMPT}` are the same: one word.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct ShellLine {
    pieces: Vec<Piece>,
    /// The placeholders that become part of another program.
    pub(crate) program_texts: Vec<ProgramText>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum Piece {
    Text(String),
    Placeholder(&'static str, Quotes),
}

/// A placeholder at a place where a line can have none.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{{{placeholder}}}` cannot be used {place}")]
pub(crate) struct MisplacedPlaceholder {
    pub(crate) placeholder: &'static str,
    pub(crate) place: &'static str,
}

/// The text in place of a placeholder.
pub(super) enum Substitute {
    /// The value of the variable of this name.
    Variable(String),
    /// Words of shell syntax. They hold names of variables and what the user configured, and never
    /// the text of a case.
    Words(String),
}

impl ShellLine {
    /// Finds the placeholders of a line.
    ///
    /// # Errors
    /// If one is at a place where its value would be changed or evaluated.
    pub(crate) fn of(
        line: &str,
        known: &'static [&'static str],
    ) -> Result<ShellLine, MisplacedPlaceholder> {
        ShellLine::scan(line, known, false)
    }

    /// Finds the placeholders of words that become arguments of a command.
    ///
    /// # Errors
    /// As [`of`](Self::of).
    pub(super) fn of_arguments(
        words: &str,
        known: &'static [&'static str],
    ) -> Result<ShellLine, MisplacedPlaceholder> {
        ShellLine::scan(words, known, true)
    }

    fn scan(
        line: &str,
        known: &'static [&'static str],
        is_arguments: bool,
    ) -> Result<ShellLine, MisplacedPlaceholder> {
        let mut scanner = Scanner::of(line, is_arguments);
        let (mut pieces, mut program_texts) = (Vec::new(), Vec::new());
        let mut text_from = 0;
        while scanner.at < line.len() {
            let at = scanner.at;
            let Some(placeholder) = placeholder_at(line, at, known) else {
                scanner.step();
                continue;
            };
            let quotes = scanner.quotes();
            let quotes = quotes.map_err(|place| MisplacedPlaceholder { placeholder, place })?;
            let end = at + placeholder.len() + 2;
            let (words, begun) = scanner.words();
            let is_whole = is_whole_word(begun, &line[end..]);
            let found = after_shell_words(words, placeholder, is_whole);
            program_texts.extend(found.or_else(|| within_option(begun, placeholder)));
            pieces.push(Piece::Text(line[text_from..at].to_owned()));
            pieces.push(Piece::Placeholder(placeholder, quotes));
            (scanner.at, text_from) = (end, end);
        }
        pieces.push(Piece::Text(line[text_from..].to_owned()));
        Ok(ShellLine {
            pieces,
            program_texts,
        })
    }

    /// Checks whether the line has this placeholder.
    pub(super) fn uses(&self, placeholder: &str) -> bool {
        let mut pieces = self.pieces.iter();
        pieces.any(|piece| matches!(piece, Piece::Placeholder(used, _) if *used == placeholder))
    }

    /// Returns the line for the shell, with each placeholder replaced.
    pub(super) fn fill(&self, substitute: impl Fn(&'static str) -> Substitute) -> String {
        let pieces = self.pieces.iter().map(|piece| match piece {
            Piece::Text(text) => text.clone(),
            Piece::Placeholder(placeholder, quotes) => substitute(placeholder).within(*quotes),
        });
        pieces.collect()
    }
}

/// Checks if a placeholder is a word by itself, apart from quotes.
fn is_whole_word(before: &str, behind: &str) -> bool {
    let is_quote = |letter: char| letter == '\'' || letter == '"';
    let behind = behind.trim_start_matches(is_quote);
    let ends = |letter: char| letter.is_whitespace() || ";&|<>()".contains(letter);
    before.chars().all(is_quote) && (behind.is_empty() || behind.starts_with(ends))
}

impl Substitute {
    fn within(self, quotes: Quotes) -> String {
        match (quotes, self) {
            (Quotes::None, Substitute::Variable(name)) => format!("\"${{{name}}}\""),
            (Quotes::Single, Substitute::Variable(name)) => format!("'\"${{{name}}}\"'"),
            (Quotes::Double, Substitute::Variable(name)) => format!("${{{name}}}"),
            (Quotes::None, Substitute::Words(words)) => words,
            (Quotes::Single, Substitute::Words(words)) => format!("'{words}'"),
            (Quotes::Double, Substitute::Words(words)) => format!("\"{words}\""),
        }
    }
}

#[cfg(test)]
impl ShellLine {
    /// Returns the line as it would be if the scanner took all quotes for these.
    pub(super) fn misread(line: &str, placeholder: &'static str, quotes: Quotes) -> ShellLine {
        let mut pieces = Vec::new();
        for text in line.split(&format!("{{{placeholder}}}")) {
            if !pieces.is_empty() {
                pieces.push(Piece::Placeholder(placeholder, quotes));
            }
            pieces.push(Piece::Text(text.to_owned()));
        }
        ShellLine {
            pieces,
            program_texts: Vec::new(),
        }
    }
}
