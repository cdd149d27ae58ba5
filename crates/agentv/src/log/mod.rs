//! The log on standard error, for finding out what a command does.

mod events;
mod level;
mod panics;
mod writer;

pub(crate) use events::log_event;
pub(crate) use level::LogLevel;
pub(crate) use panics::log_caught_panics;
pub(crate) use writer::{hide, is_on, start};
