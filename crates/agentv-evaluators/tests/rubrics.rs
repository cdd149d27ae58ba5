//! Checklists: their scores, and when they fail.

use agentv_core::{PassThreshold, Verdict};
use serde_json::{Value, json};

use crate::scripted::{ScriptedJudges, said_by_system};
use crate::support::{Trial, refusal};

/// Returns the score and verdict of a checklist for these checks by the judge.
fn checked(rubrics: Value, checks: Value) -> (f64, Verdict) {
    let answer = json!({"checks": checks, "overall_reasoning": "So so."}).to_string();
    let judges = ScriptedJudges::saying(&[&answer]);
    let options = json!({"type": "rubric", "rubrics": rubrics});
    let evaluation = judges
        .judge(&Trial::answered("an answer"), options)
        .unwrap();
    let schema = judges.asked()[0].1.output_schema.clone().unwrap();
    let answer = serde_json::from_str(&answer).unwrap();
    assert!(jsonschema::is_valid(&schema, &answer), "{schema}");
    (
        evaluation.score.value(),
        evaluation.verdict_at(PassThreshold::default()),
    )
}

fn yes(id: &str) -> Value {
    json!({"id": id, "satisfied": true, "reasoning": "It does."})
}

fn no(id: &str) -> Value {
    json!({"id": id, "satisfied": false, "reasoning": "It does not."})
}

fn points(id: &str, score: u8) -> Value {
    json!({"id": id, "score": score, "reasoning": "Well."})
}

/// Returns an item with points.
fn ranged(id: &str) -> Value {
    json!({"id": id, "score_ranges": [
        {"score_range": [0, 3], "expected_outcome": "Poor"},
        {"score_range": [4, 7], "expected_outcome": "Fair"},
        {"score_range": [8, 10], "expected_outcome": "Good"},
    ]})
}

fn with(mut item: Value, field: &str, value: Value) -> Value {
    item[field] = value;
    item
}

#[test]
fn the_score_is_the_share_of_the_weight_that_is_satisfied() {
    let plain = json!(["Names the city", "Is polite"]);
    let both = json!([yes("rubric-1"), yes("rubric-2")]);
    assert_eq!(checked(plain.clone(), both), (1.0, Verdict::Pass));
    let one = json!([no("rubric-2"), yes("rubric-1")]);
    assert_eq!(checked(plain, one), (0.5, Verdict::Fail));
    let weighted = json!([
        {"id": "city", "expected_outcome": "Names the city", "weight": 3},
        {"id": "polite", "description": "Is polite", "required": false},
    ]);
    let city = json!([yes("city"), no("polite")]);
    assert_eq!(checked(weighted, city), (0.75, Verdict::Borderline));
}

#[test]
fn items_are_required_unless_they_say_otherwise() {
    let five = json!(["a", "b", "c", "d", {"expected_outcome": "e"}]);
    let four = json!([
        yes("rubric-1"),
        yes("rubric-2"),
        yes("rubric-3"),
        yes("rubric-4"),
        no("rubric-5")
    ]);
    assert_eq!(checked(five, four.clone()), (0.8, Verdict::Fail));
    let optional = json!(["a", "b", "c", "d", {"expected_outcome": "e", "required": false}]);
    assert_eq!(checked(optional, four), (0.8, Verdict::Pass));
}

#[test]
fn a_map_of_score_ranges_gives_the_lowest_score_of_each() {
    let item = json!({"id": "depth", "score_ranges": {"0": "Poor", "3": "Fair", "10": "Perfect"}});
    let answer = json!({"checks": [points("depth", 7)]}).to_string();
    let judges = ScriptedJudges::saying(&[&answer]);
    let options = json!({"type": "rubric", "rubrics": [item]});
    let evaluation = judges.judge(&Trial::answered("Hi"), options).unwrap();
    assert_eq!(evaluation.score.value(), 0.7);
    assert_eq!(evaluation.hits, ["depth (7 of 10)"]);
    let told = said_by_system(&judges.asked()[0].1);
    for text in ["0 to 2: Poor", "3 to 9: Fair", "10 to 10: Perfect"] {
        assert!(told.contains(text), "{text} in\n{told}");
    }
}

#[test]
fn weights_that_sum_to_nothing_give_nothing() {
    let items = json!([{"id": "a", "expected_outcome": "A", "weight": 0}]);
    assert_eq!(checked(items, json!([yes("a")])), (0.0, Verdict::Fail));
}

#[test]
fn a_required_item_that_is_missed_fails_the_whole() {
    let items = json!([
        {"id": "city", "expected_outcome": "Names the city", "weight": 9},
        {"id": "safe", "expected_outcome": "Is safe", "required": true},
    ]);
    let unsafe_answer = json!([yes("city"), no("safe")]);
    assert_eq!(checked(items.clone(), unsafe_answer), (0.9, Verdict::Fail));
    let good = json!([yes("city"), yes("safe")]);
    assert_eq!(checked(items, good), (1.0, Verdict::Pass));
}

#[test]
fn points_make_the_score_by_weight() {
    let items = json!([with(ranged("depth"), "weight", json!(3)), ranged("style")]);
    // (3 · 9 + 1 · 5) / 10 / 4
    let said = json!([points("depth", 9), points("style", 5)]);
    assert_eq!(checked(items, said), (0.8, Verdict::Pass));
}

