//! Files with results of runs or recorded answers, which have the names of eval files.

use std::io::Read;
use std::path::Path;
use std::sync::Arc;

use agentv_syntax::{Code, Diagnostic, Node, Problem, Tree, yaml};

use crate::format::{EvalSource, FormatKind, Row, open_regular};
use crate::unsaved::UnsavedTexts;

/// The number of bytes of a YAML file in which its first record must end.
const LONGEST_RECORD: u64 = 4 << 20;

/// Checks if a file has results, events or recorded answers of a run: its first record is one of ours or of AgentV. A
/// file with a sidecar is not a recording.
pub(crate) fn has_results(path: &Path, unsaved: &UnsavedTexts) -> bool {
    let file = Arc::from(path.to_string_lossy());
    let Some((format, _)) = FormatKind::of(path) else {
        return false;
    };
    if !format.has_sidecar {
        return match unsaved.of(path) {
            Some(text) => is_yaml_of_results(text.as_bytes()),
            None => open_regular(path, &file).is_ok_and(is_yaml_of_results),
        };
    }
    let source = (format.open)(path, &file, unsaved).ok();
    source.is_some_and(|source| {
        let first = found_in(source.as_ref());
        first == Some(Found::Results)
            || first == Some(Found::Recording) && !has_sidecar(path, unsaved)
    })
}

/// Checks if the first item or document of a YAML file is a result. Only this part is read.
fn is_yaml_of_results(file: impl Read) -> bool {
    let mut start = Vec::new();
    if file.take(LONGEST_RECORD).read_to_end(&mut start).is_err() {
        return false;
    }
    let text = String::from_utf8_lossy(&start);
    let record = first_record(text.trim_start_matches('\u{feff}'));
    let mut tree = Tree::default();
    let names_case = ["eval_id", "test_id"].iter().any(|id| record.contains(id));
    if !names_case || yaml::parse(record, &mut tree).is_err() {
        return false;
    }
    let root = tree.root();
    is_result(root.items().next().unwrap_or(root))
}

/// Returns the text of the first item of a sequence, or of the first document.
fn first_record(text: &str) -> &str {
    let ends = |line: &str| line.starts_with("- ") || line.trim_end() == "---";
    let mut at = 0;
    let mut has_begun = false;
    for line in text.split_inclusive('\n') {
        if has_begun && ends(line) {
            break;
        }
        has_begun |= line.starts_with("- ") || line.starts_with(char::is_alphabetic);
        at += line.len();
    }
    &text[..at]
}

/// The content of a file that has no cases.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Found {
    /// Results or events of a run.
    Results,
    /// Answers that a `replay` target gives again.
    Recording,
}

/// Returns what the first row of a file is, if it is not a case.
pub(crate) fn found_in(source: &dyn EvalSource) -> Option<Found> {
    let mut rows = source.rows().ok()?;
    loop {
        match rows.next() {
            Some(Row::Case(row)) if is_result(row.node) => return Some(Found::Results),
            Some(Row::Case(row)) => return is_recorded(row.node).then_some(Found::Recording),
            Some(Row::Blank(_)) => {}
            Some(Row::Broken(_)) | None => return None,
        }
    }
}

/// Checks if a sidecar lies beside a file, which may map any field to those of a case.
pub(crate) fn has_sidecar(path: &Path, unsaved: &UnsavedTexts) -> bool {
    let beside = crate::dataset::sidecar_path(path);
    beside.is_some_and(|beside| beside.is_file() || unsaved.of(&beside).is_some())
}

impl Found {
    /// Returns the error that a file has something else in place of cases.
    pub(crate) fn instead_of_cases(self, file: &Arc<str>) -> Diagnostic {
        let (message, hint) = match self {
            Found::Results => (
                "this is a results file: it has results of a run, not cases",
                "name an eval file; `agentv compare` reads results in .jsonl and .json files",
            ),
            Found::Recording => (
                "this is a recording: it has answers, not cases",
                "name an eval file; a `replay` target gives the answers of a recording, and `agentv grade` grades \
                 them. If its rows are questions, map their fields in a sidecar",
            ),
        };
        let problem = Problem::fatal(Code::ResultsFile, 0..0, message).hint(hint);
        Diagnostic::of_file(file, problem)
    }
}

