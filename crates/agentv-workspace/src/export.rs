//! Exports a folder or a commit as a template.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;

use crate::copy::{copy_file, make_link};
use crate::error::WorkspaceError;
use crate::file_state::{FileContent, Stamp, is_executable};
use crate::git::{check_out, commit_everything};
use crate::read::digest;
use crate::template::{Template, TemplateEntry, TemplateEntryKind, TemplateSource};
use crate::tree::{Entry, EntryKind, GIT, walk};

/// Exports a source into a new folder.
pub(crate) fn export(source: &TemplateSource, into: &Path) -> Result<Template, WorkspaceError> {
    fs::create_dir(into).map_err(WorkspaceError::at("create", into))?;
    match source {
        TemplateSource::Empty => {}
        TemplateSource::Folder(folder) => copy_folder(folder, into, false)?,
        TemplateSource::Committed(folder) => {
            copy_folder(folder, into, false)?;
            commit_everything(into)?;
        }
        TemplateSource::Commit { repository, commit } => {
            check_out(repository, commit, into)?;
            commit_everything(into)?;
        }
    }
    template(into)
}

/// Copies the content of a folder into an empty one, with or without repositories in it.
pub(crate) fn copy_folder(
    from: &Path,
    into: &Path,
    repositories: bool,
) -> Result<(), WorkspaceError> {
    let metadata = fs::metadata(from).map_err(WorkspaceError::at("read", from))?;
    if !metadata.is_dir() {
        return Err(WorkspaceError::NotAFolder(from.to_owned()));
    }
    walk(from, repositories, |entry| {
        let (source, place) = (from.join(&entry.path), into.join(&entry.path));
        match entry.kind {
            EntryKind::Folder => {
                fs::create_dir(&place).map_err(WorkspaceError::at("create", &place))
            }
            EntryKind::File(_) => copy_file(&source, &place),
            EntryKind::Link(target) => make_link(&target, &place),
            EntryKind::Special => Err(refused(&source, "it is a pipe, a socket or a device")),
            EntryKind::Unreadable => Err(refused(&source, "permission denied")),
        }
    })
}

fn refused(path: &Path, reason: &str) -> WorkspaceError {
    WorkspaceError::at("copy", path)(io::Error::other(reason))
}

/// Returns the digest that the template of a folder would have, without exporting it.
///
/// # Errors
/// Fails if the folder cannot be read, or if it holds a pipe, a socket or a device.
pub fn digest_of_folder(folder: &Path) -> Result<String, WorkspaceError> {
    let mut entries = Vec::new();
    walk(folder, false, |entry| {
        entries.push(template_entry(folder, entry)?);
        Ok::<(), WorkspaceError>(())
    })?;
    Ok(template_digest(&entries))
}

/// Lists the entries of an exported template and computes its digest.
fn template(folder: &Path) -> Result<Template, WorkspaceError> {
    let mut entries = Vec::new();
    walk(folder, true, |entry| {
        entries.push(template_entry(folder, entry)?);
        Ok(())
    })?;
    Ok(Template {
        folder: folder.to_owned(),
        digest: template_digest(&entries),
        entries,
        shares_blocks: AtomicBool::new(true),
    })
}

fn template_entry(folder: &Path, entry: Entry) -> Result<TemplateEntry, WorkspaceError> {
    let place = folder.join(&entry.path);
    let kind = match entry.kind {
        EntryKind::Folder => TemplateEntryKind::Folder,
        EntryKind::Link(target) => TemplateEntryKind::Link(target),
        EntryKind::File(metadata) => TemplateEntryKind::File {
            stamp: Stamp::of(&metadata),
            content: if entry.path.starts_with(GIT) {
                None
            } else {
                Some(FileContent {
                    digest: digest(&place).map_err(WorkspaceError::at("read", &place))?,
                    size: metadata.len(),
                    executable: is_executable(&metadata),
                })
            },
        },
        EntryKind::Special | EntryKind::Unreadable => {
            return Err(refused(&place, "it cannot be read"));
        }
    };
    Ok(TemplateEntry {
        path: entry.path,
        kind,
    })
}

fn template_digest(entries: &[TemplateEntry]) -> String {
    let mut entries: Vec<(&PathBuf, &TemplateEntryKind)> = entries
        .iter()
        .map(|entry| (&entry.path, &entry.kind))
        .collect();
    entries.sort_by_key(|(path, _)| *path);
    let mut hasher = blake3::Hasher::new();
    // Each part is preceded by its length, so that no two lists of parts hash alike.
    let mut add = |bytes: &[u8]| {
        hasher.update(&(bytes.len() as u64).to_le_bytes());
        hasher.update(bytes);
    };
    for (path, kind) in entries {
        let path = path.as_os_str().as_encoded_bytes();
        match kind {
            TemplateEntryKind::Folder | TemplateEntryKind::File { content: None, .. } => {}
            TemplateEntryKind::Link(target) => {
                add(path);
                add(b"link");
                add(target.as_os_str().as_encoded_bytes());
            }
            TemplateEntryKind::File {
                content: Some(content),
                ..
            } => {
                add(path);
                add(if content.executable {
                    b"program"
                } else {
                    b"file"
                });
                add(content.digest.as_bytes());
            }
        }
    }
    hasher.finalize().to_hex().to_string()
}
