//! The plain words of a command: those that may name a file.

use agentv_core::Extra;
use serde_json::Value;

use super::placeholder::{PLACEHOLDERS, placeholder_at};

/// The words of one simple command, without those that are only known when it runs.
pub(super) type Words = Vec<String>;

/// Returns the words of `command` or `command_template`, command by command. Those with placeholders
/// are omitted.
pub(super) fn words_of(fields: &Extra) -> Vec<Words> {
    match (fields.get("command"), fields.get("command_template")) {
        (Some(Value::Array(words)), _) => {
            let words = words.iter().filter_map(Value::as_str);
            let words = words.filter(|word| !has_placeholder(word));
            vec![words.map(str::to_owned).collect()]
        }
        (_, Some(Value::String(line))) => words_of_line(line),
        _ => Vec::new(),
    }
}

/// Returns the words of a shell line, command by command, without quotes. Words with variables or
/// placeholders are omitted, and so are the names of files that the line writes to.
pub(super) fn words_of_line(line: &str) -> Vec<Words> {
    let mut reader = Reader::default();
    let mut letters = line.chars().peekable();
    while let Some(letter) = letters.next() {
        match (reader.quote, letter) {
            (Some(quote), _) if letter == quote => reader.quote = None,
            (Some('\''), _) => reader.push(letter),
            (_, '\\') => {
                let escaped = letters.next().filter(|escaped| *escaped != '\n');
                escaped.into_iter().for_each(|escaped| reader.push(escaped));
            }
            (_, '$' | '`') => reader.is_plain = false,
            (Some(_), _) => reader.push(letter),
            (None, '\'' | '"') => reader.open(letter),
            (None, '#') if reader.word.is_empty() && !reader.is_begun => {
                while letters.next_if(|letter| *letter != '\n').is_some() {}
            }
            (None, ' ' | '\t' | '\r') => reader.end_word(),
            (None, '\n' | ';' | '&' | '|' | '(' | ')') => reader.end_command(),
            (None, '>') => reader.redirect(),
            (None, '<') => reader.end_word(),
            (None, _) => reader.push(letter),
        }
    }
    reader.end_command();
    let Reader {
        mut commands,
        outputs,
        ..
    } = reader;
    for words in &mut commands {
        words.retain(|word| !outputs.contains(word));
    }
    commands
}

/// A reader of a shell line. It need not be exact: a word that names no file is ignored.
struct Reader {
    commands: Vec<Words>,
    command: Words,
    /// The files that the line writes to.
    outputs: Words,
    word: String,
    /// The word may be empty, as in `''`.
    is_begun: bool,
    /// Everything in the word is known before the command runs.
    is_plain: bool,
    /// The word is a file that the command writes to.
    is_output: bool,
    quote: Option<char>,
}

impl Default for Reader {
    fn default() -> Reader {
        Reader {
            commands: Vec::new(),
            command: Vec::new(),
            outputs: Vec::new(),
            word: String::new(),
            is_begun: false,
            is_plain: true,
            is_output: false,
            quote: None,
        }
    }
}

impl Reader {
    fn push(&mut self, letter: char) {
        self.word.push(letter);
    }

    fn open(&mut self, quote: char) {
        self.quote = Some(quote);
        self.is_begun = true;
    }

    fn redirect(&mut self) {
        // The digit of `2>` is not a word, and does not name a file.
        self.end_word();
        self.is_output = true;
    }

    fn end_word(&mut self) {
        let word = std::mem::take(&mut self.word);
        if word.is_empty() && !self.is_begun {
            return;
        }
        if self.is_plain && !has_placeholder(&word) {
            let words = if self.is_output {
                &mut self.outputs
            } else {
                &mut self.command
            };
            words.push(word);
        }
        (self.is_begun, self.is_plain, self.is_output) = (false, true, false);
    }

    fn end_command(&mut self) {
        self.end_word();
        if !self.command.is_empty() {
            self.commands.push(std::mem::take(&mut self.command));
        }
    }
}

fn has_placeholder(word: &str) -> bool {
    let mut places = word.match_indices('{');
    places.any(|(at, _)| placeholder_at(word, at, PLACEHOLDERS).is_some())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_words_of_a_line_are_those_that_the_shell_would_pass() {
        for (line, expected) in [
            (
                "python3 agent.py {PROMPT}",
                vec![vec!["python3", "agent.py"]],
            ),
            (
                "cd 'my agent' && ./run \"a b\"",
                vec![vec!["cd", "my agent"], vec!["./run", "a b"]],
            ),
            (
                "a\\ b < in.txt > out.txt 2>&1",
                vec![vec!["a b", "in.txt", "2"]],
            ),
            ("x --file=$HOME/y \"$Z\" z # w", vec![vec!["x", "z"]]),
            (
                "a | b; (c)\nd",
                vec![vec!["a"], vec!["b"], vec!["c"], vec!["d"]],
            ),
            ("a '' \\\n b", vec![vec!["a", "", "b"]]),
            ("echo log >> log", vec![vec!["echo"]]),
            ("", vec![]),
        ] {
            assert_eq!(words_of_line(line), expected, "{line}");
        }
    }
}
