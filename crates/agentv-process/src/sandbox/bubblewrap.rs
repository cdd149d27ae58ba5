//! The command line of bubblewrap.

use std::ffi::OsString;
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

/// Returns the arguments that every sandbox has.
pub(super) fn base() -> Vec<&'static str> {
    #[cfg(unix)]
    if rustix::process::geteuid().is_root() {
        return [BASE, OF_ROOT].concat();
    }
    BASE.to_vec()
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

/// Returns the words of a command behind the wall.
fn words(wall: &SandboxSpec, spec: &CommandSpec) -> io::Result<Vec<OsString>> {
    let mut words: Vec<OsString> = vec![PROGRAM.into()];
    words.extend(base().into_iter().map(OsString::from));
    if wall.network == Network::None {
        words.push("--unshare-net".into());
    }
    // A readable folder around a hidden one must not show it again.
    let is_inside = |folder: &&PathBuf| wall.hidden.iter().any(|hidden| folder.starts_with(hidden));
    let (inside, outside): (Vec<_>, Vec<_>) = wall.readable.iter().partition(is_inside);
    let show = |folder: &PathBuf| ["--ro-bind".into(), folder.into(), folder.into()];
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
    let relay = match wall.has_relay() {
        true => Some(std::env::current_exe()?),
        false => None,
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
