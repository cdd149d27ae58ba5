//! The files of a project that a case must not read.

use std::path::{Component, Path};

/// The files that agentv keeps in `.agentv/`: runs, answers, settings and keys.
const KEPT: &[&str] = &["results", "cache", "targets", "config"];

/// Returns the reason for which a case must not read a file, as the rest of a sentence that starts
/// with its name. Returns `None` if the case may read it.
///
/// A case from elsewhere must not send keys, the history of a repository, or the answers of earlier
/// runs to anyone. `path` is relative to the project root, with links and `..` resolved.
///
/// ```
/// use agentv_core::private_file;
/// use std::path::Path;
///
/// assert!(private_file(Path::new("evals/.env.local")).is_some());
/// assert!(private_file(Path::new(".agentv/results/1/results.jsonl")).is_some());
/// assert!(private_file(Path::new(".agentv/prompts/judge.md")).is_none());
/// ```
pub fn private_file(path: &Path) -> Option<&'static str> {
    let mut names = path.components().filter_map(|part| match part {
        Component::Normal(name) => Some(name.to_string_lossy().to_ascii_lowercase()),
        _ => None,
    });
    while let Some(name) = names.next() {
        match &*name {
            ".git" => return Some("is in `.git`, which belongs to the repository"),
            ".agentv" if names.clone().next().is_some_and(|name| is_kept(&name)) => {
                return Some("is one of the private files in `.agentv`");
            }
            name if name.starts_with(".env") => {
                return Some("contains environment variables, which may be secrets");
            }
            _ => {}
        }
    }
    None
}

fn is_kept(name: &str) -> bool {
    let stem = name.split('.').next().unwrap_or(name);
    KEPT.contains(&stem)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_history_and_runs_are_private_and_nothing_else_is() {
        for path in [
            ".env",
            "evals/.ENV",
            ".envrc",
            ".env.local",
            ".env/key",
            ".git",
            ".git/config",
            "vendor/.git/config",
            ".agentv/targets.yaml",
            ".agentv/config.yaml",
            ".agentv/cache/answers.sqlite",
            "sub/.agentv/results/1/run.json",
        ] {
            assert!(private_file(Path::new(path)).is_some(), "{path}");
        }
        for path in [
            "env",
            "a.env",
            ".gitignore",
            ".github/workflows/ci.yml",
            "results/a.md",
            ".agentv/prompts/judge.md",
            ".agentv/prompts/results/judge.md",
            "",
        ] {
            assert_eq!(private_file(Path::new(path)), None, "{path}");
        }
    }
}
