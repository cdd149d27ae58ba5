//! Laws that hold for any answer and any options.

use agentv_core::{PassThreshold, Verdict};
use agentv_evaluators::{ALL, BuildContext, Builder};
use proptest::prelude::*;
use serde_json::{Map, Value, json};

use crate::support::Trial;

fn any_json() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<f64>().prop_map(Value::from),
        (-3_i64..9).prop_map(Value::from),
        "[a-z.\\[\\](){}|*+?^$\\\\%YMD/-]{0,12}".prop_map(Value::from),
        option_word().prop_map(Value::from),
    ];
    leaf.prop_recursive(3, 12, 4, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
            prop::collection::vec((option_word(), inner), 0..4)
                .prop_map(|fields| Value::Object(fields.into_iter().collect())),
        ]
    })
}

/// Words that have a meaning in options.
fn option_word() -> impl Strategy<Value = String> {
    let mut words = vec![
        "any_order",
        "in_order",
        "exact",
        "numeric_tolerance",
        "date",
        "bleu",
        "rouge_l",
        "levenshtein",
        "jaro_winkler",
        "weighted_average",
        "all_or_nothing",
        "path",
        "match",
        "tolerance",
        "formats",
        "tool",
        "args",
        "max_duration_ms",
        "type",
        "weights",
        "any",
        "object",
        "$ref",
        "#",
    ];
    words.extend(ALL.iter().map(|kind| kind.name));
    let options = ALL.iter().flat_map(|kind| kind.options.fields);
    words.extend(options.map(|field| field.name));
    prop::sample::select(words).prop_map(str::to_owned)
}

/// An evaluator of any kind with arbitrary options.
fn any_evaluator() -> impl Strategy<Value = Value> {
    let kind = prop::sample::select(ALL.to_vec());
    kind.prop_flat_map(|kind| {
        let names: Vec<&str> = kind.options.fields.iter().map(|field| field.name).collect();
        let values = prop::collection::vec(prop::option::of(any_json()), names.len());
        values.prop_map(move |values| {
            let given = names.iter().zip(values);
            let given = given.filter_map(|(name, value)| Some(((*name).to_owned(), value?)));
            let mut options: Map<String, Value> = given.collect();
            options.insert("type".to_owned(), json!(kind.name));
            Value::Object(options)
        })
    })
}

/// A check of a text that can be negated.
fn text_check() -> impl Strategy<Value = Value> {
    // Two braces would start a template.
    let any_text = any::<String>().prop_map(|text| text.replace('{', "("));
    let value = prop_oneof!["[aAbBäÄ]{1,3}", any_text];
    let values = prop::collection::vec("[aAbB]{1,2}", 1..4);
    (0..6_usize, value, values, any::<bool>()).prop_map(|(kind, value, values, ignore_case)| {
        let (kind, option, value) = match kind {
            0 => ("contains", "value", json!(value)),
            1 => ("equals", "value", json!(value)),
            2 => ("starts_with", "value", json!(value)),
            3 => ("regex", "value", json!("a+b?")),
            4 => ("contains_any", "values", json!(values)),
            _ => ("contains_all", "values", json!(values)),
        };
        json!({"type": kind, option: value, "ignore_case": ignore_case})
    })
}

