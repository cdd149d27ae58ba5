//! Workspaces that agents change, attack and leave behind.

#![expect(clippy::unwrap_used, reason = "all of this is tests")]

mod attacks;
mod changes;
mod commits;
mod laws;
mod leftovers;
mod support;
