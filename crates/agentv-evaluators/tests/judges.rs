//! `llm_judge`: the ladder to an answer, prompts, several judges.

use agentv_core::{Cause, Message, PassThreshold, ProviderError, Role, Transcript, Verdict};
use agentv_evaluators::{BuildContext, Builder, judges_of};
use serde_json::json;

use crate::scripted::{ScriptedJudges, said_by_system, said_by_user};
use crate::support::{Trial, refusal, spec, summary};

fn trial() -> Trial {
    let mut trial = Trial::answered("Paris");
    trial.case.expected_outcome = Some("Names the capital of France".to_owned());
    trial.expecting(json!("It is Paris."))
}

const GOOD: &str = r#"{"score": 0.9, "hits": ["right"], "misses": ["curt"], "reasoning": "Fine."}"#;

#[test]
fn a_judge_that_answers_as_asked_is_asked_once() {
    let judges = ScriptedJudges::saying(&[GOOD]);
    let evaluation = judges
        .judge(&trial(), json!({"type": "llm_judge"}))
        .unwrap();
    assert_eq!(summary(&evaluation), (0.9, vec!["right"], vec!["curt"]));
    assert_eq!(evaluation.reasoning.as_deref(), Some("Fine."));
    assert_eq!(
        evaluation.verdict_at(PassThreshold::default()),
        Verdict::Pass
    );
    let (name, request) = judges.asked().remove(0);
    assert_eq!(name, "usual");
    let schema = request.output_schema.unwrap();
    assert_eq!(
        schema["required"],
        json!(["reasoning", "hits", "misses", "score"])
    );
    let properties = schema["properties"].as_object().unwrap();
    let order: Vec<&str> = properties.keys().map(String::as_str).collect();
    assert_eq!(order, ["reasoning", "hits", "misses", "score"]);
    assert!(jsonschema::is_valid(
        &schema,
        &serde_json::from_str(GOOD).unwrap()
    ));
}

#[test]
fn the_judge_sees_the_question_what_is_expected_and_the_answer() {
    let judges = ScriptedJudges::saying(&[GOOD]);
    judges
        .judge(&trial(), json!({"type": "llm_judge"}))
        .unwrap();
    let (_, request) = judges.asked().remove(0);
    let shown = said_by_user(&request);
    for text in [
        "Names the capital of France",
        "\n?\n",
        "It is Paris.",
        "\nParis\n",
    ] {
        assert!(shown.contains(text), "{text} in\n{shown}");
    }
    // The judge is asked for its reasoning before the score that follows from it.
    let told = said_by_system(&request);
    assert!(
        told.find("\"reasoning\"") < told.find("\"score\""),
        "{told}"
    );
    // A target that takes a single text gets everything.
    assert!(request.prompt.question.contains(&shown));
    assert!(request.prompt.question.contains(&said_by_system(&request)));
}

#[test]
fn an_untidy_answer_is_read_without_asking_again() {
    for text in [
        "```json\n{\"score\": 0.9, \"hits\": [\"right\"], \"misses\": [\"curt\"], \"reasoning\": \"Fine.\",}\n```",
        "Let me see.\n{'score': 0.9, 'hits': ['right'], 'misses': ['curt'], 'reasoning': 'Fine.'}\nDone!",
        "{“score”: 0.9, “hits”: [“right”], “misses”: [“curt”], “reasoning”: “Fine.”}",
        "{\"result\": {\"score\": \"0.9\", \"hits\": [\"right\"], \"misses\": [\"curt\"], \"reasoning\": \"Fine.\"}}",
    ] {
        let judges = ScriptedJudges::saying(&[text]);
        let evaluation = judges.judge(&trial(), json!({"type": "llm_judge"}));
        let evaluation = evaluation.unwrap();
        assert_eq!(
            summary(&evaluation),
            (0.9, vec!["right"], vec!["curt"]),
            "{text}"
        );
    }
}

