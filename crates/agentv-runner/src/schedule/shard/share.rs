//! One of several shares of the cases.

use std::fmt;
use std::str::FromStr;

use super::digest::{digest_of, usual_index};

/// One of several equal shares of the cases.
///
/// The shard of a case depends on its file and id alone: it is the same on every machine, whatever
/// cases are added.
///
/// ```
/// use agentv_runner::Shard;
///
/// let shards: Vec<Shard> = ["1/2", "2/2"].iter().map(|shard| shard.parse().unwrap()).collect();
/// let takes = |id: &str| shards.iter().filter(|shard| shard.takes("a.yaml", id)).count();
/// assert!((0..100).all(|number| takes(&number.to_string()) == 1));
/// assert!("3/2".parse::<Shard>().is_err());
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Shard {
    index: u64,
    count: u64,
}

impl Shard {
    /// Returns shard `index` of `count`, from 1; `None` if there is no such shard.
    pub fn new(index: u64, count: u64) -> Option<Shard> {
        (1..=count)
            .contains(&index)
            .then_some(Shard { index, count })
    }

    /// Returns the number of the shard, from 1.
    pub fn index(self) -> u64 {
        self.index
    }

    /// Returns the number of all shards.
    pub fn count(self) -> u64 {
        self.count
    }

    /// Returns true if a case belongs to this shard.
    pub fn takes(self, eval_file: &str, eval_id: &str) -> bool {
        usual_index(digest_of(&[eval_file, eval_id]), self.count) == self.index
    }
}

impl fmt::Display for Shard {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.index, self.count)
    }
}

impl FromStr for Shard {
    type Err = ShardError;

    fn from_str(text: &str) -> Result<Shard, ShardError> {
        let parsed = text.split_once('/').and_then(|(index, count)| {
            Shard::new(index.trim().parse().ok()?, count.trim().parse().ok()?)
        });
        parsed.ok_or(ShardError)
    }
}

/// A text that does not name a shard.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("expected I/N with I from 1 to N, such as 1/4")]
pub struct ShardError;
