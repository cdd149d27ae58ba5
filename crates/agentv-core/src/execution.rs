//! How a case is run.

use serde::{Deserialize, Serialize};

use crate::Extra;

/// How a case is run: the dataset's `execution` with the case's own laid over it, key by key.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Execution {
    /// The name of the target that is asked.
    #[serde(default = "default_target")]
    pub target: String,
    /// Whatever else was given.
    #[serde(flatten)]
    pub extra: Extra,
}

impl Execution {
    /// The target of a case that names none.
    pub const DEFAULT_TARGET: &str = "default";
}

impl Default for Execution {
    fn default() -> Self {
        Execution {
            target: default_target(),
            extra: Extra::new(),
        }
    }
}

fn default_target() -> String {
    Execution::DEFAULT_TARGET.to_owned()
}
