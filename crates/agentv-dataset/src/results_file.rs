//! Files with results of runs, which have the names of eval files.

use std::path::Path;
use std::sync::Arc;

use agentv_syntax::{Code, Diagnostic, Node, Problem};

use crate::format::{EvalSource, FormatKind, Row};

/// Checks if a JSONL file has results: its first line is a record of ours or of AgentV.
pub(crate) fn has_results(path: &Path) -> bool {
    let file = Arc::from(path.to_string_lossy());
    let format = FormatKind::of(path).map(|(format, _)| format);
    let source = format
        .filter(|format| format.has_sidecar)
        .and_then(|format| (format.open)(path, &file).ok());
    source.is_some_and(|source| is_of_results(source.as_ref()))
}

/// Checks if the first row of a file is a result.
pub(crate) fn is_of_results(source: &dyn EvalSource) -> bool {
    let Ok(mut rows) = source.rows() else {
        return false;
    };
    loop {
        match rows.next() {
            Some(Row::Case(row)) => return is_result(row.node),
            Some(Row::Blank(_)) => {}
            Some(Row::Broken(_)) | None => return false,
        }
    }
}

/// Returns the error that a file has results in place of cases.
pub(crate) fn results_instead_of_cases(file: &Arc<str>) -> Diagnostic {
    let message = "this is a results file: it has results of a run, not cases";
    let problem = Problem::fatal(Code::ResultsFile, 0..0, message)
        .hint("name an eval file; `agentv compare` reads results files");
    Diagnostic::of_file(file, problem)
}

/// Checks for the fields that every record of a run has, here or in AgentV.
fn is_result(row: Node<'_>) -> bool {
    let has = |name: &str| row.get(name).is_some();
    let ours = ["eval_id", "status", "answer_key"];
    let of_agentv = ["timestamp", "target", "score"];
    // A case has an id.
    !has("id")
        && (ours.into_iter().all(has)
            || of_agentv.into_iter().all(has) && (has("eval_id") || has("test_id")))
}

#[cfg(test)]
mod tests {
    use super::*;
    use agentv_syntax::{Tree, json};

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
