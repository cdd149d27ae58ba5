//! Words of commands that name files.

use std::ffi::{OsStr, OsString};
use std::path::Path;

/// Returns a word of a command, as an absolute path if it names a file in `folder`: for a command that
/// runs elsewhere. A program without `/` is looked up in `PATH` and stays as it is.
pub fn anchored(word: &OsStr, is_program: bool, folder: &Path) -> OsString {
    let has_slash = word.as_encoded_bytes().contains(&b'/');
    let path = folder.join(word);
    let names_file = !word.is_empty() && (!is_program || has_slash) && path.is_file();
    if names_file {
        path.into_os_string()
    } else {
        word.to_owned()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_that_name_files_become_absolute_and_programs_stay() {
        let folder = tempfile::tempdir().unwrap();
        for name in ["judge.py", "python3"] {
            std::fs::write(folder.path().join(name), "").unwrap();
        }
        let anchored = |word: &str, is_program| {
            let anchored = anchored(OsStr::new(word), is_program, folder.path());
            anchored.into_string().unwrap()
        };
        let path = |name: &str| folder.path().join(name).display().to_string();
        assert_eq!(anchored("python3", true), "python3");
        assert_eq!(anchored("./judge.py", true), path("./judge.py"));
        assert_eq!(anchored("judge.py", false), path("judge.py"));
        assert_eq!(anchored("other.py", false), "other.py");
        assert_eq!(anchored("", false), "");
    }
}
