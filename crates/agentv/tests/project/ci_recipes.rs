//! The action, the workflows and the CI recipes: their YAML is valid, and agentv takes the commands in them.

use std::fs;
use std::path::PathBuf;
use std::process::Command;

use agentv_syntax::{Tree, yaml};

use crate::repository;

/// Returns the files, with their paths in the repository.
fn recipes() -> Vec<(PathBuf, String)> {
    let mut paths = vec![
        PathBuf::from("action.yml"),
        PathBuf::from(".github/workflows/release.yml"),
    ];
    for entry in fs::read_dir(repository().join("examples/ci")).unwrap() {
        paths.push(PathBuf::from("examples/ci").join(entry.unwrap().file_name()));
    }
    paths.sort();
    let read = |path: PathBuf| {
        let text = fs::read_to_string(repository().join(&path)).unwrap();
        (path, text)
    };
    paths.into_iter().map(read).collect()
}

/// Returns the commands of a recipe that evaluate something, without variables and what follows in the shell.
fn evaluations(text: &str) -> Vec<Vec<&str>> {
    let commands = text.lines().filter_map(|line| {
        let start = line.find("agentv run evals ")? + "agentv ".len();
        let command = line[start..].split("||").next()?;
        Some(
            command
                .split_whitespace()
                .filter(|word| !word.starts_with('$')),
        )
    });
    commands.map(Iterator::collect).collect()
}

#[test]
fn recipes_are_valid_yaml() {
    for (path, text) in recipes() {
        if path.extension().is_some_and(|extension| extension == "yml") {
            let parsed = yaml::parse(&text, &mut Tree::default());
            assert!(parsed.is_ok(), "{}: {parsed:?}", path.display());
        }
    }
}

#[test]
fn agentv_takes_the_commands_of_the_recipes() {
    let mut tried = 0;
    for (path, text) in recipes() {
        for command in evaluations(&text) {
            let folder = tempfile::tempdir().unwrap();
            let evals = folder.path().join("evals");
            fs::create_dir(&evals).unwrap();
            let case = r#"{"id": "a", "expected_outcome": "o", "input": "Paris", "evaluators": [{"contains": "Paris"}]}"#;
            fs::write(evals.join("a.jsonl"), case).unwrap();
            let ended = Command::new(env!("CARGO_BIN_EXE_agentv"))
                .args(&command)
                .args(["--target", "echo"])
                .env("AGENTV_SHARD_INDEX", "0")
                .env("AGENTV_SHARD_COUNT", "4")
                .current_dir(folder.path())
                .output()
                .unwrap();
            let printed = String::from_utf8_lossy(&ended.stderr);
            assert!(
                ended.status.success(),
                "{}: {command:?}: {printed}",
                path.display()
            );
            tried += 1;
        }
    }
    assert!(tried >= 3, "{tried} commands were found");
}
