//! The built program, run in a project.

use std::ffi::OsStr;
use std::fmt::Write as _;
use std::fs;
use std::os::unix::fs::chown;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

use agentv_testkit::Project;
use agentv_testkit::crash::{Moment, Running, Signal};
use agentv_testkit::model::ModelServer;
use agentv_testkit::processes::wait_for_none_with;
use rustix::process::geteuid;
use tempfile::NamedTempFile;

use crate::LONGEST;

/// The variable that marks all descendants of a run.
pub(crate) const MARK: &str = "AGENTV_TEST_MARK";

/// Creates a project with `count` cases and a targets file. `message` returns the message of a case. A case
/// passes if the answer contains `right`.
pub(crate) fn project(targets: &str, count: usize, message: impl Fn(usize) -> String) -> Project {
    let mut cases = String::new();
    for number in 0..count {
        let case = serde_json::json!({
            "id": format!("case-{number:04}"),
            "expected_outcome": "the right answer",
            "input": message(number),
            "evaluators": [{"type": "contains", "value": "right"}],
        });
        writeln!(cases, "{case}").unwrap();
    }
    let files = [
        (".git/HEAD", ""),
        ("targets.yaml", targets),
        ("cases.jsonl", &cases),
    ];
    Project::new(&files).unwrap()
}

/// Returns a targets file with one model target, `default`, at the server; `fields` are further lines.
pub(crate) fn model_target(server: &ModelServer, fields: &[&str]) -> String {
    let mut targets = "targets:\n".to_owned();
    add_model_target(&mut targets, "default", server, fields);
    targets
}

/// Adds a model target at a server to a targets file.
pub(crate) fn add_model_target(
    targets: &mut String,
    name: &str,
    server: &ModelServer,
    fields: &[&str],
) {
    let url = server.url();
    write!(
        targets,
        "  - name: {name}\n    provider: openai\n    model: test-model\n    \
         api_key: sk-of-no-importance\n    base_url: {url}/v1\n"
    )
    .unwrap();
    for field in fields {
        writeln!(targets, "    {field}").unwrap();
    }
}

/// No further arguments.
pub(crate) const NONE: [&str; 0] = [];

/// Returns `agentv run cases.jsonl` in the project, with further arguments and a clean environment.
pub(crate) fn agentv<A: AsRef<OsStr>>(
    project: &Project,
    arguments: impl IntoIterator<Item = A>,
) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_agentv"));
    command
        .args(["run", "cases.jsonl"])
        .args(arguments)
        .current_dir(project.root());
    clean(&mut command);
    command
}

/// Clears the environment of a command.
pub(crate) fn clean(command: &mut Command) {
    let beside = Path::new(env!("CARGO_BIN_EXE_agentv")).parent().unwrap();
    let path = format!("{}:{}", beside.display(), std::env::var("PATH").unwrap());
    command.env_clear().env("PATH", path).stdin(Stdio::null());
}

/// A user without the permissions of root.
const NOBODY: u32 = 65_534;

/// Runs `agentv` in a project as a user to whom permissions apply: the user who runs the tests, or another
/// user, who then owns the project, if root runs the tests.
pub(crate) struct UsualUser {
    program: PathBuf,
    nobody: bool,
}

impl UsualUser {
    /// Prints why the test is skipped if the other user cannot enter the project.
    pub(crate) fn of(project: &Project) -> Option<UsualUser> {
        let built = PathBuf::from(env!("CARGO_BIN_EXE_agentv"));
        if !geteuid().is_root() {
            let (program, nobody) = (built, false);
            return Some(UsualUser { program, nobody });
        }
        // Other users may be unable to enter the build folder.
        let program = project.path(".program");
        fs::copy(built, &program).unwrap();
        give_away(project.root());
        let user = UsualUser {
            program,
            nobody: true,
        };
        let can_run = user.command(project, &["--version"]).output();
        if !can_run.is_ok_and(|output| output.status.success()) {
            println!("skipped: no other user can run a program in the folder for temporary files");
            return None;
        }
        Some(user)
    }

    /// Returns a command that this user runs in the project.
    pub(crate) fn command(&self, project: &Project, arguments: &[&str]) -> Command {
        let mut command = Command::new(&self.program);
        command.args(arguments).current_dir(project.root());
        clean(&mut command);
        if self.nobody {
            command.uid(NOBODY).gid(NOBODY);
        }
        command
    }
}

/// Makes the other user the owner of everything under a path.
fn give_away(path: &Path) {
    chown(path, Some(NOBODY), Some(NOBODY)).unwrap();
    if path.is_dir() {
        for entry in fs::read_dir(path).unwrap() {
            give_away(&entry.unwrap().path());
        }
    }
}

/// A running program and its output.
pub(crate) struct Program {
    running: Running,
    stdout: NamedTempFile,
    stderr: NamedTempFile,
}

