//! The reason why a path leads to no file.

use thiserror::Error;

use super::examine::{Examined, listed};

/// The reason why a path leads to no file.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("`{path}`: {message}{}", listed(.examined))]
pub struct DiscoverError {
    /// The path as given.
    pub path: String,
    /// The problem.
    pub message: String,
    /// The files that were looked at.
    pub examined: Vec<Examined>,
    /// Advice.
    pub hint: Option<String>,
}