proptest! {
    #[test]
    fn building_never_panics_and_what_is_built_gives_a_score(
        options in any_evaluator(),
        answer in prop_oneof![any::<String>(), any_json().prop_map(|value| value.to_string())],
        expected in any_json(),
    ) {
        let mut trial = Trial::answered(&answer);
        if expected.is_object() || expected.is_array() {
            trial = trial.expecting(expected).calling(json!([{"tool": "any", "input": {"a": 1}}]));
        }
        let builder = Builder::new(BuildContext::new("."));
        if let Ok(Ok(evaluation)) = trial.judge_with(&builder, options) {
            prop_assert!((0.0..=1.0).contains(&evaluation.score.value()));
            for words in evaluation.hits.iter().chain(&evaluation.misses) {
                prop_assert!(words.chars().count() < 1_500, "{words}");
            }
        }
    }

    #[test]
    fn a_negated_check_gives_the_rest_to_one(
        check in text_check(),
        answer in prop_oneof!["[aAbBäÄ]{0,6}", any::<String>()],
    ) {
        let trial = Trial::answered(&answer);
        let mut negated = check.clone();
        negated["negate"] = json!(true);
        let mut negated_twice = negated.clone();
        negated_twice["negate"] = json!(false);
        let (plain, negated) = (trial.evaluation(check), trial.evaluation(negated));
        prop_assert_eq!(plain.score.value() + negated.score.value(), 1.0);
        prop_assert_eq!(plain.verdict_at(PassThreshold::default()) == Verdict::Pass, negated.verdict_at(PassThreshold::default()) == Verdict::Fail);
        prop_assert_eq!(plain.score == agentv_core::Score::ONE, plain.misses.is_empty());
        prop_assert_eq!(trial.evaluation(negated_twice), plain);
    }

    #[test]
    fn whatever_a_judge_says_is_a_judgement_or_an_error(
        text in prop_oneof![
            any::<String>(),
            any_json().prop_map(|value| value.to_string()),
            any_json().prop_map(|value| json!({"score": value, "hits": [value]}).to_string()),
            any_json().prop_map(|value| {
                let checks = json!([{"id": "a", "satisfied": true}, {"id": "b", "score": value}]);
                json!({"checks": checks}).to_string()
            }),
            "[{}\\[\\]\"'“’:,0-9a-e.\\- \n]{0,80}".prop_map(|text| format!("{{score: {text}}}")),
        ],
    ) {
        crate::oracles::judge_answer(text.as_bytes());
    }

    #[test]
    fn what_weighs_nothing_and_the_order_do_not_change_a_composite(
        checks in prop::collection::vec((text_check(), 0.0..9.0), 1..6),
        weightless in text_check(),
        answer in "[aAbBäÄ]{0,6}",
    ) {
        let weighed = |(mut check, weight): (Value, f64)| {
            check["weight"] = json!(weight);
            check
        };
        let score = |members: Vec<Value>| {
            let composite = json!({"type": "composite", "evaluators": members});
            Trial::answered(&answer).evaluation(composite).score.value()
        };
        let members: Vec<Value> = checks.into_iter().map(weighed).collect();
        let first = score(members.clone());
        let turned = score(members.iter().rev().cloned().collect());
        prop_assert!((first - turned).abs() < 1e-12, "{first} {turned}");
        let mut more = members;
        more.push(weighed((weightless, 0.0)));
        prop_assert_eq!(score(more), first);
    }

    #[test]
    fn letters_are_compared_as_strsim_does(
        answer in prop_oneof!["[abc]{0,700}", "[aäb]{0,20}", any::<String>()],
        reference in prop_oneof!["[abc]{0,300}", "[aäb]{0,20}", any::<String>()],
    ) {
        // A value with braces is a template.
        let reference = reference.replace('{', "");
        let options = json!({"type": "similarity", "metric": "levenshtein", "value": reference});
        let found = Trial::answered(&answer).evaluation(options).score.value();
        let expected = strsim::normalized_levenshtein(&answer, &reference);
        prop_assert!((found - expected).abs() < 1e-12, "{found} {expected}");
    }

    #[test]
    fn a_text_is_wholly_like_itself(text in "[a-z0-9 .,]{0,80}[a-z]") {
        for metric in ["levenshtein", "jaro_winkler", "rouge_l", "bleu"] {
            let options = json!({"type": "similarity", "metric": metric, "value": text});
            let score = Trial::answered(&text).evaluation(options).score.value();
            prop_assert!(score > 1.0 - 1e-9, "{metric} {score}");
        }
    }
}
