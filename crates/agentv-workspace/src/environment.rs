//! The variables of commands that run in a workspace.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use agentv_core::WorkspaceFolders;

/// The variable that holds the folder of the eval file, for commands of the user that run in a workspace.
pub const EVAL_FOLDER: &str = "AGENTV_EVAL_DIR";

/// Variables for folders below `HOME`, where installed tools keep themselves and their caches. A tool
/// that finds its folder missing does not work, or downloads everything again.
const TOOL_FOLDERS: &[(&str, &str)] = &[
    ("XDG_CACHE_HOME", ".cache"),
    ("RUSTUP_HOME", ".rustup"),
    ("CARGO_HOME", ".cargo"),
    ("GOPATH", "go"),
    ("npm_config_cache", ".npm"),
    ("NVM_DIR", ".nvm"),
    ("PYENV_ROOT", ".pyenv"),
];

/// The variables that describe this machine. A container has its own.
const OF_MACHINE: &[&str] = &[
    "PATH",
    "USER",
    "LOGNAME",
    "SHELL",
    "SSL_CERT_FILE",
    "SSL_CERT_DIR",
    "NODE_EXTRA_CA_CERTS",
    // Windows.
    "SystemRoot",
    "ComSpec",
    "PATHEXT",
];

/// The other variables that programs need, and that hold no keys.
const OF_USER: &[&str] = &[
    "LANG",
    "LANGUAGE",
    "LC_ALL",
    "LC_CTYPE",
    "TZ",
    "HTTP_PROXY",
    "HTTPS_PROXY",
    "ALL_PROXY",
    "http_proxy",
    "https_proxy",
    "all_proxy",
];

/// The variables with the folders of compilers and interpreters, and the one that says that nobody watches.
const OF_TOOLS: &[&str] = &[
    "JAVA_HOME",
    "GOROOT",
    "VIRTUAL_ENV",
    "CONDA_PREFIX",
    "PYTHONPATH",
    "NODE_PATH",
    "LD_LIBRARY_PATH",
    "DYLD_LIBRARY_PATH",
    "CI",
];

/// Returns the variables that a command with a clean environment inherits: none of them holds a key.
pub fn clean_variables<'n>(in_container: bool) -> impl Iterator<Item = &'n str> {
    let of_machine = if in_container { &[] } else { OF_MACHINE };
    of_machine.iter().chain(OF_USER).copied()
}

/// Returns the variables with which a command with a clean environment finds installed tools.
pub fn tool_variables<'n>() -> impl Iterator<Item = &'n str> {
    let folders = TOOL_FOLDERS.iter().map(|(name, _)| *name);
    OF_TOOLS.iter().copied().chain(folders)
}

/// Returns the variables that make a command use the home and the temporary folder of a workspace.
/// Installed tools and their caches stay where they are. `eval_folder` is for commands that may know the
/// folder of the eval file.
///
/// `outer` returns the variables of the environment that the command would have otherwise.
pub fn environment(
    folders: &WorkspaceFolders,
    eval_folder: Option<&Path>,
    outer: impl Fn(&str) -> Option<OsString>,
) -> Vec<(OsString, OsString)> {
    let home = &folders.home;
    let mut variables: Vec<(OsString, OsString)> = Vec::new();
    let mut set = |name: &str, value: &Path| variables.push((name.into(), value.into()));
    set("HOME", home);
    for name in ["TMPDIR", "TMP", "TEMP"] {
        set(name, &folders.tmp);
    }
    if cfg!(windows) {
        set("USERPROFILE", home);
    }
    set("XDG_CONFIG_HOME", &home.join(".config"));
    set("XDG_DATA_HOME", &home.join(".local/share"));
    set("XDG_STATE_HOME", &home.join(".local/state"));
    if let Some(eval_folder) = eval_folder {
        set(EVAL_FOLDER, eval_folder);
    }
    let outer_home = outer("HOME").map(PathBuf::from);
    for (name, folder) in TOOL_FOLDERS {
        let usual = outer_home.as_ref().map(|home| home.join(folder));
        if outer(name).is_none()
            && let Some(usual) = usual.filter(|usual| usual.is_dir())
        {
            set(name, &usual);
        }
    }
    variables
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn home_is_the_workspaces_and_tools_stay_where_they_are() {
        let user = tempfile::tempdir().unwrap();
        std::fs::create_dir(user.path().join(".rustup")).unwrap();
        std::fs::create_dir(user.path().join(".cargo")).unwrap();
        let folders = WorkspaceFolders {
            work: "/w/work".into(),
            home: "/w/home".into(),
            tmp: "/w/tmp".into(),
        };
        let variables = environment(&folders, Some(Path::new("/evals")), |name| match name {
            "HOME" => Some(user.path().into()),
            "CARGO_HOME" => Some("/opt/cargo".into()),
            _ => None,
        });
        let value = |name: &str| {
            let mut found = variables.iter().filter(|(known, _)| known == name);
            found.next().map(|(_, value)| value.clone())
        };
        assert_eq!(value("HOME"), Some("/w/home".into()));
        assert_eq!(value(EVAL_FOLDER), Some("/evals".into()));
        assert_eq!(value("TMPDIR"), Some("/w/tmp".into()));
        assert_eq!(
            value("RUSTUP_HOME"),
            Some(user.path().join(".rustup").into())
        );
        // It is set outside, and inherited.
        assert_eq!(value("CARGO_HOME"), None);
        assert_eq!(value("GOPATH"), None);
    }
}
