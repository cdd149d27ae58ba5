//! The command line of bubblewrap.

use std::ffi::OsString;
use std::io;

use super::spec::{Network, SandboxSpec};
use crate::CommandSpec;

/// The program.
pub(super) const PROGRAM: &str = "bwrap";

/// The arguments that every sandbox has: a read-only root, own devices, own processes, and an empty
/// folder for temporary files of programs that ignore `TMPDIR`.
pub(super) const BASE: &[&str] = &[
    "--die-with-parent",
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

/// Returns the words of a command behind the wall.
pub(super) fn words(wall: &SandboxSpec, spec: &CommandSpec) -> io::Result<Vec<OsString>> {
    let mut words: Vec<OsString> = vec![PROGRAM.into()];
    words.extend(BASE.iter().map(OsString::from));
    if wall.network == Network::None {
        words.push("--unshare-net".into());
    }
    for folder in &wall.hidden {
        words.extend(["--tmpfs".into(), folder.into()]);
    }
    for folder in &wall.readable {
        words.extend(["--ro-bind".into(), folder.into(), folder.into()]);
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
