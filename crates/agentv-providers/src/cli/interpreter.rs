//! Detection of commands that pass text to another interpreter as a program.

/// Programs that run the word after an option such as `-c`, and what they read from a pipe.
const INTERPRETERS: &[&str] = &[
    "sh", "bash", "dash", "ksh", "zsh", "fish", "python", "perl", "ruby", "node", "php",
];

/// Programs whose first operand is a program.
const EDITORS: &[&str] = &["awk", "gawk", "mawk", "sed"];

/// Commands of the shell that run their words.
const BUILT_IN: &[&str] = &["eval", "trap", "alias"];

/// Placeholders whose values a dataset decides. The others are our own paths and numbers.
const TEXTS: &[&str] = &[
    "PROMPT",
    "GUIDELINES",
    "EVAL_ID",
    "FILES",
    "path",
    "basename",
];

/// A placeholder whose value becomes a part of another program.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct InterpretedText {
    /// The placeholder, without its braces.
    pub(crate) placeholder: &'static str,
    /// The interpreter that runs the text, as it is written.
    pub(crate) interpreter: String,
}

/// Returns the interpreter that would run a word that follows `before` and has the placeholder in it.
///
/// This is a heuristic for the usual mistakes: it knows a few interpreters, and not every way to
/// start them.
pub(super) fn interpreter_of<'w>(before: &'w [String], placeholder: &str) -> Option<&'w str> {
    if !TEXTS.contains(&placeholder) {
        return None;
    }
    if let Some(first) = before
        .first()
        .filter(|first| BUILT_IN.contains(&first.as_str()))
    {
        return Some(first);
    }
    before.iter().enumerate().find_map(|(at, word)| {
        let after = &before[at + 1..];
        let name = program_name(word);
        let runs = if INTERPRETERS.contains(&name) {
            takes_program(after)
        } else if EDITORS.contains(&name) {
            let is_value = |word: &str| matches!(word, "-f" | "-F" | "-v");
            after
                .iter()
                .all(|word| word.starts_with('-') && !is_value(word))
        } else {
            name == "ssh"
        };
        runs.then_some(word.as_str())
    })
}

/// Returns the interpreter that the rest of a shell line pipes its input into as a program, such as
/// `sh` in `| sh`.
pub(super) fn piped_into(line: &str) -> Option<&str> {
    let pipeline = line.split([';', '&', '\n']).next()?.split("||").next()?;
    pipeline.split('|').skip(1).find_map(|command| {
        let mut words = command.split_whitespace();
        let name = words
            .next()
            .filter(|name| INTERPRETERS.contains(&program_name(name)))?;
        words.all(|word| word.starts_with('-')).then_some(name)
    })
}

/// Checks whether the last of an interpreter's words is an option that a program follows, with
/// nothing but options and their values before it.
fn takes_program(words: &[String]) -> bool {
    let Some((last, before)) = words.split_last() else {
        return false;
    };
    let is_option_or_value = |at: usize| {
        let follows_option = at > 0 && before[at - 1].len() == 2 && before[at - 1] != "-m";
        before[at].starts_with(['-', '+'])
            || (follows_option && before[at - 1].starts_with('-') && !before[at].contains('.'))
    };
    is_program_option(last) && (0..before.len()).all(is_option_or_value)
}

fn is_program_option(word: &str) -> bool {
    match word.strip_prefix("--") {
        Some(long) => matches!(long, "eval" | "print" | "command" | "run"),
        None => word.starts_with('-') && word.ends_with(['c', 'e', 'E', 'p', 'r']),
    }
}

/// Returns the name of a program without its folder and version.
fn program_name(word: &str) -> &str {
    let name = word.rsplit('/').next().unwrap_or(word);
    name.trim_end_matches(|letter: char| letter.is_ascii_digit() || letter == '.')
}
