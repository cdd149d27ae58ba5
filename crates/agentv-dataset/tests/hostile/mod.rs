//! Hostile files: each gets its error, quickly and in bounded memory.

mod bytes;
mod compressed;
mod nesting;
mod numbers;
mod places;
mod sizes;

use agentv_syntax::Code;

use crate::alone::soon;
use crate::project::{TestProject, codes};

const MEBIBYTE: u64 = 1 << 20;

/// Returns a case that is correct except for the fields in `extra`.
fn line(id: &str, extra: &str) -> String {
    format!(r#"{{"id": "{id}", "outcome": "o", "input": "i"{extra}}}"#)
}

fn suite(extra: &str) -> String {
    format!("evalcases:\n  - id: a\n    outcome: o\n    input: i\n{extra}")
}

/// Returns the codes of a file of this name and content.
fn codes_of(name: &str, content: impl AsRef<[u8]>) -> Vec<Code> {
    let project = TestProject::new();
    project.write(name, content);
    soon(|| codes(&project.load(name)))
}

/// Returns the codes of a good file with this sidecar.
fn codes_with_sidecar(sidecar: impl AsRef<[u8]>) -> Vec<Code> {
    let project = TestProject::new();
    project.write("a.jsonl", line("a", ""));
    project.write("a.yaml", sidecar);
    soon(|| codes(&project.load("a.jsonl")))
}

/// Returns a case that refers to a file.
fn reference(value: &str) -> String {
    let block =
        serde_json::json!([{"role": "user", "content": [{"type": "file", "value": value}]}]);
    format!(r#"{{"id": "a", "outcome": "o", "input": {block}}}"#)
}

/// Returns the codes of a case that refers to a file.
fn codes_of_reference(project: &TestProject, value: &str) -> Vec<Code> {
    project.write("refer.jsonl", reference(value));
    soon(|| codes(&project.load("refer.jsonl")))
}
