//! Ctrl-C, SIGTERM and closed terminals.

use std::os::unix::process::CommandExt;
use std::process::Command;
use std::time::{Duration, Instant};

use agentv_testkit::crash::{Moment, Signal};
use agentv_testkit::model::{Behaviour, ModelServer};
use agentv_testkit::processes::with_variable;
use agentv_testkit::{Project, Terminal};

use crate::LONGEST;
use crate::program::{
    Ended, MARK, NONE, Program, agentv, clean, finish, model_target, nothing_lives_on, project,
    typed,
};
use crate::records::{each_case_once, run_folder, whole_records};

const CASES: usize = 40;
/// The time that trials in flight get after the first signal.
const GRACE: Duration = Duration::from_secs(3);
const ONCE: [(Signal, i32); 3] = [
    (Signal::SIGINT, 130),
    (Signal::SIGTERM, 143),
    (Signal::SIGHUP, 129),
];
/// The signals that a user may send twice.
const TWICE: [(Signal, i32); 2] = [ONCE[0], ONCE[1]];

/// Starts the command in its own process group, as a shell does.
fn start(command: &mut Command) -> Program {
    Program::start(command.process_group(0))
}

/// Runs the command that the summary prints, and checks that it completes the run.
fn printed_command_completes(project: &Project, ended: &Ended) {
    typed(project, &ended.resume_command()).expect(0);
    each_case_once(&run_folder(project), CASES);
}

/// Creates a project whose requests are answered at once, except for the first call of some cases.
fn project_at(server: &ModelServer, stuck: fn(usize) -> bool) -> Project {
    let targets = model_target(server, &["workers: 4"]);
    project(&targets, CASES, |number| {
        let conduct = if stuck(number) {
            "!hang! !first=1!"
        } else {
            ""
        };
        format!("{conduct} the right number {number}")
    })
}

#[test]
fn after_one_signal_calls_in_flight_finish_and_the_printed_command_resumes() {
    for (signal, code) in ONCE {
        let latency = Duration::from_millis(300);
        let server = ModelServer::start(Behaviour::echo().latency(latency)).unwrap();
        let project = project_at(&server, |_| false);
        let mut program = start(&mut agentv(&project, ["--eval-id", "case-*"]));
        program.until(&Moment::Calls(&server, 6));
        program.signal_group(signal);
        let ended = program.wait().expect(code);
        let calls = server.calls().total;
        assert!(calls < CASES as u64, "it ended by itself");
        let folder = run_folder(&project);
        for file in ["transcripts.jsonl", "results.jsonl"] {
            let records = whole_records(&folder.join(file));
            assert_eq!(records.len() as u64, calls, "{file}");
        }
        printed_command_completes(&project, &ended);
        assert_eq!(server.calls().total, CASES as u64);
    }
}

#[test]
fn the_printed_command_resumes_the_run_however_it_was_typed() {
    let server = ModelServer::start(Behaviour::echo()).unwrap();
    let project = project_at(&server, |_| false);
    let odd = project.path("it's; $(odd) --resume.jsonl");
    std::fs::rename(project.path("cases.jsonl"), &odd).unwrap();
    let name = "\"it's; \\$(odd) --resume.jsonl\"";
    let line = format!("agentv run --max-time 1ms --eval-id 'case-*' -- {name}");
    let ended = typed(&project, &line).expect(4);
    let told = ended.resume_command();
    let ended = typed(&project, &told.replace("--max-time 1ms", "")).expect(0);
    assert!(ended.stdout.contains("40 of 40"), "{}", ended.stdout);
}

#[test]
fn after_one_signal_calls_that_do_not_finish_are_abandoned() {
    for (signal, code) in ONCE {
        let server = ModelServer::start(Behaviour::echo()).unwrap();
        let project = project_at(&server, |number| (10..14).contains(&number));
        let mut program = start(&mut agentv(&project, None::<&str>));
        program.until(&Moment::Calls(&server, 14));
        program.signal_group(signal);
        let ended = program.wait().expect(code);
        let folder = run_folder(&project);
        let results = whole_records(&folder.join("results.jsonl"));
        assert_eq!(results.len(), 10, "those that were answered");
        printed_command_completes(&project, &ended);
        assert_eq!(server.calls().total, CASES as u64 + 4);
    }
}

