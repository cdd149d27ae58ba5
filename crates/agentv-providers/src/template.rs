//! Command lines with placeholders, whose values never reach the shell as anything but words.

/// A command line, or a part of one, with placeholders.
///
/// Where a placeholder stands between quotes, the quotes are closed around its value: `"{PROMPT}"`
/// and `{PROMPT}` give the same, and nothing in a value is run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Template {
    pieces: Vec<Piece>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum Piece {
    Text(String),
    Placeholder { word: &'static str, within: Within },
}

/// The quotes that a placeholder stands in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Within {
    Nothing,
    Single,
    Double,
}

impl Template {
    /// Finds the placeholders `{WORD}` of these words.
    ///
    /// # Errors
    /// When one stands where no quoting makes its value safe.
    pub(crate) fn of(line: &str, words: &'static [&'static str]) -> Result<Template, String> {
        let mut reading = Reading::default();
        let mut at = 0;
        while at < line.len() {
            let word = placeholder_at(line, at, words).filter(|_| !reading.in_comment);
            if let Some(word) = word {
                let within = reading.within(line).map_err(|place| {
                    format!("`{{{word}}}` cannot stand in {place}: its text would be run")
                })?;
                reading.placeholder(word, within);
                at += word.len() + 2;
            } else {
                reading.at = at;
                at += reading.step(&line[at..], line[..at].chars().next_back());
            }
        }
        reading.flush();
        Ok(Template {
            pieces: reading.pieces,
        })
    }

    /// Whether a placeholder of this word is there.
    pub(crate) fn uses(&self, word: &str) -> bool {
        let mut pieces = self.pieces.iter();
        pieces.any(|piece| matches!(piece, Piece::Placeholder { word: used, .. } if *used == word))
    }

    /// The line with every placeholder replaced by what `value` gives for it: words of the shell.
    pub(crate) fn fill(&self, value: impl Fn(&str) -> String) -> String {
        let mut line = String::new();
        for piece in &self.pieces {
            match piece {
                Piece::Text(text) => line.push_str(text),
                Piece::Placeholder { word, within } => {
                    let quote = match within {
                        Within::Nothing => "",
                        Within::Single => "'",
                        Within::Double => "\"",
                    };
                    line.push_str(quote);
                    line.push_str(&value(word));
                    line.push_str(quote);
                }
            }
        }
        line
    }
}

/// The placeholder that begins at `at`. `${NAME}` is the shell's.
fn placeholder_at(line: &str, at: usize, words: &'static [&'static str]) -> Option<&'static str> {
    let rest = line[at..].strip_prefix('{')?;
    if line[..at].ends_with(['$', '{']) {
        return None;
    }
    let (word, _) = rest.split_once('}')?;
    words.iter().copied().find(|known| *known == word)
}

/// Whether the word that follows is a line that another shell runs.
fn is_for_a_shell(before: &str) -> bool {
    const SHELLS: &[&str] = &["sh", "bash", "dash", "ksh", "zsh", "fish"];
    let mut words = before.split_whitespace().rev();
    match words.next() {
        Some("eval") => true,
        Some(option) if option.starts_with('-') && option.ends_with('c') => {
            let mut named = words.skip_while(|word| word.starts_with('-'));
            let shell = named.next().and_then(|word| word.rsplit('/').next());
            shell.is_some_and(|shell| SHELLS.contains(&shell))
        }
        _ => false,
    }
}

/// What the shell is in the middle of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Open {
    Single,
    Double,
    /// `$(`, with so many open parentheses inside.
    Command(u32),
    Backticks,
}

#[derive(Default)]
struct Reading {
    pieces: Vec<Piece>,
    text: String,
    open: Vec<Open>,
    in_comment: bool,
    after_heredoc: bool,
    /// Behind `$'`, of which shells make different things.
    after_dollar_quote: bool,
    in_arithmetic: bool,
    /// Where the reader is, and where the last quotes began.
    at: usize,
    quotes_at: usize,
}

