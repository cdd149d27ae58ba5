//! Pipes, devices, folders and broken links in place of files.

use std::fs;
use std::os::unix::fs::symlink;
use std::os::unix::net::UnixListener;
use std::process::Command;
use std::thread;

use agentv_testkit::Project;

use crate::program::{Ended, NONE, agentv, clean, finish, project, typed};
use crate::records::{run_folder, whole_records};

const ECHO: &str = "targets: [{name: default, provider: echo}]";

fn right(number: usize) -> String {
    format!("right {number}")
}

fn pipe(project: &Project, name: &str) {
    let made = Command::new("mkfifo").arg(project.path(name)).status();
    assert!(made.unwrap().success());
}

/// Runs an `agentv` command, which must end.
fn said(project: &Project, arguments: &[&str]) -> Ended {
    let mut command = Command::new(env!("CARGO_BIN_EXE_agentv"));
    command.args(arguments).current_dir(project.root());
    clean(&mut command);
    finish(&mut command)
}

#[test]
fn an_eval_file_that_is_not_regular_is_refused_at_once_with_its_kind() {
    let project = project(ECHO, 1, right);
    pipe(&project, "pipe.jsonl");
    pipe(&project, "pipe.yaml");
    let _socket = UnixListener::bind(project.path("socket.jsonl")).unwrap();
    for (target, link) in [
        ("/dev/zero", "zero.jsonl"),
        ("/dev/zero", "zero.yaml"),
        ("/dev/null", "null.jsonl"),
        ("nowhere", "dangling.jsonl"),
        ("itself.jsonl", "itself.jsonl"),
    ] {
        symlink(target, project.path(link)).unwrap();
    }
    let no_file = "is not a regular file";
    for (name, reason) in [
        ("pipe.jsonl", no_file),
        ("pipe.yaml", no_file),
        ("socket.jsonl", no_file),
        ("zero.jsonl", no_file),
        ("zero.yaml", no_file),
        ("null.jsonl", no_file),
        ("/dev/zero", no_file),
        ("/dev/stdin", no_file),
        ("dangling.jsonl", "no such file"),
        ("itself.jsonl", "Too many levels of symbolic links"),
        (".git", "no eval files in this folder"),
    ] {
        let run = said(&project, &["run", name]).expect(2);
        assert!(run.stderr.contains(reason), "{name}: {}", run.stderr);
        let checked = said(&project, &["validate", name]);
        let told = checked.stdout + &checked.stderr;
        assert!(told.contains(reason), "{name}: {told}");
        assert!(matches!(checked.code, Some(1 | 2)), "{:?}", checked.code);
    }
}

#[test]
fn an_eval_file_from_a_pipe_or_standard_input_is_refused_with_a_hint() {
    let project = project(ECHO, 1, right);
    for line in [
        "cat cases.jsonl | agentv run /dev/stdin",
        "agentv run /dev/fd/7 7< pipe",
    ] {
        fs::remove_file(project.path("pipe")).ok();
        pipe(&project, "pipe");
        let fed = project.path("pipe");
        // The shell blocks until the other end of the pipe is open.
        let writer = thread::spawn(move || fs::OpenOptions::new().read(true).write(true).open(fed));
        let ended = typed(&project, line).expect(2);
        drop(writer.join().unwrap());
        let help = "save the output of a pipe or device to a file first";
        assert!(ended.stderr.contains(help), "{line}: {}", ended.stderr);
    }
}

#[test]
fn a_sidecar_or_settings_file_that_is_not_regular_is_an_error_that_names_it() {
    for (name, target) in [
        ("cases.yaml", "pipe"),
        ("cases.yaml", "/dev/zero"),
        ("targets.yaml", "pipe"),
        ("targets.yaml", "/dev/zero"),
        (".agentv/config.yaml", "pipe"),
        (".env", "/dev/zero"),
    ] {
        let project = project(ECHO, 1, right);
        pipe(&project, "pipe");
        fs::create_dir(project.path(".agentv")).unwrap();
        fs::remove_file(project.path(name)).ok();
        let target = match target {
            "pipe" => project.path("pipe"),
            device => device.into(),
        };
        symlink(target, project.path(name)).unwrap();
        let ended = finish(&mut agentv(&project, NONE)).expect(2);
        assert!(ended.stderr.contains(name), "{}", ended.stderr);
        assert!(ended.stderr.contains("is not a"), "{}", ended.stderr);
    }
}

#[test]
fn a_dotenv_may_be_a_pipe_and_one_that_nobody_writes_to_does_not_hang() {
    let targets = "targets: [{name: default, provider: mock, response: '${{ WORD }}'}]";
    let project = project(targets, 1, right);
    pipe(&project, ".env");
    let ended = finish(&mut agentv(&project, NONE)).expect(2);
    let told = "it is a pipe, and nothing was written to it";
    assert!(ended.stderr.contains(told), "{}", ended.stderr);
    let fed = project.path(".env");
    let manager = thread::spawn(move || fs::write(fed, "WORD=right\n"));
    finish(&mut agentv(&project, NONE)).expect(0);
    manager.join().unwrap().unwrap();
}

#[test]
fn a_case_file_that_is_not_regular_affects_only_that_case() {
    let project = project(ECHO, 1, right);
    pipe(&project, "pipe");
    symlink("/dev/zero", project.path("zero")).unwrap();
    let mut cases = project.read("cases.jsonl").unwrap();
    for file in ["pipe", "zero", ".git"] {
        cases += &format!(
            r#"{{"id": "{file}", "expected_outcome": "none", "input": [{{"role": "user", "content": [{{"type": "file", "value": "{file}"}}]}}]}}"#
        );
        cases.push('\n');
    }
    project.write("cases.jsonl", cases).unwrap();
    let ended = finish(&mut agentv(&project, ["--allow-outside-root"])).expect(3);
    for reason in [
        "`pipe` is not a regular file",
        "`zero` is not a regular file",
        "`.git` is a directory",
    ] {
        assert!(ended.stderr.contains(reason), "{}", ended.stderr);
    }
    let told = "skipped      3 cases";
    assert!(ended.stdout.contains(told), "{}", ended.stdout);
}

#[test]
fn an_output_file_that_is_a_pipe_or_a_device_is_not_an_answer() {
    let targets = "targets: [{name: default, provider: cli, command_template: \
                   'case {EVAL_ID} in case-0000) mkfifo {OUTPUT_FILE};; \
                   case-0001) ln -s /dev/zero {OUTPUT_FILE};; \
                   case-0002) mkdir {OUTPUT_FILE};; *) echo right > {OUTPUT_FILE};; esac'}]";
    let project = project(targets, 4, right);
    finish(&mut agentv(&project, NONE)).expect(3);
    let results = whole_records(&run_folder(&project).join("results.jsonl"));
    assert_eq!(results.len(), 4);
    for record in results {
        match record["error"]["message"].as_str() {
            Some(error) => assert!(
                error.contains("`{OUTPUT_FILE}` is not a regular file"),
                "{error}"
            ),
            None => assert_eq!(record["eval_id"], "case-0003"),
        }
    }
}

#[test]
fn a_file_of_recorded_answers_that_is_not_regular_is_refused_at_the_start() {
    for path in ["pipe", "/dev/zero"] {
        let targets = format!("targets: [{{name: default, provider: replay, path: {path}}}]");
        let project = project(&targets, 1, right);
        pipe(&project, "pipe");
        let ended = finish(&mut agentv(&project, NONE)).expect(2);
        let told = "is neither a file nor a folder";
        assert!(ended.stderr.contains(told), "{}", ended.stderr);
    }
}
