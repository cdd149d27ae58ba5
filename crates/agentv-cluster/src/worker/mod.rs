//! A worker: it executes the trials of runs that other processes coordinate.

mod busy;
mod files;
mod gate;
mod joined_run;
mod live;
mod queue;
mod trial;

pub use live::{Leave, WorkerOptions, work};
