//! The files that evaluators use, as far as their options show it.

use std::path::{Path, PathBuf};

use agentv_core::Extra;
use serde_json::Value;

/// A longer text is no path.
const LONGEST_PATH: usize = 4_096;

/// What may be files in the options of an evaluator, of its members and of its aggregator.
pub(crate) fn of(options: &Extra, root: &Path) -> Vec<PathBuf> {
    let mut paths = Vec::new();
    collect(options, root, &mut paths);
    paths
}

fn collect(object: &Extra, root: &Path, paths: &mut Vec<PathBuf>) {
    let folder = object.get("cwd").and_then(Value::as_str);
    let folder = root.join(folder.unwrap_or_default().trim_start_matches('/'));
    for (name, value) in object {
        if name == "script" {
            paths.extend(words(value).map(|word| folder.join(word)));
        }
        collect_value(value, root, paths);
    }
}

fn collect_value(value: &Value, root: &Path, paths: &mut Vec<PathBuf>) {
    match value {
        // Resolved cases name files of the project by their path from the root.
        Value::String(text) if text.len() <= LONGEST_PATH && !text.contains('\n') => {
            paths.extend(text.strip_prefix('/').map(|path| root.join(path)));
        }
        Value::Array(items) => items
            .iter()
            .for_each(|item| collect_value(item, root, paths)),
        Value::Object(object) => collect(object, root, paths),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
    }
}

/// The words of a command, those of a line for the shell without their quotes, and what stands behind
/// the `=` of an option.
fn words(script: &Value) -> impl Iterator<Item = &str> {
    let list = script.as_array().into_iter().flatten();
    let list = list.filter_map(Value::as_str);
    let line = script.as_str().unwrap_or_default();
    let is_separator = |letter: char| letter.is_whitespace() || ";|&<>()'\"`".contains(letter);
    let words = list.chain(line.split(is_separator));
    let words = words.filter(|word| !word.is_empty() && word.len() <= LONGEST_PATH);
    words.flat_map(|word| {
        let value = word.split_once('=').map(|(_, value)| value);
        std::iter::once(word).chain(value.filter(|value| !value.is_empty()))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn files_are_seen_wherever_an_evaluator_names_them() {
        let options = json!({
            "evaluators": [
                {"type": "code_judge", "script": ["python3", "judge.py", "--rules=rules.json"], "cwd": "/evals"},
                {"type": "code_judge", "script": "cat 'a.txt'|sh ./b.sh", "cwd": "/evals/deep"},
                {"type": "llm_judge", "prompt": {"script": ["sh", "prompt.sh"], "cwd": "/"}},
                {"type": "llm_judge", "prompt": "/judge.md"},
                {"type": "llm_judge", "prompt": "/judge\n{{ candidate_answer }}"},
            ],
            "aggregator": {"type": "code_judge", "path": "/evals/join.py"},
        });
        let paths = of(options.as_object().unwrap(), Path::new("/root"));
        for expected in [
            "/root/evals/judge.py",
            "/root/evals/rules.json",
            "/root/evals/deep/a.txt",
            "/root/evals/deep/./b.sh",
            "/root/prompt.sh",
            "/root/judge.md",
            "/root/evals/join.py",
        ] {
            assert!(
                paths.contains(&PathBuf::from(expected)),
                "{expected}: {paths:?}"
            );
        }
        assert!(
            !paths
                .iter()
                .any(|path| path.to_string_lossy().contains('\n'))
        );
    }
}
