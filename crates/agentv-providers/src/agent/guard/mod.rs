//! Programs that agents without rules for paths load, to keep their file tools inside of the workspace.

use agentv_core::WorkspaceFolders;
use serde_json::json;

/// The reason of a refusal.
pub(crate) const REASON: &str = "This path is outside of the workspace.";

/// Returns an extension of pi.
pub(crate) fn pi_extension(folders: &WorkspaceFolders) -> String {
    program(folders, include_str!("pi.mjs"))
}

/// Returns the program that Qwen Code runs before each change of a file.
pub(crate) fn qwen_hook(folders: &WorkspaceFolders) -> String {
    program(folders, include_str!("qwen.mjs"))
}

fn program(folders: &WorkspaceFolders, own: &str) -> String {
    let folders = json!([folders.work, folders.home, folders.tmp]);
    let (reason, inside) = (json!(REASON), include_str!("inside.mjs"));
    format!("const FOLDERS = {folders};\nconst REASON = {reason};\n{inside}{own}")
}

#[cfg(test)]
mod tests {
    use std::io::Write as _;
    use std::process::{Command, Stdio};

    use super::*;

    /// Returns what the hook of Qwen Code prints about a path.
    fn hook(folder: &std::path::Path, path: &str) -> String {
        let folders = ["work", "home", "tmp"].map(|name| folder.join(name));
        folders
            .iter()
            .for_each(|folder| std::fs::create_dir_all(folder).unwrap());
        let [work, home, tmp] = folders;
        let file = folder.join("hook.mjs");
        let folders = WorkspaceFolders { work, home, tmp };
        std::fs::write(&file, qwen_hook(&folders)).unwrap();
        let mut node = Command::new("node")
            .arg(file)
            .current_dir(&folders.work)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let event = json!({"tool_input": {"file_path": path}}).to_string();
        node.stdin
            .take()
            .unwrap()
            .write_all(event.as_bytes())
            .unwrap();
        String::from_utf8(node.wait_with_output().unwrap().stdout).unwrap()
    }

    #[test]
    #[cfg(unix)]
    fn a_path_outside_of_the_workspace_is_refused() {
        if Command::new("node").arg("--version").output().is_err() {
            return;
        }
        let place = tempfile::tempdir().unwrap();
        let folder = place.path().canonicalize().unwrap();
        std::fs::create_dir(folder.join("work")).unwrap();
        std::os::unix::fs::symlink("/etc", folder.join("work/link")).unwrap();
        for inside in ["a.txt", "new/folder/a.txt", "../tmp/x", "..a/b"] {
            assert_eq!(hook(&folder, inside), "", "{inside}");
        }
        for outside in ["/etc/x", "../x", "link/x", "../work2/x"] {
            assert!(hook(&folder, outside).contains("deny"), "{outside}");
        }
    }
}
