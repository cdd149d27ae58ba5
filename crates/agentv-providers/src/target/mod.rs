//! From what a user wrote about a target to a target that can be asked.

mod aliases;
pub(crate) mod built_in;
mod common;
mod entry;
mod error;
mod fields;
mod limits;
pub(crate) mod sandbox;
mod settings;
pub(crate) mod shapes;
mod stand_in;
mod targets;

pub(crate) use aliases::canonical;
pub use aliases::name_of_today;
pub use built_in::{built_in, vendors};
pub(crate) use common::COMMON;
pub use error::TargetError;
pub(crate) use fields::snake_case;
pub(crate) use settings::{SettingError, Settings};
pub use stand_in::Delay;
pub(crate) use targets::USE_TARGET;
pub use targets::{ListedTarget, ResolvedTarget, Targets};
