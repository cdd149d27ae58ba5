//! Texts that an editor holds, in place of the files on disk.

use std::collections::HashMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use crate::project::folder_of;

/// The texts of files that are open in an editor. They are read in place of the files on disk.
#[derive(Debug, Clone, Default)]
pub struct UnsavedTexts {
    by_path: Arc<HashMap<PathBuf, Arc<String>>>,
    outdated: Outdated,
}

/// A mark that says whether texts are out of date. Readers of JSON Lines then end early, and whoever reads the
/// texts must ignore what was found.
#[derive(Debug, Clone, Default)]
pub struct Outdated(Arc<AtomicBool>);

impl Outdated {
    /// Marks the texts as out of date.
    pub fn set(&self) {
        self.0.store(true, Ordering::Release);
    }

    /// Checks if the texts are out of date.
    pub fn is_set(&self) -> bool {
        self.0.load(Ordering::Acquire)
    }
}

impl UnsavedTexts {
    /// Returns these texts, each with the path of its file, which need not exist.
    pub fn new(texts: impl IntoIterator<Item = (PathBuf, Arc<String>)>) -> UnsavedTexts {
        let texts = texts.into_iter();
        UnsavedTexts {
            by_path: Arc::new(texts.map(|(path, text)| (place(&path), text)).collect()),
            outdated: Outdated::default(),
        }
    }

    /// Returns the texts with a mark that ends their readers.
    #[must_use]
    pub fn until(self, outdated: Outdated) -> UnsavedTexts {
        UnsavedTexts { outdated, ..self }
    }

    /// Returns the mark that ends the readers.
    pub(crate) fn outdated(&self) -> &Outdated {
        &self.outdated
    }

    /// Returns the text of a file that is open.
    pub fn of(&self, path: &Path) -> Option<&Arc<String>> {
        if self.by_path.is_empty() {
            return None;
        }
        self.by_path.get(&place(path))
    }
}

/// Returns the path of a file without links. The file need not exist, but its folder should.
fn place(path: &Path) -> PathBuf {
    fs::canonicalize(path).unwrap_or_else(|_| {
        let folder = fs::canonicalize(folder_of(path));
        let folder = folder.unwrap_or_else(|_| folder_of(path).to_owned());
        folder.join(path.file_name().unwrap_or_default())
    })
}
