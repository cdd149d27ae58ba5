//! Runs every folder of `corpus/` as a test of its own, and holds `docs/scenarios.md` against them.
//!
//! A folder `corpus/<verdict>/<name>/` has `cmd` (a shell script whose first line says what it
//! proves), `project/` (the files it works on), and what it must give: `stdout` and `stderr`
//! (nothing when absent), `exit` (0 when absent) and `records`, the results of the runs that it made,
//! without times. `SNAPSHOTS=overwrite cargo test --test corpus`
//! writes these four anew.

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
    /// `pass/jsonl-skip-empty-lines`
    name: String,
    path: PathBuf,
}

impl Folder {
    fn verdict(&self) -> &str {
        self.name.split('/').next().unwrap_or_default()
    }

    /// The first line of `cmd`, without its `#`.
    fn title(&self) -> Option<String> {
        let command = fs::read_to_string(self.path.join("cmd")).ok()?;
        let title = command.lines().next()?.strip_prefix("# ")?.trim();
        (!title.is_empty()).then(|| title.to_owned())
    }
}

/// What stands in `corpus/`, whether it belongs there or not.
fn folders(corpus: &Path) -> Vec<Folder> {
    let mut found = Vec::new();
    for verdict in entries(corpus) {
        for path in entries(&corpus.join(&verdict)) {
            found.push(Folder {
                name: format!("{verdict}/{path}"),
                path: corpus.join(&verdict).join(path),
            });
        }
    }
    found
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
