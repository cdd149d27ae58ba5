//! Commands as targets, however they behave.

use std::fs;
use std::time::Duration;

use agentv_testkit::Project;
use agentv_testkit::crash::{Moment, Signal};
use agentv_testkit::processes::with_variable;
use serde_json::{Value, json};

use crate::LONGEST;
use crate::program::{Ended, MARK, NONE, Program, agentv, finish, nothing_lives_on, project};
use crate::records::{run_folder, whole_records};

/// Creates a project whose target is a command.
fn project_of(command: &str, fields: Value, messages: &[&str]) -> Project {
    let mut target = json!({
        "name": "default", "provider": "cli", "command_template": command, "max_retries": 0,
    });
    let target_fields = target.as_object_mut().unwrap();
    target_fields.extend(fields.as_object().cloned().unwrap_or_default());
    // JSON is YAML.
    let targets = json!({"targets": [target]}).to_string();
    project(&targets, messages.len(), |number| {
        messages[number].to_owned()
    })
}

fn mark(project: &Project) -> String {
    project.root().display().to_string()
}

/// Runs the project to its end, and checks that no process is left.
fn run(project: &Project) -> (Ended, Vec<Value>) {
    let mark = mark(project);
    let ended = finish(agentv(project, ["--include-trace"]).env(MARK, &mark));
    nothing_lives_on(&mark, Duration::ZERO);
    let mut results = whole_records(&run_folder(project).join("results.jsonl"));
    results.sort_by_key(|record| record["eval_id"].as_str().map(str::to_owned));
    (ended, results)
}

fn error_of(record: &Value) -> &str {
    record["error"]["message"].as_str().unwrap_or_default()
}

#[test]
fn a_command_may_ignore_its_input_or_read_it_to_the_end() {
    let long = "x".repeat(1 << 20);
    for command in [
        "cat {PROMPT_FILE} > /dev/null; echo right",
        "cat; echo right",
    ] {
        let project = project_of(command, json!({}), &[&long, "short"]);
        let (ended, results) = run(&project);
        ended.expect(0);
        assert_eq!(results[1]["candidate_answer"], "right");
    }
}

#[test]
fn prompts_reach_a_command_byte_for_byte() {
    let messages = [
        r#"quotes ' " ''' """ \' \" end"#,
        "lines\nand\r\nmore\n\n\ttabs",
        "$(touch owned) `touch owned` ${HOME} $HOME $$ $? !! !x",
        "; touch owned; & | > owned < # * ? [a] {b,c} ~ % %s %n \\n \\0 \\",
        "-n --help -- {PROMPT} {EVAL_ID} {{ NAME }} ${{ NAME }}",
        "\u{1}\u{7}\u{8}\u{b}\u{1b}[31m\u{7f}\u{85}\u{a0}\u{2028}\u{feff}\u{fffd}\u{10ffff}",
        "日本語 🦀 é e\u{301} \u{202e}reversed",
    ];
    for command in [
        "printf %s {PROMPT}",
        "cat {PROMPT_FILE}",
        "printf %s {PROMPT} > {OUTPUT_FILE}",
    ] {
        let project = project_of(command, json!({}), &messages);
        let (ended, results) = run(&project);
        ended.expect(1);
        let answers: Vec<&str> = results
            .iter()
            .map(|record| record["candidate_answer"].as_str().unwrap())
            .collect();
        assert_eq!(answers, messages, "{command}");
        assert!(!project.path("owned").exists());
    }
}

#[test]
fn a_gigabyte_of_output_is_an_error_of_its_case_and_is_not_kept_in_memory() {
    let command = "if test {EVAL_ID} = case-0000; then head -c 1073741824 /dev/zero; \
                   else echo right; fi";
    let project = project_of(command, json!({}), &["loud", "quiet"]);
    let program = Program::start(&mut agentv(&project, NONE));
    let (ended, kibibytes) = program.wait_and_measure();
    ended.expect(3);
    let results = whole_records(&run_folder(&project).join("results.jsonl"));
    let loud = results
        .iter()
        .find(|r| r["eval_id"] == "case-0000")
        .unwrap();
    assert!(error_of(loud).contains("printed more than"), "{loud}");
    assert!((1..400 << 10).contains(&kibibytes), "{kibibytes} KiB");
}

#[test]
fn daemons_that_a_command_started_are_ended() {
    let commands = [
        "sleep 1000 & echo right",
        "setsid sleep 1000 > /dev/null 2>&1 < /dev/null & echo right",
        "(setsid sh -c 'trap \"\" TERM HUP; sleep 1000 & sleep 1000' &) ; echo right",
        "nohup sh -c '(sleep 1000 &) ; exit' > /dev/null 2>&1 & echo right",
    ];
    for command in commands {
        let project = project_of(command, json!({}), &["one", "two", "three"]);
        run(&project).0.expect(0);
    }
}

#[test]
fn a_command_that_ignores_sigterm_is_killed_after_its_timeout() {
    let command = "trap '' TERM INT HUP; echo begun >&2; while :; do sleep 1000; done";
    let project = project_of(command, json!({"timeout_seconds": 1}), &["one", "two"]);
    let (ended, results) = run(&project);
    ended.expect(3);
    for record in &results {
        let error = error_of(record);
        assert!(
            error.contains("longer than") || error.contains("within"),
            "{record}"
        );
    }
    assert_eq!(results.len(), 2);
}

#[test]
fn a_command_killed_by_a_signal_is_an_error_that_names_the_signal() {
    let project = project_of("echo halfway; kill -SEGV $$", json!({}), &["one"]);
    let (ended, results) = run(&project);
    ended.expect(3);
    assert!(
        error_of(&results[0]).contains("signal 11"),
        "{}",
        results[0]
    );
    assert_eq!(results[0]["candidate_answer"], Value::Null);
}

#[test]
fn no_command_survives_a_killed_run() {
    let command = "echo begun >> begun; trap '' TERM INT HUP; \
                   (setsid sh -c 'trap \"\" TERM; sleep 1000' &); sleep 1000 & sleep 1000";
    let project = project_of(
        command,
        json!({"workers": 3}),
        &["one", "two", "three", "four"],
    );
    let mark = mark(&project);
    let mut program = Program::start(agentv(&project, NONE).env(MARK, &mark));
    program.until(&Moment::Lines(&project.path("begun"), 3));
    assert!(with_variable(MARK, &mark).len() > 6, "the marked are found");
    program.signal(Signal::SIGKILL);
    assert_eq!(program.wait().code, None);
    nothing_lives_on(&mark, LONGEST);
    assert_eq!(
        fs::read_to_string(project.path("begun")).unwrap(),
        "begun\n".repeat(3)
    );
}
