//! The command line of docker and podman.

use std::ffi::{OsStr, OsString};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, SystemTime};

use agentv_core::Network;

use super::owner::Owner;
use super::spec::SandboxSpec;
use crate::CommandSpec;

/// The engines. The first one that is installed is used.
const ENGINES: [&str; 2] = ["docker", PODMAN];
const PODMAN: &str = "podman";

/// The time that an engine has to remove a container.
const REMOVAL: Duration = Duration::from_secs(60);

/// The place of the relay in a container.
const RELAY_PLACE: &str = "/usr/local/bin/agentv-relay";

/// Returns the engine that is installed.
pub(super) fn engine() -> Option<&'static str> {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let folders: Vec<PathBuf> = std::env::split_paths(&path).collect();
    let is_installed = |name: &&str| folders.iter().any(|folder| folder.join(name).is_file());
    ENGINES.into_iter().find(is_installed)
}

/// The container of one command. The engine removes it when the command exits. If the engine's own
/// program is killed, the container lives on, and has to be removed by its name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Container {
    engine: &'static str,
    name: String,
}

impl Container {
    fn new() -> Container {
        static NEXT: AtomicU64 = AtomicU64::new(1);
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        // The id of a process may have belonged to another one that left its containers behind.
        let since = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH);
        let now = since.unwrap_or_default().as_nanos();
        Container {
            engine: engine().unwrap_or(ENGINES[0]),
            name: format!("agentv-{}-{now}-{number}", std::process::id()),
        }
    }

    /// Returns the command that ends and removes the container.
    pub(crate) fn removal(&self) -> CommandSpec {
        CommandSpec::program(self.engine)
            .args(["rm", "--force", &self.name])
            .deadline(REMOVAL)
    }
}

/// Puts a command into a container.
///
/// # Errors
/// If this program, which is the relay, cannot be found.
pub(super) fn enter(
    wall: &SandboxSpec,
    image: &str,
    mut spec: CommandSpec,
) -> io::Result<(CommandSpec, Container)> {
    let container = Container::new();
    let mut words = words(wall, image, &spec, &container)?.into_iter();
    spec.program = words.next().unwrap_or_default();
    spec.arguments = words.collect();
    // The folder may exist in the container only.
    spec.directory = None;
    // The engine finds its own settings in the environment of this program.
    spec.inherits_environment = true;
    spec.environment.retain(|(name, _)| !is_of_engine(name));
    Ok((spec, container))
}

