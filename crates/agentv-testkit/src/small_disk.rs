//! A disk that fills up quickly.

use std::path::{Path, PathBuf};
use std::process::Command;

/// A small file system, which is unmounted at the end. Only the superuser can mount one.
#[derive(Debug)]
pub struct SmallDisk {
    folder: PathBuf,
}

impl SmallDisk {
    /// Mounts a disk of `kibibytes`, a multiple of the page size of four, over `folder`.
    ///
    /// # Errors
    /// Returns the reason if it cannot be mounted, so that a test can be skipped with it.
    pub fn mount(folder: impl Into<PathBuf>, kibibytes: u32) -> Result<SmallDisk, String> {
        let folder = folder.into();
        let output = Command::new("mount")
            .args(["-t", "tmpfs", "-o", &format!("size={kibibytes}k"), "tmpfs"])
            .arg(&folder)
            .output()
            .map_err(|error| format!("no small disk can be mounted: {error}"))?;
        if !output.status.success() {
            let reason = String::from_utf8_lossy(&output.stderr);
            return Err(format!("no small disk can be mounted: {}", reason.trim()));
        }
        Ok(SmallDisk { folder })
    }

    /// Resizes it, not below the size of its content.
    ///
    /// # Errors
    /// Returns the reason.
    pub fn resize(&self, kibibytes: u32) -> Result<(), String> {
        self.remount(&format!("remount,size={kibibytes}k"))
    }

    /// Makes it read-only.
    ///
    /// # Errors
    /// Returns the reason, such as a file that is open for writing.
    pub fn make_read_only(&self) -> Result<(), String> {
        self.remount("remount,ro")
    }

    fn remount(&self, options: &str) -> Result<(), String> {
        let output = Command::new("mount")
            .args(["-o", options])
            .arg(&self.folder)
            .output()
            .map_err(|error| error.to_string())?;
        match output.status.success() {
            true => Ok(()),
            false => Err(String::from_utf8_lossy(&output.stderr).into_owned()),
        }
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
