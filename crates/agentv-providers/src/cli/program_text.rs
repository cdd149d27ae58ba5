//! Detection of commands that make text of a case a part of another program, by their form.

/// Options that a program follows, besides short ones such as `-c`, `-e` and `-lc`.
const PROGRAM_OPTIONS: &[&str] = &["--command", "--eval", "-command"];

/// Commands of the shell that evaluate their words.
const EVALUATING: &[&str] = &["eval", "let"];

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
pub(crate) struct ProgramText {
    /// The placeholder, without its braces.
    pub(crate) placeholder: &'static str,
    /// The word that the program follows, as it is written.
    pub(crate) after: String,
}

/// Finds a placeholder within a word that follows `word`. A placeholder that is the whole word is the
/// user's intention, and often no program: `-c {PROMPT}`.
pub(super) fn after_word(
    word: &str,
    placeholder: &'static str,
    is_whole: bool,
) -> Option<ProgramText> {
    let is_found = TEXTS.contains(&placeholder) && !is_whole && takes_program(word);
    is_found.then(|| ProgramText {
        placeholder,
        after: word.to_owned(),
    })
}

/// Finds a placeholder in a word that is an option and its program, such as `-c"print(` and `--eval=f(`.
/// `begun` is the part of the word before the placeholder.
pub(super) fn within_option(begun: &str, placeholder: &'static str) -> Option<ProgramText> {
    let (option, program) = begun.split_at(begun.find(['\'', '"', '='])?);
    let has_program = !program.trim_matches(['\'', '"', '=']).is_empty();
    let is_found = TEXTS.contains(&placeholder) && has_program && takes_program(option);
    is_found.then(|| ProgramText {
        placeholder,
        after: option.to_owned(),
    })
}

/// Finds a placeholder that follows the words of a shell command.
pub(super) fn after_shell_words(
    words: &str,
    placeholder: &'static str,
    is_whole: bool,
) -> Option<ProgramText> {
    let mut words = words.split_whitespace().filter(|word| *word != "\\");
    let first = words.clone().next()?;
    if EVALUATING.contains(&first) {
        return after_evaluating(first, placeholder);
    }
    let last = words.next_back()?.trim_matches(['\'', '"']);
    let last = if last.ends_with("<<<") { "<<<" } else { last };
    after_word(last, placeholder, is_whole)
}

fn after_evaluating(command: &str, placeholder: &'static str) -> Option<ProgramText> {
    TEXTS.contains(&placeholder).then(|| ProgramText {
        placeholder,
        after: command.to_owned(),
    })
}

/// Checks for an option that a program follows.
pub(super) fn takes_program(word: &str) -> bool {
    let is_short = word.strip_prefix('-').is_some_and(|letters| {
        (1..=3).contains(&letters.len())
            && letters.bytes().all(|letter| letter.is_ascii_alphabetic())
            && letters.ends_with(['c', 'e'])
    });
    is_short || word == "<<<" || PROGRAM_OPTIONS.contains(&word.to_ascii_lowercase().as_str())
}
