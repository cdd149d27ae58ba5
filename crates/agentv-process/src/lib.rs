//! Runs a command with a deadline and bounded output, and ends its process tree.
//!
//! Three nouns:
//!
//! - a [`CommandSpec`] describes the command: program or shell line, folder, environment, stdin,
//!   deadline, and the amount of output to keep;
//! - a [`Runner`] runs it, and returns when the command and everything it started is gone;
//! - [`Finished`] is the result: a [`Status`], the beginning of stdout, the end of stderr, and the
//!   duration. [`Runner::talk`] hands out the lines of stdout as they arrive, and stdin, as a
//!   [`Dialogue`].
//!
//! # No process is left behind
//!
//! On Linux a command runs under a *supervisor*: the program itself, started again with
//! [`SUPERVISE`] as its first argument. `main` calls [`supervise`] before anything else:
//!
//! ```standalone_crate
//! use std::process::ExitCode;
//!
//! use agentv_process::{CommandSpec, Runner};
//! use tokio_util::sync::CancellationToken;
//!
//! fn main() -> ExitCode {
//!     if let Some(exit) = agentv_process::supervise(std::env::args_os()) {
//!         return exit;
//!     }
//!     let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
//!     runtime.block_on(async {
//!         let spec = CommandSpec::shell("tr a-z A-Z; sleep 1000 & exit 3").stdin("hello");
//!         let runner = Runner::of_this_program();
//!         let finished = runner.run(spec, &CancellationToken::new()).await.unwrap();
//!         assert_eq!(finished.stdout.text(), "HELLO");
//!         assert_eq!(finished.status.to_string(), "exit code 3");
//!         assert!(finished.tree_ended);
//!     });
//!     ExitCode::SUCCESS
//! }
//! ```
//!
//! The supervisor adopts the processes that the command leaves behind, including daemons and those
//! that call `setsid`. It ends the tree (SIGTERM, a grace period, SIGKILL) when the command has exited,
//! when the deadline passes, when the run is cancelled or its future is dropped, and when the program
//! that started it ends, even by SIGKILL: each holds one end of a socket.
//!
//! The supervisor cannot end processes that another service starts on the command's behalf (a
//! container engine, a batch queue) or those of another user (`sudo`). [`Finished::tree_ended`] is
//! false if such a process of the tree is left.
//!
//! A command can kill or stop its supervisor. Therefore the program itself also adopts orphans (it becomes
//! a *child subreaper* with its first command), and ends those that a lost supervisor leaves: children that
//! are neither supervisors nor in the session of the program. The run is then an error.
//!
//! On other Unixes a command gets a process group. Processes that leave the group are not ended, and
//! the group survives a SIGKILL to the program. On Windows a job object ends the tree.

mod anchor;
mod capture;
mod dialogue;
mod error;
mod finished;
#[cfg(unix)]
mod group;
#[cfg(windows)]
#[path = "job.rs"]
mod group;
mod quote;
mod run;
mod sandbox;
mod spec;
#[cfg(target_os = "linux")]
mod supervisor;
mod tree;

pub use anchor::anchored;
pub use dialogue::{CommandInput, Dialogue, Ending, OutputLine, OutputLines, Talked};
pub use error::ProcessError;
pub use finished::{Captured, Finished, Status};
pub use quote::{quote, quote_os};
pub use run::Runner;
pub use sandbox::{
    Network, RELAY, Sandbox, SandboxError, SandboxSpec, TargetSandbox, check_sandbox,
};
pub use spec::CommandSpec;

use std::ffi::OsString;
use std::process::ExitCode;

/// The first argument that makes a program the supervisor of a command.
pub const SUPERVISE: &str = "__supervise";

/// File descriptors that this process has open while a command runs: its pipes, and those that are
/// needed while it starts.
pub const OPEN_FILES_PER_COMMAND: usize = 8;

/// Hides the environment and the memory of this program from other programs of the same user, such as those
/// that a run starts: they may hold keys. Root, and programs that may trace any other, still see them.
pub fn hide_environment() {
    #[cfg(target_os = "linux")]
    {
        use rustix::process::{DumpableBehavior, set_dumpable_behavior};
        // Without it, everything works as before.
        let _ = set_dumpable_behavior(DumpableBehavior::NotDumpable);
    }
}

/// Supervises a command, or relays its connections, if `arguments`, those of this program with its name
/// first, ask for it. Returns the exit code for `main`.
///
/// Call this first in `main`, while there is only one thread.
pub fn supervise(arguments: impl IntoIterator<Item = OsString>) -> Option<ExitCode> {
    let mut arguments = arguments.into_iter().skip(1);
    let first = arguments.next()?;
    #[cfg(unix)]
    if first == RELAY {
        return Some(sandbox::relay_main(arguments));
    }
    if first != SUPERVISE {
        return None;
    }
    #[cfg(target_os = "linux")]
    return Some(supervisor::main(arguments));
    #[cfg(not(target_os = "linux"))]
    None
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use rustix::process::{DumpableBehavior, dumpable_behavior};

    #[test]
    fn a_hidden_environment_is_not_for_other_programs() {
        super::hide_environment();
        let behaviour = dumpable_behavior();
        assert_eq!(behaviour.unwrap(), DumpableBehavior::NotDumpable);
    }
}
