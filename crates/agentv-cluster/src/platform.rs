//! The operations that differ between operating systems.

use std::fs::Metadata;
use std::io;
use std::path::Path;

/// Lets only the user read a folder, where the system has modes.
pub(crate) fn make_private(folder: &Path) -> io::Result<()> {
    set_mode(folder, 0o700)
}

/// Makes a file readable by everybody, and executable if it is a program.
pub(crate) fn make_readable(file: &Path, is_executable: bool) -> io::Result<()> {
    set_mode(file, if is_executable { 0o755 } else { 0o644 })
}

/// Checks if a file is a program, where files say so.
pub(crate) fn is_executable(metadata: &Metadata) -> bool {
    agentv_project::is_executable(metadata)
}

#[cfg(unix)]
fn set_mode(path: &Path, mode: u32) -> io::Result<()> {
    use std::os::unix::fs::PermissionsExt as _;
    std::fs::set_permissions(path, std::fs::Permissions::from_mode(mode))
}

#[cfg(not(unix))]
fn set_mode(_: &Path, _: u32) -> io::Result<()> {
    Ok(())
}

/// Makes a link.
pub(crate) fn make_link(target: &Path, place: &Path) -> io::Result<()> {
    #[cfg(unix)]
    return std::os::unix::fs::symlink(target, place);
    #[cfg(windows)]
    return if place.parent().unwrap_or(place).join(target).is_dir() {
        std::os::windows::fs::symlink_dir(target, place)
    } else {
        std::os::windows::fs::symlink_file(target, place)
    };
}

/// Returns the name of this machine.
pub(crate) fn host() -> String {
    #[cfg(unix)]
    return rustix::system::uname()
        .nodename()
        .to_string_lossy()
        .into_owned();
    #[cfg(not(unix))]
    return std::env::var("COMPUTERNAME").unwrap_or_else(|_| "unknown".to_owned());
}
