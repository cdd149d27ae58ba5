//! Checks that compare texts.

use serde_json::json;

use crate::support::{Trial, judge, refusal, summary};

#[test]
fn contains_finds_a_text_and_says_so() {
    let paris = json!({"type": "contains", "value": "Paris"});
    let found = judge("It is Paris.", paris.clone());
    assert_eq!(summary(&found), (1.0, vec!["contains `Paris`"], vec![]));
    let missed = judge("It is paris.", paris);
    let words = vec!["does not contain `Paris`"];
    assert_eq!(summary(&missed), (0.0, vec![], words));
}

#[test]
fn a_negated_check_turns_round_with_its_words() {
    let no_paris = json!({"type": "contains", "value": "Paris", "negate": true});
    let bad = judge("It is Paris.", no_paris.clone());
    assert_eq!(summary(&bad), (0.0, vec![], vec!["contains `Paris`"]));
    let good = judge("It is Rome.", no_paris);
    let words = vec!["does not contain `Paris`"];
    assert_eq!(summary(&good), (1.0, words, vec![]));
}

#[test]
fn case_is_ignored_in_any_script() {
    for (answer, value) in [
        ("GRÖSSE", "größe".to_uppercase().as_str()),
        ("It is PARIS", "paris"),
        ("ΟΔΟΣ ΑΘΗΝΑΣ", "οδοσ αθηνασ"),
        ("МОСКВА", "москва"),
        ("İstanbul", "i\u{307}stanbul"),
    ] {
        let ignoring = json!({"type": "contains", "value": value, "ignore_case": true});
        assert_eq!(judge(answer, ignoring).score.value(), 1.0, "{answer}");
        let strict = json!({"type": "contains", "value": value});
        let strict = judge(answer, strict).score.value();
        assert_eq!(strict, f64::from(answer.contains(value)), "{answer}");
    }
}

#[test]
fn one_of_several_texts_is_enough_for_contains_any() {
    let any = json!({"type": "contains_any", "values": ["Paris", "Rome"]});
    let found = judge("Rome and Paris", any.clone());
    assert_eq!(summary(&found), (1.0, vec!["contains `Paris`"], vec![]));
    let missed = judge("Oslo", any);
    let words = vec!["contains none of `Paris`, `Rome`"];
    assert_eq!(summary(&missed), (0.0, vec![], words));
}

#[test]
fn where_none_of_several_texts_may_be_all_that_are_there_are_named() {
    let none = json!({"type": "contains_any", "values": ["Paris", "Rome"], "negate": true});
    let bad = judge("Rome and Paris", none.clone());
    let words = vec!["contains `Paris`", "contains `Rome`"];
    assert_eq!(summary(&bad), (0.0, vec![], words));
    let words = vec!["contains none of `Paris`, `Rome`"];
    assert_eq!(summary(&judge("Oslo", none)), (1.0, words, vec![]));
}

#[test]
fn contains_all_needs_every_text_and_says_which_is_missing() {
    let all = json!({"type": "contains_all", "values": ["Paris", "Rome"], "ignore_case": true});
    assert_eq!(judge("rome, paris", all.clone()).score.value(), 1.0);
    let (hits, misses) = (vec!["contains `Paris`"], vec!["does not contain `Rome`"]);
    assert_eq!(summary(&judge("paris", all)), (0.0, hits, misses));
    let not_all = json!({"type": "contains_all", "values": ["Paris", "Rome"], "negate": true});
    let found = judge("Paris", not_all);
    let hits = vec!["does not contain `Rome`"];
    assert_eq!(summary(&found), (1.0, hits, vec![]));
}

#[test]
fn equals_is_exact_and_names_white_space_as_the_reason() {
    let yes = json!({"type": "equals", "value": "Yes"});
    assert_eq!(
        summary(&judge("Yes", yes.clone())),
        (1.0, vec!["equals `Yes`"], vec![])
    );
    let words = vec!["does not equal `Yes`: the surrounding white space differs"];
    assert_eq!(summary(&judge("Yes\n", yes.clone())), (0.0, vec![], words));
    let words = vec!["does not equal `Yes`, but is `No`"];
    assert_eq!(summary(&judge("No", yes)), (0.0, vec![], words));
    let ignoring = json!({"type": "equals", "value": "yes", "ignore_case": true});
    assert_eq!(judge("YES", ignoring).score.value(), 1.0);
}

#[test]
fn starts_with_looks_at_the_beginning_only() {
    let the = json!({"type": "starts_with", "value": "The "});
    assert_eq!(
        summary(&judge("The end", the.clone())),
        (1.0, vec!["starts with `The `"], vec![])
    );
    let words = vec!["does not start with `The `, but is `the end`"];
    assert_eq!(summary(&judge("the end", the)), (0.0, vec![], words));
    let ignoring = json!({"type": "starts_with", "value": "the", "ignore_case": true});
    assert_eq!(judge("THE END", ignoring.clone()).score.value(), 1.0);
    assert_eq!(judge("th", ignoring).score.value(), 0.0);
}

