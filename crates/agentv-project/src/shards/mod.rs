//! Shards of a run: the one that a machine runs, and the distribution of cases over them.

mod automatic;
mod balance;

pub(crate) use balance::{balanced_shards, refuse_other_balance};
