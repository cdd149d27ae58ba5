//! The quotes around each place of a shell line.

/// The quotes around a placeholder.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Quotes {
    None,
    Single,
    Double,
}

const ARITHMETIC: &str = "in or after shell arithmetic";

/// Parts of a line that can have no placeholder, by opening, closing and name: no quotes keep a value
/// one word there, or the shell evaluates the value. Double quotes hide all but the first four.
const REFUSED: &[(&str, &str, &str)] = &[
    ("$((", "))", ARITHMETIC),
    ("$[", "]", ARITHMETIC),
    ("${", "}", "in or after `${…}`"),
    ("`", "`", "in or after backticks; write `$(…)` instead"),
    ("$'", "'", "in or after `$'…'`"),
    ("((", "))", ARITHMETIC),
    ("[[ ", " ]]", ARITHMETIC),
    // The end of a here-document is never looked for.
    ("<<", "\0", "in or after a here-document (`<<`)"),
];
const IN_DOUBLE_QUOTES: usize = 4;

/// Characters that make the end of such a part uncertain.
const NESTING: &[char] = &['\'', '"', '`', '\\', '(', '{'];

/// A construct that is not closed yet. Parentheses hold where they and the command around them begin.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Open {
    Single,
    Double,
    Parentheses {
        at: usize,
        command: usize,
        word: usize,
    },
}

/// A reader of a shell line that follows its quotes.
#[derive(Default)]
pub(super) struct Scanner<'l> {
    line: &'l str,
    pub(super) at: usize,
    /// The line is only the arguments of a command.
    is_arguments: bool,
    open: Vec<Open>,
    /// The name of the part behind which the quotes are unknown.
    lost: Option<&'static str>,
    /// The beginnings of the current command and of its current word.
    command: usize,
    word: usize,
}

impl<'l> Scanner<'l> {
    /// Creates a scanner for a line, or for the arguments of a command.
    pub(super) fn of(line: &'l str, is_arguments: bool) -> Scanner<'l> {
        Scanner {
            line,
            is_arguments,
            ..Scanner::default()
        }
    }

    /// Returns the current command up to its current word, and that word up to this place.
    pub(super) fn words(&self) -> (&'l str, &'l str) {
        let words = &self.line[self.command..self.word];
        (words, &self.line[self.word..self.at])
    }

    /// Returns the quotes around this place.
    ///
    /// # Errors
    /// Returns the name of the place if a placeholder cannot be used here.
    pub(super) fn quotes(&self) -> Result<Quotes, &'static str> {
        if let Some(place) = self.lost.or_else(|| self.refused_word()) {
            return Err(place);
        }
        Ok(match self.open.last() {
            Some(Open::Single) => Quotes::Single,
            Some(Open::Double) => Quotes::Double,
            Some(Open::Parentheses { .. }) | None => Quotes::None,
        })
    }

    fn refused_word(&self) -> Option<&'static str> {
        let (words, word) = self.words();
        let name = word.strip_suffix('[').unwrap_or_default();
        if name.ends_with(|end: char| end.is_alphanumeric() || end == '_') {
            return Some("as the index of an array");
        }
        let is_first = words.trim_matches([' ', '\t', '\\', '\n']).is_empty()
            && word.trim_matches(['\'', '"']).is_empty();
        (is_first && !self.is_arguments).then_some("as the name of the command")
    }

    /// Reads the next character, or a construct that begins with it.
    pub(super) fn step(&mut self) {
        let rest = &self.line[self.at..];
        let Some(letter) = rest.chars().next() else {
            return;
        };
        let last = self.open.last();
        let is_quoted = last == Some(&Open::Double);
        self.at += match (last, letter) {
            (Some(Open::Single), '\'') | (Some(Open::Double), '"') => self.closed(),
            (Some(Open::Single), _) => letter.len_utf8(),
            (_, '\\') => self.escaped(rest),
            (_, '"') => self.opened(Open::Double),
            _ => match self.refused(rest, is_quoted) {
                Some(length) => length,
                None if rest.starts_with("$(") => 1 + self.parenthesis(self.at + 1),
                None if is_quoted => letter.len_utf8(),
                None => self.unquoted(letter, rest),
            },
        };
    }

    fn opened(&mut self, open: Open) -> usize {
        self.open.push(open);
        1
    }

    fn closed(&mut self) -> usize {
        self.open.pop();
        1
    }

    /// Reads a backslash and the letter behind it. At the end of a line both are nothing.
    fn escaped(&mut self, rest: &str) -> usize {
        let length = 1 + rest[1..].chars().next().map_or(0, char::len_utf8);
        if rest.starts_with("\\\n") && self.at == self.word {
            self.word += length;
        }
        length
    }

    /// Skips a part that can have no placeholder and has none. If its end is uncertain, so are the
    /// quotes behind it.
    fn refused(&mut self, rest: &str, is_quoted: bool) -> Option<usize> {
        let known = if is_quoted || rest.starts_with("<<<") {
            &REFUSED[..IN_DOUBLE_QUOTES]
        } else {
            REFUSED
        };
        let (opening, closing, place) = known.iter().find(|part| rest.starts_with(part.0))?;
        let inside = &rest[opening.len()..];
        let content = inside.find(closing).map(|end| &inside[..end]);
        let Some(content) = content.filter(|content| !content.contains(NESTING)) else {
            self.lost = self.lost.or(Some(place));
            return Some(1);
        };
        Some(opening.len() + content.len() + closing.len())
    }

    fn unquoted(&mut self, letter: char, rest: &str) -> usize {
        match letter {
            '\'' => return self.opened(Open::Single),
            '#' if self.at == self.word => return rest.find('\n').unwrap_or(rest.len()),
            '(' => return self.parenthesis(self.at),
            ')' => self.close_parenthesis(),
            '<' | '>' => {
                let length = rest.len() - rest.trim_start_matches(['<', '>', '&', '|']).len();
                self.word = self.at + length;
                return length;
            }
            ' ' | '\t' => self.word = self.at + 1,
            '\n' | ';' | '&' | '|' => self.begin_command(self.at + 1),
            _ => {}
        }
        letter.len_utf8()
    }

    fn begin_command(&mut self, at: usize) {
        (self.command, self.word) = (at, at);
    }

    fn parenthesis(&mut self, at: usize) -> usize {
        let (command, word) = (self.command, self.word);
        self.begin_command(at + 1);
        self.opened(Open::Parentheses { at, command, word })
    }

    fn close_parenthesis(&mut self) {
        let Some(Open::Parentheses { at, command, word }) = self.open.last().copied() else {
            // The end of a pattern of `case`.
            return self.begin_command(self.at + 1);
        };
        let content = &self.line[at..self.at];
        if content.contains("case ") && content.contains(" in ") {
            // The `)` of a pattern looks like the closing one.
            self.lost = self.lost.or(Some("after `case` in parentheses"));
        }
        self.closed();
        if self.line[..at].ends_with(['$', '<', '>']) {
            (self.command, self.word) = (command, word);
        } else {
            self.begin_command(self.at + 1);
        }
    }
}
