//! A command line as a shell reads it: what is quoted, and which words there are.

use super::Within;
use super::command::Command;
use super::program::Role;

/// Placeholders for what may begin with anything, an option of a program too.
const FREE: &[&str] = &["PROMPT", "GUIDELINES", "EVAL_ID", "basename"];

/// What the shell is in the middle of.
#[derive(Debug)]
enum Open {
    Single,
    Double,
    /// `${…}`; whether a text may stand there.
    Parameter {
        takes_text: bool,
    },
    /// `$(…)`, or the like in a word.
    Substitution(Command),
    /// `(…)`
    Subshell(Command),
    Backticks(Command),
}

#[derive(Debug, Default)]
pub(super) struct Reader {
    line: Command,
    open: Vec<Open>,
    in_comment: bool,
    after_heredoc: bool,
    /// Behind `$'`, of which shells make different things.
    after_dollar_quote: bool,
    after_arithmetic: bool,
}

impl Reader {
    pub(super) fn in_comment(&self) -> bool {
        self.in_comment
    }

    /// The quotes that a placeholder of this word stands in.
    ///
    /// # Errors
    /// The place where it must not stand.
    pub(super) fn within(&self, placeholder: &str) -> Result<Within, String> {
        let refused = if self.after_dollar_quote {
            "or behind `$'…'`"
        } else if self.after_arithmetic {
            "or behind `((…))`"
        } else if self.after_heredoc {
            "or behind a here-document (`<<`)"
        } else if self
            .open
            .iter()
            .any(|open| matches!(open, Open::Backticks(_)))
        {
            "backticks (write `$(…)` in their place)"
        } else {
            return self.program(placeholder).map_or_else(|| self.quotes(), Err);
        };
        Err(refused.to_owned())
    }

    /// The place in a word that is a program, of this command or of one that it is a part of.
    fn program(&self, placeholder: &str) -> Option<String> {
        let free = FREE.contains(&placeholder);
        let inner = self.open.iter().filter_map(Open::command);
        let before = std::iter::once(&self.line).chain(inner);
        let mut before = before.filter_map(Command::before).peekable();
        while let Some(word) = before.next() {
            let is_innermost = before.peek().is_none();
            match word.runner(free && is_innermost) {
                Some((name, Role::Program)) => {
                    let instead = match free {
                        true => "let it read `{PROMPT_FILE}` or its stdin, or take the text",
                        false => "let it take the value",
                    };
                    return Some(format!(
                        "what `{name}` runs ({instead} as an argument: \
                         `sh -c '… \"$1\"' sh {{{placeholder}}}`)"
                    ));
                }
                Some((name, Role::Option)) => {
                    return Some(format!(
                        "the place of an option of `{name}` (write `--` or `./` before it)"
                    ));
                }
                None => {}
            }
            if word.is_index() {
                return Some("an index of an array".to_owned());
            }
        }
        None
    }

    fn quotes(&self) -> Result<Within, String> {
        let mut within = Within::Nothing;
        for open in self.open.iter().rev() {
            match (open, within) {
                (Open::Parameter { takes_text: true }, Within::Nothing) => {}
                (Open::Parameter { takes_text: true }, _) => {
                    return Err("quotes within `${…}`".to_owned());
                }
                (Open::Parameter { takes_text: false }, _) => {
                    return Err("`${…}` but for a default (`${NAME:-…}`)".to_owned());
                }
                (Open::Single, _) => within = Within::Single,
                (Open::Double, Within::Nothing) => within = Within::Double,
                (Open::Double, _) => {}
                (Open::Substitution(_) | Open::Subshell(_) | Open::Backticks(_), _) => break,
            }
        }
        Ok(within)
    }

    /// Goes on behind a placeholder.
    pub(super) fn placeholder(&mut self) {
        self.command().add_unknown();
    }

    /// Reads on; gives how many bytes it took, one letter at least.
    pub(super) fn step(&mut self, rest: &str, before: Option<char>) -> usize {
        let letter = rest.chars().next().unwrap_or_default();
        if self.in_comment {
            self.in_comment = letter != '\n';
            if !self.in_comment {
                self.command().end();
            }
            return letter.len_utf8();
        }
        let taken = match self.open.last() {
            Some(Open::Single) => self.in_single_quotes(letter),
            Some(Open::Double) => self.in_double_quotes(rest, letter),
            Some(Open::Parameter { .. }) => self.in_parameter(rest, letter),
            Some(Open::Substitution(_) | Open::Subshell(_) | Open::Backticks(_)) | None => {
                self.in_command(rest, letter, before)
            }
        };
        rest.ceil_char_boundary(taken)
    }

    /// The command whose word is being read.
    fn command(&mut self) -> &mut Command {
        let inner = self.open.iter_mut().rev().find_map(Open::command_mut);
        inner.unwrap_or(&mut self.line)
    }

    fn is_in_double_quotes(&self) -> bool {
        let is_parameter = |open: &&Open| matches!(open, Open::Parameter { .. });
        let outer = self.open.iter().rev().find(|open| !is_parameter(open));
        matches!(outer, Some(Open::Double))
    }

