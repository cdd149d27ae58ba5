//! The files that an agent leaves in its home and that complete its stream.

use std::fs;
use std::path::{Path, PathBuf};

/// The most bytes of all files together.
const LARGEST: u64 = 64 << 20;
/// The deepest folder that is entered.
const DEEPEST: usize = 8;

/// A file below the home folder.
pub(crate) struct SessionFile {
    /// The path below the home folder.
    pub(crate) name: String,
    pub(crate) text: String,
}

/// Reads the files at `places` below `home`, sorted by path. Links are not followed: an agent could
/// point them anywhere. What cannot be read is skipped.
pub(crate) fn session_files(home: &Path, places: &[&str]) -> Vec<SessionFile> {
    let mut paths = Vec::new();
    for place in places {
        collect(&home.join(place), DEEPEST, &mut paths);
    }
    paths.sort();
    let mut left = LARGEST;
    let mut files = Vec::new();
    for (path, length) in paths {
        if length > left {
            continue;
        }
        left -= length;
        if let Ok(bytes) = fs::read(&path) {
            let name = path.strip_prefix(home).unwrap_or(&path);
            files.push(SessionFile {
                name: name.to_string_lossy().into_owned(),
                text: String::from_utf8_lossy(&bytes).into_owned(),
            });
        }
    }
    files
}

fn collect(path: &Path, levels: usize, paths: &mut Vec<(PathBuf, u64)>) {
    let Ok(found) = fs::symlink_metadata(path) else {
        return;
    };
    if found.is_file() {
        paths.push((path.to_owned(), found.len()));
    } else if found.is_dir() && levels > 0 {
        for entry in fs::read_dir(path).into_iter().flatten().flatten() {
            collect(&entry.path(), levels - 1, paths);
        }
    }
}
