//! The texts of evaluators' files that the record of a run keeps.

use std::collections::BTreeMap;

use agentv_core::Secrets;
use agentv_evaluators::ReadTexts;

/// The most bytes that a record keeps.
const MOST_BYTES: usize = 4 << 20;

/// The files that evaluators read in a run.
pub(crate) struct KeptFiles {
    /// The texts that the record held before.
    before: BTreeMap<String, String>,
    read: ReadTexts,
    secrets: Secrets,
}

impl KeptFiles {
    pub(crate) fn new(
        before: BTreeMap<String, String>,
        read: ReadTexts,
        secrets: Secrets,
    ) -> KeptFiles {
        KeptFiles {
            before,
            read,
            secrets,
        }
    }

    /// Returns the texts that were read so far and those that were kept before, by their paths from the root,
    /// without secrets.
    pub(crate) fn texts(&self) -> BTreeMap<String, String> {
        let read = self.read.by_path().into_iter();
        let read = read.map(|(path, text)| (path, self.secrets.redact(&text).into_owned()));
        joined_texts(read.chain(self.before.clone()))
    }
}

/// Returns the first text of each path, up to the limit.
pub(crate) fn joined_texts(
    texts: impl Iterator<Item = (String, String)>,
) -> BTreeMap<String, String> {
    let mut kept = BTreeMap::new();
    let mut bytes = 0;
    for (path, text) in texts {
        let more = bytes + path.len() + text.len();
        if more <= MOST_BYTES && !kept.contains_key(&path) {
            bytes = more;
            kept.insert(path, text);
        }
    }
    kept
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_text_of_a_path_is_kept_and_no_more_than_there_is_room_for() {
        let half = MOST_BYTES / 2;
        let texts = [("/a", 1), ("/a", 2), ("/b", half), ("/c", half), ("/d", 3)];
        let texts = texts.map(|(path, size)| (path.to_owned(), "x".repeat(size)));
        let kept = joined_texts(texts.into_iter());
        let sizes: Vec<_> = kept
            .iter()
            .map(|(path, text)| (&**path, text.len()))
            .collect();
        assert_eq!(sizes, [("/a", 1), ("/b", half), ("/d", 3)]);
    }
}
