//! The quotes around each place of a shell line.

use std::fmt;

/// Commands that calculate with the values of their words.
const CALCULATING: &[&str] = &["let", "[["];

/// The quotes around a placeholder.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Quotes {
    None,
    Single,
    Double,
}

/// A part of a shell line that can have no placeholder.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Misplaced {
    Arithmetic,
    Backticks,
    Case,
    CommandName,
    DollarQuote,
    HereDocument,
    Index,
    Parameter,
}

impl fmt::Display for Misplaced {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Misplaced::Arithmetic => "in or after shell arithmetic",
            Misplaced::Backticks => "in backticks; write `$(…)` instead",
            Misplaced::Case => "after `case` in parentheses",
            Misplaced::CommandName => "as the name of the command",
            Misplaced::DollarQuote => "in or after `$'…'`",
            Misplaced::HereDocument => "in or after a here-document (`<<`)",
            Misplaced::Index => "as the index of an array",
            Misplaced::Parameter => "in `${…}`",
        })
    }
}

/// A construct that is not closed yet.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Open {
    Single,
    Double,
    /// `${…}`
    Parameter,
    Backticks,
    /// `(…)` or `$(…)`
    Parentheses,
}

/// A reader of a shell line that follows its quotes.
///
/// The beginnings of commands and words are only as good as warnings need them.
pub(super) struct Scanner<'l> {
    line: &'l str,
    pub(super) at: usize,
    open: Vec<Open>,
    /// A construct that the scanner does not follow: the quotes behind it are unknown.
    lost: Option<Misplaced>,
    command_start: usize,
    word_start: usize,
    /// The line is only the arguments of a command.
    arguments: bool,
}

