//! The targets that files around a document define.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use agentv_dataset::{Project as ProjectFolder, UnsavedTexts, read_source};
use agentv_providers::Surroundings;

use crate::loose::LooseTree;

/// A target that a targets file defines.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct DefinedTarget {
    pub(crate) name: String,
    /// Its provider and model, for people.
    pub(crate) summary: String,
    /// The file, its text, and the place of the name in it.
    pub(crate) file: PathBuf,
    pub(crate) text: Arc<String>,
    pub(crate) span: std::ops::Range<usize>,
}

/// Returns the targets of the file that a run of `document` uses, in the order of the file.
pub(crate) fn defined_targets(
    document: &Path,
    working_dir: &Path,
    unsaved: &UnsavedTexts,
) -> Vec<DefinedTarget> {
    let folder = document.parent().unwrap_or(working_dir);
    let project = ProjectFolder::around(folder);
    let surroundings = Surroundings {
        folder: project.folder,
        root: project.root,
        working_dir: working_dir.to_owned(),
    };
    let Some(file) = surroundings.targets_file() else {
        return Vec::new();
    };
    let Ok(text) = read_source(&file, unsaved) else {
        return Vec::new();
    };
    let text = Arc::new(text);
    let tree = LooseTree::of_yaml(&text);
    let targets = tree
        .root
        .get("targets")
        .or_else(|| tree.root.get("providers"));
    let targets = targets.into_iter().flat_map(|targets| targets.items());
    let defined = targets.filter_map(|target| {
        let name = target.get("name").or_else(|| target.get("label"))?;
        let said = |field| target.get(field).and_then(|value| value.text());
        let words = ["provider", "model"].into_iter().filter_map(said);
        Some(DefinedTarget {
            name: name.text()?.to_owned(),
            summary: words.collect::<Vec<_>>().join(", "),
            file: file.clone(),
            text: Arc::clone(&text),
            span: name.inner(),
        })
    });
    defined.collect()
}
