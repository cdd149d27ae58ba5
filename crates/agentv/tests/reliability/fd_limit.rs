//! Low limits of open files.

use std::process::Command;

use agentv_testkit::Project;
use agentv_testkit::model::{Behaviour, ModelServer, Step};

use crate::LONGEST;
use crate::program::{Program, clean, finish, model_target, project};
use crate::records::{each_case_once, run_folder, run_folders};
use crate::workers::end;

/// `agentv run cases.jsonl --workers 200` from a shell with a limit, such as `-n 64`.
fn limited(project: &Project, limit: &str) -> Command {
    let line = format!("ulimit {limit} && exec agentv run cases.jsonl --workers 200");
    let mut command = Command::new("sh");
    command.args(["-c", &line]).current_dir(project.root());
    clean(&mut command);
    command
}

/// Creates projects that need many open files for different reasons, and their numbers of cases.
fn hungry(server: &ModelServer) -> Vec<(Project, usize)> {
    let message = |number: usize| format!("right number {number}");
    let command =
        "targets: [{name: default, provider: cli, command_template: 'cat {PROMPT_FILE}'}]";
    let echo = "targets: [{name: default, provider: echo}]";
    let scripts = project(echo, 0, message);
    let graded = |number: usize| {
        format!(
            r#"{{"id": "case-{number}", "expected_outcome": "ok", "input": "right", "evaluators": [
               {{"type": "code_judge", "script": "echo '{{\"score\": 1}}'"}}]}}"#
        )
        .replace('\n', "")
    };
    let cases: Vec<String> = (0..16).map(graded).collect();
    scripts.write("cases.jsonl", cases.join("\n")).unwrap();
    vec![
        (project(&model_target(server, &[]), 120, message), 120),
        (project(command, 24, message), 24),
        (scripts, 16),
    ]
}

#[test]
fn with_few_open_files_every_case_is_answered_with_fewer_requests_at_a_time() {
    let server = ModelServer::start(Behaviour::echo()).unwrap();
    for (project, cases) in hungry(&server) {
        let ended = finish(&mut limited(&project, "-n 64")).expect(0);
        each_case_once(&run_folder(&project), cases);
        // The number of scripts has its own limit, below 200.
        let is_narrowed = ended.stderr.contains("at a time instead of");
        assert!(is_narrowed || cases == 16, "{}", ended.stderr);
    }
    let most = server.calls().most_in_flight;
    assert!(most < 40, "{most} at a time");
}

#[test]
fn with_too_few_open_files_a_run_is_refused_before_anything_is_called() {
    let server = ModelServer::start(Behaviour::echo()).unwrap();
    for (project, _) in hungry(&server) {
        let ended = finish(&mut limited(&project, "-n 20")).expect(2);
        assert!(
            ended.stderr.contains("open only 20 files"),
            "{}",
            ended.stderr
        );
        assert!(ended.stderr.contains("ulimit -n"), "{}", ended.stderr);
        assert!(run_folders(&project).is_empty());
    }
    assert_eq!(server.calls().total, 0);
}

#[test]
fn a_low_soft_limit_of_open_files_is_raised() {
    let server = ModelServer::start(Behaviour::echo().always(Step::Hang).keep(0)).unwrap();
    let project = project(&model_target(&server, &[]), 250, |number| {
        number.to_string()
    });
    let program = Program::start(&mut limited(&project, "-S -n 64"));
    assert!(server.wait_for_calls(200, LONGEST));
    end(program);
}