#[test]
fn a_closed_terminal_stops_a_run_like_sigterm() {
    let latency = Duration::from_millis(300);
    let server = ModelServer::start(Behaviour::echo().latency(latency)).unwrap();
    let project = project_at(&server, |_| false);
    // The terminal belongs to its own session, like that of a user.
    let mut command = Command::new("setsid");
    command.args(["--ctty", "agentv", "run", "cases.jsonl"]);
    clean(command.current_dir(project.root()));
    let (mut running, terminal) = Terminal::open(80).unwrap().start(command).unwrap();
    let come = running.until(&Moment::Calls(&server, 6), LONGEST).unwrap();
    assert!(come, "it ended before it was told to");
    drop(terminal);
    // The shell sends SIGHUP, too. This must not count as a second signal.
    running.signal(Signal::SIGHUP).unwrap();
    let status = running.wait(LONGEST).unwrap();
    assert_eq!(status.code(), Some(129));
    let calls = server.calls().total;
    assert!(calls < CASES as u64, "it ended by itself");
    let folder = run_folder(&project);
    let results = whole_records(&folder.join("results.jsonl"));
    assert_eq!(
        results.len() as u64,
        calls,
        "what was in flight was answered"
    );
    finish(&mut agentv(&project, ["--resume"])).expect(0);
    each_case_once(&folder, CASES);
    assert_eq!(server.calls().total, CASES as u64);
}

#[test]
fn a_run_under_nohup_survives_its_terminal() {
    let server = ModelServer::start(Behaviour::echo().hold_after(6)).unwrap();
    let project = project_at(&server, |_| false);
    let mut command = Command::new("nohup");
    command.args(["agentv", "run", "cases.jsonl"]);
    clean(command.current_dir(project.root()));
    let mut program = start(&mut command);
    program.until(&Moment::Calls(&server, 8));
    program.signal_group(Signal::SIGHUP);
    server.release();
    program.wait().expect(0);
    each_case_once(&run_folder(&project), CASES);
}

#[test]
fn a_second_signal_ends_the_run_at_once_and_loses_no_written_record() {
    for (signal, code) in TWICE {
        let server = ModelServer::start(Behaviour::echo()).unwrap();
        let project = project_at(&server, |number| (10..14).contains(&number));
        let mut program = start(&mut agentv(&project, NONE));
        program.until(&Moment::Calls(&server, 14));
        let results = || run_folder(&project).join("results.jsonl");
        program.until(&Moment::Lines(&results(), 10));
        program.signal_group(signal);
        // It prints that it is stopping.
        program.until_said(1);
        let told_twice = Instant::now();
        program.signal_group(signal);
        let ended = program.wait().expect(code);
        let took = told_twice.elapsed();
        assert!(took < GRACE, "{took:?}");
        assert_eq!(whole_records(&results()).len(), 10);
        printed_command_completes(&project, &ended);
        assert_eq!(server.calls().total, CASES as u64 + 4);
    }
}

/// Creates a project whose target is a command that never ends by itself and records that it started.
fn project_with_command(trap: &str) -> Project {
    let targets = format!(
        "targets:\n  - name: default\n    provider: cli\n    workers: 2\n    \
         command_template: \"{trap} if test -e go; then echo right; \
         else echo begun >> begun; sleep 1000 & sleep 1000; fi\"\n"
    );
    project(&targets, 4, |number| format!("number {number}"))
}

#[test]
fn signals_end_commands_and_their_children() {
    const IGNORES: &str = "trap '' TERM INT;";
    for (trap, times, signals) in [
        ("", 1, &ONCE[..]),
        (IGNORES, 1, &TWICE),
        ("", 2, &TWICE),
        (IGNORES, 2, &TWICE),
    ] {
        for &(signal, code) in signals {
            let project = project_with_command(trap);
            let mark = format!("{}", project.root().display());
            let mut program = start(agentv(&project, NONE).env(MARK, &mark));
            program.until(&Moment::Lines(&project.path("begun"), 2));
            assert!(with_variable(MARK, &mark).len() > 4, "the marked are found");
            program.signal_group(signal);
            program.until_said(1);
            if times == 2 {
                program.signal_group(signal);
            }
            let ended = program.wait().expect(code);
            nothing_lives_on(&mark, LONGEST);
            let results = whole_records(&run_folder(&project).join("results.jsonl"));
            assert!(results.is_empty(), "{results:?}");
            project.write("go", "").unwrap();
            typed(&project, &ended.resume_command()).expect(0);
            each_case_once(&run_folder(&project), 4);
        }
    }
}