/// A program that has ended.
#[derive(Debug)]
pub(crate) struct Ended {
    /// `None` if a signal ended it.
    pub(crate) code: Option<i32>,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
}

impl Program {
    /// Returns true if it has ended.
    pub(crate) fn has_ended(&mut self) -> bool {
        self.running.child().try_wait().unwrap().is_some()
    }

    pub(crate) fn start(command: &mut Command) -> Program {
        let (stdout, stderr) = (NamedTempFile::new().unwrap(), NamedTempFile::new().unwrap());
        command
            .stdout(stdout.reopen().unwrap())
            .stderr(stderr.reopen().unwrap());
        Program {
            running: Running::start(command).unwrap(),
            stdout,
            stderr,
        }
    }

    pub(crate) fn id(&self) -> u32 {
        self.running.id()
    }

    /// Waits for a moment, which must come before the program ends.
    pub(crate) fn until(&mut self, moment: &Moment<'_>) {
        let come = self.running.until(moment, LONGEST).unwrap();
        assert!(come, "it ended before {moment:?}: {}", self.said());
    }

    /// Waits until standard error has `lines` lines.
    pub(crate) fn until_said(&mut self, lines: u64) {
        let path = self.stderr.path().to_owned();
        self.until(&Moment::Lines(&path, lines));
    }

    /// Kills the program at a moment, unless it has ended by then.
    pub(crate) fn kill_at(&mut self, moment: &Moment<'_>) {
        let _ = self.running.until(moment, LONGEST).unwrap();
        // A process that has ended needs no signal.
        let _ = self.running.signal(Signal::SIGKILL);
    }

    pub(crate) fn signal(&self, signal: Signal) {
        self.running.signal(signal).unwrap();
    }

    /// Sends a signal to the whole process group, as a terminal does.
    pub(crate) fn signal_group(&self, signal: Signal) {
        self.running.signal_group(signal).unwrap();
    }

    /// Waits for the end; also returns the peak memory, in KiB.
    pub(crate) fn wait_and_measure(mut self) -> (Ended, u64) {
        let until = Instant::now() + LONGEST;
        let mut most = 0;
        while self.running.child().try_wait().unwrap().is_none() && Instant::now() < until {
            most = most.max(self.peak_memory());
            sleep(Duration::from_millis(1));
        }
        (self.wait(), most)
    }

    /// Returns the peak memory so far, in KiB; `None` if the program has ended.
    pub(crate) fn peak_memory(&self) -> u64 {
        let status = fs::read_to_string(format!("/proc/{}/status", self.id())).unwrap_or_default();
        let mut lines = status.lines();
        let peak = lines.find_map(|line| line.strip_prefix("VmHWM:"));
        let words = peak.unwrap_or_default().split_whitespace().next();
        words.and_then(|word| word.parse().ok()).unwrap_or(0)
    }

    /// Returns everything on standard error so far.
    pub(crate) fn said(&self) -> String {
        fs::read_to_string(self.stderr.path()).unwrap()
    }

    pub(crate) fn wait(self) -> Ended {
        let status = self.running.wait(LONGEST).unwrap();
        let text = |file: &NamedTempFile| {
            String::from_utf8_lossy(&fs::read(file.path()).unwrap()).into_owned()
        };
        Ended {
            code: status.code(),
            stdout: text(&self.stdout),
            stderr: text(&self.stderr),
        }
    }
}

/// Runs a command to its end.
pub(crate) fn finish(command: &mut Command) -> Ended {
    Program::start(command).wait()
}

impl Ended {
    /// Returns itself. Panics if the exit code differs.
    #[track_caller]
    pub(crate) fn expect(self, code: i32) -> Ended {
        assert_eq!(self.code, Some(code), "{}{}", self.stdout, self.stderr);
        self
    }

    /// Returns the command that resumes the run, as the summary prints it.
    #[track_caller]
    pub(crate) fn resume_command(&self) -> String {
        let told = self.stdout.split_once("\nresume with");
        let (_, told) = told.unwrap_or_else(|| panic!("no command in {}", self.stdout));
        // A long command is on a separate line.
        told.trim_start().lines().next().unwrap().to_owned()
    }
}

/// Runs a shell line in the project, as a user does.
pub(crate) fn typed(project: &Project, line: &str) -> Ended {
    let mut command = Command::new("sh");
    command.args(["-c", line]).current_dir(project.root());
    clean(&mut command);
    finish(&mut command)
}

/// Checks that no process with this mark is left after `longest`.
#[track_caller]
pub(crate) fn nothing_lives_on(mark: &str, longest: Duration) {
    let left = wait_for_none_with(MARK, mark, longest);
    assert!(left.is_empty(), "{left:?} live on");
}
