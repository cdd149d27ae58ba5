//! The base of every test: a folder, a mark on all processes of the test, and a deadline.

use std::path::Path;
use std::time::{Duration, Instant};
use std::{fs, process};

use agentv_process::{CommandSpec, Finished, ProcessError, Runner};
use rustix::process::Pid;
use tempfile::TempDir;
use tokio_util::sync::CancellationToken;

/// The variable that marks the processes of a test.
pub(crate) const MARK: &str = "AGENTV_PROCESS_TEST";

/// A private folder for a test. Its path marks the test's processes.
pub(crate) struct Stage {
    folder: TempDir,
}

impl Stage {
    pub(crate) fn new() -> Self {
        let folder = TempDir::new().unwrap();
        Self { folder }
    }

    pub(crate) fn path(&self) -> &Path {
        self.folder.path()
    }

    pub(crate) fn mark(&self) -> &str {
        self.path().to_str().unwrap()
    }

    /// Describes a shell line that runs in the folder and has the mark.
    pub(crate) fn shell(&self, line: &str) -> CommandSpec {
        self.marked(CommandSpec::shell(line))
    }

    pub(crate) fn marked(&self, spec: CommandSpec) -> CommandSpec {
        spec.current_dir(self.path()).env(MARK, self.mark())
    }

    /// Returns the processes that have the mark, without zombies.
    pub(crate) fn survivors(&self) -> Vec<Pid> {
        let mark = format!("{MARK}={}", self.mark());
        let marked = |id: i32| {
            let environment = fs::read(format!("/proc/{id}/environ")).unwrap_or_default();
            let mut variables = environment.split(|&byte| byte == 0);
            variables.any(|variable| variable == mark.as_bytes())
        };
        let entries = fs::read_dir("/proc").unwrap().flatten();
        entries
            .filter_map(|entry| entry.file_name().to_str()?.parse().ok())
            .filter(|&id| id != process::id().cast_signed() && marked(id))
            .filter_map(Pid::from_raw)
            .collect()
    }

    pub(crate) fn wait_for_file(&self, name: &str) {
        wait_until(name, || self.path().join(name).exists());
    }

    pub(crate) fn wait_for_no_survivors(&self) {
        wait_until("no survivors", || self.survivors().is_empty());
    }
}

impl Drop for Stage {
    /// Ends the processes of a failed test, too.
    fn drop(&mut self) {
        for survivor in self.survivors() {
            let _ = rustix::process::kill_process(survivor, rustix::process::Signal::KILL);
        }
    }
}

/// Waits up to a minute for a condition.
pub(crate) fn wait_until(what: &str, is_so: impl Fn() -> bool) {
    let until = Instant::now() + Duration::from_secs(60);
    while !is_so() {
        assert!(Instant::now() < until, "waited in vain for {what}");
        std::thread::sleep(Duration::from_millis(5));
    }
}

/// Runs a future on a new runtime.
pub(crate) fn block_on<T>(future: impl Future<Output = T>) -> T {
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(2)
        .enable_all()
        .build();
    runtime.unwrap().block_on(future)
}

/// Runs a command under the supervisor.
pub(crate) fn run(spec: CommandSpec) -> Result<Finished, ProcessError> {
    run_by(&Runner::of_this_program(), spec)
}

pub(crate) fn run_by(runner: &Runner, spec: CommandSpec) -> Result<Finished, ProcessError> {
    block_on(runner.run(spec, &CancellationToken::new()))
}
