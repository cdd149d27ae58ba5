//! A panic of a provider or an evaluator is an error of its trial, and goes to the log.

use std::fs;

use crate::program::{NONE, agentv, finish, project};
use crate::records::run_folders;

const TARGETS: &str = "targets:\n  - {name: default, provider: mock, response: right}\n";

#[test]
fn a_panic_is_an_error_of_its_trial_and_is_not_printed() {
    let project = project(TARGETS, 3, |number| format!("Question {number}"));
    let ended = finish(agentv(&project, ["--workers", "1"]).env("AGENTV_FAULT", "panic@2"));
    let ended = ended.expect(3);
    assert!(!ended.stderr.contains("panicked at"), "{}", ended.stderr);
    let [folder] = run_folders(&project).try_into().unwrap();
    let results = fs::read_to_string(folder.join("results.jsonl")).unwrap();
    let errors = results.matches("this is a bug in agentv, please report it: AGENTV_FAULT");
    assert_eq!(errors.count(), 1, "{results}");
    assert_eq!(
        results.matches(r#""status":"pass""#).count(),
        2,
        "{results}"
    );
}

#[test]
fn the_log_says_where_a_panic_happened() {
    let project = project(TARGETS, 1, |number| format!("Question {number}"));
    let ended = finish(agentv(&project, ["--log", "error"]).env("AGENTV_FAULT", "panic@2"));
    let ended = ended.expect(3);
    let line = ended
        .stderr
        .lines()
        .find(|line| line.contains("agentv::panic"));
    let line = line.unwrap_or_else(|| panic!("{}", ended.stderr));
    assert!(line.contains("AGENTV_FAULT asked for it"), "{line}");
    assert!(line.contains("trial/fault.rs:"), "{line}");
}

#[test]
fn a_resume_repeats_the_trial_that_panicked() {
    let project = project(TARGETS, 2, |number| format!("Question {number}"));
    finish(agentv(&project, ["--workers", "1"]).env("AGENTV_FAULT", "panic@2")).expect(3);
    finish(&mut agentv(&project, ["--resume", "--retry-errors"])).expect(0);
    finish(&mut agentv(&project, NONE)).expect(0);
}
