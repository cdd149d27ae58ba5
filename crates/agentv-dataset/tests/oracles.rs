//! Laws of any bytes in an eval file, for the fuzz targets and the test of their seeds.

use std::fs;
use std::path::Path;

use agentv_core::EvalCase;
use agentv_dataset::{LoadError, LoadOptions, Loaded, check_sidecar, load_eval_cases};
use agentv_syntax::{Code, Definitions, Draft, Severity, Tree, json, yaml};
use serde_json::Value;
use tempfile::TempDir;

/// A project whose files are rewritten for each input, in memory if the system has such a place.
pub struct Scratch {
    root: TempDir,
    options: LoadOptions,
}

impl Default for Scratch {
    fn default() -> Scratch {
        let memory = Path::new("/dev/shm");
        let root = if memory.is_dir() {
            tempfile::tempdir_in(memory)
        } else {
            tempfile::tempdir()
        };
        let root = root.expect("a temporary folder");
        for folder in [".git", "data"] {
            fs::create_dir(root.path().join(folder)).expect("a folder");
        }
        fs::write(root.path().join("notes.md"), "notes\r\n").expect("a file");
        let definitions = Definitions {
            evaluators: &agentv_evaluators::REGISTRY,
            targets: &agentv_providers::REGISTRY,
        };
        let options = LoadOptions::new(definitions, root.path());
        Scratch { root, options }
    }
}

impl Scratch {
    fn load(&self, name: &str, content: &[u8]) -> Result<Loaded, LoadError> {
        let path = self.root.path().join(name);
        fs::write(&path, content).expect("the file to load");
        load_eval_cases(path, &self.options)
    }

    /// Checks one line of a JSONL file: it gives a case or a diagnostic; a case comes back from its own
    /// JSON, and a suite of the same content gives the same.
    pub fn jsonl_line(&self, line: &[u8]) {
        let from_line = self.load("line.jsonl", line);
        let Ok(loaded) = &from_line else { return };
        assert!(!loaded.cases.is_empty() || !loaded.diagnostics.is_empty());
        loaded.cases.iter().for_each(comes_back);
        let Ok(text) = std::str::from_utf8(line) else {
            return;
        };
        let text = text.strip_prefix('\u{feff}').unwrap_or(text);
        let mut tree = Tree::default();
        // A suite could not hold half of a surrogate pair.
        if json::parse(text, &mut tree).is_ok() && tree.root().lone_surrogate().is_none() {
            let cases = Draft::Array(vec![Draft::from(tree.root())]);
            let suite = Draft::Object(vec![("evalcases".to_owned(), cases)]);
            let from_suite = self.load("line.yml", suite.to_yaml().as_bytes());
            let from_suite = from_suite.expect("what a line can hold, a suite can");
            assert_eq!(from_suite.cases, loaded.cases);
            assert_eq!(told(&from_suite), told(loaded));
        }
    }

    /// Checks a YAML suite: it gives cases or a diagnostic, and so does the same suite written anew.
    pub fn yaml_suite(&self, suite: &[u8]) {
        let Ok(loaded) = self.load("suite.yml", suite) else {
            return;
        };
        assert!(!loaded.cases.is_empty() || !loaded.diagnostics.is_empty());
        loaded.cases.iter().for_each(comes_back);
        let text = std::str::from_utf8(suite).expect("what was loaded is text");
        let mut tree = Tree::default();
        if yaml::parse(text, &mut tree).is_err() {
            return;
        }
        let anew = Draft::from(tree.root()).to_yaml();
        let again = self.load("suite.yml", anew.as_bytes());
        let again = again.unwrap_or_else(|error| panic!("{error:?}\n{anew}"));
        assert_eq!(again.cases, loaded.cases, "{anew}");
        assert_eq!(told(&again), told(&loaded), "{anew}");
    }

