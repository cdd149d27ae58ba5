//! What is filled into a command template.

/// What a command template may have in braces.
pub(crate) const PLACEHOLDERS: &[&str] = &[
    "PROMPT",
    "PROMPT_FILE",
    "GUIDELINES",
    "EVAL_ID",
    "ATTEMPT",
    "FILES",
    "OUTPUT_FILE",
];

/// The words in capitals that stand in braces in a command template, each once.
pub(crate) fn placeholders(template: &str) -> Vec<&str> {
    let mut found = Vec::new();
    for (at, _) in template.match_indices('{') {
        // `${NAME}` is the shell's, `${{ NAME }}` the environment's.
        if template[..at].ends_with(['$', '{']) {
            continue;
        }
        let Some((word, _)) = template[at + 1..].split_once('}') else {
            break;
        };
        if is_capitals(word) && !found.contains(&word) {
            found.push(word);
        }
    }
    found
}

fn is_capitals(word: &str) -> bool {
    let mut bytes = word.bytes();
    bytes.next().is_some_and(|first| first.is_ascii_uppercase())
        && bytes.all(|byte| byte.is_ascii_uppercase() || byte.is_ascii_digit() || byte == b'_')
}
