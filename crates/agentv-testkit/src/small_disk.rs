//! A disk that is soon full.

use std::path::{Path, PathBuf};
use std::process::Command;

/// A file system of little room, taken away at the end. Only the superuser can have one.
#[derive(Debug)]
pub struct SmallDisk {
    folder: PathBuf,
}

impl SmallDisk {
    /// A disk of `kibibytes`, a multiple of the four of a page, in place of what is in `folder`.
    ///
    /// # Errors
    /// With the reason, in words to skip a test with, when it cannot be had.
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

    /// Makes it larger, or smaller down to what is on it.
    ///
    /// # Errors
    /// With the reason.
    pub fn resize(&self, kibibytes: u32) -> Result<(), String> {
        self.remount(&format!("remount,size={kibibytes}k"))
    }

    /// Lets nobody write to it any more.
    ///
    /// # Errors
    /// With the reason, such as that something on it is open for writing.
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

    /// The folder that it stands in.
    pub fn path(&self) -> &Path {
        &self.folder
    }
}

impl Drop for SmallDisk {
    fn drop(&mut self) {
        let _ = Command::new("umount").arg(&self.folder).status();
    }
}
