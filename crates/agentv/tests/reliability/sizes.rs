//! Answers, lines and names of unexpected sizes.

use agentv_testkit::model::{Behaviour, ModelServer};
use serde_json::{Value, json};

use crate::campaign::rounds;
use crate::program::{Ended, NONE, Program, agentv, project};
use crate::records::{each_case_once, run_folder};

/// 100 MB, in bytes.
const HUGE: usize = 100_000_000;
/// More memory than a run needs for two answers of the maximum size, in KiB.
const MOST_MEMORY: u64 = 700 << 10;

/// Runs a project of `cases` cases in bounded memory, and returns their errors by id.
fn errors_of(
    project: &agentv_testkit::Project,
    cases: usize,
    code: i32,
) -> (Ended, Vec<(String, String)>) {
    let program = Program::start(&mut agentv(project, ["--max-retries", "0"]));
    let (ended, kibibytes) = program.wait_and_measure();
    let ended = ended.expect(code);
    assert!((1..MOST_MEMORY).contains(&kibibytes), "{kibibytes} KiB");
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let results = each_case_once(&run_folder(project), cases);
    let mut errors: Vec<_> = results
        .iter()
        .map(|record| (text(&record["eval_id"]), text(&record["error"]["message"])))
        .collect();
    errors.sort();
    (ended, errors)
}

#[test]
fn an_output_file_of_a_hundred_megabytes_is_an_error_of_its_case_only() {
    let command = format!(
        "if test {{EVAL_ID}} = case-0000; then truncate -s {HUGE} {{OUTPUT_FILE}}; \
         else head -c {HUGE} /dev/zero >&2; echo right > {{OUTPUT_FILE}}; fi"
    );
    let targets =
        json!({"targets": [{"name": "default", "provider": "cli", "command_template": command}]});
    let project = project(&targets.to_string(), 2, |number| number.to_string());
    let (_, errors) = errors_of(&project, 2, 3);
    assert!(errors[0].1.contains("more than 64 MiB"), "{errors:?}");
    assert_eq!(errors[1].1, "", "what is written to stderr is no matter");
}

/// Returns a target that sends a question to the server and returns its answer.
fn endpoint(server: &ModelServer, name: &str) -> Value {
    json!({
        "name": name, "provider": "http", "url": format!("{}/ask", server.url()),
        "body": {"input": "{{ question }}"}, "response_path": "answer",
    })
}

#[test]
fn a_response_of_a_hundred_megabytes_is_an_error_of_its_case_only() {
    let server = ModelServer::start(Behaviour::answering("right").keep(0)).unwrap();
    let targets = json!({"targets": [endpoint(&server, "default")]}).to_string();
    let huge = format!("!huge={HUGE}!");
    let words = [&*huge, "as usual"];
    let project = project(&targets, 2, |number| words[number].to_owned());
    let (_, errors) = errors_of(&project, 2, 3);
    assert!(errors[0].1.contains("larger than 64 MiB"), "{errors:?}");
    assert_eq!(errors[1].1, "");
}

#[test]
fn a_judge_that_answers_with_a_hundred_megabytes_is_an_error_of_its_case_only() {
    let server = ModelServer::start(Behaviour::answering("right").keep(0)).unwrap();
    let asked = json!({"name": "default", "provider": "echo", "judge_target": "judge"});
    let targets = json!({"targets": [asked, endpoint(&server, "judge")]}).to_string();
    let project = project(&targets, 1, |_| "right".to_owned());
    let case = json!({
        "id": "judged", "expected_outcome": "any", "input": format!("!huge={HUGE}!"),
        "evaluators": [{"type": "llm_judge", "prompt": "Grade {{ candidate_answer }}"}],
    });
    let cases = project.read("cases.jsonl").unwrap();
    project
        .write("cases.jsonl", format!("{cases}{case}\n"))
        .unwrap();
    let (_, errors) = errors_of(&project, 2, 3);
    assert_eq!(errors[0].1, "");
    assert!(errors[1].1.contains("larger than 64 MiB"), "{errors:?}");
}

#[test]
fn a_script_that_prints_a_hundred_megabytes_is_an_error_of_its_case_only() {
    let graded = |id: &str, script: String| {
        let evaluator = json!({"type": "code_judge", "script": script});
        json!({"id": id, "expected_outcome": "ok", "input": "ok", "evaluators": [evaluator]})
            .to_string()
    };
    let fine = r#"echo '{"score": 1}'"#;
    let cases = [
        graded("errors", format!("head -c {HUGE} /dev/zero >&2; {fine}")),
        graded("fine", fine.to_owned()),
        graded("prints", format!("head -c {HUGE} /dev/zero; {fine}")),
    ];
    let project = project("targets: [{name: default, provider: echo}]", 0, |_| {
        String::new()
    });
    project.write("cases.jsonl", cases.join("\n")).unwrap();
    let (_, errors) = errors_of(&project, 3, 3);
    assert_eq!((&*errors[0].1, &*errors[1].1), ("", ""));
    assert!(errors[2].1.contains("more than 10 MiB"), "{errors:?}");
}

#[test]
fn an_id_of_a_megabyte_is_one_id_and_is_truncated_on_the_screen() {
    let id = "i".repeat(1 << 20);
    let case = json!({
        "id": id, "expected_outcome": "ok", "input": "ok",
        "evaluators": [{"type": "contains", "value": "not this"}],
    });
    let project = project("targets: [{name: default, provider: echo}]", 1, |_| {
        "right".to_owned()
    });
    let cases = project.read("cases.jsonl").unwrap();
    project
        .write("cases.jsonl", format!("{cases}{case}\n"))
        .unwrap();
    let (ended, errors) = errors_of(&project, 2, 1);
    assert_eq!(errors[1].0.len(), id.len());
    let told = ended.stdout.len() + ended.stderr.len();
    assert!(told < 20_000, "{told} bytes are told");
}

#[test]
fn a_line_of_a_hundred_megabytes_is_refused_with_its_number_in_bounded_memory() {
    // The maximum length of a line, and a longer one.
    let length = (64 << 20) + rounds(1, HUGE);
    let project = project("targets: [{name: default, provider: echo}]", 2, |_| {
        "right".to_owned()
    });
    let cases = project.read("cases.jsonl").unwrap();
    let long = "y".repeat(length);
    project
        .write("cases.jsonl", format!("{cases}\"{long}\"\n{cases}"))
        .unwrap();
    let (ended, kibibytes) = Program::start(&mut agentv(&project, NONE)).wait_and_measure();
    let ended = ended.expect(2);
    let told = "Line 3: longer than 64 MiB";
    assert!(ended.stderr.contains(told), "{}", ended.stderr);
    assert!((1..MOST_MEMORY).contains(&kibibytes), "{kibibytes} KiB");
}
