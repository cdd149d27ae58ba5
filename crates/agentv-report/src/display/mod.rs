//! The displays of a run in progress.

mod agents;
mod live;
mod notice;
mod notices;
mod options;
mod plain;
mod progress;
mod quiet;
mod screen;
mod snapshot;
#[cfg(test)]
mod tests;
mod throughput;
mod ticker;

pub use live::LiveDisplay;
pub use options::DisplayOptions;
pub use plain::PlainProgress;
pub use quiet::Quiet;
