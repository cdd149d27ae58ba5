//! File references, rewritten for the place of the output.

use std::cell::RefCell;
use std::io;
use std::path::Path;

use agentv_syntax::Text;

use super::error::ConvertError;
use crate::case::text_or_file;
use crate::dataset::Dataset;
use crate::files::FileLibrary;
use crate::project::{Project, folder_of, relative_path};

/// The places of the input and the output.
pub(super) struct Moved {
    from: Project,
    to: Project,
    allow_outside_root: bool,
    /// The first reference that cannot be followed from the new place.
    out_of_reach: RefCell<Option<String>>,
}

impl Moved {
    pub(super) fn between(
        dataset: &Dataset,
        output: &Path,
        allow_outside_root: bool,
    ) -> io::Result<Moved> {
        let folder = folder_of(output);
        Ok(Moved {
            from: dataset.context().files.project().clone(),
            to: Project::around(&std::fs::canonicalize(folder)?),
            allow_outside_root,
            out_of_reach: RefCell::new(None),
        })
    }

    /// Checks if the output is in another folder.
    pub(super) fn elsewhere(&self) -> bool {
        self.from.folder != self.to.folder
    }

    /// Returns the input's folder, relative to the output's.
    pub(super) fn old_folder(&self) -> String {
        spelled(&relative_path(&self.to.folder, &self.from.folder))
    }

    /// Returns the reference for the new place; `None` if the written one is still right.
    pub(super) fn rewrite(&self, text: Text, written: &str, files: &FileLibrary) -> Option<String> {
        let same_root = self.from.root == self.to.root;
        let absolute = match text {
            Text::File => files.find(written).ok()?.absolute.clone(),
            Text::TextOrFile => {
                text_or_file(written, files).ok()??;
                files.find(written).ok()?.absolute.clone()
            }
            Text::Folder => {
                let folder = files.find_folder(written).ok()?;
                self.from.root.join(folder)
            }
            Text::FolderToCopy => files.find_template(written).ok()?,
            _ => return None,
        };
        if !absolute.starts_with(&self.to.root) && !self.allow_outside_root && text != Text::Folder
        {
            let mut first = self.out_of_reach.borrow_mut();
            first.get_or_insert_with(|| written.to_owned());
            return None;
        }
        let from_root = written.starts_with('/');
        if (from_root && same_root) || (!from_root && !self.elsewhere()) {
            return None;
        }
        Some(spelled(&relative_path(&self.to.folder, &absolute)))
    }

    /// Fails if a reference could not be rewritten.
    pub(super) fn verify(&self) -> Result<(), ConvertError> {
        match self.out_of_reach.borrow().as_ref() {
            Some(value) => Err(ConvertError::OutOfReach {
                value: value.clone(),
                root: self.to.root.clone(),
            }),
            None => Ok(()),
        }
    }
}

fn spelled(path: &Path) -> String {
    let parts: Vec<_> = path
        .components()
        .map(|part| part.as_os_str().to_string_lossy())
        .collect();
    match parts.as_slice() {
        [] => ".".to_owned(),
        parts => parts.join("/"),
    }
}
