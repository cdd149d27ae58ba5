//! The clean environment of an agent.

use std::ffi::OsString;
use std::path::PathBuf;

use agentv_core::WorkspaceFolders;
use agentv_process::CommandSpec;

use super::settings::AgentSettings;
use crate::Environment;

/// The variables that describe this machine. A container has its own.
const OF_MACHINE: &[&str] = &[
    "PATH",
    "USER",
    "LOGNAME",
    "SHELL",
    "SSL_CERT_FILE",
    "SSL_CERT_DIR",
    "NODE_EXTRA_CA_CERTS",
];

/// The other variables that programs need, and that hold no secrets.
const ALLOWED: &[&str] = &[
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

/// The addresses that are reached without a proxy, besides the user's own.
const LOOPBACK: &str = "localhost,127.0.0.1,::1";

/// Sets the environment of an agent: the allowed variables of `environment`, the folders of its
/// workspace, and the target's own `pass_env` and `env`, which take precedence.
pub(super) fn clean(
    spec: CommandSpec,
    settings: &AgentSettings,
    environment: &Environment,
    folders: &WorkspaceFolders,
    launch: &[(String, OsString)],
) -> CommandSpec {
    let mut spec = spec.clean_environment();
    let of_machine = match &settings.sandbox {
        Some(sandbox) if sandbox.is_container() => &[],
        _ => OF_MACHINE,
    };
    let passed = settings.pass_env.iter().map(String::as_str);
    let allowed = of_machine.iter().chain(ALLOWED).copied();
    for name in allowed.chain(passed) {
        if let Some(value) = environment.get(name) {
            spec = spec.env(name, value);
        }
    }
    for name in ["NO_PROXY", "no_proxy"] {
        spec = spec.env(name, no_proxy(environment.get(name)));
    }
    spec = spec
        .env("TERM", "dumb")
        .env("NO_COLOR", "1")
        .env("GIT_TERMINAL_PROMPT", "0")
        .env("HOME", &folders.home)
        .env("TMPDIR", &folders.tmp)
        .env("XDG_CONFIG_HOME", folders.home.join(".config"))
        .env("XDG_DATA_HOME", folders.home.join(".local/share"))
        .env("XDG_STATE_HOME", folders.home.join(".local/state"))
        .env("XDG_CACHE_HOME", folders.home.join(".cache"));
    for (name, value) in launch {
        spec = spec.env(name, value);
    }
    for (name, value) in &settings.env {
        spec = spec.env(name, value);
    }
    spec
}

fn no_proxy(given: Option<&str>) -> String {
    match given {
        Some(given) if !given.is_empty() => format!("{given},{LOOPBACK}"),
        _ => LOOPBACK.to_owned(),
    }
}

/// Returns the cache that the programs of this user share.
pub(super) fn shared_cache(environment: &Environment) -> Option<PathBuf> {
    let set = environment.get("XDG_CACHE_HOME").map(PathBuf::from);
    set.or_else(|| {
        environment
            .get("HOME")
            .map(|home| PathBuf::from(home).join(".cache"))
    })
}
