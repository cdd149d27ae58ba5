//! The options that all displays share.

use crate::{Clock, Style};

/// The options of a display.
#[derive(Debug, Clone)]
pub struct DisplayOptions {
    /// The abilities of the terminal.
    pub style: Style,
    /// True if retries are shown too.
    pub verbose: bool,
    /// True if notices name the target of a trial.
    pub several_targets: bool,
    /// The clock.
    pub clock: Clock,
}
