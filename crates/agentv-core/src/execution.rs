//! Settings for running a case.

use serde::{Deserialize, Serialize};

use crate::Extra;

/// Settings for running a case: the dataset's `execution`, overridden key by key by the case's own.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Execution {
    /// The name of the target.
    #[serde(default = "default_target")]
    pub target: String,
    /// All other settings.
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