/// Returns the words of a command in a container. Values of variables are not among them, since other
/// users can see these words: the engine takes the values from its own environment.
fn words(
    wall: &SandboxSpec,
    image: &str,
    spec: &CommandSpec,
    container: &Container,
) -> io::Result<Vec<OsString>> {
    let mut words: Vec<OsString> = vec![container.engine.into()];
    let fixed = ["run", "--rm", "--init", "--interactive", "--name"];
    words.extend(fixed.map(OsString::from));
    words.push((&container.name).into());
    words.extend(["--label".into(), Owner::this_process().label().into()]);
    // On the network of this machine, its loopback address is reachable too.
    words.push("--network".into());
    words.push(match wall.network {
        Network::On => "host".into(),
        Network::None => "none".into(),
    });
    words.extend(user(container.engine));
    for folder in &wall.readable {
        words.extend(["--volume".into(), volume(folder, folder, "ro")]);
    }
    for file in hidden_files(wall) {
        let nothing = Path::new("/dev/null");
        words.extend(["--volume".into(), volume(nothing, file, "ro")]);
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
    for (name, value) in &spec.environment {
        let mut word = name.clone();
        if is_of_engine(name) {
            word.push("=");
            word.push(value);
        }
        words.extend(["--env".into(), word]);
    }
    words.push(image.into());
    if relay {
        words.extend(wall.relay_words(RELAY_PLACE.into()));
    }
    words.push(spec.program.clone());
    words.extend(spec.arguments.iter().cloned());
    Ok(words)
}

/// Returns the hidden files that are in a folder of the container. It does not have the others.
fn hidden_files(wall: &SandboxSpec) -> impl Iterator<Item = &PathBuf> {
    let is_inside = |file: &&PathBuf| {
        let mut folders = wall.readable.iter();
        // The folders may have links in their paths, unlike the file.
        folders.any(|folder| match folder.canonicalize() {
            Ok(real) => file.starts_with(real),
            Err(_) => file.starts_with(folder),
        })
    };
    wall.hidden_files.iter().filter(is_inside)
}

/// Checks for a variable that the engine itself reads. The container gets it by value, which is no secret,
/// and the engine keeps its own.
fn is_of_engine(name: &OsStr) -> bool {
    let name = name.to_string_lossy();
    let starts = ["XDG_", "DOCKER_", "CONTAINER"];
    ["HOME", "PATH", "TMPDIR", "TMP", "TEMP"].contains(&&*name)
        || starts.iter().any(|start| name.starts_with(start))
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
fn user(engine: &str) -> Vec<OsString> {
    #[cfg(unix)]
    {
        let (user, group) = (rustix::process::getuid(), rustix::process::getgid());
        let ids = format!("{}:{}", user.as_raw(), group.as_raw());
        let mut words: Vec<OsString> = vec!["--user".into(), ids.into()];
        if engine == PODMAN && !user.is_root() {
            // Without root, podman gives the user another id inside.
            words.push("--userns=keep-id".into());
        }
        words
    }
    #[cfg(not(unix))]
    {
        let _ = engine;
        Vec::new()
    }
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
            hidden_files: Vec::new(),
            scratch: "/w/tmp".into(),
            loopback_ports: vec![4000],
        }
    }

    fn entered(network: Network) -> (CommandSpec, Container) {
        let spec = CommandSpec::program("agent")
            .arg("--fast")
            .current_dir("/w/work")
            .clean_environment()
            .env("TOKEN", "secret")
            .env("HOME", "/w/home");
        enter(&wall(network), "node:22", spec).unwrap()
    }

    fn line(spec: &CommandSpec) -> String {
        let words = spec.arguments.iter().map(|word| word.to_string_lossy());
        words.collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn a_container_gets_its_folders_its_variables_by_name_and_our_user() {
        let (spec, container) = entered(Network::On);
        let user = user(container.engine).join(OsStr::new(" "));
        assert_eq!(
            line(&spec),
            format!(
                "run --rm --init --interactive --name {} --label {} --network host {} \
                 --volume /project:/project:ro --volume /w/work:/w/work:rw \
                 --volume /w/tmp:/w/tmp:rw --workdir /w/work --env TOKEN --env HOME=/w/home \
                 node:22 agent --fast",
                container.name,
                Owner::this_process().label(),
                user.to_string_lossy()
            )
        );
        assert!(container.name.starts_with("agentv-"));
        let removal = container.removal();
        assert_eq!(line(&removal), format!("rm --force {}", container.name));
    }

    #[test]
    fn the_engine_keeps_its_own_settings_and_passes_on_values_by_name() {
        let (spec, _) = entered(Network::On);
        assert!(spec.inherits_environment);
        assert_eq!(spec.directory, None);
        assert_eq!(spec.environment, [("TOKEN".into(), "secret".into())]);
    }

    #[test]
    fn a_container_without_network_reaches_ports_through_the_relay() {
        let line = line(&entered(Network::None).0);
        assert!(line.contains("--network none"), "{line}");
        let end =
            "node:22 /usr/local/bin/agentv-relay __relay 4000=/w/tmp/.relay-4000 -- agent --fast";
        assert!(line.ends_with(end), "{line}");
    }

    #[test]
    fn a_container_does_not_show_hidden_files_in_its_folders() {
        let mut wall = wall(Network::On);
        wall.hidden_files = vec!["/project/.env".into(), "/elsewhere/.env".into()];
        let (spec, _) = enter(&wall, "node:22", CommandSpec::program("agent")).unwrap();
        let line = line(&spec);
        let volumes =
            "--volume /project:/project:ro --volume /dev/null:/project/.env:ro --volume /w/work";
        assert!(line.contains(volumes), "{line}");
        assert!(!line.contains("elsewhere"), "{line}");
    }

    #[test]
    fn no_two_containers_have_the_same_name() {
        assert_ne!(Container::new().name, Container::new().name);
    }

    #[test]
    #[cfg(unix)]
    fn podman_keeps_the_id_of_a_user_who_is_not_root() {
        let is_root = rustix::process::getuid().is_root();
        let keeps = user(PODMAN).contains(&"--userns=keep-id".into());
        assert_eq!(keeps, !is_root);
        assert!(!user("docker").contains(&"--userns=keep-id".into()));
    }
}