impl<'l> Scanner<'l> {
    /// Creates a scanner for a line, or for the arguments of a command.
    pub(super) fn of(line: &'l str, arguments: bool) -> Scanner<'l> {
        Scanner {
            line,
            arguments,
            at: 0,
            open: Vec::new(),
            lost: None,
            command_start: 0,
            word_start: 0,
        }
    }

    /// Returns the words of the command before the one that is being read.
    pub(super) fn words(&self) -> Vec<String> {
        let words = self.line[self.command_start..self.word_start].split_whitespace();
        words
            .filter(|word| *word != "\\")
            .map(|word| word.trim_matches(['\'', '"']).to_owned())
            .collect()
    }

    /// Returns the quotes around this place.
    ///
    /// # Errors
    /// If a placeholder cannot be used here.
    pub(super) fn quotes(&self) -> Result<Quotes, Misplaced> {
        let inside = self.open.iter().find_map(|open| match open {
            Open::Backticks => Some(Misplaced::Backticks),
            Open::Parameter => Some(Misplaced::Parameter),
            Open::Single | Open::Double | Open::Parentheses => None,
        });
        if let Some(misplaced) = self.lost.or(inside).or_else(|| self.misplaced_word()) {
            return Err(misplaced);
        }
        Ok(match self.open.last() {
            Some(Open::Single) => Quotes::Single,
            Some(Open::Double) => Quotes::Double,
            _ => Quotes::None,
        })
    }

    fn misplaced_word(&self) -> Option<Misplaced> {
        let words = self.words();
        let begun = self.line[self.word_start..self.at].trim_matches(['\'', '"']);
        if self.arguments {
            None
        } else if words.is_empty() && begun.is_empty() {
            Some(Misplaced::CommandName)
        } else if words.is_empty() && is_index(begun) {
            Some(Misplaced::Index)
        } else {
            let calculates = |word: &String| CALCULATING.contains(&word.as_str());
            words
                .iter()
                .any(calculates)
                .then_some(Misplaced::Arithmetic)
        }
    }

    /// Reads the next character, or a construct that begins with it.
    pub(super) fn step(&mut self) {
        let rest = &self.line[self.at..];
        let Some(letter) = rest.chars().next() else {
            return;
        };
        self.at += match (self.open.last(), letter) {
            (Some(Open::Single), '\'')
            | (Some(Open::Double), '"')
            | (Some(Open::Backticks), '`')
            | (Some(Open::Parameter), '}') => {
                self.open.pop();
                1
            }
            (Some(Open::Single), _) => letter.len_utf8(),
            (_, '\\') => self.escaped(rest),
            (_, '$') => self.dollar(rest),
            (_, '"') => self.opened(Open::Double),
            (_, '`') => self.opened(Open::Backticks),
            _ if self.is_quoted() => letter.len_utf8(),
            _ => self.unquoted(letter, rest),
        };
    }

    /// Checks for double quotes, also around `${…}`.
    fn is_quoted(&self) -> bool {
        let mut open = self.open.iter().rev();
        open.find(|open| **open != Open::Parameter) == Some(&Open::Double)
    }

    fn opened(&mut self, open: Open) -> usize {
        self.open.push(open);
        1
    }

    /// Reads a backslash and the letter behind it. At the end of a line both are nothing.
    fn escaped(&mut self, rest: &str) -> usize {
        let length = 1 + rest[1..].chars().next().map_or(0, char::len_utf8);
        if rest.starts_with("\\\n") && self.at == self.word_start {
            self.word_start += length;
        }
        length
    }

    fn dollar(&mut self, rest: &str) -> usize {
        match rest.as_bytes().get(1) {
            Some(b'(') => 1 + self.parenthesis(&rest[1..], self.at + 2),
            Some(b'{') => 1 + self.opened(Open::Parameter),
            Some(b'[') => self.lose(Misplaced::Arithmetic),
            Some(b'\'') if !self.is_quoted() => self.lose(Misplaced::DollarQuote),
            _ => 1,
        }
    }

    fn lose(&mut self, construct: Misplaced) -> usize {
        self.lost = Some(construct);
        1
    }

    fn parenthesis(&mut self, rest: &str, behind: usize) -> usize {
        if rest.starts_with("((") {
            self.lose(Misplaced::Arithmetic);
        } else if rest.trim_start_matches(['(', ' ']).starts_with("case ") {
            // The `)` of a pattern would look like the closing one.
            self.lose(Misplaced::Case);
        }
        self.begin_command(behind);
        self.opened(Open::Parentheses)
    }

    fn begin_command(&mut self, at: usize) {
        (self.command_start, self.word_start) = (at, at);
    }

    fn unquoted(&mut self, letter: char, rest: &str) -> usize {
        match letter {
            '\'' => return self.opened(Open::Single),
            '#' if self.at == self.word_start => return rest.find('\n').unwrap_or(rest.len()),
            '(' => return self.parenthesis(rest, self.at + 1),
            '<' | '>' => return self.redirection(rest),
            ' ' | '\t' => self.word_start = self.at + 1,
            '\n' | ';' | '&' | '|' => self.begin_command(self.at + 1),
            ')' => {
                self.word_start = self.at + 1;
                self.open.pop_if(|open| *open == Open::Parentheses);
            }
            _ => {}
        }
        letter.len_utf8()
    }

    fn redirection(&mut self, rest: &str) -> usize {
        if rest.starts_with("<<") && !rest.starts_with("<<<") {
            self.lose(Misplaced::HereDocument);
        }
        let operator = rest.find(|letter| !"<>&|".contains(letter));
        let length = operator.unwrap_or(rest.len()).min(3);
        self.word_start = self.at + length;
        length
    }
}

/// Checks for the beginning of `name[index]=value`.
fn is_index(begun: &str) -> bool {
    let is_name = |letter: char| letter.is_ascii_alphanumeric() || letter == '_';
    let parts = begun.split_once('[');
    parts.is_some_and(|(name, index)| {
        !name.is_empty() && name.chars().all(is_name) && !index.contains(']')
    })
}
