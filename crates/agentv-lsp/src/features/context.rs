//! A document with everything around it that answers need.

use std::ops::Range;
use std::path::{Path, PathBuf};

use agentv_dataset::{FileRole, Project as ProjectFolder, UnsavedTexts};
use agentv_project::Project;
use gen_lsp_types::Position;

use crate::documents::OpenDocument;
use crate::loose::LooseTree;
use crate::meaning::Language;
use crate::positions::Encoding;

/// A document of ours, and its surroundings.
pub(crate) struct Context<'s> {
    pub(crate) document: &'s OpenDocument,
    pub(crate) role: FileRole,
    pub(crate) unsaved: UnsavedTexts,
    pub(crate) project: &'s Project,
    pub(crate) working_dir: &'s Path,
    pub(crate) encoding: Encoding,
}

impl Context<'_> {
    pub(crate) fn text(&self) -> &str {
        &self.document.text
    }

    pub(crate) fn offset(&self, position: Position) -> usize {
        self.encoding.offset(self.text(), position)
    }

    /// Returns the outline of the part of a text that holds an offset: a line of JSON Lines, or all of it.
    pub(crate) fn outline(&self, text: &str, offset: usize) -> LooseTree {
        if self.document.is_lines() {
            LooseTree::of_line(text, line_around(text, offset))
        } else {
            LooseTree::of_yaml(text)
        }
    }

    pub(crate) fn language(&self, tree: &LooseTree) -> Language {
        Language::of(self.role, self.document.is_lines(), &tree.root)
    }

    /// Returns the folders in which a file that the document names is looked up, in order.
    pub(crate) fn folders(&self) -> Vec<PathBuf> {
        let own = self.document.path.parent().unwrap_or(self.working_dir);
        let project = ProjectFolder::around(own);
        let mut folders: Vec<PathBuf> = project.folders().map(Path::to_owned).collect();
        if !folders.iter().any(|folder| folder == self.working_dir) {
            folders.push(self.working_dir.to_owned());
        }
        folders
    }

    /// Returns the root of the project around the document.
    pub(crate) fn root(&self) -> PathBuf {
        let own = self.document.path.parent().unwrap_or(self.working_dir);
        ProjectFolder::around(own).root
    }
}

/// Returns the line that holds an offset, without its end.
pub(crate) fn line_around(text: &str, offset: usize) -> Range<usize> {
    let bytes = text.as_bytes();
    let start = memchr::memrchr(b'\n', &bytes[..offset]).map_or(0, |at| at + 1);
    let end = memchr::memchr(b'\n', &bytes[offset..]).map_or(text.len(), |at| offset + at);
    start..end
}
