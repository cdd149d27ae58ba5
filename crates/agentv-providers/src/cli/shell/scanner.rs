//! The quotes and words of a shell line, as far as placeholders need them.

use std::fmt;

use super::super::interpreter::runs_its_input;

/// Stands in a word for a value that is known only when the line runs.
const UNKNOWN: char = '\u{fffc}';

/// Words that precede the name of a command.
const LEADING: &[&str] = &[
    "if", "then", "else", "elif", "while", "until", "do", "!", "{", "time", "command", "builtin",
    "exec",
];

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
#[derive(Debug)]
enum Open {
    Single,
    Double,
    /// `${…}`
    Parameter,
    Backticks,
    /// `(…)` or `$(…)`, with the command around it.
    Parentheses(Command),
}

/// The words of a command, without quotes, and the one that is being read.
#[derive(Debug, Default)]
pub(super) struct Command {
    pub(super) words: Vec<String>,
    word: Option<String>,
    /// The command reads the output of another one.
    piped: bool,
}

/// A reader of a shell line.
#[derive(Debug, Default)]
pub(super) struct Scanner {
    open: Vec<Open>,
    command: Command,
    /// A construct that the scanner does not follow: the quotes behind it are unknown.
    lost: Option<Misplaced>,
    /// The interpreter that ran the output of the command before it.
    piped_into: Option<String>,
}

impl Scanner {
    /// Creates a scanner for the arguments of a command.
    pub(super) fn of_arguments() -> Scanner {
        let mut scanner = Scanner::default();
        scanner.command.words.push(UNKNOWN.to_string());
        scanner
    }

    /// Returns the words before the one that is being read.
    pub(super) fn words(&self) -> &[String] {
        &self.command.words
    }

    /// Returns the interpreter that a pipe led into since the last call.
    pub(super) fn piped_into(&mut self) -> Option<String> {
        self.piped_into.take()
    }

    /// Adds a placeholder to the word that is being read, and returns the quotes around it.
    pub(super) fn placeholder(&mut self) -> Result<Quotes, Misplaced> {
        if let Some(misplaced) = self.misplaced() {
            return Err(misplaced);
        }
        self.add(UNKNOWN);
        Ok(match self.open.last() {
            Some(Open::Single) => Quotes::Single,
            Some(Open::Double) => Quotes::Double,
            _ => Quotes::None,
        })
    }

    fn misplaced(&self) -> Option<Misplaced> {
        let inside = self.open.iter().find_map(|open| match open {
            Open::Backticks => Some(Misplaced::Backticks),
            Open::Parameter => Some(Misplaced::Parameter),
            Open::Single | Open::Double | Open::Parentheses(_) => None,
        });
        self.lost.or(inside).or_else(|| self.command.misplaced())
    }

    /// Reads the beginning of `rest`, and returns the number of bytes read.
    pub(super) fn step(&mut self, rest: &str) -> usize {
        let Some(letter) = rest.chars().next() else {
            return 0;
        };
        if matches!(self.open.last(), Some(Open::Single)) {
            match letter {
                '\'' => drop(self.open.pop()),
                _ => self.add(letter),
            }
            return letter.len_utf8();
        }
        match letter {
            '\\' => self.escaped(rest),
            '$' => self.dollar(rest),
            '"' => {
                self.quote();
                1
            }
            '`' => {
                self.backtick();
                1
            }
            '}' if matches!(self.open.last(), Some(Open::Parameter)) => {
                self.open.pop();
                1
            }
            _ if self.is_quoted() => {
                self.add(letter);
                letter.len_utf8()
            }
            _ => self.unquoted(letter, rest),
        }
    }

    /// Checks for double quotes, also around `${…}`.
    fn is_quoted(&self) -> bool {
        let mut open = self.open.iter().rev();
        let around = open.find(|open| !matches!(open, Open::Parameter));
        matches!(around, Some(Open::Double))
    }

    /// Reads a backslash and the letter behind it. At the end of a line both are nothing.
    fn escaped(&mut self, rest: &str) -> usize {
        let letter = rest[1..].chars().next();
        if let Some(letter) = letter.filter(|letter| *letter != '\n') {
            self.add(letter);
        }
        1 + letter.map_or(0, char::len_utf8)
    }

