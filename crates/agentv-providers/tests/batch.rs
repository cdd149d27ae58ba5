//! One command for all cases.

use agentv_core::{Cause, ProviderError, Request, Transcript};
use libtest_mimic::Trial;
use serde_json::json;
use tokio_util::sync::CancellationToken;

use crate::project::{Project, block_on};

pub(crate) fn trials() -> Vec<Trial> {
    trials![
        all_cases_are_given_and_answered_in_any_order,
        an_answer_that_is_missing_is_an_error_of_that_case,
        a_line_that_is_not_an_answer_is_named,
        an_id_that_is_answered_too_often_is_an_error_of_that_case,
        a_case_that_is_asked_twice_is_answered_in_order,
        a_command_that_fails_is_an_error_of_all,
        a_single_request_works_as_well,
        a_template_with_a_place_for_one_case_is_refused,
        only_a_target_that_says_so_is_asked_at_once,
    ]
}

fn batching(template: &str) -> Project {
    Project::of(json!({
        "provider": "cli", "command_template": template, "provider_batching": true,
    }))
}

type Answers = Result<Vec<Result<Transcript, ProviderError>>, ProviderError>;

fn ask(project: &Project, ids: &[&str]) -> Answers {
    let mut requests: Vec<Request> = ids
        .iter()
        .map(|id| project.request(id, &format!("What is {id}?")))
        .collect();
    requests[0].prompt.guidelines = "Be \"short\".".to_owned();
    let provider = project.provider();
    let batch = provider.batch().unwrap();
    block_on(batch.answer_all(&requests, &CancellationToken::new()))
}

fn told(project: &Project, ids: &[&str]) -> Vec<String> {
    let answers = ask(project, ids).unwrap().into_iter();
    let texts = answers.map(|answer| match answer {
        Ok(transcript) => transcript.answer(),
        Err(error) => error.message,
    });
    texts.collect()
}

fn all_cases_are_given_and_answered_in_any_order() {
    let lines = r#"printf '%s\n' '{"id": "c", "text": "C"}' '' '{"id": "b", "output_messages": [{"role": "assistant", "content": "B"}], "token_usage": {"input": 1, "output": 2}}' '{"id": "a", "text": "A"}' > {OUTPUT_FILE}"#;
    let project = batching(&format!("cp {{PROMPT_FILE}} given; {lines}"));
    assert_eq!(told(&project, &["a", "b", "c"]), ["A", "B", "C"]);
    let given = std::fs::read_to_string(project.evals().join("given")).unwrap();
    assert_eq!(
        given,
        concat!(
            r#"{"id":"a","question":"What is a?","guidelines":"Be \"short\"."}"#,
            "\n",
            r#"{"id":"b","question":"What is b?","guidelines":""}"#,
            "\n",
            r#"{"id":"c","question":"What is c?","guidelines":""}"#,
            "\n",
        )
    );
}

fn an_answer_that_is_missing_is_an_error_of_that_case() {
    let project = batching(
        r#"echo '{"id": "first", "text": "A"}' # {PROMPT_FILE}
test -e {PROMPT_FILE} && echo '{"id": "secnod", "text": "B"}'; echo '{"id": "third"}'"#,
    );
    assert_eq!(
        told(&project, &["first", "second", "third"]),
        [
            "A",
            "the command's output has no line with id `second`; it has one with id `secnod`, which is not a case of this batch",
            "the line with id `third` in the command's output: expected `text` or `output_messages`, found neither",
        ]
    );
    let answers = ask(&project, &["second"]).unwrap();
    assert_eq!(answers[0].as_ref().unwrap_err().cause, Cause::Missing);
}

fn a_line_that_is_not_an_answer_is_named() {
    for (line, expected) in [
        (
            "Done!",
            "line 3 of the command's output: invalid JSON: expected value at column 1",
        ),
        (
            "[1]",
            "line 3 of the command's output: expected an object with `id`, found an array",
        ),
        ("{}", "line 3 of the command's output: missing id"),
        (
            "{\"id\": 5}",
            "line 3 of the command's output: `id`: expected a string, found a number",
        ),
    ] {
        let template = format!(
            "test -e {{PROMPT_FILE}}; printf '%s\\n' '{{\"id\": \"a\", \"text\": \"A\"}}' '' '{line}'"
        );
        let error = ask(&batching(&template), &["a"]).unwrap_err();
        assert_eq!(error.cause, Cause::Answer);
        assert_eq!(error.message, expected);
    }
}

const TWICE: &str = r#"test -e {PROMPT_FILE}; printf '%s\n' '{"id": "a", "text": "1"}' '{"id": "b", "text": "B"}' '{"id": "a", "text": "2"}'"#;

fn an_id_that_is_answered_too_often_is_an_error_of_that_case() {
    assert_eq!(
        told(&batching(TWICE), &["a", "b"]),
        ["the command's output has 2 lines with id `a`", "B"]
    );
}

fn a_case_that_is_asked_twice_is_answered_in_order() {
    assert_eq!(told(&batching(TWICE), &["a", "b", "a"]), ["1", "B", "2"]);
}

fn a_command_that_fails_is_an_error_of_all() {
    let error = ask(&batching("cat {PROMPT_FILE}; exit 4"), &["a", "b"]).unwrap_err();
    assert_eq!(error.cause, Cause::Command);
    assert!(error.message.contains("exit code 4"), "{error}");
}

fn a_single_request_works_as_well() {
    let project = batching(r#"test -e {PROMPT_FILE}; echo '{"id": "case", "text": "A"}'"#);
    assert_eq!(project.ask("Hi").unwrap().answer(), "A");
}

fn a_template_with_a_place_for_one_case_is_refused() {
    // A command without `{PROMPT_FILE}` reads the eval file itself.
    batching("agent cases.jsonl").resolve("t", &[]).unwrap();
    for template in ["agent {PROMPT}", "agent {GUIDELINES} {PROMPT_FILE}"] {
        let error = batching(template).resolve("t", &[]).unwrap_err();
        assert!(error.message.contains("`{PROMPT_FILE}`"), "{error}");
    }
}

fn only_a_target_that_says_so_is_asked_at_once() {
    let project = Project::of(json!({"provider": "cli", "command_template": "echo {PROMPT}"}));
    assert!(project.provider().batch().is_none());
    assert!(project.provider().reads_files());
    let project = Project::of(json!({"provider": "echo", "provider_batching": true}));
    let resolved = project.resolve("t", &[]).unwrap();
    assert_eq!(
        resolved.warnings,
        ["`provider_batching` of target `t` has no effect: provider `echo` does not support it"]
    );
}
