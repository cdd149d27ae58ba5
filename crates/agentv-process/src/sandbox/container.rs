//! The command line of docker and podman.

use std::ffi::OsString;
use std::io;
use std::path::{Path, PathBuf};

use super::spec::{Network, SandboxSpec};
use crate::CommandSpec;

/// The engines, the first that is installed is used.
const ENGINES: [&str; 2] = ["docker", "podman"];

/// The place of the relay in a container.
const RELAY_PLACE: &str = "/usr/local/bin/agentv-relay";

/// Returns the engine that is installed.
pub(super) fn engine() -> Option<&'static str> {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let folders: Vec<PathBuf> = std::env::split_paths(&path).collect();
    let is_installed = |name: &&str| folders.iter().any(|folder| folder.join(name).is_file());
    ENGINES.into_iter().find(is_installed)
}

/// Returns the words of a command in a container. Values of variables are not among them: the engine
/// takes them from its own environment.
pub(super) fn words(
    wall: &SandboxSpec,
    image: &str,
    spec: &CommandSpec,
) -> io::Result<Vec<OsString>> {
    let mut words: Vec<OsString> = vec![engine().unwrap_or(ENGINES[0]).into()];
    let fixed = ["run", "--rm", "--init", "--interactive", "--network"];
    words.extend(fixed.map(OsString::from));
    // On the network of this machine, its loopback address is reachable too.
    words.push(match wall.network {
        Network::On => "host".into(),
        Network::None => "none".into(),
    });
    words.extend(user());
    for folder in &wall.readable {
        words.extend(["--volume".into(), volume(folder, folder, "ro")]);
    }
    for folder in &wall.writable {
        words.extend(["--volume".into(), volume(folder, folder, "rw")]);
    }
    let relay = wall.has_relay();
    if relay {
        let program = std::env::current_exe()?;
        words.extend([
            "--volume".into(),
            volume(&program, Path::new(RELAY_PLACE), "ro"),
        ]);
    }
    if let Some(directory) = &spec.directory {
        words.extend(["--workdir".into(), directory.into()]);
    }
    for (name, _) in &spec.environment {
        words.extend(["--env".into(), name.clone()]);
    }
    words.push(image.into());
    if relay {
        words.extend(wall.relay_words(RELAY_PLACE.into()));
    }
    words.push(spec.program.clone());
    words.extend(spec.arguments.iter().cloned());
    Ok(words)
}

fn volume(from: &Path, to: &Path, mode: &str) -> OsString {
    let mut volume = from.as_os_str().to_owned();
    volume.push(":");
    volume.push(to);
    volume.push(":");
    volume.push(mode);
    volume
}

/// Returns the arguments that make the files of a command belong to this user.
fn user() -> Vec<OsString> {
    #[cfg(unix)]
    {
        let (user, group) = (rustix::process::getuid(), rustix::process::getgid());
        let ids = format!("{}:{}", user.as_raw(), group.as_raw());
        vec!["--user".into(), ids.into()]
    }
    #[cfg(not(unix))]
    Vec::new()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Sandbox, SandboxSpec};

    fn wall(network: Network) -> SandboxSpec {
        SandboxSpec {
            sandbox: Sandbox::Container {
                image: "node:22".to_owned(),
            },
            network,
            writable: vec!["/w/work".into(), "/w/tmp".into()],
            readable: vec!["/project".into()],
            hidden: vec!["/w".into()],
            scratch: "/w/tmp".into(),
            loopback_ports: vec![4000],
        }
    }

    fn line(network: Network) -> String {
        let spec = CommandSpec::program("agent")
            .arg("--fast")
            .current_dir("/w/work")
            .env("TOKEN", "secret");
        let words = words(&wall(network), "node:22", &spec).unwrap();
        let words = words.iter().skip(1).map(|word| word.to_string_lossy());
        words.collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn a_container_gets_its_folders_its_variables_by_name_and_our_user() {
        let line = line(Network::On);
        let user = user().join(std::ffi::OsStr::new(" "));
        assert_eq!(
            line,
            format!(
                "run --rm --init --interactive --network host {} --volume /project:/project:ro \
                 --volume /w/work:/w/work:rw --volume /w/tmp:/w/tmp:rw --workdir /w/work \
                 --env TOKEN node:22 agent --fast",
                user.to_string_lossy()
            )
        );
    }

    #[test]
    fn a_container_without_network_reaches_ports_through_the_relay() {
        let line = line(Network::None);
        assert!(line.contains("--network none"), "{line}");
        let end =
            "node:22 /usr/local/bin/agentv-relay __relay 4000=/w/tmp/.relay-4000 -- agent --fast";
        assert!(line.ends_with(end), "{line}");
    }
}