    fn dollar(&mut self, rest: &str) -> usize {
        let quoted = self.is_quoted();
        self.add(UNKNOWN);
        match rest.as_bytes().get(1) {
            Some(b'(') => {
                if rest.starts_with("$((") {
                    self.lost = Some(Misplaced::Arithmetic);
                }
                self.parenthesis();
                return 2;
            }
            Some(b'[') => self.lost = Some(Misplaced::Arithmetic),
            Some(b'\'') if !quoted => self.lost = Some(Misplaced::DollarQuote),
            Some(b'{') => {
                self.open.push(Open::Parameter);
                return 2;
            }
            _ => {}
        }
        1
    }

    fn quote(&mut self) {
        match self.open.last() {
            Some(Open::Double) => drop(self.open.pop()),
            _ => {
                self.command.word.get_or_insert_default();
                self.open.push(Open::Double);
            }
        }
    }

    fn backtick(&mut self) {
        self.add(UNKNOWN);
        match self.open.last() {
            Some(Open::Backticks) => drop(self.open.pop()),
            _ => self.open.push(Open::Backticks),
        }
    }

    fn parenthesis(&mut self) {
        let outer = std::mem::take(&mut self.command);
        self.open.push(Open::Parentheses(outer));
    }

    fn unquoted(&mut self, letter: char, rest: &str) -> usize {
        match letter {
            '\'' => {
                self.command.word.get_or_insert_default();
                self.open.push(Open::Single);
            }
            '#' if self.command.word.is_none() => return rest.find('\n').unwrap_or(rest.len()),
            ' ' | '\t' => self.end_word(),
            '\n' | ';' | '&' => self.end_command(),
            '|' => {
                self.end_command();
                self.command.piped = !rest.starts_with("||");
                return if rest.starts_with("||") { 2 } else { 1 };
            }
            '<' | '>' => return self.redirection(rest),
            '(' => {
                if rest.starts_with("((") {
                    self.lost = Some(Misplaced::Arithmetic);
                }
                self.parenthesis();
            }
            ')' => self.closing_parenthesis(),
            _ => self.add(letter),
        }
        letter.len_utf8()
    }

    fn redirection(&mut self, rest: &str) -> usize {
        self.end_word();
        // The word behind it is a file, and not the name of a command.
        self.command.words.push(rest[..1].to_owned());
        if rest.starts_with("<<") && !rest.starts_with("<<<") {
            self.lost = Some(Misplaced::HereDocument);
        }
        let length = rest.find(|letter| !"<>&|".contains(letter));
        length.unwrap_or(rest.len()).min(3)
    }

    /// Ends what is in parentheses, or the pattern of a `case`.
    fn closing_parenthesis(&mut self) {
        self.end_command();
        match self.open.pop() {
            Some(Open::Parentheses(outer)) => self.command = outer,
            Some(other) => self.open.push(other),
            None => {}
        }
    }

    fn add(&mut self, letter: char) {
        self.command.word.get_or_insert_default().push(letter);
    }

    fn end_word(&mut self) {
        let Some(word) = self.command.word.take() else {
            return;
        };
        let begins = self.command.words.is_empty();
        let is_open = |open: &Open| matches!(open, Open::Parentheses(_));
        if begins && word == "case" && self.open.iter().any(is_open) {
            self.lost = Some(Misplaced::Case);
        }
        if !(begins && (LEADING.contains(&word.as_str()) || is_assignment(&word))) {
            self.command.words.push(word);
        }
    }

    /// Ends the command at the end of the line.
    pub(super) fn end_command(&mut self) {
        self.end_word();
        let command = std::mem::take(&mut self.command);
        if command.piped && runs_its_input(&command.words) {
            self.piped_into = command.words.into_iter().next();
        }
    }
}

impl Command {
    /// Returns what a placeholder would be as the next part of the command, if it cannot be there.
    fn misplaced(&self) -> Option<Misplaced> {
        let begun = self.word.as_deref().unwrap_or_default();
        match self.words.first() {
            None if begun.is_empty() => Some(Misplaced::CommandName),
            None if is_index(begun) => Some(Misplaced::Index),
            Some(first) if CALCULATING.contains(&first.as_str()) => Some(Misplaced::Arithmetic),
            _ => None,
        }
    }
}

/// Checks for `name=value`.
fn is_assignment(word: &str) -> bool {
    word.split_once('=').is_some_and(|(name, _)| is_name(name))
}

/// Checks for the beginning of `name[index]=value`.
fn is_index(begun: &str) -> bool {
    let parts = begun.split_once('[');
    parts.is_some_and(|(name, index)| is_name(name) && !index.contains(']'))
}

fn is_name(word: &str) -> bool {
    let plain = |letter: char| letter.is_ascii_alphanumeric() || letter == '_';
    !word.is_empty() && word.chars().all(plain)
}
