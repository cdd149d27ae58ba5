//! The roles of this program when a test needs another process.

use std::fs;
use std::io::Write as _;
use std::process::{Command, ExitCode};

use agentv_process::{CommandSpec, ProcessError, Runner};
use rustix::process::{WaitOptions, wait};
use tokio_util::sync::CancellationToken;

use crate::stage::block_on;

/// Describes this program in the role `part`, with an argument.
pub(crate) fn part(part: &str, argument: &str) -> Command {
    let mut command = Command::new(std::env::current_exe().unwrap());
    command.args(["__play", part, argument]);
    command
}

/// Plays a role if the arguments ask for one.
pub(crate) fn asked() -> Option<ExitCode> {
    let mut arguments = std::env::args().skip(1);
    if arguments.next()? != "__play" {
        return None;
    }
    let (part, argument) = (arguments.next()?, arguments.next()?);
    match part.as_str() {
        "run" => run(argument),
        "miss" => miss(argument),
        "flood" => flood(argument),
        "crowd" => crowd(argument.parse().unwrap()),
        unknown => panic!("no such part: {unknown}"),
    }
    Some(ExitCode::SUCCESS)
}

/// Runs a command.
fn run(line: String) {
    let runner = Runner::of_this_program();
    let _ = block_on(runner.run(CommandSpec::shell(line), &CancellationToken::new()));
}

/// Runs a program that does not exist, and prints the error.
fn miss(program: String) {
    let runner = Runner::of_this_program();
    let missed = block_on(runner.run(CommandSpec::program(program), &CancellationToken::new()));
    let said = missed.unwrap_err().to_string();
    std::io::stdout().write_all(said.as_bytes()).unwrap();
}

/// Runs a command that writes much, and panics if that took much memory.
fn flood(line: String) {
    let limit = 1 << 20;
    let spec = CommandSpec::shell(line)
        .stdout_limit(limit)
        .stderr_limit(limit);
    let runner = Runner::of_this_program();
    let finished = block_on(runner.run(spec, &CancellationToken::new())).unwrap();
    assert!(finished.status.success());
    let dropped = (1 << 30) - limit as u64;
    for output in [finished.stdout, finished.stderr] {
        assert_eq!(output.bytes.len(), limit);
        assert_eq!(output.dropped, dropped);
    }
    let status = fs::read_to_string("/proc/self/status").unwrap();
    let peak = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    let peak = peak.unwrap().trim().trim_end_matches(" kB");
    assert!(peak.parse::<u64>().unwrap() < 40_000, "peak of {peak} kB");
}

/// Runs many commands at once, twice, and panics if a file or a child stays behind.
fn crowd(size: usize) {
    let open = || fs::read_dir("/proc/self/fd").unwrap().count();
    block_on(async {
        let mut before = None;
        for _ in 0..2 {
            let runs = (0..size).map(|number| {
                tokio::spawn(async move {
                    let spec =
                        CommandSpec::shell("sleep 1000 & cat; exit 3").stdin(number.to_string());
                    let runner = Runner::of_this_program();
                    let missing = CommandSpec::program("no-such-program").stdin("x");
                    let missing = runner.run(missing, &CancellationToken::new()).await;
                    assert!(matches!(missing, Err(ProcessError::NotFound { .. })));
                    let finished = runner.run(spec, &CancellationToken::new()).await.unwrap();
                    assert_eq!(finished.stdout.text(), number.to_string());
                    assert_eq!(finished.status.to_string(), "exit code 3");
                    assert!(finished.tree_ended);
                })
            });
            for run in runs.collect::<Vec<_>>() {
                run.await.unwrap();
            }
            // The first round opens the files that the runtime keeps.
            assert_eq!(*before.get_or_insert_with(open), open());
        }
    });
    let child = wait(WaitOptions::NOHANG);
    assert_eq!(child.unwrap_err(), rustix::io::Errno::CHILD);
}
