//! The format of lists.

use clap::ValueEnum;

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum ListFormat {
    /// Columns, for people
    Text,
    /// One JSON object per line, for scripts
    Json,
}
