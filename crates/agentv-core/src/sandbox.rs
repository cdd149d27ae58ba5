//! Sandboxes: walls around the commands of a target.

use std::path::PathBuf;

/// A kind of wall around commands.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Sandbox {
    /// Bubblewrap: the root is read-only, and the command has a process namespace of its own.
    Bubblewrap,
    /// A container of docker or podman.
    Container {
        /// The image.
        image: String,
    },
}

/// The network of a command.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Network {
    /// That of this machine.
    #[default]
    On,
    /// None but the loopback address.
    None,
}

/// The sandbox of a target. Graders that may run the target's code run in it, too.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TargetSandbox {
    /// The kind of wall.
    pub sandbox: Sandbox,
    /// The network.
    pub network: Network,
    /// The files that hold keys, absolute and without links. Commands may not read them.
    pub key_files: Vec<PathBuf>,
}

impl TargetSandbox {
    /// Returns true if a command reaches nothing but the loopback address.
    pub fn has_no_network(&self) -> bool {
        self.network == Network::None
    }

    /// Returns true if the sandbox has programs and settings of its own.
    pub fn is_container(&self) -> bool {
        matches!(self.sandbox, Sandbox::Container { .. })
    }
}