#[test]
fn a_regular_expression_matches_anywhere() {
    let year = json!({"type": "regex", "value": r"\b\d{4}\b"});
    let words = vec![r"matches `\b\d{4}\b` with `1999`"];
    assert_eq!(
        summary(&judge("In 1999.", year.clone())),
        (1.0, words, vec![])
    );
    let words = vec![r"does not match `\b\d{4}\b`"];
    assert_eq!(summary(&judge("In 19999.", year)), (0.0, vec![], words));
    let ignoring = json!({"type": "regex", "value": "^größe$", "ignore_case": true});
    assert_eq!(judge("GRÖßE", ignoring).score.value(), 1.0);
}

#[test]
fn long_answers_are_quoted_in_part() {
    let answer = "é".repeat(10_000);
    let evaluation = judge(&answer, json!({"type": "equals", "value": "x"}));
    let expected = format!("does not equal `x`, but is `{}…`", "é".repeat(100));
    assert_eq!(evaluation.misses, [expected]);
}

#[test]
fn without_a_value_the_reference_answer_is_used() {
    for (kind, hit) in [
        ("contains", "contains `Paris`"),
        ("equals", "equals `Paris`"),
        ("starts_with", "starts with `Paris`"),
        ("ends_with", "ends with `Paris`"),
    ] {
        let trial = Trial::answered("Paris").expecting(json!("Paris"));
        let evaluation = trial.evaluation(json!({"type": kind}));
        assert_eq!(summary(&evaluation), (1.0, vec![hit], vec![]));
        let wrong = Trial::answered("Rome").expecting(json!("Paris"));
        assert_eq!(wrong.evaluation(json!({"type": kind})).score.value(), 0.0);
        let error = Trial::answered("Paris").judge(json!({"type": kind}));
        assert_eq!(
            error.unwrap_err().to_string(),
            "nothing to compare with: give the evaluator a `value` or the case an expected answer"
        );
    }
}

#[test]
fn a_value_may_be_a_template_over_the_case() {
    let mut trial = Trial::answered("It is 42, says Ada.").expecting(json!({"name": "Ada"}));
    trial
        .case
        .extra
        .insert("answer_number".to_owned(), json!(42));
    trial.case.variables.insert("who".to_owned(), json!("Ada"));
    for (value, score) in [
        ("{{ answer_number }}", 1.0),
        ("{{ answer_number }}, says {{ who }}", 1.0),
        ("{{ variables.who }}", 1.0),
        ("{{ expected_output.name }}", 1.0),
        ("{{ expected_output }}", 0.0),
        ("{{ answer_number + 1 }}", 0.0),
        ("{ answer_number }", 0.0),
    ] {
        let options = json!({"type": "contains", "value": value});
        assert_eq!(trial.evaluation(options).score.value(), score, "{value}");
    }
    let unknown = trial.judge(json!({"type": "contains", "value": "{{ answer }}"}));
    let unknown = unknown.unwrap_err().to_string();
    let words = "cannot fill in the text to compare with: ";
    assert!(unknown.starts_with(words), "{unknown}");
    trial.case.extra.insert("answer".to_owned(), json!(""));
    let empty = trial.judge(json!({"type": "contains", "value": "{{ answer }}"}));
    let words = "the text to compare with is empty, so every answer would match";
    assert_eq!(empty.unwrap_err().to_string(), words);
}

#[test]
fn what_is_wrong_in_the_options_is_said_in_words() {
    for (options, message) in [
        (
            json!({"type": "contains", "value": 5}),
            "evaluator `contains`: `value`: expected a string, found 5",
        ),
        (
            json!({"type": "equals", "value": "{{ a"}),
            "evaluator `equals`: `value`: line 1: unexpected end of input, expected end of variable block",
        ),
        (
            json!({"type": "contains_any", "values": ["a", 1], "name": "city"}),
            "evaluator `city`: `values`: expected an array of strings, found [\"a\",1]",
        ),
        (
            json!({"type": "contains_all", "values": []}),
            "evaluator `contains_all`: `values`: expected at least one text",
        ),
        (
            json!({"type": "starts_with", "value": "a", "negate": "yes"}),
            "evaluator `starts_with`: `negate`: expected true or false, found \"yes\"",
        ),
        (
            json!({"type": "regex", "value": "(a"}),
            "evaluator `regex`: `value`: not a valid regular expression: unclosed group",
        ),
        (
            json!({"type": "regex", "value": r"\w{1000}{1000}"}),
            "evaluator `regex`: `value`: the regular expression is too large: use fewer or smaller repetitions",
        ),
    ] {
        assert_eq!(refusal(options), message);
    }
}
