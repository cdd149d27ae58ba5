//! Shards: shares of the cases, each for another machine.

mod balance;
mod digest;
mod share;

pub use balance::{BalancedShards, CaseTimes};
pub(crate) use digest::digest_of;
pub use share::{Shard, ShardError};
