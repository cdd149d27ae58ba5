//! Runs every folder of `corpus/` as a separate test, and compares `docs/scenarios.md` with them.
//!
//! A folder `corpus/<topic>/<verdict>/<name>/` has `cmd` (a shell script whose first line says what it
//! proves), `project/` (the files it works on), and the expected results: `stdout` and `stderr`
//! (empty if absent), `exit` (0 if absent) and `records`, the results of the runs that it made,
//! without times. `SNAPSHOTS=overwrite cargo test --test corpus` rewrites these four.

mod documents;
mod records;
mod runner;
mod server;
mod table;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use libtest_mimic::{Arguments, Failed, Trial};

fn main() -> ExitCode {
    let arguments = Arguments::from_args();
    agentv_testkit::signals::reset_in_children();
    let repository = fs::canonicalize(Path::new(env!("CARGO_MANIFEST_DIR")).join("../.."))
        .expect("the repository");
    let folders = folders(&repository.join("corpus"));
    let mut trials = table::trials(&repository.join("docs/scenarios.md"), &folders);
    trials.extend(documents::trials(&repository));
    trials.extend(folders.into_iter().map(trial));
    libtest_mimic::run(&arguments, trials).exit_code()
}

/// A folder of the corpus.
#[derive(Debug, Clone)]
struct Folder {
    /// `jsonl/pass/skip-empty-lines`
    name: String,
    path: PathBuf,
}

impl Folder {
    fn verdict(&self) -> &str {
        self.name.split('/').nth(1).unwrap_or_default()
    }

    /// Returns the first line of `cmd`, without its `#`.
    fn title(&self) -> Option<String> {
        let command = fs::read_to_string(self.path.join("cmd")).ok()?;
        let title = command.lines().next()?.strip_prefix("# ")?.trim();
        (!title.is_empty()).then(|| title.to_owned())
    }
}

/// Returns everything at the third level of `corpus/`, whether it belongs there or not.
fn folders(corpus: &Path) -> Vec<Folder> {
    let topics = entries(corpus).into_iter();
    let verdicts = topics.flat_map(|topic| below(corpus, &topic));
    verdicts
        .flat_map(|verdict| below(corpus, &verdict))
        .map(|name| Folder {
            path: corpus.join(&name),
            name,
        })
        .collect()
}

fn below(corpus: &Path, name: &str) -> Vec<String> {
    let names = entries(&corpus.join(name)).into_iter();
    names.map(|entry| format!("{name}/{entry}")).collect()
}

fn entries(folder: &Path) -> Vec<String> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    let mut names: Vec<String> = entries
        .map(|entry| entry.file_name().to_string_lossy().into_owned())
        .collect();
    names.sort();
    names
}

fn trial(folder: Folder) -> Trial {
    Trial::test(folder.name.clone(), move || {
        check_layout(&folder)?;
        runner::run(&folder)
    })
}

fn check_layout(folder: &Folder) -> Result<(), Failed> {
    const KNOWN: [&str; 6] = ["cmd", "project", "stdout", "stderr", "exit", "records"];
    if !folder.path.is_dir() {
        return Err("not a folder".into());
    }
    let names = entries(&folder.path);
    let unknown: Vec<_> = names
        .iter()
        .filter(|name| !KNOWN.contains(&name.as_str()))
        .cloned()
        .collect();
    if !unknown.is_empty() {
        return Err(format!("what is {} for?", unknown.join(", ")).into());
    }
    if folder.title().is_none() {
        return Err("no `cmd` whose first line is a comment that says what it proves".into());
    }
    Ok(())
}