    /// Checks the sidecar of two cases: both are loaded, or it is refused with the problem that a check of
    /// the sidecar alone finds.
    pub fn sidecar(&self, sidecar: &[u8]) {
        let path = self.root.path().join("cases.yaml");
        fs::write(&path, sidecar).expect("the sidecar");
        let alone = check_sidecar(&path, &self.options);
        let is_wrong = alone.iter().any(|d| d.severity() != Severity::Warning);
        let cases = concat!(
            r#"{"id": "a", "outcome": "o", "input": "i"}"#,
            "\n",
            r#"{"id": "row", "input": {"userMessage": "hello", "animal": "cat"}}"#,
        );
        match self.load("cases.jsonl", cases.as_bytes()) {
            Ok(loaded) => {
                assert!(!is_wrong, "{alone:?}");
                loaded.cases.iter().for_each(comes_back);
                // Only a template may refuse the row.
                assert_eq!(loaded.cases[0].id, "a");
            }
            Err(_) => assert!(is_wrong, "{alone:?}"),
        }
    }
}

/// Returns the diagnostics of the cases, without those of blank lines, which only JSONL has. Within a
/// case the order follows the text, and a suite's mapping begins at its first key.
fn told(loaded: &Loaded) -> Vec<(Code, &str)> {
    let diagnostics = loaded.diagnostics.iter();
    let mut told: Vec<_> = diagnostics
        .map(|diagnostic| (diagnostic.code(), diagnostic.problem.path.as_str()))
        .filter(|told| *told != (Code::AgentMarkAdvice, ""))
        // Written anew, such a text has quotes.
        .filter(|(code, _)| *code != Code::NumberLike)
        .collect();
    told.sort_unstable();
    told
}

fn comes_back(case: &EvalCase) {
    let text = serde_json::to_string(case).expect("a case is JSON");
    let back: EvalCase = serde_json::from_str(&text).expect("a case comes back from its JSON");
    assert_eq!(&back, case);
}

/// Checks that our lexer accepts what `serde_json` accepts, and reads the same value.
pub fn json_lexer(bytes: &[u8]) {
    let Ok(text) = std::str::from_utf8(bytes) else {
        return;
    };
    let mut tree = Tree::default();
    let ours = json::parse(text, &mut tree).map(|()| tree.root().to_value());
    match (ours, serde_json::from_str::<Value>(text)) {
        (Ok(ours), Ok(theirs)) => assert_eq!(ours, theirs),
        (Err(invalid), Err(_)) => assert!(text.is_char_boundary(invalid.offset)),
        // A number that no double can hold is JSON, and a problem of its case.
        (Ok(_), Err(error)) if error.to_string().starts_with("number out of range") => {
            assert!(tree.root().overflowing_number().is_some());
        }
        // So is half of a surrogate pair.
        (Ok(_), Err(error)) if error.to_string().contains("hex escape") => {
            assert!(tree.root().lone_surrogate().is_some());
        }
        (ours, theirs) => panic!("ours {ours:?}, serde_json {theirs:?}"),
    }
}

/// Checks that a value read from YAML reads the same after it was written, as YAML and as JSON.
pub fn yaml_round_trip(bytes: &[u8]) {
    let Ok(text) = std::str::from_utf8(bytes) else {
        return;
    };
    let mut tree = Tree::default();
    if let Err(invalid) = yaml::parse(text, &mut tree) {
        assert!(text.is_char_boundary(invalid.offset), "{invalid:?}");
        return;
    }
    let root = tree.root();
    let (value, draft) = (root.to_value(), Draft::from(root));
    let mut again = Tree::default();
    let written = draft.to_yaml();
    yaml::parse(&written, &mut again).unwrap_or_else(|error| panic!("{error:?}\n{written}"));
    assert_eq!(again.root().to_value(), value, "{written}");
    let written = draft.to_json();
    // A document may be two levels deeper than a line.
    if json::parse(&written, &mut again).is_ok() {
        assert_eq!(again.root().to_value(), value);
    } else {
        assert!(depth(&value) > json::MAX_DEPTH, "{written}");
    }
}

fn depth(value: &Value) -> usize {
    match value {
        Value::Array(items) => 1 + items.iter().map(depth).max().unwrap_or(0),
        Value::Object(fields) => 1 + fields.values().map(depth).max().unwrap_or(0),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => 0,
    }
}