    fn in_single_quotes(&mut self, letter: char) -> usize {
        if letter == '\'' {
            self.open.pop();
        } else {
            self.add(letter);
        }
        letter.len_utf8()
    }

    fn in_double_quotes(&mut self, rest: &str, letter: char) -> usize {
        match letter {
            '"' => {
                self.open.pop();
                1
            }
            _ => self.in_any_word(rest, letter),
        }
    }

    fn in_parameter(&mut self, rest: &str, letter: char) -> usize {
        match letter {
            '}' => {
                self.open.pop();
            }
            '"' => self.open.push(Open::Double),
            '\'' if !self.is_in_double_quotes() => self.open.push(Open::Single),
            _ => return self.in_any_word(rest, letter),
        }
        1
    }

    /// What is the same within double quotes and without.
    fn in_any_word(&mut self, rest: &str, letter: char) -> usize {
        match letter {
            '\\' => return self.escaped(rest),
            '`' => self.backtick(),
            '$' if rest.starts_with("$(") => {
                self.after_arithmetic |= rest.starts_with("$((");
                self.substitution();
                return 2;
            }
            '$' if rest.starts_with("$[") => self.after_arithmetic = true,
            '$' if rest.starts_with("${") => {
                self.command().add_unknown();
                let takes_text = takes_text(&rest[2..]);
                self.open.push(Open::Parameter { takes_text });
                return 2;
            }
            _ => self.add(letter),
        }
        letter.len_utf8()
    }

    fn in_command(&mut self, rest: &str, letter: char, before: Option<char>) -> usize {
        match letter {
            ' ' | '\t' => self.command().end_word(),
            '\n' | ';' | '|' => self.command().end(),
            '&' if !rest.starts_with("&>") => self.command().end(),
            '&' => {}
            '\'' => {
                self.after_dollar_quote |= before == Some('$');
                self.command().add("");
                self.open.push(Open::Single);
            }
            '"' => {
                self.command().add("");
                self.open.push(Open::Double);
            }
            '#' if !self.command().in_word() => self.in_comment = true,
            '<' | '>' => return self.redirection(rest),
            '(' => {
                self.after_arithmetic |= rest.starts_with("((");
                self.command().end();
                self.open.push(Open::Subshell(Command::default()));
            }
            ')' => self.closing_parenthesis(),
            _ => return self.in_any_word(rest, letter),
        }
        1
    }

    fn add(&mut self, letter: char) {
        self.command().add(letter.encode_utf8(&mut [0; 4]));
    }

    /// A backslash and what it stands before, which is nothing at the end of a line.
    fn escaped(&mut self, rest: &str) -> usize {
        let letter = rest[1..].chars().next();
        if let Some(letter) = letter.filter(|letter| *letter != '\n') {
            self.add(letter);
        }
        1 + letter.map_or(0, char::len_utf8)
    }

    fn substitution(&mut self) {
        self.command().add_unknown();
        self.open.push(Open::Substitution(Command::default()));
    }

    fn backtick(&mut self) {
        if matches!(self.open.last(), Some(Open::Backticks(_))) {
            self.open.pop();
            return;
        }
        self.command().add_unknown();
        self.open.push(Open::Backticks(Command::default()));
    }

    fn redirection(&mut self, rest: &str) -> usize {
        let operator = |letter: char| "<>&|".contains(letter);
        let length = rest.find(|letter| !operator(letter)).unwrap_or(rest.len());
        let operator = &rest[..length];
        if length == 1 && rest[1..].starts_with('(') {
            self.substitution();
            return 2;
        }
        self.command().redirect();
        if operator.starts_with("<<<") {
            return 3;
        }
        self.after_heredoc |= operator.starts_with("<<");
        length.min(2)
    }

    fn closing_parenthesis(&mut self) {
        let ends_pattern = self.command().in_case();
        self.command().end();
        let closes = matches!(
            self.open.last(),
            Some(Open::Substitution(_) | Open::Subshell(_))
        );
        if closes && !ends_pattern {
            self.open.pop();
        }
    }
}

impl Open {
    fn command(&self) -> Option<&Command> {
        match self {
            Open::Substitution(command) | Open::Subshell(command) | Open::Backticks(command) => {
                Some(command)
            }
            Open::Single | Open::Double | Open::Parameter { .. } => None,
        }
    }

    fn command_mut(&mut self) -> Option<&mut Command> {
        match self {
            Open::Substitution(command) | Open::Subshell(command) | Open::Backticks(command) => {
                Some(command)
            }
            Open::Single | Open::Double | Open::Parameter { .. } => None,
        }
    }
}

/// Whether what is behind the name in `${…}` is a text, and not a pattern, an index or a number.
fn takes_text(parameter: &str) -> bool {
    let is_name = |letter: char| letter.is_ascii_alphanumeric() || letter == '_';
    let operator = parameter.trim_start_matches(is_name);
    let operator = operator.strip_prefix(':').unwrap_or(operator);
    operator.len() < parameter.len() && operator.starts_with(['-', '=', '+', '?'])
}
