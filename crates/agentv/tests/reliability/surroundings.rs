//! Unusual homes, locales, time zones, working folders and temporary folders.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::process::Command;

use agentv_testkit::Project;

use crate::program::{Ended, UsualUser, clean, finish, project};
use crate::records::{each_case_once, run_folders};

const TARGETS: &str = "targets:
- {name: default, provider: echo}
- {name: command, provider: cli, command_template: 'cat {PROMPT_FILE}'}
";

fn right(_: usize) -> String {
    "right".to_owned()
}

/// Runs `agentv`, with `ROOT` in the arguments replaced by the project root.
fn said(project: &Project, arguments: &str, around: impl FnOnce(&mut Command)) -> Ended {
    let root = project.root().to_string_lossy();
    let mut command = Command::new(env!("CARGO_BIN_EXE_agentv"));
    command
        .args(arguments.split(' ').map(|word| word.replace("ROOT", &root)))
        .current_dir(project.root());
    clean(&mut command);
    around(&mut command);
    finish(&mut command)
}

#[test]
fn home_locale_and_time_zone_do_not_change_a_run() {
    let project = project(TARGETS, 2, right);
    let odd = [
        ("HOME", "/nonexistent"),
        ("HOME", "/proc/1"),
        ("HOME", ""),
        ("XDG_CACHE_HOME", "/nonexistent"),
        ("LC_ALL", "C"),
        ("LANG", "C"),
        ("LC_ALL", "xx_YY.none"),
        ("TZ", "Nowhere/Else"),
        ("TZ", "/dev/zero"),
        ("TZ", "<>;"),
    ];
    for (name, value) in odd {
        let with = |command: &mut Command| {
            command.env(name, value);
        };
        let ended = said(&project, "run cases.jsonl --cache --target command", with);
        let ended = ended.expect(0);
        assert!(ended.stdout.starts_with("100% passed"), "{}", ended.stdout);
        // With answers in the cache, a note says that changes of the program are not noticed.
        let others = ended
            .stderr
            .lines()
            .filter(|line| !line.starts_with("note"));
        assert_eq!(others.collect::<String>(), "", "{name}={value}");
        said(&project, "runs", with).expect(0);
        let folder = run_folders(&project).pop().unwrap();
        each_case_once(&folder, 2);
        fs::remove_dir_all(folder).unwrap();
    }
}

#[test]
fn a_missing_temporary_folder_is_an_error_only_if_it_is_needed() {
    let project = project(TARGETS, 2, right);
    for missing in ["/nonexistent", "/proc/none", "/dev/null"] {
        let with = |command: &mut Command| {
            command.env("TMPDIR", missing);
        };
        said(&project, "run cases.jsonl", with).expect(0);
        let ended = said(&project, "run cases.jsonl --target command", with).expect(3);
        let told =
            format!("for the command's files in `{missing}` (set `TMPDIR` to use another folder)");
        assert!(ended.stdout.contains(&told), "{}", ended.stdout);
        assert!(ended.stdout.contains("2 x  target"), "{}", ended.stdout);
    }
}

#[test]
fn a_path_variable_without_a_shell_is_an_error_of_the_cases_that_need_one() {
    let project = project(TARGETS, 2, right);
    for nowhere in ["", "/nonexistent"] {
        let with = |command: &mut Command| {
            command.env("PATH", nowhere);
        };
        said(&project, "run cases.jsonl", with).expect(0);
        let ended = said(&project, "run cases.jsonl --target command", with).expect(3);
        let told = "command `sh` not found";
        assert!(ended.stdout.contains(told), "{}", ended.stdout);
    }
}

#[test]
fn the_working_folder_may_be_removed_or_be_the_root() {
    let project = project(TARGETS, 2, right);
    for (folder, leave) in [("gone", "rmdir ../gone"), ("/", "true")] {
        let line = |arguments: &str| {
            let root = project.root().to_string_lossy();
            let arguments = arguments.replace("ROOT", &root);
            let line =
                format!("mkdir -p gone && cd {folder} && {leave} && exec agentv {arguments}");
            let mut command = Command::new("sh");
            command.args(["-c", &line]).current_dir(project.root());
            clean(&mut command);
            finish(&mut command)
        };
        line("run ROOT/cases.jsonl --target command").expect(0);
        line("validate ROOT/cases.jsonl").expect(0);
        line("run cases.jsonl").expect(2);
        let ended = line("runs").expect(2);
        assert!(ended.stderr.starts_with("error: "), "{}", ended.stderr);
    }
}

#[test]
fn an_unreadable_eval_file_is_reported_before_anything_is_called() {
    let project = project(TARGETS, 2, right);
    let Some(user) = UsualUser::of(&project) else {
        return;
    };
    let file = project.path("cases.jsonl");
    fs::set_permissions(&file, fs::Permissions::from_mode(0o000)).unwrap();
    for (command, code) in [("run", 2), ("validate", 1)] {
        let ended = finish(&mut user.command(&project, &[command, "cases.jsonl"])).expect(code);
        let told = "cannot be read: Permission denied";
        let said = ended.stdout + &ended.stderr;
        assert!(said.contains(told), "{said}");
    }
}

#[test]
fn a_reader_that_goes_away_changes_no_exit_code() {
    let answer = |number| if number == 0 { "wrong" } else { "right" };
    let project = project(TARGETS, 2, |number| answer(number).to_owned());
    project.write("broken.jsonl", "{\"id\": \"a\"}\n").unwrap();
    for (line, exit) in [
        ("run cases.jsonl", 1),
        ("run cases.jsonl --min-pass-rate 0.9 --report github", 1),
        ("run cases.jsonl --min-pass-rate 0.1", 0),
        ("compare latest~1 latest --max-missing 0", 0),
        ("validate broken.jsonl", 1),
        ("show cases.jsonl", 0),
    ] {
        let (reader, writer) = std::io::pipe().unwrap();
        drop(reader);
        let mut command = Command::new(env!("CARGO_BIN_EXE_agentv"));
        clean(&mut command);
        let command = command.args(line.split(' ')).current_dir(project.root());
        let status = command
            .stdout(writer.try_clone().unwrap())
            .stderr(writer)
            .status();
        assert_eq!(status.unwrap().code(), Some(exit), "{line}");
    }
}
