//! Building evaluators from specs.

use std::sync::Arc;

use agentv_evaluators::{ALL, BuildContext, Builder, SpecError};
use serde_json::json;

use crate::support::{Trial, refusal, spec};

#[test]
fn what_cannot_be_built_is_refused_in_plain_words() {
    assert_eq!(
        refusal(json!({"type": "code_judge", "name": "tone"})),
        "evaluator `tone`: `script`: missing"
    );
    assert_eq!(
        refusal(json!({"type": "nonsense"})),
        "evaluator `nonsense`: unknown evaluator type `nonsense`"
    );
}

#[test]
fn every_kind_of_the_list_is_known_to_the_builder() {
    let builder = Builder::new(BuildContext::new("."));
    for kind in ALL {
        let built = builder.build(&spec(json!({"type": kind.name})));
        let is_unknown = matches!(built.err(), Some(error) if matches!(error.source, SpecError::UnknownKind { .. }));
        assert!(!is_unknown, "{}", kind.name);
    }
}

#[test]
fn one_builder_serves_many_threads_and_keeps_case_apart() {
    let builder = Arc::new(Builder::new(BuildContext::new(".")));
    let threads = (0..4).map(|thread| {
        let builder = Arc::clone(&builder);
        std::thread::spawn(move || {
            let trial = Trial::answered("PARIS 7");
            for round in 0..200 {
                let ignore_case = (round + thread) % 2 == 0;
                let pattern = format!("paris [{}-9]", round % 8);
                let options =
                    json!({"type": "regex", "value": pattern, "ignore_case": ignore_case});
                let judged = trial.judge_with(&builder, options).unwrap().unwrap();
                assert_eq!(judged.score.value(), f64::from(ignore_case));
            }
        })
    });
    for thread in threads.collect::<Vec<_>>() {
        thread.join().unwrap();
    }
}
