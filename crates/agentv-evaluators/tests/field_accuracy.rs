//! Fields of a structured answer.

use serde_json::{Value, json};

use crate::support::{Trial, refusal, summary};

fn compare(answer: Value, expected: Value, fields: Value) -> agentv_core::Evaluation {
    let trial = Trial::answered(&answer.to_string()).expecting(expected);
    trial.evaluation(json!({"type": "field_accuracy", "fields": fields}))
}

#[test]
fn fields_are_weighed_and_told_one_by_one() {
    let evaluation = compare(
        json!({"name": "Ada", "invoice": {"lines": [{"amount": 13}]}}),
        json!({"name": "Ada", "invoice": {"lines": [{"amount": 12.5}]}, "due": "2026-03-05"}),
        json!([
            {"path": "name", "weight": 2},
            {"path": "invoice.lines[0].amount"},
            {"path": "due"},
            {"path": "unexpected"},
        ]),
    );
    let hits = vec!["`name`: \"Ada\""];
    let misses = vec![
        "`invoice.lines[0].amount`: expected 12.5, found 13",
        "`due`: expected \"2026-03-05\", found nothing",
    ];
    assert_eq!(summary(&evaluation), (0.5, hits, misses));
    assert_eq!(
        evaluation.reasoning.as_deref(),
        Some("not compared: the expected answer has no field `unexpected`")
    );
    assert_eq!(
        evaluation.details.unwrap()["fields"][1],
        json!({"path": "invoice.lines[0].amount", "result": "miss", "weight": 1.0})
    );
}

