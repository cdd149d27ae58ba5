//! The ends of commands, and their input and output.

use std::time::{Duration, Instant};

use agentv_process::{CommandSpec, Runner, Status};
use libtest_mimic::Trial;

use crate::play;
use crate::stage::{Stage, run, run_by};

pub(crate) fn trials() -> Vec<Trial> {
    trials![
        exit_codes_are_reported,
        signals_are_reported,
        the_duration_is_that_of_the_command,
        a_large_stdin_need_not_be_read,
        a_large_stdin_passes_through_while_output_is_read,
        without_stdin_a_command_reads_nothing,
        the_beginning_of_stdout_is_kept,
        the_end_of_stderr_is_kept,
        a_gigabyte_is_bounded_in_memory,
        an_output_that_never_ends_does_not_hold_the_run,
    ]
}

fn exit_codes_are_reported() {
    for runner in [Runner::of_this_program(), Runner::in_groups()] {
        for code in [0, 1, 3, 126, 127, 255] {
            let finished = run_by(&runner, CommandSpec::shell(format!("exit {code}"))).unwrap();
            assert_eq!(finished.status, Status::Exited(code));
            assert_eq!(finished.status.success(), code == 0);
            assert!(finished.tree_ended);
        }
    }
}

fn signals_are_reported() {
    for runner in [Runner::of_this_program(), Runner::in_groups()] {
        for signal in [1, 2, 6, 9, 11, 13, 15] {
            // A signal that this program ignores, as under `nohup`, is ignored by its children too. The
            // option needs GNU coreutils, as Linux distributions have.
            let line = format!("ulimit -c 0; exec env --default-signal sh -c 'kill -{signal} $$'");
            let finished = run_by(&runner, CommandSpec::shell(line)).unwrap();
            assert_eq!(finished.status, Status::Signalled(signal));
        }
    }
    assert_eq!(Status::Signalled(9).to_string(), "signal 9 (SIGKILL)");
}

fn the_duration_is_that_of_the_command() {
    let stage = Stage::new();
    let line = "(trap '' TERM; echo >up; exec sleep 1000) &
        sleep 0.3; until [ -e up ]; do sleep 0.01; done";
    let started = Instant::now();
    let grace = Duration::from_secs(4);
    let finished = run(stage.shell(line).grace(grace)).unwrap();
    assert!(finished.duration >= Duration::from_millis(300));
    // A busy machine notices the end of the command late, and the grace begins before that.
    assert!(started.elapsed() - finished.duration >= grace / 4);
}

fn a_large_stdin_need_not_be_read() {
    for runner in [Runner::of_this_program(), Runner::in_groups()] {
        for line in ["true", "exec <&-; echo; sleep 0.1", "head -c 1 >&2"] {
            let spec = CommandSpec::shell(line).stdin(vec![b'x'; 16 << 20]);
            assert!(run_by(&runner, spec).unwrap().status.success());
        }
    }
}

fn a_large_stdin_passes_through_while_output_is_read() {
    let input: Vec<u8> = (0..8 << 20).map(|index: u32| (index % 251) as u8).collect();
    for runner in [Runner::of_this_program(), Runner::in_groups()] {
        let spec = CommandSpec::shell("tee /dev/stderr").stdin(input.clone());
        let finished = run_by(&runner, spec.stderr_limit(1000)).unwrap();
        assert!(finished.stdout.bytes == input);
        assert!(finished.stderr.bytes == input[input.len() - 1000..]);
        assert_eq!(finished.stderr.dropped, input.len() as u64 - 1000);
    }
}

fn without_stdin_a_command_reads_nothing() {
    let finished = run(CommandSpec::program("cat")).unwrap();
    assert!(finished.status.success() && finished.stdout.bytes.is_empty());
    let finished = run(CommandSpec::program("cat").stdin("")).unwrap();
    assert!(finished.status.success() && finished.stdout.bytes.is_empty());
}

fn the_beginning_of_stdout_is_kept() {
    let finished = run(CommandSpec::shell("seq 1 200000").stdout_limit(12)).unwrap();
    assert_eq!(finished.stdout.text(), "1\n2\n3\n4\n5\n6\n");
    assert!(finished.stdout.is_truncated() && !finished.stderr.is_truncated());
}

fn the_end_of_stderr_is_kept() {
    let finished = run(CommandSpec::shell("seq 1 200000 >&2").stderr_limit(14)).unwrap();
    assert_eq!(finished.stderr.text(), "199999\n200000\n");
    assert!(finished.stderr.is_truncated() && !finished.stdout.is_truncated());
}

fn a_gigabyte_is_bounded_in_memory() {
    let line = "head -c 1G /dev/zero & head -c 1G /dev/zero >&2; wait";
    let started = Instant::now();
    assert!(play::part("flood", line).status().unwrap().success());
    assert!(started.elapsed() < Duration::from_secs(60));
}

/// Without a supervisor, a process that leaves its group keeps running and keeps the pipes open.
fn an_output_that_never_ends_does_not_hold_the_run() {
    let stage = Stage::new();
    let line = "echo hello; setsid sh -c 'echo >up; exec sleep 1000' &
        until [ -e up ]; do sleep 0.01; done";
    let finished = run_by(&Runner::in_groups(), stage.shell(line)).unwrap();
    // The process may be gone by now: another test loses a supervisor, which ends adopted processes.
    assert_eq!(finished.stdout.text(), "hello\n");
}