#[test]
fn too_few_points_of_a_required_item_fail_the_whole() {
    let items = json!([
        ranged("a"),
        with(ranged("b"), "required_min_score", json!(6))
    ]);
    let few = json!([points("a", 10), points("b", 5)]);
    assert_eq!(checked(items.clone(), few), (0.75, Verdict::Fail));
    let enough = json!([points("a", 10), points("b", 6)]);
    assert_eq!(checked(items, enough), (0.8, Verdict::Pass));
    // Without a number, all points are required.
    let required = json!([ranged("a"), with(ranged("b"), "required", json!(true))]);
    let nine = json!([points("a", 10), points("b", 9)]);
    assert_eq!(checked(required.clone(), nine), (0.95, Verdict::Fail));
    let ten = json!([points("a", 10), points("b", 10)]);
    assert_eq!(checked(required, ten), (1.0, Verdict::Pass));
}

#[test]
fn items_of_both_kinds_stand_in_one_list() {
    let items = json!(["Is polite", ranged("depth")]);
    let said = json!([yes("rubric-1"), points("depth", 4)]);
    assert_eq!(checked(items, said), (0.7, Verdict::Borderline));
}

#[test]
fn the_judge_is_told_the_items_and_what_points_mean() {
    let answer = json!({"checks": [yes("rubric-1"), points("depth", 4)]}).to_string();
    let judges = ScriptedJudges::saying(&[&answer]);
    let options = json!({"type": "llm_judge", "rubrics": ["Is polite", ranged("depth")]});
    let evaluation = judges.judge(&Trial::answered("Hi"), options).unwrap();
    let told = said_by_system(&judges.asked()[0].1);
    for text in [
        "- id \"rubric-1\": Is polite",
        "- id \"depth\": ",
        "4 to 7: Fair",
    ] {
        assert!(told.contains(text), "{text} in\n{told}");
    }
    assert_eq!(evaluation.hits, ["Is polite"]);
    assert_eq!(evaluation.misses, ["depth (4 of 10)"]);
    assert_eq!(
        evaluation.details.unwrap()["checks"][1],
        json!({"id": "depth", "score": 4, "weight": 1.0, "reasoning": "Well."})
    );
}

#[test]
fn what_does_not_cover_the_list_once_is_no_answer() {
    let rubrics = json!(["A", ranged("b")]);
    for (checks, why) in [
        (
            json!([points("b", 3)]),
            "`checks` has nothing for the item `rubric-1`",
        ),
        (
            json!([yes("rubric-1"), no("rubric-1"), points("b", 3)]),
            "`checks` has contradictory entries for the item `rubric-1`",
        ),
        (
            json!([yes("rubric-1"), points("b", 11)]),
            "`score` of the item `b` must be a whole number from 0 to 10, but is 11",
        ),
        (
            json!([yes("rubric-1"), {"id": "b", "score": 3.5}]),
            "`score` of the item `b` must be a whole number from 0 to 10, but is 3.5",
        ),
        (
            json!([{"id": "rubric-1", "satisfied": "partly"}, points("b", 1)]),
            "`satisfied` of the item `rubric-1` must be true or false, but is \"partly\"",
        ),
        (
            json!("all fine"),
            "`checks` is missing: expected an array with an object for each item",
        ),
    ] {
        let answer = json!({"checks": checks, "overall_reasoning": ""}).to_string();
        let judges = ScriptedJudges::saying(&[&answer, &answer]);
        let options = json!({"type": "rubric", "rubrics": rubrics});
        let error = judges.judge(&Trial::answered("Hi"), options).unwrap_err();
        assert!(error.ends_with(why), "{error}");
    }
}

#[test]
fn a_checklist_that_makes_no_sense_is_refused() {
    for (rubrics, why) in [
        (json!([]), "`rubrics`: expected at least one item"),
        (json!([1]), "`rubrics[0]`: expected an object, found 1"),
        (
            json!(["A", {"id": "rubric-1", "expected_outcome": "B"}]),
            "`rubrics`: two items have the id `rubric-1`",
        ),
        (
            json!([{"id": "a", "required_min_score": 11}]),
            "`rubrics[0].required_min_score`: expected a whole number from 0 to 10",
        ),
    ] {
        let refused = refusal(json!({"type": "rubric", "rubrics": rubrics}));
        assert_eq!(refused, format!("evaluator `rubric`: {why}"));
    }
}

#[test]
fn several_judges_of_a_checklist_are_joined() {
    let answers = [
        json!({"checks": [yes("rubric-1"), yes("rubric-2")]}).to_string(),
        json!({"checks": [yes("rubric-1"), no("rubric-2")]}).to_string(),
        json!({"checks": [no("rubric-1"), no("rubric-2")]}).to_string(),
    ];
    let answers: Vec<&str> = answers.iter().map(String::as_str).collect();
    let judges = ScriptedJudges::saying(&answers);
    let options = json!({"type": "rubric", "rubrics": ["A", "B"], "judges": 3});
    let evaluation = judges.judge(&Trial::answered("Hi"), options).unwrap();
    assert_eq!(evaluation.score.value(), 0.5);
    assert_eq!(evaluation.hits, ["A"]);
    let details = evaluation.details.unwrap();
    assert_eq!(details["judges"][0]["checks"][1]["satisfied"], true);
    assert_eq!(details["disagreement"]["score_range"], 1.0);
}
