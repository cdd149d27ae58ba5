//! Checks of answers that should be JSON.

use agentv_evaluators::{BuildContext, Builder};
use serde_json::json;

use crate::support::{Trial, judge, refusal, spec, summary};

#[test]
fn is_json_is_strict_and_gives_the_parsers_reason() {
    for answer in ["{\"a\": [1, null]}", " \"text\" ", "5", "1e300"] {
        assert_eq!(
            judge(answer, json!({"type": "is_json"})).score.value(),
            1.0,
            "{answer}"
        );
    }
    for (answer, reason) in [
        ("", "the answer is not JSON: it is empty"),
        (" \n", "the answer is not JSON: it is empty"),
        (
            "{\"a\": 1,}",
            "the answer is not JSON: key must be a string at line 1 column 9",
        ),
        (
            "Sure: 5",
            "the answer is not JSON: expected value at line 1 column 1",
        ),
        (
            "```json\n5\n```",
            "the answer is not JSON: expected value at line 1 column 1",
        ),
        (
            "5 6",
            "the answer is not JSON: trailing characters at line 1 column 3",
        ),
    ] {
        let evaluation = judge(answer, json!({"type": "is_json"}));
        assert_eq!(
            summary(&evaluation),
            (0.0, vec![], vec![reason]),
            "{answer}"
        );
    }
}

fn city_schema() -> serde_json::Value {
    json!({
        "type": "json_schema",
        "schema": {
            "type": "object",
            "required": ["city"],
            "properties": {"city": {"type": "string", "maxLength": 5}},
        },
    })
}

#[test]
fn an_answer_is_held_against_an_inline_schema() {
    for answer in [r#"{"city": "Paris"}"#, "```json\n{\"city\": \"Rome\"}\n```"] {
        let evaluation = judge(answer, city_schema());
        let words = vec!["the answer matches the schema"];
        assert_eq!(summary(&evaluation), (1.0, words, vec![]), "{answer}");
    }
    for (answer, miss) in [
        ("{}", "\"city\" is a required property"),
        (r#"{"city": 5}"#, "`/city`: 5 is not of type \"string\""),
        (
            r#"{"city": "London"}"#,
            "`/city`: \"London\" is longer than 5 characters",
        ),
        (
            "Paris",
            "the answer is not JSON: expected value at line 1 column 1",
        ),
    ] {
        let evaluation = judge(answer, city_schema());
        assert_eq!(summary(&evaluation), (0.0, vec![], vec![miss]), "{answer}");
    }
}

#[test]
fn what_the_schema_says_of_a_long_value_is_short() {
    let answer = json!({"city": "x".repeat(1_000_000)}).to_string();
    let misses = judge(&answer, city_schema()).misses;
    assert!(misses[0].chars().count() < 300, "{}", misses[0].len());
}

#[test]
fn a_schema_file_is_found_from_the_root_and_nowhere_outside() {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path().join("project");
    std::fs::create_dir_all(root.join("schemas")).unwrap();
    std::fs::write(
        root.join("schemas/city.json"),
        city_schema()["schema"].to_string(),
    )
    .unwrap();
    std::fs::write(root.join("broken.json"), "{").unwrap();
    std::fs::write(root.join("no-schema.json"), r#"{"type": "strong"}"#).unwrap();
    std::fs::write(folder.path().join("outside.json"), "{}").unwrap();
    let mut context = BuildContext::new(&root);
    let file = |path: &str| json!({"type": "json_schema", "schema": path});
    let paris = Trial::answered(r#"{"city": "Paris"}"#);
    let inside = Builder::new(context.clone());
    let judged = paris.judge_with(&inside, file("/schemas/city.json"));
    assert_eq!(judged.unwrap().unwrap().score.value(), 1.0);

    let outside = folder.path().join("outside.json");
    let outside = outside.to_str().unwrap();
    for (path, reason) in [
        (
            "/nowhere.json",
            "file not found: `/nowhere.json` (looked up from the project root)",
        ),
        ("/schemas", "`/schemas` is not a regular file"),
        (
            "/../outside.json",
            "`/../outside.json` is outside the project root",
        ),
        (outside, "is outside the project root"),
        (
            "/broken.json",
            "`/broken.json` is not JSON: EOF while parsing an object at line 1 column 1",
        ),
        (
            "/no-schema.json",
            "`/no-schema.json` is not a valid JSON Schema at `/type`",
        ),
    ] {
        let error = inside.build(&spec(file(path))).err().unwrap().to_string();
        assert!(error.contains(reason), "{path}: {error}");
    }
    context.allow_outside_root = true;
    assert!(Builder::new(context).build(&spec(file(outside))).is_ok());
}

#[test]
fn what_is_no_schema_is_refused() {
    for (schema, reason) in [
        (
            json!({"type": "strong"}),
            "not a valid JSON Schema at `/type`",
        ),
        (
            json!({"properties": {"a": {"pattern": "("}}}),
            "not a valid JSON Schema at `/properties/a/pattern`",
        ),
        (
            json!({"$ref": "https://example.com/schema.json"}),
            "refers to `https://example.com/schema.json`, which is another document",
        ),
        (
            json!({"$ref": "#/$defs/nothing"}),
            "not a valid JSON Schema",
        ),
        (
            json!(5),
            "expected a JSON Schema (an object, or the path of a file)",
        ),
    ] {
        let refusal = refusal(json!({"type": "json_schema", "schema": schema}));
        assert!(refusal.contains(reason), "{refusal}");
    }
}
