//! Narrow and unknown terminals, and closed streams.

use std::process::Command;

use agentv_testkit::{Project, Terminal};

use crate::LONGEST;
use crate::campaign::rounds;
use crate::program::{Ended, clean, finish, project};

/// Creates a project with three cases: one passes, one fails, one errors.
fn mixed() -> Project {
    let targets = "targets: [{name: default, provider: cli, command_template: \
                   'test {EVAL_ID} != case-0002 && cat {PROMPT_FILE}'}]";
    project(targets, 3, |number| match number {
        0 => "right".to_owned(),
        _ => format!("wrong {}", "and a long line of words ".repeat(20)),
    })
}

/// Commands that print something, and their exit codes.
const SHOWING: &[(&str, i32)] = &[
    ("run cases.jsonl", 3),
    ("run cases.jsonl --verbose", 3),
    ("run nothing.jsonl", 2),
    ("validate cases.jsonl", 0),
    ("show cases.jsonl", 0),
    ("runs", 0),
    ("trend", 0),
    ("compare latest latest", 0),
    ("targets list", 0),
    ("--help", 0),
];

fn agentv(project: &Project, arguments: &str) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_agentv"));
    command
        .args(arguments.split(' '))
        .current_dir(project.root());
    clean(&mut command);
    command
}

#[test]
fn the_width_of_the_terminal_changes_no_exit_code() {
    let terms = ["xterm-256color", "dumb", ""];
    for (turn, columns) in [20, 0, 1, 7, 65_535].into_iter().enumerate() {
        for place in 0..rounds(1, terms.len()) {
            let term = terms[(turn + place) % terms.len()];
            let project = mixed();
            for (arguments, code) in SHOWING {
                let mut command = agentv(&project, arguments);
                command.env("TERM", term);
                let terminal = Terminal::open(columns).unwrap();
                let (status, shown) = terminal.show(command, LONGEST).unwrap();
                let seen = format!("{columns} columns, `{term}`: {arguments}\n{shown}");
                assert_eq!(status.code(), Some(*code), "{seen}");
                assert!(!shown.contains("panicked"), "{seen}");
                let is_plain = !shown.contains('\u{1b}');
                assert!(is_plain || term != "dumb", "{seen}");
            }
        }
    }
}

#[test]
fn the_figures_of_a_run_fit_a_terminal_of_twenty_columns() {
    let project = mixed();
    let mut command = agentv(&project, "run cases.jsonl");
    command.env("TERM", "xterm").env("NO_COLOR", "1");
    let terminal = Terminal::open(20).unwrap();
    let (_, shown) = terminal.show(command, LONGEST).unwrap();
    let (_, summary) = shown.rsplit_once("\r\ntrials").unwrap();
    // Paths and commands are not truncated, so that they can be copied.
    let (figures, _) = summary.split_once("\r\nresults").unwrap();
    for line in figures.lines() {
        assert!(line.trim_end().chars().count() <= 20, "{line:?}");
    }
}

#[test]
fn closed_or_full_streams_change_the_exit_code_only_if_output_is_lost() {
    let project = mixed();
    let line = |arguments: &str, streams: &str| -> Ended {
        let line = format!("agentv {arguments} {streams}");
        let mut command = Command::new("bash");
        command.args(["-o", "pipefail", "-c", &line]);
        command.current_dir(project.root());
        clean(&mut command);
        finish(&mut command)
    };
    line("run cases.jsonl", "").expect(3);
    for (arguments, code) in SHOWING {
        for streams in [
            ">&-",
            "2>&-",
            "<&-",
            ">&- 2>&- <&-",
            "| head -c 1 > first; exit ${PIPESTATUS[0]}",
            "2> /dev/full",
        ] {
            let ended = line(arguments, streams);
            assert_eq!(
                ended.code,
                Some(*code),
                "{arguments} {streams}: {}",
                ended.stderr
            );
            assert!(!ended.stderr.contains("panicked"), "{}", ended.stderr);
        }
    }
    for arguments in ["run cases.jsonl", "show cases.jsonl", "runs"] {
        let ended = line(arguments, "> /dev/full").expect(5);
        let told = "error: standard output: No space left on device";
        assert!(ended.stderr.contains(told), "{}", ended.stderr);
    }
}
