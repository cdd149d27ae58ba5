//! The permissions of an agent, in words that are the same for all.

/// The permissions of an agent. It never asks anybody.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) enum Permissions {
    /// It reads and searches.
    ReadOnly,
    /// It also edits files and runs commands in its workspace.
    #[default]
    Edit,
    /// It may do anything.
    All,
}

impl Permissions {
    /// The names of all permissions, as written.
    pub(crate) const NAMES: &[&str] = &["read_only", "edit", "all"];

    /// Returns the permissions with this name.
    pub(crate) fn named(name: &str) -> Option<Permissions> {
        match name {
            "read_only" => Some(Permissions::ReadOnly),
            "edit" => Some(Permissions::Edit),
            "all" => Some(Permissions::All),
            _ => None,
        }
    }
}
