//! Answers and options that are malicious or very large.

use std::time::{Duration, Instant};

use agentv_core::Transcript;
use serde_json::{Value, json};

use crate::scripted::ScriptedJudges;
use crate::support::{Trial, judge};

/// Far more time than any of these takes, even on a busy machine without optimizations.
const SOON: Duration = Duration::from_secs(60);

#[test]
fn texts_too_long_to_compare_are_refused_and_not_scored() {
    let long = "ab".repeat(5_000_000);
    let reference = "ba".repeat(5_000_000);
    let trial = Trial::answered(&long);
    let started = Instant::now();
    let options =
        |metric: &str| json!({"type": "similarity", "metric": metric, "value": reference});
    for metric in ["levenshtein", "jaro_winkler"] {
        let error = trial.judge(options(metric)).unwrap_err().to_string();
        assert!(error.contains("too long to compare"), "{error}");
    }
    for metric in ["rouge_l", "bleu"] {
        assert!(trial.judge(options(metric)).is_ok(), "{metric}");
    }
    assert!(started.elapsed() < SOON);
}

#[test]
fn a_large_answer_that_is_nearly_right_is_compared_whole() {
    let reference = "x".repeat(10_000_000);
    let answer = format!("{}y{}", &reference[..5_000_000], &reference[5_000_001..]);
    let options = json!({"type": "similarity", "metric": "levenshtein", "value": reference});
    let score = judge(&answer, options).score.value();
    assert!((score - (1.0 - 1e-7)).abs() < 1e-12, "{score}");
}

#[test]
fn expressions_that_make_others_backtrack_take_linear_time() {
    let started = Instant::now();
    let answer = "a".repeat(200_000);
    let options = json!({"type": "regex", "value": "^(a+)+$", "negate": true});
    assert_eq!(judge(&format!("{answer}b"), options).score.value(), 1.0);
    assert!(started.elapsed() < SOON);
}

#[test]
fn what_a_judge_says_is_read_soon_however_hostile_it_is() {
    let started = Instant::now();
    for part in [
        "{",
        "{ ",
        "{a:\"",
        "{\"a\":",
        "{\"a\":[",
        "[",
        "{}",
        "{a}",
        "\"",
        "'{'",
        "<think>",
        "{\u{3000}",
        "{'a':'",
    ] {
        let text = part.repeat((1 << 18) / part.len());
        let judges = ScriptedJudges::new(move |_, _| Ok(Transcript::of_text(text.clone())));
        let judged = judges.judge(&Trial::answered("x"), json!({"type": "llm_judge"}));
        assert!(judged.is_err(), "{part}");
    }
    assert!(started.elapsed() < SOON, "{:?}", started.elapsed());
}

#[test]
fn an_answer_nested_too_deeply_is_a_miss() {
    let answer = format!("{}{}", "[".repeat(100_000), "]".repeat(100_000));
    let schema = json!({"type": "json_schema", "schema": {"items": {"$ref": "#"}}});
    assert_eq!(judge(&answer, schema).score.value(), 0.0);
    let fields = json!({"type": "field_accuracy", "fields": [{"path": "a"}]});
    let trial = Trial::answered(&answer).expecting(json!({"a": 1}));
    assert_eq!(trial.evaluation(fields).score.value(), 0.0);
    assert_eq!(
        judge(&answer, json!({"type": "is_json"})).score.value(),
        0.0
    );
}

#[test]
fn thousands_of_tool_calls_are_compared_or_refused() {
    let calls = |count: usize| -> Value { (0..count).map(|_| json!({"tool": "a"})).collect() };
    let expected = calls(1_000);
    let options = json!({"type": "tool_trajectory", "mode": "in_order", "expected": expected});
    let some = Trial::answered("x").calling(calls(2_000));
    assert_eq!(some.evaluation(options.clone()).score.value(), 1.0);
    let error = Trial::answered("x").calling(calls(50_000)).judge(options);
    let error = error.unwrap_err().to_string();
    assert_eq!(
        error,
        "too many tool calls to compare: 50000 made, 1000 expected"
    );
}

#[test]
fn a_schema_that_only_refers_to_itself_does_not_end_the_program() {
    for schema in [
        json!({"$ref": "#"}),
        json!({"allOf": [{"$ref": "#"}]}),
        json!({"not": {"$ref": "#"}}),
        json!({"anyOf": [{"type": "string"}, {"$ref": "#"}]}),
        json!({"$defs": {"a": {"$ref": "#/$defs/b"}, "b": {"$ref": "#/$defs/a"}}, "$ref": "#/$defs/a"}),
        json!({"$dynamicAnchor": "x", "$dynamicRef": "#x"}),
        json!({"$recursiveAnchor": true, "$recursiveRef": "#", "$schema": "https://json-schema.org/draft/2019-09/schema"}),
        json!({"if": {"$ref": "#"}, "then": {"$ref": "#"}}),
        json!({"dependentSchemas": {"a": {"$ref": "#"}}}),
        json!({"properties": {"a": {"$ref": "#"}}, "unevaluatedProperties": false}),
    ] {
        let trial = Trial::answered(r#"{"a": {"a": 1}}"#);
        let options = json!({"type": "json_schema", "schema": schema});
        assert!(trial.judge(options).is_ok(), "{schema}");
    }
}
