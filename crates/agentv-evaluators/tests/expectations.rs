//! Agreement with other implementations, whose results `expectations/make.py` wrote down.

use serde_json::{Value, json};

use crate::support::Trial;

fn cases(file: &str) -> Vec<Value> {
    let path = format!("{}/tests/expectations/{file}", env!("CARGO_MANIFEST_DIR"));
    let text = std::fs::read_to_string(path).unwrap();
    let cases: Vec<Value> = serde_json::from_str(&text).unwrap();
    assert!(cases.len() >= 200);
    cases
}

fn assert_near(found: f64, expected: &Value, case: &Value) {
    let expected = expected.as_f64().unwrap();
    assert!((found - expected).abs() < 1e-9, "{found} {expected} {case}");
}

#[test]
fn similarities_are_those_of_rapidfuzz_rouge_score_and_sacrebleu() {
    for case in cases("similarity.json") {
        for metric in ["levenshtein", "jaro_winkler", "rouge_l", "bleu"] {
            let trial = Trial::answered(case["answer"].as_str().unwrap());
            let options =
                json!({"type": "similarity", "metric": metric, "value": case["reference"]});
            // rouge-score gives 0 to a text that it cannot read. We refuse it.
            let similarity = trial
                .judge(options)
                .map_or(0.0, |found| found.score.value());
            assert_near(similarity, &case[metric], &case);
        }
    }
}

#[test]
fn field_accuracy_is_that_of_the_model() {
    for case in cases("field_accuracy.json") {
        let trial = Trial::answered(case["answer"].as_str().unwrap());
        let trial = trial.expecting(case["expected"].clone());
        let mut options = case["options"].clone();
        options["type"] = json!("field_accuracy");
        let judged = trial.judge(options);
        if case["score"].is_null() {
            assert!(judged.is_err(), "{case}");
        } else {
            assert_near(judged.unwrap().score.value(), &case["score"], &case);
        }
    }
}

#[test]
fn tool_trajectory_is_that_of_the_model() {
    for case in cases("tool_trajectory.json") {
        let trial = Trial::answered("done").calling(case["calls"].clone());
        let mut options = case["options"].clone();
        options["type"] = json!("tool_trajectory");
        assert_near(
            trial.evaluation(options).score.value(),
            &case["score"],
            &case,
        );
    }
}
