//! A disk that fills up quickly.

use std::io;
use std::path::{Path, PathBuf};
use std::process::Command;

/// The reason why a disk cannot be mounted or changed.
#[derive(Debug, thiserror::Error)]
pub enum MountError {
    /// The program `mount` cannot be started.
    #[error("cannot start `mount`: {0}")]
    NotStarted(io::Error),
    /// The program `mount` failed.
    #[error("`mount` failed: {0}")]
    Failed(String),
}

/// A small file system, which is unmounted at the end. Only the superuser can mount one.
#[derive(Debug)]
pub struct SmallDisk {
    folder: PathBuf,
}

impl SmallDisk {
    /// Mounts a disk of `kibibytes`, a multiple of the page size of four, over `folder`.
    ///
    /// # Errors
    /// Fails if it cannot be mounted, so that a test can be skipped.
    pub fn mount(folder: impl Into<PathBuf>, kibibytes: u32) -> Result<SmallDisk, MountError> {
        let folder = folder.into();
        let size = format!("size={kibibytes}k");
        mount(&["-t", "tmpfs", "-o", &size, "tmpfs"], &folder)?;
        Ok(SmallDisk { folder })
    }

    /// Resizes it, not below the size of its content.
    ///
    /// # Errors
    /// Fails if it cannot be resized.
    pub fn resize(&self, kibibytes: u32) -> Result<(), MountError> {
        let options = format!("remount,size={kibibytes}k");
        mount(&["-o", &options], &self.folder)
    }

    /// Makes it read-only.
    ///
    /// # Errors
    /// Fails if, for example, a file is open for writing.
    pub fn make_read_only(&self) -> Result<(), MountError> {
        mount(&["-o", "remount,ro"], &self.folder)
    }

    /// Returns its folder.
    pub fn path(&self) -> &Path {
        &self.folder
    }
}

impl Drop for SmallDisk {
    fn drop(&mut self) {
        let _ = Command::new("umount").arg(&self.folder).status();
    }
}

fn mount(arguments: &[&str], folder: &Path) -> Result<(), MountError> {
    let mut command = Command::new("mount");
    let output = command.args(arguments).arg(folder).output();
    let output = output.map_err(MountError::NotStarted)?;
    if output.status.success() {
        return Ok(());
    }
    let reason = String::from_utf8_lossy(&output.stderr);
    Err(MountError::Failed(reason.trim().to_owned()))
}
