//! Composites: several evaluators as one.

use agentv_core::{PassThreshold, Verdict};
use serde_json::json;

use crate::support::{Trial, judge, refusal, summary};

#[test]
fn members_are_averaged_by_their_weights_and_reported() {
    let members = json!([
        {"type": "contains", "value": "Paris", "name": "city", "weight": 3},
        {"type": "contains", "value": "Seine"},
        {"type": "contains", "value": "Loire"},
    ]);
    let own = judge("Paris", json!({"type": "composite", "evaluators": members}));
    let hits = vec!["[city] contains `Paris`"];
    let misses = vec![
        "[contains] does not contain `Seine`",
        "[contains-2] does not contain `Loire`",
    ];
    assert_eq!(summary(&own), (0.6, hits, misses));
    let names: Vec<_> = own
        .members
        .iter()
        .map(|member| member.name.as_str())
        .collect();
    assert_eq!(names, ["city", "contains", "contains-2"]);
    assert_eq!(own.members[1].misses, ["does not contain `Seine`"]);
    assert_eq!(own.members[0].weight, 3.0);

    let aggregator = json!({"type": "weighted_average", "weights": {"contains-2": 0, "city": 1}});
    let options = json!({"type": "composite", "evaluators": members, "aggregator": aggregator});
    assert_eq!(judge("Paris", options).score.value(), 0.5);
}

#[test]
fn a_required_member_that_does_not_pass_fails_the_whole() {
    let members = json!([
        {"type": "contains", "value": "Paris", "weight": 9},
        {"type": "is_json", "required": true},
    ]);
    let evaluation = judge("Paris", json!({"type": "composite", "evaluators": members}));
    assert_eq!(evaluation.score.value(), 0.9);
    assert_eq!(
        evaluation.verdict_at(PassThreshold::default()),
        Verdict::Fail
    );
}

#[test]
fn members_may_be_composites_themselves() {
    let inner = json!({"type": "composite", "evaluators": [{"type": "is_json"}, {"type": "equals", "value": "5"}]});
    let evaluation = judge("5 ", json!({"type": "composite", "evaluators": [inner]}));
    assert_eq!(evaluation.score.value(), 0.5);
    assert_eq!(evaluation.members[0].evaluator_results.len(), 2);
}

#[test]
fn a_member_that_cannot_do_its_work_stops_the_whole() {
    let members =
        json!([{"type": "is_json"}, {"type": "similarity", "metric": "bleu", "name": "near"}]);
    let error = Trial::answered("5").judge(json!({"type": "composite", "evaluators": members}));
    let error = error.unwrap_err().to_string();
    assert!(
        error.starts_with("`near`: nothing to compare with"),
        "{error}"
    );
}

#[test]
fn what_cannot_be_run_or_understood_is_said_in_words() {
    let members = json!([{"type": "is_json"}]);
    for (options, message) in [
        (
            json!({"evaluators": []}),
            "evaluator `composite`: `evaluators`: expected at least one evaluator",
        ),
        (
            json!({"evaluators": members, "aggregator": {"type": "llm_judge"}}),
            "evaluator `composite`: `aggregator.prompt`: missing",
        ),
        (
            json!({"evaluators": [{"type": "code_judge", "name": "tone"}]}),
            "evaluator `tone`: `script`: missing",
        ),
        (
            json!({"evaluators": members, "aggregator": {"type": "code_judge"}}),
            "evaluator `composite`: `aggregator.path`: missing",
        ),
        (
            json!({"evaluators": members, "aggregator": {"type": "weighted_average", "weights": {"is_json": "1"}}}),
            "evaluator `composite`: `aggregator.weights.is_json`: expected a number that is 0 or more, found \"1\"",
        ),
        (
            json!({"evaluators": [{"type": "regex"}]}),
            "evaluator `regex`: `value`: missing",
        ),
    ] {
        let mut options = options;
        options["type"] = json!("composite");
        assert_eq!(refusal(options), message);
    }
}
