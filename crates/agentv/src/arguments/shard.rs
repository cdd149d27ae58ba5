//! The value of `--shard`.

use std::fmt;
use std::str::FromStr;

use agentv_runner::{Shard, ShardError};

/// The shard that a command line asks for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ShardArgument {
    /// This one.
    Given(Shard),
    /// The one that environment variables give.
    Auto,
}

impl fmt::Display for ShardArgument {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ShardArgument::Given(shard) => shard.fmt(f),
            ShardArgument::Auto => f.write_str("auto"),
        }
    }
}

impl FromStr for ShardArgument {
    type Err = ShardError;

    fn from_str(text: &str) -> Result<ShardArgument, ShardError> {
        match text {
            "auto" => Ok(ShardArgument::Auto),
            text => text.parse().map(ShardArgument::Given),
        }
    }
}