#[test]
fn a_path_that_the_expected_answer_lacks_is_never_a_hit() {
    let trial = |answer: &str| Trial::answered(answer).expecting(json!({"total": 5}));
    let options = json!({"type": "field_accuracy", "fields": [{"path": "totl"}, {"path": "sum", "required": false}]});
    for answer in [r#"{"total": 5}"#, r#"{"totl": 5}"#, "no JSON"] {
        let error = trial(answer).judge(options.clone()).unwrap_err();
        assert_eq!(
            error.to_string(),
            "nothing to compare: the expected answer has no field `totl`, `sum`"
        );
    }
    let null = Trial::answered(r#"{"a": 1}"#).expecting(json!({"a": null}));
    let options = json!({"type": "field_accuracy", "fields": [{"path": "a"}]});
    assert_eq!(null.evaluation(options).score.value(), 0.0);
}

#[test]
fn json_in_a_fenced_block_or_alone_in_prose_is_compared() {
    let options = json!({"type": "field_accuracy", "fields": [{"path": "total"}]});
    for (answer, score) in [
        ("Sure:\n```json\n{\"total\": 5}\n```\nBye.", 1.0),
        ("The result is {\"total\": 5}.", 1.0),
        ("Either {\"total\": 5} or {\"total\": 6}.", 0.0),
        ("total: 5", 0.0),
    ] {
        let trial = Trial::answered(answer).expecting(json!({"total": 5}));
        assert_eq!(
            trial.evaluation(options.clone()).score.value(),
            score,
            "{answer}"
        );
    }
}

#[test]
fn numbers_may_have_units_and_a_relative_tolerance_around_zero_is_absolute() {
    for (found, expected, relative, score) in [
        (json!("12.5 kg"), json!(12.4), false, 1.0),
        (json!("12.5 kg"), json!("12.4 kg"), false, 1.0),
        (json!("12.5 g"), json!("12.5 kg"), false, 0.0),
        (json!("1,234"), json!(1), false, 0.0),
        (json!(0.05), json!(0), true, 1.0),
        (json!(0.2), json!(0), true, 0.0),
        (json!(109), json!(100), true, 1.0),
        (json!(111), json!(100), true, 0.0),
    ] {
        let field = json!([{"path": "n", "match": "numeric_tolerance", "tolerance": 0.1, "relative": relative}]);
        let evaluation = compare(json!({"n": found}), json!({"n": expected}), field);
        assert_eq!(evaluation.score.value(), score, "{found} {expected}");
    }
}

#[test]
fn dates_that_read_one_way_need_no_formats_and_equal_texts_match() {
    for (found, expected, score) in [
        ("25/12/2026", "2026-12-25", 1.0),
        ("12/25/2026", "25.12.2026", 1.0),
        ("05/03/2026", "05/03/2026", 1.0),
        ("Q3 2026", "Q3 2026", 1.0),
        ("05/03/2026", "2026-03-05", 0.0),
    ] {
        let field = json!([{"path": "d", "match": "date"}]);
        let evaluation = compare(json!({"d": found}), json!({"d": expected}), field);
        assert_eq!(evaluation.score.value(), score, "{found} {expected}");
    }
}

#[test]
fn an_optional_field_that_is_missing_does_not_count() {
    let fields = json!([{"path": "a"}, {"path": "b", "required": false}]);
    let expected = json!({"a": 1, "b": 2});
    let evaluation = compare(json!({"a": 1}), expected.clone(), fields.clone());
    assert_eq!(evaluation.score.value(), 1.0);
    let wrong = compare(json!({"a": 1, "b": 3}), expected.clone(), fields);
    assert_eq!(wrong.score.value(), 0.5);
    let nothing = compare(
        json!({}),
        expected,
        json!([{"path": "b", "required": false}]),
    );
    assert_eq!(summary(&nothing), (0.0, vec![], vec![]));
    assert!(nothing.reasoning.is_some());
}

#[test]
fn all_or_nothing_needs_every_field_that_counts() {
    let trial = Trial::answered(r#"{"a": 1, "b": 3}"#).expecting(json!({"a": 1, "b": 2, "c": 3}));
    let score = |fields: Value| {
        let options =
            json!({"type": "field_accuracy", "aggregation": "all_or_nothing", "fields": fields});
        trial.evaluation(options).score.value()
    };
    assert_eq!(
        score(json!([{"path": "a"}, {"path": "c", "required": false}])),
        1.0
    );
    assert_eq!(score(json!([{"path": "a"}, {"path": "b"}])), 0.0);
    assert_eq!(
        score(json!([{"path": "a"}, {"path": "b", "weight": 0}])),
        0.0
    );
    assert_eq!(score(json!([{"path": "a", "weight": 0}])), 1.0);
}

#[test]
fn numbers_may_be_off_by_a_tolerance() {
    for (found, expected, field, score) in [
        (json!(1.1), json!(1), json!({"tolerance": 0.1}), 1.0),
        (json!(1.11), json!(1), json!({"tolerance": 0.1}), 0.0),
        (
            json!(110),
            json!(100),
            json!({"tolerance": 0.1, "relative": true}),
            1.0,
        ),
        (
            json!(110.5),
            json!(100),
            json!({"tolerance": 0.1, "relative": true}),
            0.0,
        ),
        (
            json!(-110),
            json!(-100),
            json!({"tolerance": 0.1, "relative": true}),
            1.0,
        ),
        (json!(5.0), json!(5), json!({}), 1.0),
        (json!(" 5.00 "), json!(5), json!({}), 1.0),
        (json!("5,00"), json!(5), json!({}), 0.0),
        (json!("inf"), json!(5), json!({"tolerance": 1}), 0.0),
        (json!(true), json!(1), json!({}), 0.0),
        (json!(null), json!(1), json!({"tolerance": 5}), 0.0),
    ] {
        let mut field = field;
        field["path"] = json!("n");
        field["match"] = json!("numeric_tolerance");
        let evaluation = compare(json!({"n": found}), json!({"n": expected}), json!([field]));
        assert_eq!(evaluation.score.value(), score, "{found} {expected}");
    }
}

#[test]
fn dates_are_the_same_day_in_the_formats_that_are_given() {
    for (found, expected, formats, score) in [
        ("05/03/2026", "2026-03-05", json!(["DD/MM/YYYY"]), 1.0),
        ("03/05/2026", "2026-03-05", json!(["DD/MM/YYYY"]), 0.0),
        ("03/05/2026", "2026-03-05", json!(["MM/DD/YYYY"]), 1.0),
        ("2026-03-05", "05/03/2026", json!(["DD/MM/YYYY"]), 0.0),
        ("5 March 2026", "2026-03-05T10:00:00Z", json!(null), 1.0),
        ("05/03/2026", "2026-03-05", json!(null), 0.0),
    ] {
        let field = json!([{"path": "d", "match": "date", "formats": formats}]);
        let evaluation = compare(json!({"d": found}), json!({"d": expected}), field);
        assert_eq!(
            evaluation.score.value(),
            score,
            "{found} {expected} {formats}"
        );
    }
}

#[test]
fn a_date_in_another_format_is_told_with_the_formats() {
    for (found, formats, why) in [
        (
            "2026/03/05",
            json!(["DD/MM/YYYY"]),
            "which is not in the format `DD/MM/YYYY`",
        ),
        (
            "2026/03/05",
            json!(["DD/MM/YYYY", "D MMM YYYY"]),
            "which is in none of the formats `DD/MM/YYYY`, `D MMM YYYY`",
        ),
        (
            "05/03/2026",
            json!(null),
            "which is not an unambiguous date",
        ),
    ] {
        let field = json!([{"path": "d", "match": "date", "formats": formats}]);
        let evaluation = compare(json!({"d": found}), json!({"d": "2026-03-05"}), field);
        let miss = format!("`d`: expected \"2026-03-05\", found \"{found}\", {why}");
        assert_eq!(evaluation.misses, [miss]);
    }
    let field = json!([{"path": "d", "match": "date", "formats": ["DD/MM/YYYY"]}]);
    let other_day = compare(
        json!({"d": "06/03/2026"}),
        json!({"d": "2026-03-05"}),
        field,
    );
    let miss = "`d`: expected \"2026-03-05\", found \"06/03/2026\"";
    assert_eq!(other_day.misses, [miss]);
}

#[test]
fn an_answer_that_is_not_json_is_a_miss() {
    let options = json!({"type": "field_accuracy", "fields": [{"path": "a"}]});
    let trial = |answer: &str| Trial::answered(answer).expecting(json!({"a": 1}));
    let evaluation = trial("It is 1.").evaluation(options.clone());
    let words = vec!["the answer is not JSON: expected value at line 1 column 1"];
    assert_eq!(summary(&evaluation), (0.0, vec![], words));
    let fenced = trial("```json\n{\"a\": 1}\n```").evaluation(options);
    assert_eq!(fenced.score.value(), 1.0);
}

#[test]
fn where_the_expected_value_cannot_be_compared_nothing_is_said_of_the_answer() {
    let fields = json!({"type": "field_accuracy", "fields": [{"path": "a", "match": "date"}]});
    for (trial, reason) in [
        (
            Trial::answered("{}"),
            "nothing to compare with: the case has no expected answer",
        ),
        (
            Trial::answered("{}").expecting(json!("Paris")),
            "the expected answer of the case is not JSON",
        ),
        (
            Trial::answered("{\"a\": 1}").expecting(json!({"a": "soon"})),
            "`a`: the expected value is not an unambiguous date: \"soon\"",
        ),
    ] {
        assert_eq!(trial.judge(fields.clone()).unwrap_err().to_string(), reason);
    }
    let text =
        Trial::answered("{\"a\": \"2026-03-05\"}").expecting(json!("{\"a\": \"2026-03-05\"}"));
    assert_eq!(text.evaluation(fields).score.value(), 1.0);
}

#[test]
fn what_is_wrong_in_the_options_is_said_in_words() {
    for (fields, message) in [
        (json!([]), "`fields`: expected at least one field"),
        (json!([5]), "`fields[0]`: expected an object, found 5"),
        (json!([{}]), "`fields[0].path`: missing"),
        (
            json!([{"path": "a["}]),
            "`fields[0].path`: found a `[` without a `]`",
        ),
        (
            json!([{"path": "a"}, {"path": "b", "match": "fuzzy"}]),
            "`fields[1].match`: expected one of exact, numeric_tolerance, date, found \"fuzzy\"",
        ),
        (
            json!([{"path": "a", "match": "date", "formats": ["%d.%m"]}]),
            "`fields[0].formats`: unknown letter `%` in the date format `%d.%m`; use YYYY, MM and DD, for example `DD/MM/YYYY`",
        ),
    ] {
        let refusal = refusal(json!({"type": "field_accuracy", "fields": fields}));
        assert_eq!(refusal, format!("evaluator `field_accuracy`: {message}"));
    }
}