/// Checks if a JSON Lines file has no content. The results of a shard without trials are such a file.
pub(crate) fn is_empty(path: &Path) -> bool {
    let has_rows = FormatKind::of(path).is_some_and(|(format, _)| format.has_sidecar);
    has_rows && std::fs::metadata(path).is_ok_and(|file| file.is_file() && file.len() == 0)
}

/// Checks for the fields that every record of a run has, here or in AgentV, and for its first event.
fn is_result(row: Node<'_>) -> bool {
    let has = |name: &str| row.get(name).is_some();
    let event = row.get("event").and_then(Node::as_str);
    if event.is_some_and(|event| event == "planned") && has("trials") && has("skipped") {
        return !has("id");
    }
    let ours = ["eval_id", "status", "answer_key"];
    let of_agentv = ["timestamp", "target", "score"];
    // A case has an id.
    !has("id")
        && (ours.into_iter().all(has)
            || of_agentv.into_iter().all(has) && (has("eval_id") || has("test_id")))
}

/// Checks for the fields of a recorded answer, and that those of a case are missing.
fn is_recorded(row: Node<'_>) -> bool {
    const OF_CASES: &[&str] = &[
        "input",
        "input_messages",
        "expected_outcome",
        "outcome",
        "criteria",
        "expected_output",
        "expected_messages",
        "evaluators",
        "rubrics",
        "question",
        "prompt",
    ];
    let has = |name: &str| row.get(name).is_some();
    has("id") && (has("text") || has("output_messages")) && !OF_CASES.iter().any(|name| has(name))
}

#[cfg(test)]
mod tests {
    use super::*;
    use agentv_syntax::{Tree, json};

    #[test]
    fn only_the_first_record_of_a_yaml_file_is_read() {
        for (text, expected) in [
            (
                "- a: 1\n  b: |\n    - x\n- a: [\n",
                "- a: 1\n  b: |\n    - x\n",
            ),
            ("---\n# why\na: 1\n---\na: 2\n", "---\n# why\na: 1\n"),
            ("a: 1\n", "a: 1\n"),
            ("", ""),
        ] {
            assert_eq!(first_record(text), expected, "{text}");
        }
    }

    #[test]
    fn a_recorded_answer_is_told_from_a_case_by_its_fields() {
        for (line, expected) in [
            (r#"{"id": "a", "text": "Paris"}"#, true),
            (r#"{"id": "a", "output_messages": []}"#, true),
            (r#"{"id": "a", "text": "Paris", "input": "?"}"#, false),
            (r#"{"id": "a", "text": "Paris", "criteria": "c"}"#, false),
            (r#"{"text": "Paris", "label": 1}"#, false),
            (r#"{"id": "a", "label": 1}"#, false),
        ] {
            let mut tree = Tree::default();
            json::parse(line, &mut tree).unwrap();
            assert_eq!(is_recorded(tree.root()), expected, "{line}");
        }
    }

    #[test]
    fn records_are_told_from_cases_by_their_fields() {
        for (line, expected) in [
            (
                r#"{"eval_id": "a", "status": "pass", "answer_key": "x"}"#,
                true,
            ),
            (
                r#"{"timestamp": "t", "eval_id": "a", "score": 1, "target": "t"}"#,
                true,
            ),
            (
                r#"{"timestamp": "t", "test_id": "a", "score": 0, "target": "t"}"#,
                true,
            ),
            (r#"{"id": "a", "input": "i", "outcome": "o"}"#, false),
            (
                r#"{"id": "a", "input": "i", "outcome": "o", "eval_id": "b", "status": "open", "answer_key": "C"}"#,
                false,
            ),
            (r#"{"event": "planned", "trials": 3, "skipped": 0}"#, true),
            (r#"{"event": "planned", "input": "i"}"#, false),
            (r#"{"eval_id": "a", "status": "pass"}"#, false),
            (
                r#"{"input": {"userMessage": "m", "target": "t", "score": 1}}"#,
                false,
            ),
        ] {
            let mut tree = Tree::default();
            json::parse(line, &mut tree).unwrap();
            assert_eq!(is_result(tree.root()), expected, "{line}");
        }
    }
}
