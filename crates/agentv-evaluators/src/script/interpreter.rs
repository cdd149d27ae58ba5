//! Finding the command that runs a script file.

use std::ffi::OsString;
use std::path::Path;

use thiserror::Error;

/// The interpreters of files that are not executable, by extension.
const INTERPRETERS: &[(&str, &str)] = &[
    ("py", "python3"),
    ("js", "node"),
    ("mjs", "node"),
    ("cjs", "node"),
    ("ts", "bun"),
    ("sh", "sh"),
    ("rb", "ruby"),
];

/// Returns the words of the command that runs the script in `file`. Errors call it `path`.
///
/// # Errors
/// Fails if the file is not executable and its extension is unknown.
pub(super) fn words(path: &str, file: &Path) -> Result<Vec<OsString>, NotExecutable> {
    if is_executable(file) {
        return Ok(vec![file.into()]);
    }
    let extension = file.extension().and_then(|extension| extension.to_str());
    let known = INTERPRETERS
        .iter()
        .find(|(known, _)| extension == Some(known));
    match known {
        Some((_, interpreter)) => Ok(vec![interpreter.into(), file.into()]),
        None => Err(NotExecutable {
            path: path.to_owned(),
        }),
    }
}

/// A file that is not executable, and whose extension does not say what runs it.
#[derive(Debug, Error)]
#[error(
    "`{path}` is not executable: make it executable (`chmod +x`), or give it an extension that \
     names its interpreter ({})",
    extensions()
)]
pub(super) struct NotExecutable {
    path: String,
}

fn extensions() -> String {
    let known = INTERPRETERS.iter().map(|(known, _)| format!("`.{known}`"));
    known.collect::<Vec<_>>().join(", ")
}

#[cfg(unix)]
fn is_executable(file: &Path) -> bool {
    use std::os::unix::fs::PermissionsExt;
    let found = std::fs::metadata(file);
    found.is_ok_and(|found| found.permissions().mode() & 0o111 != 0)
}

#[cfg(not(unix))]
fn is_executable(file: &Path) -> bool {
    let extension = file.extension().and_then(|extension| extension.to_str());
    matches!(extension, Some("exe" | "bat" | "cmd"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_that_is_not_executable_is_run_by_its_extension() {
        let folder = tempfile::tempdir().unwrap();
        for (name, expected) in [("a.py", "python3"), ("b.mjs", "node"), ("c.sh", "sh")] {
            let file = folder.path().join(name);
            std::fs::write(&file, "").unwrap();
            let words = words(name, &file).unwrap();
            assert_eq!(words, [OsString::from(expected), file.into()]);
        }
        let file = folder.path().join("plain");
        std::fs::write(&file, "").unwrap();
        let refused = words("/plain", &file).unwrap_err().to_string();
        assert!(refused.contains("`/plain` is not executable"), "{refused}");
        assert!(refused.contains("chmod +x"), "{refused}");
    }

    #[cfg(unix)]
    #[test]
    fn an_executable_file_is_run_as_it_is() {
        use std::os::unix::fs::PermissionsExt;
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("judge.py");
        std::fs::write(&file, "").unwrap();
        std::fs::set_permissions(&file, std::fs::Permissions::from_mode(0o755)).unwrap();
        assert_eq!(words("/judge.py", &file).unwrap(), [OsString::from(file)]);
    }
}
