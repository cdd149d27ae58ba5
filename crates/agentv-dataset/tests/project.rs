//! A project on disk for a test: a root, eval files in one folder, files for them to refer to.

use std::fs;
use std::path::{Path, PathBuf};

use agentv_core::EvalCase;
use agentv_dataset::{LoadError, LoadOptions, Loaded, load_eval_cases};
use agentv_syntax::{Code, Definitions, Diagnostic};
use tempfile::TempDir;

/// A root with `.git`, the folders `evals` and `elsewhere`, and files in both and above.
pub(crate) struct TestProject {
    root: TempDir,
}

/// The files that generated cases refer to, as seen from `evals`.
pub(crate) const REFERENCES: &[&str] = &[
    "notes.md",
    "./notes.md",
    "data/naïve table.csv",
    "shared.md",
    "/shared.md",
    "../shared.md",
    "link.md",
];

impl TestProject {
    pub(crate) fn new() -> TestProject {
        let project = TestProject {
            root: tempfile::tempdir().unwrap(),
        };
        for folder in [
            ".git",
            ".agentv",
            "evals/data",
            "evals/scripts",
            "elsewhere",
        ] {
            fs::create_dir_all(project.root().join(folder)).unwrap();
        }
        for (name, text) in [
            (".agentv/config.yaml", "guideline_patterns: ['*.md']\n"),
            ("shared.md", "shared by all\n"),
            ("evals/notes.md", "one\r\ntwo"),
            ("evals/judge.md", "Grade {{ candidate_answer }}"),
            ("evals/data/naïve table.csv", "a;b\n1;2\n"),
            ("evals/scripts/judge.py", "print('{}')\n"),
        ] {
            fs::write(project.root().join(name), text).unwrap();
        }
        std::os::unix::fs::symlink("notes.md", project.path("link.md")).unwrap();
        project
    }

    pub(crate) fn root(&self) -> &Path {
        self.root.path()
    }

    /// Returns a path in `evals`.
    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.root().join("evals").join(name)
    }

    /// Writes a file in `evals`.
    pub(crate) fn write(&self, name: &str, content: impl AsRef<[u8]>) -> PathBuf {
        let path = self.path(name);
        fs::write(&path, content).unwrap();
        path
    }

    pub(crate) fn options(&self) -> LoadOptions {
        LoadOptions::new(definitions(), self.root())
    }

    /// Loads a file of `evals`.
    pub(crate) fn load(&self, name: &str) -> Result<Loaded, LoadError> {
        load_eval_cases(self.path(name), &self.options())
    }

    /// Returns the names in `evals`, sorted.
    pub(crate) fn listed(&self) -> Vec<String> {
        names_in(&self.path(""))
    }
}

pub(crate) fn names_in(folder: &Path) -> Vec<String> {
    let entries = fs::read_dir(folder).unwrap();
    let mut names: Vec<_> = entries
        .map(|entry| entry.unwrap().file_name().to_string_lossy().into_owned())
        .collect();
    names.sort();
    names
}

pub(crate) fn definitions() -> Definitions {
    Definitions {
        evaluators: &agentv_evaluators::REGISTRY,
        targets: &agentv_providers::REGISTRY,
    }
}

/// The result of loading a file, without positions: the cases and problems, or the reason why there are
/// none.
pub(crate) type Outcome = Result<(Vec<EvalCase>, Vec<Said>), Said>;

/// A diagnostic without its position.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Said {
    pub(crate) code: Code,
    pub(crate) path: String,
    pub(crate) message: String,
}

impl From<&Diagnostic> for Said {
    fn from(diagnostic: &Diagnostic) -> Said {
        Said {
            code: diagnostic.code(),
            path: diagnostic.problem.path.clone(),
            message: without_line_numbers(&diagnostic.problem.message),
        }
    }
}

fn without_line_numbers(message: &str) -> String {
    let words = message.split(' ').scan("", |before, word| {
        let shown = if *before == "line" { "N" } else { word };
        *before = word;
        Some(shown)
    });
    words.collect::<Vec<_>>().join(" ")
}

pub(crate) fn outcome(loaded: Result<Loaded, LoadError>) -> Outcome {
    match loaded {
        Ok(loaded) => Ok((
            loaded.cases,
            loaded.diagnostics.iter().map(Said::from).collect(),
        )),
        Err(error) => Err(Said::from(error.diagnostic.as_ref())),
    }
}

/// Returns the codes of everything that is wrong with a file, in order.
pub(crate) fn codes(loaded: &Result<Loaded, LoadError>) -> Vec<Code> {
    match loaded {
        Ok(loaded) => loaded.diagnostics.iter().map(Diagnostic::code).collect(),
        Err(error) => vec![error.diagnostic.code()],
    }
}

/// Prints to the output of the test.
pub(crate) fn note(message: &str) {
    use std::io::Write;
    let _ = writeln!(std::io::stderr(), "{message}");
}
