//! The command line of bubblewrap.

use std::ffi::{OsStr, OsString};
use std::io;
use std::path::{Path, PathBuf};

use agentv_core::Network;

use super::spec::SandboxSpec;
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

/// Returns the arguments that make programs give up at once when they look up a name. Some wait for seconds
/// for the answer of a server that they could not even ask.
fn no_name_servers(wall: &SandboxSpec) -> Vec<OsString> {
    let settings = wall.scratch.join(".resolv.conf");
    let written = std::fs::write(&settings, "options timeout:0 attempts:1\n");
    match (std::fs::canonicalize("/etc/resolv.conf"), written) {
        (Ok(usual), Ok(())) => vec!["--ro-bind".into(), settings.into(), usual.into()],
        _ => Vec::new(),
    }
}

/// Checks for a program that does not exist. Bubblewrap would report it with an exit code that a command can
/// have, too.
pub(super) fn lacks_program(spec: &CommandSpec) -> bool {
    let program = Path::new(&spec.program);
    let folder = spec.directory.as_deref().unwrap_or(Path::new(""));
    if program.components().count() > 1 {
        return !folder.join(program).exists();
    }
    let own = spec.environment.iter().rev();
    let mut own = own.filter(|(name, _)| name == "PATH");
    let own = own.next().map(|(_, path)| path.clone());
    let inherited = std::env::var_os("PATH").filter(|_| spec.inherits_environment);
    let Some(path) = own.or(inherited) else {
        // The system has folders of its own for this case.
        return false;
    };
    let mut folders = std::env::split_paths(&path);
    !folders.any(|entry| folder.join(entry).join(program).is_file())
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
        Network::None => {
            words.push("--unshare-net".into());
            words.extend(no_name_servers(wall));
        }
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
