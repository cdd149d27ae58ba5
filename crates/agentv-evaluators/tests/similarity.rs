//! Similarity of an answer to a text.

use serde_json::json;

use crate::support::{Trial, judge, refusal, summary};

#[test]
fn without_a_threshold_the_score_is_the_similarity() {
    let options = json!({"type": "similarity", "metric": "levenshtein", "value": "Paris"});
    let evaluation = judge("Parts", options);
    assert_eq!(summary(&evaluation), (0.8, vec![], vec![]));
    assert_eq!(
        evaluation.reasoning.as_deref(),
        Some("levenshtein similarity 0.8")
    );
    let details = json!({"metric": "levenshtein", "similarity": 0.8});
    assert_eq!(evaluation.details, Some(details));
}

#[test]
fn with_a_threshold_the_score_is_one_or_zero() {
    let near = |threshold: f64| {
        let options = json!({"type": "similarity", "metric": "levenshtein", "value": "Paris", "threshold": threshold});
        judge("Parts", options)
    };
    let words = vec!["levenshtein similarity 0.8, at least 0.8"];
    assert_eq!(summary(&near(0.8)), (1.0, words, vec![]));
    let words = vec!["levenshtein similarity 0.8, less than 0.81"];
    assert_eq!(summary(&near(0.81)), (0.0, vec![], words));
    assert_eq!(near(0.81).details.unwrap()["similarity"], 0.8);
}

#[test]
fn without_a_value_the_reference_answer_is_compared() {
    let trial = Trial::answered("the cat sat").expecting(json!("The cat sat."));
    let options = json!({"type": "similarity", "metric": "rouge_l"});
    assert_eq!(trial.evaluation(options.clone()).score.value(), 1.0);
    let error = Trial::answered("x").judge(options).unwrap_err();
    assert_eq!(
        error.to_string(),
        "nothing to compare with: give the evaluator a `value` or the case an expected answer"
    );
}

#[test]
fn rouge_does_not_score_what_it_cannot_read() {
    let options = json!({"type": "similarity", "metric": "rouge_l", "value": "東京"});
    let error = Trial::answered("東京").judge(options).unwrap_err();
    assert!(
        error.to_string().contains("use `levenshtein` or `bleu`"),
        "{error}"
    );
}

#[test]
fn what_is_wrong_in_the_options_is_said_in_words() {
    for (options, message) in [
        (
            json!({"type": "similarity", "metric": "cosine"}),
            "evaluator `similarity`: `metric`: expected one of levenshtein, jaro_winkler, rouge_l, rouge_1, bleu, found \"cosine\"",
        ),
        (
            json!({"type": "similarity"}),
            "evaluator `similarity`: `metric`: missing",
        ),
        (
            json!({"type": "similarity", "metric": "bleu", "threshold": 80}),
            "evaluator `similarity`: `threshold`: expected a number from 0 to 1, found 80",
        ),
    ] {
        assert_eq!(refusal(options), message);
    }
}
