//! The language server as a real process, with a scripted client, and with a real editor.

#![expect(clippy::unwrap_used, reason = "they are tests")]

mod client;
mod diagnostics;
mod features;
mod large_files;
mod neovim;
mod projects;
mod random_edits;
