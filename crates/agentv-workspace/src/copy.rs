//! Copies templates into workspaces.

#[cfg(target_os = "linux")]
use std::fs::OpenOptions;
use std::fs::{self, File, Metadata};
use std::io;
use std::path::Path;
#[cfg(target_os = "linux")]
use std::sync::atomic::{AtomicBool, Ordering};

use crate::error::WorkspaceError;
use crate::file_state::Stamp;
use crate::read::open_regular;
use crate::template::{Template, TemplateEntryKind};

/// Files up to this size are copied with one read and one write, which takes less time than to let the
/// system copy them.
#[cfg(target_os = "linux")]
const SMALL: u64 = 1 << 20;

/// Copies a template into an empty folder. Returns the stamps of the copies in the order of the template's
/// entries; those of folders and links are `None`.
pub(crate) fn copy_template(
    template: &Template,
    into: &Path,
) -> Result<Vec<Option<Stamp>>, WorkspaceError> {
    let mut buffer = Vec::new();
    let mut stamps = Vec::with_capacity(template.entries.len());
    for entry in &template.entries {
        let place = into.join(&entry.path);
        let stamp = match &entry.kind {
            TemplateEntryKind::Folder => {
                fs::create_dir(&place).map_err(WorkspaceError::at("create", &place))?;
                None
            }
            TemplateEntryKind::Link(target) => {
                make_link(target, &place)?;
                None
            }
            TemplateEntryKind::File { stamp, .. } => {
                let source = template.folder.join(&entry.path);
                // An agent without a sandbox may have changed the template: the next trials would start
                // with its work.
                let changed = || WorkspaceError::TemplateChanged(entry.path.clone());
                let (file, metadata) = open_regular(&source).map_err(|_| changed())?;
                if Stamp::of(&metadata) != *stamp {
                    return Err(changed());
                }
                let original = Original {
                    path: &source,
                    file,
                    metadata,
                };
                let copied = copy_content(&original, &place, template, &mut buffer);
                Some(copied.map_err(WorkspaceError::at("copy", &source))?)
            }
        };
        stamps.push(stamp);
    }
    Ok(stamps)
}

/// A file to copy, already open.
struct Original<'a> {
    #[cfg_attr(
        target_os = "linux",
        expect(dead_code, reason = "the open file is copied")
    )]
    path: &'a Path,
    #[cfg_attr(
        not(target_os = "linux"),
        expect(dead_code, reason = "copied by its path")
    )]
    file: File,
    #[cfg_attr(
        not(target_os = "linux"),
        expect(dead_code, reason = "copied by its path")
    )]
    metadata: Metadata,
}

/// Copies a file with its permissions. Returns the stamp of the copy.
#[cfg(target_os = "linux")]
fn copy_content(
    from: &Original<'_>,
    to: &Path,
    template: &Template,
    buffer: &mut Vec<u8>,
) -> io::Result<Stamp> {
    use std::io::{Read as _, Write as _};
    use std::os::unix::fs::{OpenOptionsExt as _, PermissionsExt as _};
    let permissions = from.metadata.permissions();
    let mut options = OpenOptions::new();
    options.write(true).create_new(true);
    let mut copy = options.mode(permissions.mode() & 0o7777).open(to)?;
    if !shares_blocks(&from.file, &copy, &template.shares_blocks) {
        if from.metadata.len() <= SMALL {
            buffer.resize(from.metadata.len() as usize, 0);
            (&from.file).read_exact(buffer)?;
            copy.write_all(buffer)?;
        } else {
            io::copy(&mut &from.file, &mut copy)?;
        }
    }
    let made = copy.metadata()?;
    if made.permissions() == permissions {
        return Ok(Stamp::of(&made));
    }
    // The process may not give all permissions to a new file (`umask`).
    copy.set_permissions(permissions)?;
    Ok(Stamp::of(&copy.metadata()?))
}

/// Makes a copy share the blocks of its original, if the file system can. `can` remembers that it cannot.
#[cfg(target_os = "linux")]
fn shares_blocks(from: &File, copy: &File, can: &AtomicBool) -> bool {
    if !can.load(Ordering::Relaxed) {
        return false;
    }
    let shared = rustix::fs::ioctl_ficlone(copy, from).is_ok();
    if !shared {
        can.store(false, Ordering::Relaxed);
    }
    shared
}

/// Copies a file with its permissions. The system shares blocks if it can. Returns the stamp of the copy.
#[cfg(not(target_os = "linux"))]
fn copy_content(
    from: &Original<'_>,
    to: &Path,
    _template: &Template,
    _buffer: &mut Vec<u8>,
) -> io::Result<Stamp> {
    fs::copy(from.path, to)?;
    Ok(Stamp::of(&fs::symlink_metadata(to)?))
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
