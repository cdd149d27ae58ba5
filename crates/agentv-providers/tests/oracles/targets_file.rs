//! Any bytes as `targets.yaml`.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use agentv_core::{Extra, Limits, Secrets};
use agentv_providers::{Environment, Surroundings, TargetError, Targets, targets_file};
use agentv_syntax::{Diagnostic, Draft, Severity, Tree, yaml};
use tempfile::TempDir;

use super::KEY;

/// A project whose targets file is overwritten for each input, in memory if the system has such a
/// place.
pub struct Project {
    path: PathBuf,
    surroundings: Surroundings,
    environment: Environment,
    _root: TempDir,
}

impl Default for Project {
    fn default() -> Project {
        let memory = Path::new("/dev/shm");
        let root = if memory.is_dir() {
            tempfile::tempdir_in(memory)
        } else {
            tempfile::tempdir()
        };
        let root = root.expect("a temporary folder");
        let answers = "{\"id\": \"a\", \"text\": \"Paris\"}\n";
        fs::write(root.path().join("answers.jsonl"), answers).expect("a file");
        let variables = [
            ("API_KEY", KEY),
            ("MODEL", "gpt-5"),
            ("COUNT", "7"),
            ("URL", "http://localhost:1"),
            ("EMPTY", ""),
        ];
        let variables = variables.map(|(name, value)| (name.to_owned(), value.to_owned()));
        Project {
            path: root.path().join("targets.yaml"),
            surroundings: Surroundings {
                folder: root.path().to_owned(),
                root: root.path().to_owned(),
                working_dir: root.path().to_owned(),
            },
            environment: Environment::new(variables),
            _root: root,
        }
    }
}

/// The result of resolving a target.
#[derive(Debug, PartialEq)]
enum Resolved {
    Ready {
        kind: String,
        settings: Extra,
        judge: Option<String>,
        limits: Limits,
        secrets: Box<Secrets>,
        warnings: Vec<String>,
    },
    /// The error without the line, which differs if the file is written in another way.
    Refused(TargetError),
}

impl Project {
    /// Checks that the file gives targets or diagnostics. Targets resolve to the same twice, and to the
    /// same after the file is rewritten. The value of a secret variable is shown nowhere.
    pub fn targets_file(&self, bytes: &[u8]) {
        let read = self.read(bytes);
        let text = std::str::from_utf8(bytes);
        if let Ok(text) = text {
            let told = targets_file::check(text, &"targets.yaml".into());
            assert!(read.is_ok() || told.iter().any(is_refusal), "{told:?}");
        }
        let (Ok(targets), Ok(text)) = (&read, text) else {
            let told = read.expect_err("what is not text is refused");
            assert!(told.iter().any(is_refusal), "{told:?}");
            return;
        };
        let all = self.all(targets);
        assert_eq!(self.all(targets), all, "resolved again");
        if !text.contains(KEY) {
            for (name, resolved) in &all {
                assert!(!tells_key(resolved), "{name}: {resolved:?}");
            }
        }
        let mut tree = Tree::default();
        yaml::parse(text, &mut tree).expect("what was accepted is YAML");
        let anew = Draft::from(tree.root()).to_yaml();
        let again = self.read(anew.as_bytes());
        let again = again.unwrap_or_else(|told| panic!("{told:?}\n{anew}"));
        assert_eq!(self.all(&again), all, "{anew}");
    }

    fn read(&self, bytes: &[u8]) -> Result<Targets, Vec<Diagnostic>> {
        fs::write(&self.path, bytes).expect("the targets file");
        Targets::read(&self.path, &Arc::from("targets.yaml"), &self.surroundings)
    }

    fn all(&self, targets: &Targets) -> Vec<(String, Resolved)> {
        let listed = targets.listed().map(|target| {
            assert!(targets.knows(target.name));
            (target.name.to_owned(), self.resolved(targets, target.name))
        });
        listed.collect()
    }

    fn resolved(&self, targets: &Targets, name: &str) -> Resolved {
        let judge = targets.judge_of(name, &self.environment);
        match targets.resolve(name, &self.environment) {
            Ok(resolved) => {
                let target = resolved.target;
                assert_eq!(target.name, name);
                assert_eq!(judge.expect("its judge"), target.judge_target);
                Resolved::Ready {
                    kind: target.kind,
                    settings: target.settings,
                    judge: target.judge_target,
                    limits: target.limits,
                    secrets: Box::new(resolved.secrets),
                    warnings: resolved.warnings,
                }
            }
            Err(error) => {
                assert!(error.line.is_some_and(|line| line > 0), "{error:?}");
                Resolved::Refused(TargetError {
                    line: None,
                    ..error
                })
            }
        }
    }
}

fn is_refusal(diagnostic: &Diagnostic) -> bool {
    diagnostic.severity() != Severity::Warning
}

/// Checks for the key anywhere but in the name of the judge, which is shown as it is.
fn tells_key(resolved: &Resolved) -> bool {
    match resolved {
        Resolved::Ready {
            settings, warnings, ..
        } => format!("{settings:?}{warnings:?}").contains(KEY),
        Resolved::Refused(error) => format!("{error:?}{error}").contains(KEY),
    }
}
