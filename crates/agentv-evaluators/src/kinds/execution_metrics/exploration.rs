//! Telling tools that explore from tools that change something, by the words in their names.

use std::collections::BTreeMap;

/// Words in the names of tools that explore.
const LOOKING: &[&str] = &[
    "browse", "cat", "check", "describe", "explore", "fetch", "find", "get", "glob", "grep",
    "head", "inspect", "list", "look", "lookup", "ls", "open", "query", "read", "retrieve",
    "search", "show", "stat", "tail", "tree", "view",
];

/// Words in the names of tools that change something, whatever else the names say.
const CHANGING: &[&str] = &[
    "add", "append", "apply", "commit", "copy", "create", "delete", "edit", "exec", "execute",
    "insert", "install", "make", "modify", "move", "patch", "post", "push", "put", "remove",
    "rename", "replace", "reset", "run", "save", "send", "set", "update", "upload", "write",
];

/// Returns the share of tool calls that explore, or `None` without tool calls.
pub(super) fn share(calls: &BTreeMap<String, u64>) -> Option<f64> {
    let all: u64 = calls.values().sum();
    let looking = calls.iter().filter(|(tool, _)| looks_around(tool));
    let looking: u64 = looking.map(|(_, count)| count).sum();
    (all > 0).then(|| looking as f64 / all as f64)
}

fn looks_around(tool: &str) -> bool {
    let words = words(tool);
    let has = |known: &[&str]| words.iter().any(|word| known.contains(&word.as_str()));
    has(LOOKING) && !has(CHANGING)
}

/// Returns the words of a name such as `semanticSearch`, `read_file` or `fs.list-dir`, in lower
/// case.
fn words(name: &str) -> Vec<String> {
    let mut words = vec![String::new()];
    let mut after_lower_case = false;
    for letter in name.chars() {
        let starts_word = letter.is_uppercase() && after_lower_case;
        if (starts_word || !letter.is_alphabetic()) && words.last().is_some_and(|w| !w.is_empty()) {
            words.push(String::new());
        }
        if let Some(word) = words.last_mut().filter(|_| letter.is_alphabetic()) {
            word.extend(letter.to_lowercase());
        }
        after_lower_case = letter.is_lowercase();
    }
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tools_are_told_apart_by_the_words_in_their_names() {
        for tool in [
            "Read",
            "semanticSearch",
            "read_file",
            "fs.list-dir",
            "grep",
            "get2",
        ] {
            assert!(looks_around(tool), "{tool}");
        }
        for tool in [
            "write_file",
            "Bash",
            "update_search_index",
            "reader",
            "setView",
            "",
        ] {
            assert!(!looks_around(tool), "{tool}");
        }
    }

    #[test]
    fn every_call_counts_once() {
        let calls = BTreeMap::from([("read".to_owned(), 3), ("edit".to_owned(), 1)]);
        assert_eq!(share(&calls), Some(0.75));
        assert_eq!(share(&BTreeMap::new()), None);
    }
}
