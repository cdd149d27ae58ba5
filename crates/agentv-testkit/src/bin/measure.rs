//! Runs a command and prints its cost as JSON: wall time, CPU time and peak memory.

use std::io::{self, Write};
use std::process::{Command, ExitCode, Stdio};
use std::time::{Duration, Instant};

use clap::Parser;
use nix::sys::resource::{UsageWho, getrusage};
use nix::sys::time::TimeVal;
use serde_json::json;

/// Run a command, discard its stdout, and print one JSON line per run.
///
/// `wall`, `user`, `system` and `cpu` (the sum of both) are in seconds, `peak_bytes` is the peak
/// memory of one process. Child processes of the command count too.
#[derive(Parser)]
struct Arguments {
    /// The name of the command in the output
    #[arg(long, default_value = "")]
    label: String,
    /// The number of runs
    #[arg(long, default_value_t = 1)]
    runs: u32,
    /// The exit code of a successful run
    #[arg(long, value_name = "CODE", default_value_t = 0)]
    exit: i32,
    /// The command and its arguments
    #[arg(required = true, trailing_var_arg = true, allow_hyphen_values = true)]
    command: Vec<String>,
}

/// The cost of one run.
struct Cost {
    wall: Duration,
    user: Duration,
    system: Duration,
    peak_bytes: u64,
}

fn main() -> ExitCode {
    let arguments = Arguments::parse();
    for _ in 0..arguments.runs {
        let measured = measure(&arguments.command, arguments.exit);
        if let Err(error) = measured.and_then(|cost| print(&arguments.label, &cost)) {
            let _ = writeln!(
                io::stderr(),
                "error: `{}`: {error}",
                arguments.command.join(" ")
            );
            return ExitCode::FAILURE;
        }
    }
    ExitCode::SUCCESS
}

/// Runs `command` to its end. A failed command has no cost, because it did not do the work.
fn measure(command: &[String], exit: i32) -> io::Result<Cost> {
    let Some((program, arguments)) = command.split_first() else {
        return Err(io::Error::other("no command"));
    };
    let (user, system, _) = children()?;
    let start = Instant::now();
    let status = Command::new(program)
        .args(arguments)
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .status()?;
    let wall = start.elapsed();
    if status.code() != Some(exit) {
        return Err(io::Error::other(status.to_string()));
    }
    let (user_after, system_after, peak_bytes) = children()?;
    Ok(Cost {
        wall,
        user: user_after.saturating_sub(user),
        system: system_after.saturating_sub(system),
        peak_bytes,
    })
}

/// Returns user time, system time and the highest peak memory of the children that have ended.
fn children() -> io::Result<(Duration, Duration, u64)> {
    let usage = getrusage(UsageWho::RUSAGE_CHILDREN)?;
    let unit = if cfg!(target_vendor = "apple") {
        1
    } else {
        1024
    };
    let peak = u64::try_from(usage.max_rss()).unwrap_or(0) * unit;
    Ok((
        duration(usage.user_time()),
        duration(usage.system_time()),
        peak,
    ))
}

fn duration(time: TimeVal) -> Duration {
    let seconds = u64::try_from(time.tv_sec()).unwrap_or(0);
    let micros = u64::try_from(time.tv_usec()).unwrap_or(0);
    Duration::from_secs(seconds) + Duration::from_micros(micros)
}

fn print(label: &str, cost: &Cost) -> io::Result<()> {
    let line = json!({
        "label": label,
        "wall": cost.wall.as_secs_f64(),
        "user": cost.user.as_secs_f64(),
        "system": cost.system.as_secs_f64(),
        "cpu": (cost.user + cost.system).as_secs_f64(),
        "peak_bytes": cost.peak_bytes,
    });
    writeln!(io::stdout(), "{line}")
}
