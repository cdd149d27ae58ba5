//! A private folder for a trial: export, copy, snapshot, difference, removal.
//!
//! Four nouns:
//!
//! - a [`Workspaces`] is the folder of one run. It lies outside the project, is locked while the run
//!   lives, and is removed at the end. Opening one removes what killed runs have left behind;
//! - a [`Template`] is the content that trials start with, exported once per run from a folder or
//!   from a commit of a git repository ([`TemplateSource`]);
//! - a [`Workspace`] belongs to one trial: `work/` is a copy of the template, `home/` and `tmp/` are
//!   empty;
//! - a [`Snapshot`] holds the state of `work/` at one moment. The difference between it and a later
//!   state is a list of [`FileChange`](agentv_core::FileChange)s.
//!
//! # Nothing in a workspace is trusted
//!
//! The files of a workspace are written by an agent. No program runs in it on behalf of this crate
//! (git would execute what the repository's configuration names), links are never followed, pipes and
//! devices are never opened, and a hard link to a file elsewhere is only ever unlinked. Take the
//! difference after the agent's process tree has ended.
//!
//! ```
//! use agentv_core::ChangeKind;
//! use agentv_workspace::{DiffLimits, TemplateSource, Workspaces};
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! # let place = tempfile::tempdir()?;
//! # let project = tempfile::tempdir()?;
//! std::fs::write(project.path().join("greeting.txt"), "Hello\n")?;
//! let workspaces = Workspaces::open_in(place.path())?;
//! let template = workspaces.export(&TemplateSource::Folder(project.path().into()))?;
//! let workspace = workspaces.create(&template)?;
//! let before = workspace.snapshot(&template)?;
//!
//! std::fs::write(workspace.work().join("greeting.txt"), "Hello, world\n")?;
//! let changes = workspace.changes(&before, &DiffLimits::default())?;
//! assert_eq!(changes.files[0].path, "greeting.txt");
//! assert_eq!(changes.files[0].kind, ChangeKind::Modified);
//! assert!(changes.files[0].diff.as_deref().unwrap().contains("+Hello, world"));
//! # workspace.remove()?;
//! # Ok(())
//! # }
//! ```

mod changes;
mod copy;
mod diff;
mod environment;
mod error;
mod export;
mod file_state;
mod git;
mod location;
mod read;
mod remove;
mod renames;
mod snapshot;
mod template;
mod text;
mod tree;
mod workspace;
mod workspaces;

pub use changes::Changes;
pub use diff::DiffLimits;
pub use environment::{EVAL_FOLDER, clean_variables, environment, tool_variables};
pub use error::WorkspaceError;
pub use export::digest_of_folder;
pub use git::{FoundCommit, find_commit};
pub use snapshot::Snapshot;
pub use template::{Template, TemplateSource};
pub use workspace::Workspace;
pub use workspaces::Workspaces;
