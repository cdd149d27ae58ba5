//! Runs the command of one folder in a copy of its project, and compares the results.

use std::ffi::OsString;
use std::fs;
use std::io;
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Command, Output, Stdio};
use std::sync::mpsc;
use std::thread;
use std::time::Duration;

use libtest_mimic::Failed;
use regex::Regex;
use snapbox::{Assert, Data, Redactions};

use crate::{Folder, records, server};

/// No command of the corpus takes longer unless it hangs.
const DEADLINE: Duration = Duration::from_secs(60);

pub(crate) fn run(folder: &Folder) -> Result<(), Failed> {
    let temporary = tempfile::tempdir()?;
    // The program prints paths with links resolved.
    let root = fs::canonicalize(temporary.path())?;
    let project = folder.path.join("project");
    if project.exists() {
        copy(&project, &root)?;
    }
    let output = execute(&folder.path.join("cmd"), &root)?;
    let actual = Actual {
        records: redacted(records::of_all_runs(&root)?.as_bytes(), &root)?,
        ..Actual::of(&output, &root)?
    };
    actual.fits(folder.verdict())?;
    if std::env::var_os("SNAPSHOTS").is_some_and(|action| action == "overwrite") {
        return actual.write(&folder.path);
    }
    actual.compare(&folder.path)
}

/// Copies the files in `from`. `dot-git` becomes `.git`, because git does not track a `.git`.
pub(crate) fn copy(from: &Path, to: &Path) -> io::Result<()> {
    for entry in fs::read_dir(from)? {
        let entry = entry?;
        let name = match entry.file_name().to_str() {
            Some("dot-git") => OsString::from(".git"),
            Some("dot-agentv") => OsString::from(".agentv"),
            Some("dot-env") => OsString::from(".env"),
            _ => entry.file_name(),
        };
        if entry.file_type()?.is_dir() {
            fs::create_dir(to.join(&name))?;
            copy(&entry.path(), &to.join(&name))?;
        } else {
            fs::copy(entry.path(), to.join(&name))?;
        }
    }
    Ok(())
}

/// Runs a script with the built binary first in `PATH`, in an otherwise empty environment.
pub(crate) fn execute(script: &Path, root: &Path) -> Result<Output, Failed> {
    let binary = Path::new(env!("CARGO_BIN_EXE_agentv"));
    let own = binary.parent().map(Path::to_owned);
    let others = std::env::var_os("PATH").unwrap_or_default();
    let path = std::env::join_paths(own.into_iter().chain(std::env::split_paths(&others)))?;
    let child = Command::new("sh")
        .arg("-eu")
        .arg(fs::canonicalize(script)?)
        .current_dir(root)
        .env_clear()
        .env("PATH", path)
        .env("HOME", root)
        .env("MODEL_SERVER", &server::model_server()?)
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .process_group(0)
        .spawn()?;
    let group = child.id();
    let (done, ended) = mpsc::channel();
    thread::spawn(move || done.send(child.wait_with_output()));
    match ended.recv_timeout(DEADLINE) {
        Ok(output) => Ok(output?),
        Err(_) => {
            let kill = format!("kill -KILL -{group}");
            Command::new("sh").arg("-c").arg(kill).status()?;
            Err(format!("still running after {} s", DEADLINE.as_secs()).into())
        }
    }
}

/// The result of a command, without paths and versions.
struct Actual {
    stdout: String,
    stderr: String,
    exit: i32,
    /// The results of every run that the command made, one per line.
    records: String,
}

/// Returns the output of a command without paths, versions, run ids, ports and times.
pub(crate) fn redacted(bytes: &[u8], root: &Path) -> Result<String, Failed> {
    let mut redactions = Redactions::new();
    redactions.insert("[ROOT]", root.to_owned())?;
    redactions.insert("[VERSION]", env!("CARGO_PKG_VERSION"))?;
    redactions.insert(
        "[RUN]",
        Regex::new(r"\d{4}-\d\d-\d\dT\d\d-\d\d-\d\dZ-[0-9a-f]{4}")?,
    )?;
    redactions.insert("[RUN]", Regex::new(r"merged-[0-9a-f]{12}")?)?;
    redactions.insert("[WORKSPACE]", Regex::new(r"run-[A-Za-z0-9]{6}/trial-\d+")?)?;
    redactions.insert("[PORT]", Regex::new(r"127\.0\.0\.1:(?<redacted>\d+)")?)?;
    redactions.insert(
        "[TIME]",
        Regex::new(r"(?:^|[\s(])(?<redacted>\d[\d.,]*\s?(?:µs|ms|s|min|h))(?:\b|$)")?,
    )?;
    let text = redactions.redact(&String::from_utf8_lossy(bytes));
    // The slowest trials differ from run to run.
    let slowest = Regex::new(r"(?m)^slowest\n(?:  .*\n)+")?;
    Ok(slowest
        .replace(&text, "slowest\n  [SLOWEST]\n")
        .into_owned())
}

impl Actual {
    fn of(output: &Output, root: &Path) -> Result<Actual, Failed> {
        let redacted = |bytes: &[u8]| redacted(bytes, root);
        Ok(Actual {
            stdout: redacted(&output.stdout)?,
            stderr: redacted(&output.stderr)?,
            exit: output.status.code().ok_or("ended by a signal")?,
            records: String::new(),
        })
    }

    fn fits(&self, verdict: &str) -> Result<(), Failed> {
        let Actual {
            stdout,
            stderr,
            exit,
            records: _,
        } = self;
        let (fits, expected) = match verdict {
            "pass" => (*exit == 0, "0"),
            "fail" => (*exit == 1, "1"),
            "error" => (*exit > 1, "2 or more"),
            "invalid" => (*exit == 1 || *exit == 2, "1 or 2"),
            _ => return Err(format!("there is no verdict `{verdict}`").into()),
        };
        if fits {
            return Ok(());
        }
        let what = format!("`{verdict}` stands for exit code {expected}, found {exit}");
        Err(format!("{what}\n--- stdout\n{stdout}--- stderr\n{stderr}").into())
    }

    /// Returns the expected files of a folder, without those that would be empty.
    fn files(&self) -> [(&'static str, Option<String>); 4] {
        let filled = |text: &String| (!text.is_empty()).then(|| text.clone());
        let exit = (self.exit != 0).then(|| format!("{}\n", self.exit));
        [
            ("exit", exit),
            ("records", filled(&self.records)),
            ("stderr", filled(&self.stderr)),
            ("stdout", filled(&self.stdout)),
        ]
    }

    fn write(&self, folder: &Path) -> Result<(), Failed> {
        for (name, content) in self.files() {
            let path = folder.join(name);
            match content {
                Some(content) => fs::write(path, content)?,
                None if path.exists() => fs::remove_file(path)?,
                None => {}
            }
        }
        Ok(())
    }

    fn compare(&self, folder: &Path) -> Result<(), Failed> {
        let mut differences = String::new();
        for (name, actual) in self.files() {
            let path = folder.join(name);
            let expected = if path.exists() {
                Some(fs::read_to_string(path)?)
            } else {
                None
            };
            let compared = Assert::new().try_eq(
                Some(&name),
                Data::text(actual.unwrap_or_default()).raw(),
                Data::text(expected.unwrap_or_default()).raw(),
            );
            if let Err(difference) = compared {
                differences.push_str(&difference.to_string());
            }
        }
        if differences.is_empty() {
            return Ok(());
        }
        Err(format!("{differences}SNAPSHOTS=overwrite writes the files anew").into())
    }
}
