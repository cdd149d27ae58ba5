//! Measures the cost of a supervisor: runs `true` 200 times with one and without, alternating.

#![expect(clippy::print_stdout, reason = "it is a program")]

use std::process::{ExitCode, Stdio};
use std::time::{Duration, Instant};

use agentv_process::{CommandSpec, Runner};
use tokio_util::sync::CancellationToken;

const RUNS: usize = 200;

/// Returns the supervisor's program: the first argument, or this program.
#[tokio::main(flavor = "current_thread")]
async fn measure() {
    let supervised = match std::env::args_os().nth(1) {
        #[cfg(target_os = "linux")]
        Some(path) => Runner::supervised_by(path),
        _ => Runner::of_this_program(),
    };
    let grouped = Runner::in_groups();
    let mut times: [Vec<Duration>; 3] = Default::default();
    for _ in 0..RUNS {
        times[0].push(time(bare()).await);
        times[1].push(time(run(&grouped)).await);
        times[2].push(time(run(&supervised)).await);
    }
    for (name, times) in ["bare", "in a group", "supervised"].iter().zip(&mut times) {
        times.sort_unstable();
        let total: Duration = times.iter().sum();
        let (mean, median) = (total / RUNS as u32, times[RUNS / 2]);
        let slow = times[RUNS * 95 / 100];
        println!("{name:<10}  mean {mean:>9.2?}  median {median:>9.2?}  95% {slow:>9.2?}");
    }
}

async fn time(work: impl Future<Output = ()>) -> Duration {
    let started = Instant::now();
    work.await;
    started.elapsed()
}

async fn run(runner: &Runner) {
    let spec = CommandSpec::program("true");
    let finished = runner.run(spec, &CancellationToken::new()).await;
    assert!(finished.is_ok_and(|finished| finished.status.success()));
}

async fn bare() {
    let mut command = tokio::process::Command::new("true");
    let output = command.stdin(Stdio::null()).output().await;
    assert!(output.is_ok_and(|output| output.status.success()));
}

fn main() -> ExitCode {
    if let Some(exit) = agentv_process::supervise(std::env::args_os()) {
        return exit;
    }
    measure();
    ExitCode::SUCCESS
}
