//! The command line of bubblewrap.

use std::ffi::{OsStr, OsString};
use std::io;
use std::path::PathBuf;

use super::spec::{Network, SandboxSpec};
use crate::CommandSpec;

/// The program.
pub(super) const PROGRAM: &str = "bwrap";

/// The arguments that every sandbox has: no privileges, a read-only root, own devices, own processes, and an
/// empty folder for temporary files of programs that ignore `TMPDIR`.
const BASE: &[&str] = &[
    "--die-with-parent",
    // Root could otherwise make the root writable again.
    "--cap-drop",
    "ALL",
    "--new-session",
    "--unshare-pid",
    "--unshare-ipc",
    "--unshare-uts",
    "--ro-bind",
    "/",
    "/",
    "--dev",
    "/dev",
    "--proc",
    "/proc",
    "--tmpfs",
    "/tmp",
];

/// The privilege that root needs to make namespaces in the sandbox, as some agents do for their commands.
/// It gives no access to anything outside.
#[cfg(unix)]
const OF_ROOT: &[&str] = &["--cap-add", "CAP_SETFCAP"];

/// The parts of `/proc` that belong to the whole machine. Root may write to them without any privilege, and
/// bubblewrap covers only the others.
#[cfg(unix)]
const OF_MACHINE: &[&str] = &[
    "/proc/sys",
    "/proc/sysrq-trigger",
    "/proc/acpi",
    "/proc/driver",
    "/proc/fs",
    "/proc/mtrr",
    "/proc/scsi",
];

/// The folders with the sockets of services. A service such as a container engine would do anything outside.
const SOCKETS: &[&str] = &["/run", "/var/run"];

/// The folders among them that programs need: those of a system that has its programs there.
const PROGRAMS: &[&str] = &["/run/current-system", "/run/wrappers"];

/// Returns the arguments that every sandbox has.
pub(super) fn base() -> Vec<&'static str> {
    let mut words = BASE.to_vec();
    #[cfg(unix)]
    if rustix::process::geteuid().is_root() {
        words.extend(OF_ROOT);
        for place in OF_MACHINE {
            words.extend(["--ro-bind-try", place, place]);
        }
    }
    for folder in SOCKETS {
        // The second is usually a link to the first.
        if std::fs::symlink_metadata(folder).is_ok_and(|found| found.is_dir()) {
            words.extend(["--tmpfs", folder]);
        }
    }
    for folder in PROGRAMS {
        words.extend(["--ro-bind-try", folder, folder]);
    }
    words
}

/// Returns the folder with the addresses of name servers, if it is one of those with sockets.
fn name_servers() -> Option<PathBuf> {
    let file = std::fs::canonicalize("/etc/resolv.conf").ok()?;
    let is_hidden = SOCKETS.iter().any(|folder| file.starts_with(folder));
    let folder = file.parent().filter(|_| is_hidden)?;
    Some(folder.to_owned())
}

/// Puts a command behind the wall.
///
/// # Errors
/// If this program, which is the relay, cannot be found.
pub(super) fn enter(wall: &SandboxSpec, mut spec: CommandSpec) -> io::Result<CommandSpec> {
    let mut words = words(wall, &spec)?.into_iter();
    spec.program = words.next().unwrap_or_default();
    spec.arguments = words.collect();
    Ok(spec)
}

fn show(folder: impl AsRef<OsStr>) -> [OsString; 3] {
    let folder = folder.as_ref();
    ["--ro-bind".into(), folder.into(), folder.into()]
}

/// Returns the words of a command behind the wall.
fn words(wall: &SandboxSpec, spec: &CommandSpec) -> io::Result<Vec<OsString>> {
    let mut words: Vec<OsString> = vec![PROGRAM.into()];
    words.extend(base().into_iter().map(OsString::from));
    match wall.network {
        Network::None => words.push("--unshare-net".into()),
        Network::On => words.extend(name_servers().into_iter().flat_map(show)),
    }
    // A readable folder around a hidden one must not show it again.
    let is_inside = |folder: &&PathBuf| wall.hidden.iter().any(|hidden| folder.starts_with(hidden));
    let (inside, outside): (Vec<_>, Vec<_>) = wall.readable.iter().partition(is_inside);
    words.extend(outside.into_iter().flat_map(show));
    for folder in &wall.hidden {
        words.extend(["--tmpfs".into(), folder.into()]);
    }
    words.extend(inside.into_iter().flat_map(show));
    for file in &wall.hidden_files {
        words.extend(["--ro-bind".into(), "/dev/null".into(), file.into()]);
    }
    for folder in &wall.writable {
        words.extend(["--bind".into(), folder.into(), folder.into()]);
    }
    let relay = if wall.has_relay() {
        Some(std::env::current_exe()?)
    } else {
        None
    };
    if let Some(program) = &relay {
        // It may be in a folder that is hidden.
        words.extend(["--ro-bind".into(), program.into(), program.into()]);
    }
    if let Some(directory) = &spec.directory {
        words.extend(["--chdir".into(), directory.into()]);
    }
    words.push("--".into());
    if let Some(program) = relay {
        words.extend(wall.relay_words(program.into_os_string()));
    }
    words.push(spec.program.clone());
    words.extend(spec.arguments.iter().cloned());
    Ok(words)
}
