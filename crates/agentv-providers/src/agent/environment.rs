//! The clean environment of an agent.

use std::ffi::OsString;
use std::path::PathBuf;

use agentv_core::{TargetSandbox, WorkspaceFolders};
use agentv_process::CommandSpec;
use agentv_workspace::clean_variables;

use super::settings::AgentSettings;
use crate::Environment;

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
    let sandbox = settings.sandbox.as_ref();
    let in_container = sandbox.is_some_and(TargetSandbox::is_container);
    let passed = settings.pass_env.iter().map(String::as_str);
    for name in clean_variables(in_container).chain(passed) {
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
