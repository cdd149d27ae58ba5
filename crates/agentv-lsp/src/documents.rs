//! The documents that the editor has open.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use agentv_dataset::{FileRole, UnsavedTexts, role_of_open_file};
use gen_lsp_types::{TextDocumentContentChangeEvent, Uri};

use crate::positions::Encoding;

/// A file as the editor shows it.
#[derive(Debug, Clone)]
pub(crate) struct OpenDocument {
    /// The address that the editor uses.
    pub(crate) uri: Uri,
    pub(crate) path: PathBuf,
    pub(crate) version: i32,
    pub(crate) text: Arc<String>,
    /// The role of the file. It stays while the user edits: a suite without `evalcases` for a moment is
    /// still a suite. `None` if the file is not one of ours.
    pub(crate) role: Option<FileRole>,
    /// The offset of the last edit.
    pub(crate) edited_at: usize,
}

impl OpenDocument {
    /// Checks if each line is a value of its own.
    pub(crate) fn is_lines(&self) -> bool {
        self.path
            .extension()
            .is_some_and(|extension| extension == "jsonl")
    }
}

/// The open documents, by path.
#[derive(Debug, Default)]
pub(crate) struct Documents {
    by_path: BTreeMap<PathBuf, OpenDocument>,
}

impl Documents {
    pub(crate) fn open(&mut self, uri: Uri, path: PathBuf, version: i32, text: String) {
        let document = OpenDocument {
            uri,
            path: path.clone(),
            version,
            text: Arc::new(text),
            role: None,
            edited_at: 0,
        };
        self.by_path.insert(path, document);
        self.find_roles();
    }

    pub(crate) fn close(&mut self, path: &Path) {
        self.by_path.remove(path);
    }

    /// Applies the changes of one notification, in order.
    pub(crate) fn change(
        &mut self,
        path: &Path,
        version: i32,
        changes: Vec<TextDocumentContentChangeEvent>,
        encoding: Encoding,
    ) {
        let Some(document) = self.by_path.get_mut(path) else {
            return;
        };
        document.version = version;
        for change in changes {
            document.apply(change, encoding);
        }
        self.find_roles();
    }

    /// Looks at the documents that were not recognised so far.
    fn find_roles(&mut self) {
        if self
            .by_path
            .values()
            .all(|document| document.role.is_some())
        {
            return;
        }
        let unsaved = self.unsaved();
        for document in self.by_path.values_mut() {
            if document.role.is_none() {
                document.role = role_of_open_file(&document.path, &unsaved);
            }
        }
    }

    pub(crate) fn get(&self, path: &Path) -> Option<&OpenDocument> {
        self.by_path.get(path)
    }

    pub(crate) fn all(&self) -> impl Iterator<Item = &OpenDocument> {
        self.by_path.values()
    }

    /// Returns the texts, to read in place of the files on disk.
    pub(crate) fn unsaved(&self) -> UnsavedTexts {
        let texts = self.by_path.values();
        UnsavedTexts::new(texts.map(|document| (document.path.clone(), Arc::clone(&document.text))))
    }
}

impl OpenDocument {
    fn apply(&mut self, change: TextDocumentContentChangeEvent, encoding: Encoding) {
        match change {
            TextDocumentContentChangeEvent::TextDocumentContentChangePartial(change) => {
                let range = encoding.offsets(&self.text, change.range);
                self.edited_at = range.start;
                // The checker may hold the text before the edit; then this makes a copy.
                Arc::make_mut(&mut self.text).replace_range(range, &change.text);
            }
            TextDocumentContentChangeEvent::TextDocumentContentChangeWholeDocument(change) => {
                self.text = Arc::new(change.text);
                self.edited_at = 0;
            }
        }
    }
}
