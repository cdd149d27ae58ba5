//! Finds the files that paths, folders and globs on the command line name.

mod error;
mod examine;
mod found_file;
mod paths;
mod role;
mod walk;

pub use error::DiscoverError;
pub use examine::{Examined, examine};
pub use found_file::{FileRole, FoundFile};
pub use paths::{Discovered, discover};
pub use role::{role_of_named_file, role_of_open_file};
pub(crate) use walk::matching;
