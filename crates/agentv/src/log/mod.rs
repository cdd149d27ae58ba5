//! The log on standard error, for finding out what a command does.

mod events;
mod level;
mod writer;

pub(crate) use events::log_event;
pub(crate) use level::LogLevel;
pub(crate) use writer::{hide, is_on, start};
