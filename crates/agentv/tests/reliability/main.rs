//! Runs lose nothing when processes are killed, disks are full, and servers and commands misbehave.

#![allow(clippy::unwrap_used, reason = "a test may fail where it stands")]
#![allow(
    clippy::print_stdout,
    reason = "a test says its seed, and why it is skipped"
)]

mod campaign;
mod engine;
mod fd_limit;
mod program;
mod records;

mod agents;
mod budget;
mod cache;
mod changing_files;
mod clock;
mod commands;
mod copies;
mod full_disk;
mod graders;
mod gradings;
mod kills;
mod machines;
mod machines_files;
mod machines_limits;
mod machines_secrets;
mod machines_shared;
mod names;
mod odd_files;

mod panics;
mod rate_limit;
mod read_only;
mod scripts;
mod secrets;
mod signals;
mod sizes;
mod steps;
mod surroundings;
mod terminals;
mod torn_journal;
mod two_runs;
mod variables;
mod workers;
mod workspaces;
mod wrong_cases;

use std::time::Duration;

/// Nothing here takes this long unless it hangs.
const LONGEST: Duration = Duration::from_secs(180);
