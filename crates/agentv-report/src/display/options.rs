//! The options that all displays share.

use crate::{Clock, Style};

/// How a display shows things.
#[derive(Debug, Clone)]
pub struct DisplayOptions {
    /// What the place can show.
    pub style: Style,
    /// Whether retries are told, too.
    pub verbose: bool,
    /// Whether what is told of a trial names its target.
    pub several_targets: bool,
    /// What time it is.
    pub clock: Clock,
}
