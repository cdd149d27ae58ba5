//! The texts of files that evaluators read while they were built.

use std::collections::BTreeMap;
use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

/// The maximum size of a remembered text.
const LARGEST_TEXT: usize = 256 << 10;
/// The maximum size of all remembered texts.
const MOST_BYTES: usize = 4 << 20;

/// A memory of the texts that evaluators read from files, so they can grade without the files.
/// Clones share it. It holds texts up to 256 KiB each and 4 MiB in total.
#[derive(Clone, Default)]
pub struct ReadTexts(Arc<Mutex<Remembered>>);

#[derive(Default)]
struct Remembered {
    /// The texts by root and path.
    texts: BTreeMap<(PathBuf, String), String>,
    bytes: usize,
}

/// Shows the number of texts, but no text.
impl fmt::Debug for ReadTexts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let remembered = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let texts = remembered.texts.len();
        f.debug_struct("ReadTexts").field("texts", &texts).finish()
    }
}

impl ReadTexts {
    /// Remembers a text, replacing an earlier one of the same file.
    pub(crate) fn add(&self, root: &Path, path: &str, text: &str) {
        let mut remembered = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let key = (root.to_owned(), path.to_owned());
        if let Some(before) = remembered.texts.remove(&key) {
            remembered.bytes -= size(path, &before);
        }
        let bytes = remembered.bytes + size(path, text);
        if text.len() <= LARGEST_TEXT && bytes <= MOST_BYTES {
            remembered.bytes = bytes;
            remembered.texts.insert(key, text.to_owned());
        }
    }

    /// Returns the texts by path from the root. Paths with different texts in different projects
    /// are omitted.
    pub fn by_path(&self) -> BTreeMap<String, String> {
        let remembered = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let mut by_path: BTreeMap<&str, Option<&str>> = BTreeMap::new();
        for ((_, path), text) in &remembered.texts {
            let known = by_path.entry(path).or_insert(Some(text));
            *known = known.filter(|known| known == text);
        }
        let whole = by_path.into_iter();
        let whole = whole.filter_map(|(path, text)| Some((path.to_owned(), text?.to_owned())));
        whole.collect()
    }
}

fn size(path: &str, text: &str) -> usize {
    path.len() + text.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_text_of_a_file_counts() {
        let texts = ReadTexts::default();
        texts.add(Path::new("/one"), "/p.md", "before");
        texts.clone().add(Path::new("/one"), "/p.md", "after");
        let expected = BTreeMap::from([("/p.md".to_owned(), "after".to_owned())]);
        assert_eq!(texts.by_path(), expected);
    }

    #[test]
    fn different_files_of_the_same_path_are_not_mixed_up() {
        let texts = ReadTexts::default();
        for (root, path, text) in [
            ("/one", "/p.md", "one"),
            ("/two", "/p.md", "two"),
            ("/one", "/same.md", "same"),
            ("/two", "/same.md", "same"),
        ] {
            texts.add(Path::new(root), path, text);
        }
        let expected = BTreeMap::from([("/same.md".to_owned(), "same".to_owned())]);
        assert_eq!(texts.by_path(), expected);
    }

    #[test]
    fn what_is_remembered_is_bounded() {
        let texts = ReadTexts::default();
        texts.add(Path::new("/"), "/large", &"x".repeat(LARGEST_TEXT + 1));
        assert_eq!(texts.by_path(), BTreeMap::new());
        for number in 0..100 {
            // Reading a file twice counts once.
            for _ in 0..2 {
                let text = "x".repeat(LARGEST_TEXT);
                texts.add(Path::new("/"), &format!("/{number}"), &text);
            }
        }
        let kept = texts.by_path();
        let bytes: usize = kept.values().map(String::len).sum();
        assert_eq!(kept.len(), 15);
        assert!(bytes <= MOST_BYTES, "{bytes}");
    }
}
