//! A check of everything that a user wrote.

mod broken_lines;
mod check_file;
mod files;

pub use files::{validate, with_targets_files, without_own_sidecars};
