//! The promises of a run folder, tested with failing disks, killed processes and random histories.

#![expect(clippy::unwrap_used, reason = "all of this is tests")]

mod append;
mod disk_full;
mod fold;
mod folder;
mod kill;
mod laws;
mod lock;
mod long;
mod merge;
#[expect(unreachable_pub, reason = "the fuzz target includes this file as well")]
mod oracles;
mod recover;
mod seeds;
mod support;
