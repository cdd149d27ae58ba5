//! Tool calls of a target.

use serde_json::{Value, json};

use crate::support::{Trial, refusal, summary};

fn follow(calls: Value, options: Value) -> agentv_core::Evaluation {
    let mut options = options;
    options["type"] = json!("tool_trajectory");
    Trial::answered("done").calling(calls).evaluation(options)
}

#[test]
fn any_order_counts_the_calls_of_each_tool() {
    let calls = json!([{"tool": "search"}, {"tool": "open"}, {"tool": "search"}]);
    let minimums = json!({"mode": "any_order", "minimums": {"search": 2, "open": 2}});
    let evaluation = follow(calls, minimums);
    let hits = vec!["`search` called 2 times, expected at least 2"];
    let misses = vec!["`open` called once, expected at least 2"];
    assert_eq!(summary(&evaluation), (0.5, hits, misses));
}

#[test]
fn in_order_allows_other_calls_in_between() {
    let calls = json!([{"tool": "search"}, {"tool": "think"}, {"tool": "open"}]);
    let options = json!({"mode": "in_order", "expected": [{"tool": "search"}, {"tool": "open"}]});
    let evaluation = follow(calls.clone(), options);
    let hits = vec!["`search` found at position 1", "`open` found at position 3"];
    assert_eq!(summary(&evaluation), (1.0, hits, vec![]));
    let turned = json!({"mode": "in_order", "expected": [{"tool": "open"}, {"tool": "search"}]});
    assert_eq!(follow(calls, turned).score.value(), 0.5);
}

#[test]
fn in_order_a_call_that_is_missing_does_not_cost_those_behind_it() {
    let calls = json!([{"tool": "b"}, {"tool": "c"}, {"tool": "a"}]);
    let expected = json!([{"tool": "a"}, {"tool": "b"}, {"tool": "c"}]);
    let evaluation = follow(calls, json!({"mode": "in_order", "expected": expected}));
    assert_eq!(evaluation.score.value(), 2.0 / 3.0);
    assert_eq!(evaluation.misses, ["`a` not found in order"]);
}

#[test]
fn exact_allows_no_other_calls() {
    let expected = json!({"mode": "exact", "expected": [{"tool": "search", "args": {"q": 1}}, {"tool": "open"}]});
    let right = json!([{"tool": "search", "input": {"q": 1, "page": 2}}, {"tool": "open"}]);
    assert_eq!(follow(right, expected.clone()).score.value(), 1.0);
    let calls = json!([{"tool": "search", "input": {"q": 2}}, {"tool": "open"}, {"tool": "open"}]);
    let evaluation = follow(calls, expected.clone());
    let misses = vec![
        "`search` at position 1 called with other arguments",
        "`open` at position 3 not expected",
    ];
    assert_eq!(
        summary(&evaluation),
        (1.0 / 3.0, vec!["`open` at position 2 found"], misses)
    );
    let evaluation = follow(json!([{"tool": "open"}]), expected);
    let misses = vec![
        "`search` at position 1 not found, found `open`",
        "`open` at position 2 not found: there are fewer calls",
    ];
    assert_eq!(summary(&evaluation), (0.0, vec![], misses));
}

#[test]
fn a_limit_on_a_calls_duration_counts_like_a_call() {
    let expected = json!([{"tool": "search", "max_duration_ms": 100}, {"tool": "open", "max_duration_ms": 100}]);
    let options = json!({"mode": "in_order", "expected": expected});
    let slow =
        json!([{"tool": "search", "duration_ms": 100}, {"tool": "open", "duration_ms": 101.5}]);
    let evaluation = follow(slow, options.clone());
    assert_eq!(evaluation.score.value(), 0.75);
    assert_eq!(
        evaluation.misses,
        ["`open` took 101.5 ms, more than 100 ms"]
    );
    let unknown = json!([{"tool": "search", "duration_ms": 50}, {"tool": "open"}]);
    let evaluation = follow(unknown, options.clone());
    assert_eq!(evaluation.score.value(), 1.0);
    assert_eq!(
        evaluation.reasoning.as_deref(),
        Some("warning: the duration of `open` is unknown, so `max_duration_ms` was not checked")
    );
    let missing = follow(json!([{"tool": "search", "duration_ms": 50}]), options);
    assert_eq!(missing.score.value(), 0.5);
}

#[test]
fn of_two_calls_that_fit_the_one_in_time_is_taken() {
    let calls =
        json!([{"tool": "search", "duration_ms": 500}, {"tool": "search", "duration_ms": 5}]);
    let expected = json!([{"tool": "search", "max_duration_ms": 100}]);
    let evaluation = follow(calls, json!({"mode": "in_order", "expected": expected}));
    assert_eq!(evaluation.score.value(), 1.0);
}

#[test]
fn calls_are_scored_as_they_are_also_if_there_are_none() {
    let none = json!([]);
    let one = json!([{"tool": "search"}]);
    for (calls, options, score) in [
        (&none, json!({"mode": "exact", "expected": []}), 1.0),
        (&one, json!({"mode": "exact", "expected": []}), 0.0),
        (
            &none,
            json!({"mode": "exact", "expected": [{"tool": "search"}]}),
            0.0,
        ),
        (&none, json!({"mode": "in_order", "expected": []}), 1.0),
        (&one, json!({"mode": "in_order", "expected": []}), 1.0),
        (
            &none,
            json!({"mode": "in_order", "expected": [{"tool": "search"}]}),
            0.0,
        ),
        (&none, json!({"mode": "any_order", "minimums": {}}), 1.0),
        (&one, json!({"mode": "any_order", "minimums": {}}), 1.0),
        (
            &none,
            json!({"mode": "any_order", "minimums": {"search": 0}}),
            1.0,
        ),
        (
            &none,
            json!({"mode": "any_order", "minimums": {"search": 1}}),
            0.0,
        ),
    ] {
        let evaluation = follow(calls.clone(), options.clone());
        assert_eq!(evaluation.score.value(), score, "{calls} {options}");
        assert_eq!(
            evaluation.misses.is_empty(),
            score == 1.0,
            "{calls} {options}"
        );
    }
}

#[test]
fn what_is_wrong_in_the_options_is_said_in_words() {
    for (options, message) in [
        (json!({}), "`mode`: missing"),
        (
            json!({"mode": "random"}),
            "`mode`: expected one of any_order, in_order, exact, superset, subset, found \"random\"",
        ),
        (
            json!({"mode": "any_order", "expected": []}),
            "`minimums`: missing",
        ),
        (
            json!({"mode": "exact", "minimums": {}}),
            "`expected`: missing",
        ),
        (
            json!({"mode": "any_order", "minimums": {"a": -1}}),
            "`minimums`: expected an object of whole numbers, found {\"a\":-1}",
        ),
        (
            json!({"mode": "exact", "expected": [{"tool": "a", "args": []}]}),
            "`expected[0].args`: expected `any` or an object of arguments",
        ),
    ] {
        let mut options = options;
        options["type"] = json!("tool_trajectory");
        let expected = format!("evaluator `tool_trajectory`: {message}");
        assert_eq!(refusal(options), expected);
    }
}
