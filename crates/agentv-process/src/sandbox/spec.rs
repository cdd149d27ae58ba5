//! The description of a wall around a command.

use std::ffi::OsString;
use std::io;
use std::path::PathBuf;

use agentv_core::{Network, Sandbox, TargetSandbox, WorkspaceFolders};

use super::container::{self, Container};
use super::{RELAY, bubblewrap};
use crate::CommandSpec;

/// A wall around one command.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SandboxSpec {
    /// The kind of wall.
    pub sandbox: Sandbox,
    /// The network.
    pub network: Network,
    /// The folders that the command may change, absolute.
    pub writable: Vec<PathBuf>,
    /// The folders that the command may read besides the root, which a container lacks, absolute.
    pub readable: Vec<PathBuf>,
    /// The folders whose content the command may not see, absolute. Writable and readable folders in them
    /// stay visible.
    pub hidden: Vec<PathBuf>,
    /// The files that the command may not read, absolute and without links.
    pub hidden_files: Vec<PathBuf>,
    /// A writable folder for sockets.
    pub scratch: PathBuf,
    /// The ports on 127.0.0.1 that stay reachable without network.
    pub loopback_ports: Vec<u16>,
}

impl SandboxSpec {
    /// Describes the wall around a command in the workspace of a trial. The command may also read the
    /// `readable` folders, and reach the `loopback_ports` even without network. Workspaces of other trials
    /// are hidden.
    pub fn around(
        workspace: &WorkspaceFolders,
        sandbox: &TargetSandbox,
        readable: Vec<PathBuf>,
        loopback_ports: Vec<u16>,
    ) -> SandboxSpec {
        // `PLACE/run-…/trial-…/work`
        let place = workspace.work.ancestors().nth(3);
        SandboxSpec {
            sandbox: sandbox.sandbox.clone(),
            network: sandbox.network,
            writable: vec![
                workspace.work.clone(),
                workspace.home.clone(),
                workspace.tmp.clone(),
            ],
            readable,
            hidden: place.map(PathBuf::from).into_iter().collect(),
            hidden_files: sandbox.key_files.clone(),
            scratch: workspace.tmp.clone(),
            loopback_ports,
        }
    }

    /// Returns the path of the socket behind a port.
    pub(super) fn socket(&self, port: u16) -> PathBuf {
        self.scratch.join(format!(".relay-{port}"))
    }

    /// Returns true if a relay keeps ports reachable.
    pub(super) fn has_relay(&self) -> bool {
        self.network == Network::None && !self.loopback_ports.is_empty()
    }

    /// Returns the words that start the relay at `program` in front of a command.
    pub(super) fn relay_words(&self, program: OsString) -> Vec<OsString> {
        let mut words = vec![program, RELAY.into()];
        for port in &self.loopback_ports {
            let mut word = OsString::from(format!("{port}="));
            word.push(self.socket(*port));
            words.push(word);
        }
        words.push("--".into());
        words
    }
}

/// Checks for a command in a sandbox whose program does not exist. The programs of a container are not known.
pub(crate) fn lacks_program(spec: &CommandSpec) -> bool {
    let sandbox = spec.sandbox.as_ref().map(|wall| &wall.sandbox);
    sandbox == Some(&Sandbox::Bubblewrap) && bubblewrap::lacks_program(spec)
}

/// Puts a command behind its wall, if it has one. Returns its container too, if it runs in one.
///
/// # Errors
/// If this program, which is the relay, cannot be found.
pub(crate) fn enter(mut spec: CommandSpec) -> io::Result<(CommandSpec, Option<Container>)> {
    let Some(wall) = spec.sandbox.take() else {
        return Ok((spec, None));
    };
    match &wall.sandbox {
        Sandbox::Bubblewrap => Ok((bubblewrap::enter(&wall, spec)?, None)),
        Sandbox::Container { image } => {
            let (spec, container) = container::enter(&wall, image, spec)?;
            Ok((spec, Some(container)))
        }
    }
}
