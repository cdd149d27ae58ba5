//! Dataset-level fields of the output, and the files that it must not replace.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use agentv_syntax::Draft;

use super::error::ConvertError;
use super::options::ConvertOptions;
use super::paths::Moved;
use super::rows;
use super::write::NewFile;
use crate::dataset::{Dataset, sidecar_path};
use crate::format::{Document, FormatKind};
use crate::unsaved::UnsavedTexts;

/// Returns the dataset-level fields for the new place.
pub(super) fn header_fields(
    dataset: &Dataset,
    output: &Path,
    moved: &Moved,
) -> Result<Vec<(String, Draft)>, ConvertError> {
    let mut fields = match dataset.header() {
        Some(header) => rows::header_draft(header, dataset, moved)?,
        None => Vec::new(),
    };
    // A dataset without a name is named after its file, and keeps that name.
    let new_name = FormatKind::of(output).map(|(_, base_name)| base_name);
    let has_name = fields
        .iter()
        .any(|(name, value)| name == "dataset" && *value != Draft::Null);
    if !has_name && new_name.as_deref() != Some(dataset.name()) {
        fields.retain(|(name, _)| name != "dataset");
        fields.insert(0, ("dataset".to_owned(), Draft::text(dataset.name())));
    }
    Ok(fields)
}

/// Returns the sidecar that the output needs, if it needs one.
pub(super) fn new_sidecar(
    output: &Path,
    header: &[(String, Draft)],
    inputs: &Inputs,
    dataset: &Dataset,
    options: &ConvertOptions,
) -> Result<Option<NewFile>, ConvertError> {
    let Some(path) = sidecar_path(output) else {
        return Ok(None);
    };
    if inputs.contain(&path) && dataset.is_translated() {
        // It has other words, and would not mean the same to the output.
        return Err(ConvertError::OwnInput(path));
    }
    if inputs.contain(&path) {
        // The input is beside the output under its name, and serves it as a sidecar.
        return Ok(None);
    }
    let exists = std::fs::symlink_metadata(&path).is_ok();
    if header.is_empty() && !exists {
        return Ok(None);
    }
    if exists && !options.force {
        return Err(ConvertError::Exists(path));
    }
    if exists && !is_sidecar(&path) {
        return Err(ConvertError::NotASidecar(path));
    }
    let mut file = NewFile::create(&path)?;
    file.write(&Draft::Object(header.to_vec()).to_yaml())?;
    Ok(Some(file))
}

/// Checks if a file holds dataset-level fields and nothing else.
fn is_sidecar(path: &Path) -> bool {
    let document = Document::open(
        path,
        &Arc::from(path.to_string_lossy()),
        &UnsavedTexts::default(),
    );
    document.is_ok_and(|document| document.root().get("evalcases").is_none())
}

/// Returns the files that a conversion reads.
pub(super) struct Inputs {
    files: Vec<PathBuf>,
}

impl Inputs {
    pub(super) fn of(input: &Path) -> Inputs {
        let own = std::iter::once(input.to_owned()).chain(sidecar_path(input));
        Inputs {
            files: own
                .filter_map(|path| std::fs::canonicalize(path).ok())
                .collect(),
        }
    }

    pub(super) fn contain(&self, path: &Path) -> bool {
        std::fs::canonicalize(path).is_ok_and(|path| self.files.contains(&path))
    }

    pub(super) fn keep_apart(&self, output: &Path) -> Result<(), ConvertError> {
        if self.contain(output) {
            return Err(ConvertError::OwnInput(output.to_owned()));
        }
        Ok(())
    }
}
