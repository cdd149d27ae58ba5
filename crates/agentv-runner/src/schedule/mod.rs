//! Scheduling: the selection of trials, their order, and the number in work at a time.

pub(crate) mod batch;
pub(crate) mod budget;
pub(crate) mod case_trials;
pub(crate) mod channel;
pub(crate) mod comparisons;
pub(crate) mod concurrency;
pub(crate) mod dependencies;
pub(crate) mod dispatch;
pub(crate) mod lane;
pub(crate) mod rate_limit;
pub(crate) mod read_files;
pub(crate) mod selection;
pub(crate) mod shard;
pub(crate) mod source;
pub(crate) mod stop;
pub(crate) mod survey;
pub(crate) mod watch;
