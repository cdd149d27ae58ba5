//! The committed schemas accept what `validate` accepts, and refuse plain mistakes.

use std::fs;
use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use agentv_syntax::{Tree, yaml};

fn validator(name: &str) -> jsonschema::Validator {
    let path = crate::repository().join(format!("schemas/{name}.schema.json"));
    let schema: Value = serde_json::from_str(&fs::read_to_string(path).unwrap()).unwrap();
    jsonschema::validator_for(&schema).unwrap()
}

fn read_yaml(path: &Path) -> Value {
    let mut tree = Tree::default();
    yaml::parse(&fs::read_to_string(path).unwrap(), &mut tree).unwrap();
    tree.root().to_value()
}

fn files_below(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).unwrap().flatten() {
        if entry.path().is_dir() {
            files_below(&entry.path(), found);
        } else {
            found.push(entry.path());
        }
    }
}

#[test]
fn every_suite_and_case_of_the_passing_corpus_fits_the_eval_schema() {
    let eval = validator("eval");
    let mut files = Vec::new();
    for topic in fs::read_dir(crate::repository().join("corpus")).unwrap() {
        let passing = topic.unwrap().path().join("pass");
        if passing.is_dir() {
            files_below(&passing, &mut files);
        }
    }
    files_below(&crate::repository().join("examples/quickstart"), &mut files);
    let mut checked = 0;
    for file in files {
        let extension = file.extension().and_then(|end| end.to_str());
        if extension == Some("yaml") {
            let value = read_yaml(&file);
            let is_clean = value.get("evalcases").is_some() && is_clean(&file);
            if is_clean {
                assert!(eval.is_valid(&value), "{}", file.display());
                checked += 1;
            }
        }
    }
    assert!(checked >= 20, "only {checked} suites were checked");
}

/// Returns true if `validate` finds nothing: some cases of the corpus pass with skipped cases.
fn is_clean(file: &Path) -> bool {
    let output = std::process::Command::new(env!("CARGO_BIN_EXE_agentv"))
        .arg("validate")
        .arg(file)
        .output()
        .unwrap();
    output.status.success()
}

#[test]
fn plain_mistakes_do_not_fit() {
    let case = |case: Value| json!({ "evalcases": [case] });
    let eval = validator("eval");
    let good = json!({"id": "a", "expected_outcome": "b", "input": "c"});
    assert!(eval.is_valid(&case(good)));
    for bad in [
        json!({"id": "a", "input": "c"}),
        json!({"id": 1, "expected_outcome": "b", "input": "c"}),
        json!({"id": "a", "expected_outcome": "b", "input_messages": "c"}),
        json!({"id": "a", "expected_outcome": "b", "input": [{"role": "usr", "content": "c"}]}),
        json!({"id": "a", "expected_outcome": "b", "input": "c", "evaluators": [{"type": "contians"}]}),
        json!({"id": "a", "expected_outcome": "b", "input": "c", "evaluators": [{"type": "regex"}]}),
    ] {
        assert!(!eval.is_valid(&case(bad.clone())), "{bad}");
    }
    assert!(
        !validator("targets").is_valid(&json!({"targets": [{"name": "x", "provider": "opnai"}]}))
    );
    assert!(!validator("config").is_valid(&json!({"guideline_patterns": "*.md"})));
    assert!(!validator("sidecar").is_valid(&json!({"evaluator": "regex"})));
}

#[test]
fn the_examples_fit_the_schemas_of_targets_and_settings() {
    let settings = crate::repository().join("examples/quickstart/.agentv");
    assert!(validator("targets").is_valid(&read_yaml(&settings.join("targets.yaml"))));
    assert!(validator("config").is_valid(&read_yaml(&settings.join("config.yaml"))));
}
