//! Tests of the repository as a whole.

#![allow(clippy::unwrap_used, reason = "a test may fail where it stands")]

#[cfg(unix)]
mod action;
mod book;
mod ci_recipes;
mod corpus;
mod events;
mod exit_codes;
mod generated;
mod identity;
mod interrupt;
mod recipes;
mod registries;
mod reliability;
mod schemas;
mod view;
mod workspace;

use std::path::{Path, PathBuf};
use std::process::Command;

/// The top of the repository.
fn repository() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// Returns the output of the built binary.
fn printed(arguments: &[&str]) -> String {
    let output = Command::new(env!("CARGO_BIN_EXE_agentv"))
        .args(arguments)
        .output()
        .unwrap();
    assert!(output.status.success(), "{arguments:?}");
    String::from_utf8(output.stdout).unwrap()
}
