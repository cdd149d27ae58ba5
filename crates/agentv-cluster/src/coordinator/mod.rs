//! The process that coordinates a run: it hands trials over and takes their news.

mod advisories;
mod calls;
mod handover;
mod news;
mod open;
mod reconcile;
mod shared;
mod store;
mod streams;
mod suspects;
mod workers;

pub use open::{Coordinator, CoordinatorSpec};
