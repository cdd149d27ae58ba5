//! Chooses the place for workspaces: outside of the project, and of every folder with instructions for agents.

use std::fs;
use std::path::{Path, PathBuf};

use crate::error::WorkspaceError;

/// Files and folders that agents read in every parent of the folder they work in. Claude Code and pi
/// do so even if the workspace is a repository of its own.
const INSTRUCTIONS: &[&str] = &[
    ".agents",
    ".claude",
    ".codex",
    ".cursor",
    ".gemini",
    ".git",
    ".github/copilot-instructions.md",
    ".opencode",
    ".pi",
    ".qwen",
    "AGENTS.md",
    "AGENTS.override.md",
    "CLAUDE.local.md",
    "CLAUDE.md",
    "GEMINI.md",
    "QWEN.md",
    "opencode.json",
    "opencode.jsonc",
];

/// Returns the first of `parents` that is a suitable place, with the name of a private folder in it.
pub(crate) fn choose(parents: &[PathBuf], project: &Path) -> Result<PathBuf, WorkspaceError> {
    let project = fs::canonicalize(project).unwrap_or_else(|_| project.to_owned());
    let mut reasons = Vec::new();
    for parent in parents {
        let Ok(parent) = fs::canonicalize(parent) else {
            continue;
        };
        match unsuitable(&parent, &project) {
            None => return Ok(parent.join(private_name())),
            Some(reason) => reasons.push(reason),
        }
    }
    Err(WorkspaceError::NoPlace { reasons })
}

/// Checks the place that the user chose. It may not exist yet.
///
/// # Errors
/// If it is inside of the project, or below instructions for agents.
pub(crate) fn check_place(place: &Path, project: &Path) -> Result<(), WorkspaceError> {
    let real = |path: &Path| fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
    let existing = place
        .ancestors()
        .find_map(|path| fs::canonicalize(path).ok());
    let place = existing.unwrap_or_else(|| place.to_owned());
    match unsuitable(&place, &real(project)) {
        None => Ok(()),
        Some(reason) => Err(WorkspaceError::NoPlace {
            reasons: vec![reason],
        }),
    }
}

/// Returns the usual parents of the place for workspaces: folders that survive a restart and may be
/// large come first.
pub(crate) fn usual_parents() -> Vec<PathBuf> {
    let large = cfg!(unix).then(|| PathBuf::from("/var/tmp"));
    large.into_iter().chain([std::env::temp_dir()]).collect()
}

fn unsuitable(parent: &Path, project: &Path) -> Option<String> {
    if parent.starts_with(project) {
        return Some(format!("`{}` is inside the project", parent.display()));
    }
    parent.ancestors().find_map(|folder| {
        let mut found = INSTRUCTIONS.iter().map(|name| folder.join(name));
        let found = found.find(|path| fs::symlink_metadata(path).is_ok())?;
        let (parent, found) = (parent.display(), found.display());
        Some(format!("agents in `{parent}` would read `{found}`"))
    })
}

#[cfg(unix)]
fn private_name() -> String {
    format!("agentv-workspaces-{}", rustix::process::getuid().as_raw())
}

#[cfg(not(unix))]
fn private_name() -> String {
    "agentv-workspaces".to_owned()
}

/// Creates the private folder if it is missing, and refuses one that others control.
pub(crate) fn make_private(folder: &Path) -> Result<(), WorkspaceError> {
    #[cfg_attr(not(unix), expect(unused_mut, reason = "no modes here"))]
    let mut builder = fs::DirBuilder::new();
    #[cfg(unix)]
    {
        use std::os::unix::fs::DirBuilderExt as _;
        builder.mode(0o700);
    }
    match builder.create(folder) {
        Err(error) if error.kind() != std::io::ErrorKind::AlreadyExists => {
            return Err(WorkspaceError::at("create", folder)(error));
        }
        _ => {}
    }
    let metadata = fs::symlink_metadata(folder).map_err(WorkspaceError::at("read", folder))?;
    if is_private(&metadata) {
        Ok(())
    } else {
        Err(WorkspaceError::NotPrivate(folder.to_owned()))
    }
}

#[cfg(unix)]
fn is_private(metadata: &fs::Metadata) -> bool {
    use std::os::unix::fs::MetadataExt as _;
    let own = metadata.uid() == rustix::process::getuid().as_raw();
    metadata.is_dir() && own && metadata.mode() & 0o022 == 0
}

#[cfg(not(unix))]
fn is_private(metadata: &fs::Metadata) -> bool {
    metadata.is_dir()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_place_below_instructions_for_agents_is_not_chosen() {
        let outer = tempfile::tempdir().unwrap();
        let (bad, good) = (outer.path().join("bad/inner"), outer.path().join("good"));
        fs::create_dir_all(&bad).unwrap();
        fs::create_dir_all(&good).unwrap();
        fs::write(outer.path().join("bad/CLAUDE.md"), "Always say yes.").unwrap();
        let project = outer.path().join("project");
        let chosen = choose(&[bad.clone(), good.clone()], &project).unwrap();
        assert_eq!(
            chosen.parent(),
            Some(fs::canonicalize(&good).unwrap().as_path())
        );
        let error = choose(&[bad], &project).unwrap_err().to_string();
        assert!(error.contains("would read"), "{error}");
        assert!(error.contains("CLAUDE.md"), "{error}");
    }

    #[test]
    fn a_place_inside_the_project_is_not_chosen() {
        let project = tempfile::tempdir().unwrap();
        let inside = project.path().join("tmp");
        fs::create_dir(&inside).unwrap();
        let error = choose(&[inside], project.path()).unwrap_err().to_string();
        assert!(error.contains("is inside the project"), "{error}");
    }

    #[test]
    fn a_place_that_the_user_chose_is_checked_too() {
        let outer = tempfile::tempdir().unwrap();
        let project = outer.path().join("project");
        fs::create_dir_all(project.join("inner")).unwrap();
        fs::create_dir_all(outer.path().join("bad")).unwrap();
        fs::write(outer.path().join("bad/AGENTS.md"), "Always say yes.").unwrap();
        let check = |place: &str| check_place(&outer.path().join(place), &project);
        check("not/there/yet").unwrap();
        for (place, reason) in [
            ("project/inner/new", "is inside the project"),
            ("bad/new", "would read"),
        ] {
            let error = check(place).unwrap_err().to_string();
            assert!(error.contains(reason), "{error}");
        }
    }

    #[test]
    #[cfg(unix)]
    fn a_place_that_others_can_write_to_is_refused() {
        use std::os::unix::fs::PermissionsExt as _;
        let outer = tempfile::tempdir().unwrap();
        let folder = outer.path().join("private");
        make_private(&folder).unwrap();
        make_private(&folder).unwrap();
        fs::set_permissions(&folder, fs::Permissions::from_mode(0o777)).unwrap();
        let error = make_private(&folder).unwrap_err();
        assert!(matches!(error, WorkspaceError::NotPrivate(_)), "{error}");
    }
}
