//! Copies templates into workspaces.

use std::collections::HashMap;
use std::fs;
use std::path::{Path, PathBuf};

use crate::error::WorkspaceError;
use crate::file_state::Stamp;
use crate::template::{Template, TemplateEntryKind};

/// Copies a template into an empty folder, and returns the stamps of the copied files outside of the
/// template's repository.
pub(crate) fn copy_template(
    template: &Template,
    into: &Path,
) -> Result<HashMap<PathBuf, Stamp>, WorkspaceError> {
    let mut stamps = HashMap::new();
    for entry in &template.entries {
        let place = into.join(&entry.path);
        match &entry.kind {
            TemplateEntryKind::Folder => {
                fs::create_dir(&place).map_err(WorkspaceError::at("create", &place))?;
            }
            TemplateEntryKind::Link(target) => make_link(target, &place)?,
            TemplateEntryKind::File { stamp, content } => {
                let source = template.folder.join(&entry.path);
                check_unchanged(&source, &entry.path, stamp)?;
                copy_file(&source, &place)?;
                if content.is_some() {
                    let metadata = fs::symlink_metadata(&place);
                    let metadata = metadata.map_err(WorkspaceError::at("read", &place))?;
                    stamps.insert(entry.path.clone(), Stamp::of(&metadata));
                }
            }
        }
    }
    Ok(stamps)
}

/// Refuses a template that an agent without a sandbox has changed: the next trials would start with
/// its work.
fn check_unchanged(source: &Path, path: &Path, stamp: &Stamp) -> Result<(), WorkspaceError> {
    let now = fs::symlink_metadata(source).map(|metadata| Stamp::of(&metadata));
    if now.is_ok_and(|now| now == *stamp) {
        return Ok(());
    }
    Err(WorkspaceError::TemplateChanged(path.to_owned()))
}

/// Copies a regular file with its permissions. File systems that can share blocks do so.
pub(crate) fn copy_file(from: &Path, to: &Path) -> Result<(), WorkspaceError> {
    fs::copy(from, to).map_err(WorkspaceError::at("copy", from))?;
    Ok(())
}

/// Makes a symbolic link.
#[cfg(unix)]
pub(crate) fn make_link(target: &Path, place: &Path) -> Result<(), WorkspaceError> {
    std::os::unix::fs::symlink(target, place).map_err(WorkspaceError::at("create", place))
}

/// Makes a symbolic link.
#[cfg(windows)]
pub(crate) fn make_link(target: &Path, place: &Path) -> Result<(), WorkspaceError> {
    std::os::windows::fs::symlink_file(target, place).map_err(WorkspaceError::at("create", place))
}