#[test]
fn an_answer_that_cannot_be_used_is_shown_to_the_judge_once() {
    for (first, why) in [
        ("Very good!", "it has no JSON object"),
        (
            r#"{"score": 9, "hits": []}"#,
            "`score` must be a number from 0 to 1, but is 9",
        ),
        (r#"{"hits": []}"#, "`score` is missing"),
        (
            r#"{"score": 0.1} {"score": 0.2}"#,
            "it has several answers that differ",
        ),
        ("", "it is empty"),
    ] {
        let judges = ScriptedJudges::saying(&[first, GOOD]);
        let evaluation = judges.judge(&trial(), json!({"type": "llm_judge"}));
        assert_eq!(evaluation.unwrap().score.value(), 0.9);
        let asked = judges.asked();
        let messages = &asked[1].1.prompt.messages;
        assert_eq!(messages[..2], asked[0].1.prompt.messages[..]);
        let shown = if first.is_empty() { "(nothing)" } else { first };
        assert_eq!(messages[2], Message::new(Role::Assistant, shown));
        assert!(messages[3].text().contains(why), "{}", messages[3].text());
        assert!(asked[1].1.prompt.question.contains(why));
    }
}

#[test]
fn a_judge_that_cannot_answer_makes_an_error_and_no_score() {
    let judges = ScriptedJudges::saying(&["Good.", "Really good."]);
    assert_eq!(
        judges.judge(&trial(), json!({"type": "llm_judge", "target": "strict"})),
        Err(
            "the judge `strict` was asked twice, and its answer is not usable: it has no JSON object"
                .to_owned()
        )
    );
    assert_eq!(judges.asked().len(), 2);
}

#[test]
fn an_enormous_answer_is_no_answer_even_with_a_score_in_it() {
    let enormous = format!("{}{GOOD}", " ".repeat(2 << 20));
    let judges = ScriptedJudges::saying(&[&enormous, &enormous]);
    let error = judges
        .judge(&trial(), json!({"type": "llm_judge"}))
        .unwrap_err();
    assert!(error.ends_with("it is longer than 1 MiB"), "{error}");
}

#[test]
fn an_answer_that_was_cut_off_says_so() {
    let judges = ScriptedJudges::new(|_, _| {
        Ok(Transcript {
            finish_reason: Some("length".to_owned()),
            ..Transcript::of_text("{\"score\": 0.")
        })
    });
    let error = judges
        .judge(&trial(), json!({"type": "llm_judge"}))
        .unwrap_err();
    assert!(
        error.ends_with("`max_output_tokens` of the judge may be too low"),
        "{error}"
    );
}

#[test]
fn a_judge_that_cannot_be_reached_makes_an_error() {
    let judges =
        ScriptedJudges::new(|_, _| Err(ProviderError::new(Cause::Network, "no connection")));
    assert_eq!(
        judges.judge(&trial(), json!({"type": "llm_judge"})),
        Err("the judge `usual` did not answer: no connection".to_owned())
    );
    let alone = trial().judge(json!({"type": "llm_judge"}));
    assert_eq!(alone.unwrap_err().to_string(), "no judge is available");
}

#[test]
fn a_prompt_of_ones_own_replaces_what_is_shown_and_not_how_to_answer() {
    let judges = ScriptedJudges::saying(&[GOOD]);
    let prompt = "Is {{ candidate_answer }} as good as {{ reference_answer }}?\n\
                  {{ output_messages }}{{ nothing.at.all }}";
    judges
        .judge(&trial(), json!({"type": "llm_judge", "prompt": prompt}))
        .unwrap();
    let (_, request) = judges.asked().remove(0);
    let shown = said_by_user(&request);
    assert!(shown.starts_with("Is <candidate_answer-"), "{shown}");
    assert!(shown.contains("\"role\": \"assistant\""), "{shown}");
    assert!(!shown.contains("Names the capital"), "{shown}");
    assert!(said_by_system(&request).contains("\"score\""));
}

#[test]
fn a_prompt_compares_values_and_loops_over_messages() {
    let judges = ScriptedJudges::saying(&[GOOD, GOOD]);
    let prompt = "{% if candidate_answer == reference_answer %}Equal.{% else %}Different.{% endif %}\n\
                  {% for m in output_messages %}{{ loop.index }} {{ m.role }}: {{ m.content }}{% endfor %}";
    let same = trial().expecting(json!("Paris"));
    for (trial, start) in [
        (same, "Equal.\n1 assistant: <output_messages-"),
        (
            trial().expecting(json!("Rome")),
            "Different.\n1 assistant: <output_messages-",
        ),
    ] {
        let asked = judges.asked().len();
        let options = json!({"type": "llm_judge", "prompt": prompt});
        judges.judge(&trial, options).unwrap();
        let shown = said_by_user(&judges.asked()[asked].1);
        assert!(shown.starts_with(start), "{shown}");
    }
}

#[test]
fn a_prompt_may_stand_in_a_file_of_the_project() {
    let project = tempfile::tempdir().unwrap();
    std::fs::write(
        project.path().join("judge.md"),
        "Polite?\r\n{{ candidate_answer }}",
    )
    .unwrap();
    let builder = Builder::new(BuildContext::new(project.path()));
    let judges = ScriptedJudges::saying(&[GOOD]);
    let options = json!({"type": "llm_judge", "prompt": "/judge.md"});
    let judged = trial().judge_asking(&builder, options, Some(&judges));
    assert_eq!(judged.unwrap().unwrap().score.value(), 0.9);
    let shown = said_by_user(&judges.asked()[0].1);
    assert!(shown.starts_with("Polite?\n<candidate_answer-"), "{shown}");
    let missing = builder.build(&spec(json!({"type": "llm_judge", "prompt": "/none.md"})));
    assert!(
        missing
            .err()
            .unwrap()
            .to_string()
            .contains("file not found")
    );
}

#[test]
fn a_prompt_that_is_no_template_is_refused() {
    let refused = refusal(json!({"type": "llm_judge", "prompt": "Is\n{{ candidate_answer good?"}));
    assert!(
        refused.starts_with("evaluator `llm_judge`: `prompt`: line 2: "),
        "{refused}"
    );
}

#[test]
fn several_judges_are_asked_and_their_disagreement_told() {
    let judges = ScriptedJudges::new(|name, _| {
        let score = match name {
            "a" => 1.0,
            "b" => 0.2,
            _ => 0.9,
        };
        Ok(Transcript::of_text(format!(
            "{{\"score\": {score}, \"reasoning\": \"says {name}\"}}"
        )))
    });
    let options = json!({"type": "llm_judge", "judges": ["a", "b", "c"]});
    let evaluation = judges.judge(&trial(), options).unwrap();
    assert_eq!(evaluation.score.value(), 0.9);
    assert_eq!(evaluation.reasoning.as_deref(), Some("says c"));
    let details = evaluation.details.unwrap();
    assert_eq!(
        details["disagreement"],
        json!({"score_range": 0.8, "other_verdicts": 0.333333})
    );
    assert_eq!(
        details["judges"][1],
        json!({"target": "b", "score": 0.2, "verdict": "fail", "reasoning": "says b"})
    );
}

#[test]
fn one_judge_may_be_asked_several_times() {
    let judges = ScriptedJudges::saying(&[
        r#"{"score": 1}"#,
        r#"{"score": 0.5}"#,
        r#"{"score": 0}"#,
        r#"{"score": 0.1}"#,
    ]);
    let options = json!({"type": "llm_judge", "target": "j", "judges": 4, "aggregate": "mean"});
    let evaluation = judges.judge(&trial(), options).unwrap();
    assert_eq!(evaluation.score.value(), 0.4);
    let names: Vec<String> = judges.asked().into_iter().map(|(name, _)| name).collect();
    assert_eq!(names, ["j"; 4]);
}

#[test]
fn one_judge_of_several_that_gives_nothing_makes_an_error() {
    let judges = ScriptedJudges::new(|name, _| match name {
        "b" => Err(ProviderError::new(Cause::Network, "no connection")),
        _ => Ok(Transcript::of_text(GOOD)),
    });
    let options = json!({"type": "llm_judge", "judges": ["a", "b"]});
    let error = judges.judge(&trial(), options).unwrap_err();
    assert_eq!(error, "the judge `b` did not answer: no connection");
}

#[test]
fn whom_an_evaluator_asks_is_known_before_it_does() {
    let asked = |options| format!("{:?}", judges_of(&spec(options)).unwrap());
    assert_eq!(asked(json!({"type": "contains", "value": "a"})), "[]");
    assert_eq!(asked(json!({"type": "llm_judge"})), "[Usual]");
    assert_eq!(
        asked(json!({"type": "rubric", "target": "j"})),
        "[Named(\"j\")]"
    );
    assert_eq!(
        asked(json!({"type": "composite", "evaluators": [
            {"type": "llm_judge", "judges": ["a", "b"]}, {"type": "rubric"}, {"type": "is_json"}
        ]})),
        "[Named(\"a\"), Named(\"b\"), Usual]"
    );
    for judges in [json!(0), json!(101), json!([]), json!("two")] {
        let options = json!({"type": "llm_judge", "judges": judges});
        assert!(judges_of(&spec(options.clone())).is_err(), "{options}");
    }
}
