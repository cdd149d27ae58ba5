//! The view in a real browser.

#![allow(clippy::unwrap_used, reason = "a test may fail where it stands")]

mod bundle;
#[path = "../client.rs"]
#[allow(dead_code, reason = "the other tests of the server use the rest")]
mod client;
mod comparing;
mod hostile;
mod labelling;
mod large;
mod live;
mod reading;

use std::path::Path;
use std::process::ExitCode;

use agentv_testkit::browser::{BrowserTest, run_tests};

use crate::client::Running;

pub(crate) const ID: &str = "2026-11-15T10-43-07Z-4f1a";

/// Returns the address of a run's page.
pub(crate) fn address(server: &Running, path: &str) -> String {
    format!("http://{}{path}", server.address)
}

/// Returns the address of the page of the run with the usual id.
pub(crate) fn run_address(server: &Running, hash: &str) -> String {
    address(server, &format!("/run/{ID}{hash}"))
}

/// Appends a trial to a run.
pub(crate) fn append(run: &Path, trial: &agentv_testkit::runs::Trial) {
    use std::io::Write;
    let open = |name: &str| {
        std::fs::OpenOptions::new()
            .append(true)
            .open(run.join(name))
            .unwrap()
    };
    if let Some(transcript) = &trial.transcript {
        writeln!(open("transcripts.jsonl"), "{transcript}").unwrap();
    }
    writeln!(open("results.jsonl"), "{}", trial.result).unwrap();
}

/// Fails if the page must be scrolled sideways.
pub(crate) fn fits(page: &agentv_testkit::browser::Page<'_>) {
    let extra = page.value("document.documentElement.scrollWidth - innerWidth");
    assert!(extra.as_i64().unwrap() <= 0, "{extra} pixels too wide");
}

fn main() -> ExitCode {
    let tests: [&[BrowserTest]; 7] = [
        reading::TESTS,
        comparing::TESTS,
        labelling::TESTS,
        bundle::TESTS,
        hostile::TESTS,
        live::TESTS,
        large::TESTS,
    ];
    run_tests(&tests.concat())
}