impl Reading {
    fn within(&self, line: &str) -> Result<Within, &'static str> {
        if self.after_dollar_quote {
            return Err("or behind `$'…'`");
        }
        if self.in_arithmetic {
            return Err("or behind `$((…))`");
        }
        let in_quotes = matches!(self.open.last(), Some(Open::Single | Open::Double));
        if in_quotes && is_for_a_shell(&line[..self.quotes_at]) {
            return Err(
                "a line for another shell (write `sh -c '… \"$1\"' sh {PROMPT}` in its place)",
            );
        }
        if self.after_heredoc {
            return Err("or behind a here-document (`<<`)");
        }
        if self.open.contains(&Open::Backticks) {
            return Err("backticks (write `$(…)` in their place)");
        }
        Ok(match self.open.last() {
            Some(Open::Single) => Within::Single,
            Some(Open::Double) => Within::Double,
            Some(Open::Command(_) | Open::Backticks) | None => Within::Nothing,
        })
    }

    fn placeholder(&mut self, word: &'static str, within: Within) {
        self.flush();
        self.pieces.push(Piece::Placeholder { word, within });
    }

    fn flush(&mut self) {
        if !self.text.is_empty() {
            let text = std::mem::take(&mut self.text);
            self.pieces.push(Piece::Text(text));
        }
    }

    /// Reads on as a shell does; gives how many bytes it took.
    fn step(&mut self, rest: &str, before: Option<char>) -> usize {
        let taken = self.understand(rest, before);
        let taken = rest.ceil_char_boundary(taken);
        self.text.push_str(&rest[..taken]);
        taken
    }

    fn understand(&mut self, rest: &str, before: Option<char>) -> usize {
        let letter = rest.chars().next().unwrap_or_default();
        if self.in_comment {
            self.in_comment = letter != '\n';
            return letter.len_utf8();
        }
        match self.open.last().copied() {
            Some(Open::Single) => {
                if letter == '\'' {
                    self.open.pop();
                }
                letter.len_utf8()
            }
            Some(Open::Double) => self.in_double_quotes(rest, letter),
            inside @ (Some(Open::Command(_) | Open::Backticks) | None) => {
                self.in_command(rest, letter, before, inside)
            }
        }
    }

    fn in_double_quotes(&mut self, rest: &str, letter: char) -> usize {
        match letter {
            '\\' => return 1 + rest[1..].chars().next().map_or(0, char::len_utf8),
            '"' => {
                self.open.pop();
            }
            '`' => self.open.push(Open::Backticks),
            '$' if rest.starts_with("$(") => {
                self.in_arithmetic |= rest.starts_with("$((");
                self.open.push(Open::Command(0));
                return 2;
            }
            _ => {}
        }
        letter.len_utf8()
    }

    fn in_command(
        &mut self,
        rest: &str,
        letter: char,
        before: Option<char>,
        inside: Option<Open>,
    ) -> usize {
        let begins_word =
            before.is_none_or(|before| before.is_whitespace() || ";&|(".contains(before));
        match letter {
            '\\' => return 1 + rest[1..].chars().next().map_or(0, char::len_utf8),
            '\'' => {
                self.after_dollar_quote |= before == Some('$');
                self.quotes_at = self.at;
                self.open.push(Open::Single);
            }
            '"' => {
                self.quotes_at = self.at;
                self.open.push(Open::Double);
            }
            '#' if begins_word => self.in_comment = true,
            '`' if inside == Some(Open::Backticks) => {
                self.open.pop();
            }
            '`' => self.open.push(Open::Backticks),
            '$' if rest.starts_with("$(") => {
                self.in_arithmetic |= rest.starts_with("$((");
                self.open.push(Open::Command(0));
                return 2;
            }
            '<' if rest.starts_with("<<<") => return 3,
            '<' if rest.starts_with("<<") => {
                self.after_heredoc = true;
                return 2;
            }
            '(' | ')' => self.parenthesis(letter),
            _ => {}
        }
        letter.len_utf8()
    }

    fn parenthesis(&mut self, letter: char) {
        let Some(Open::Command(depth)) = self.open.last_mut() else {
            return;
        };
        match (letter, *depth) {
            ('(', _) => *depth += 1,
            (_, 0) => {
                self.open.pop();
            }
            _ => *depth -= 1,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use agentv_process::quote;
    use std::process::Command;

    const WORDS: &[&str] = &["PROMPT", "EVAL_ID"];

    /// What a shell makes of the line.
    fn run(line: &str, prompt: &str) -> String {
        let template = Template::of(line, WORDS).unwrap();
        let filled = template.fill(|_| quote(prompt));
        let output = Command::new("sh").arg("-c").arg(&filled).output().unwrap();
        assert!(output.stderr.is_empty(), "{filled}: {output:?}");
        String::from_utf8(output.stdout).unwrap()
    }

    #[test]
    fn a_value_is_one_word_and_nothing_of_it_is_run_whatever_quotes_it_stands_in() {
        for prompt in [
            "it's \"5\" o'clock",
            "$(echo run) `echo run` ${HOME} $HOME",
            "a\\b\nc # d; e | f > g",
            "'; echo run; '",
            "\"; echo run; \"",
            "",
            "{EVAL_ID} ${{ X }}",
        ] {
            for (line, before, after) in [
                ("printf '<%s>' {PROMPT}", "<", ">"),
                ("printf '<%s>' \"{PROMPT}\"", "<", ">"),
                ("printf '<%s>' '{PROMPT}'", "<", ">"),
                ("printf '<%s>' \"it's {PROMPT}.\"", "<it's ", ".>"),
                ("printf '<%s>' --p={PROMPT}", "<--p=", ">"),
                ("printf '<%s>' \"$(printf '%s.' {PROMPT})\"", "<", ".>"),
                ("printf '<%s>' \"$(printf '%s.' \"{PROMPT}\")\"", "<", ".>"),
                ("# it's \"{PROMPT}\n printf '<%s>' {PROMPT}", "<", ">"),
                ("printf '<%s>' \"\\\"{PROMPT}\\\"\"", "<\"", "\">"),
                ("printf '<%s>' ä\\\"{PROMPT}", "<ä\"", ">"),
                ("(printf '<%s>' \"a#(\"{PROMPT})", "<a#(", ">"),
                ("sh -c 'printf \"<%s>\" \"$1\"' sh {PROMPT}", "<", ">"),
            ] {
                let expected = format!("{before}{prompt}{after}");
                assert_eq!(run(line, prompt), expected, "{line}");
            }
        }
    }

    #[test]
    fn places_where_no_quoting_helps_are_refused() {
        for line in [
            "cat <<EOF\n{PROMPT}\nEOF",
            "echo `cat {PROMPT}`",
            "echo \"`cat {PROMPT}`\"",
            "bash -c 'agent \"{PROMPT}\"'",
            "docker exec box /bin/sh -e -lc \"agent {PROMPT}\"",
            "eval \"agent {PROMPT}\"",
            "echo $'it\\'s {PROMPT}'",
            "echo $(( {PROMPT} + 1 ))",
        ] {
            let error = Template::of(line, WORDS).unwrap_err();
            assert!(error.starts_with("`{PROMPT}` cannot stand in "), "{error}");
        }
    }

    #[test]
    fn what_belongs_to_the_shell_is_left_alone() {
        let line = "echo ${PROMPT} ${{ PROMPT }} {OTHER} {a,b} {PROMPT";
        let template = Template::of(line, WORDS).unwrap();
        assert!(!template.uses("PROMPT"));
        assert_eq!(template.fill(|_| "x".to_owned()), line);
    }
}
