//! The HTML report in a real browser.

#![allow(clippy::unwrap_used, reason = "a test may fail where it stands")]

mod hostile;
mod large;
mod reading;
mod runs;
mod two_runs;
mod unusual;

use std::process::ExitCode;

use agentv_testkit::browser::{BrowserTest, run_tests};

fn main() -> ExitCode {
    let tests: [&[BrowserTest]; 5] = [
        reading::TESTS,
        two_runs::TESTS,
        hostile::TESTS,
        unusual::TESTS,
        large::TESTS,
    ];
    run_tests(&tests.concat())
}
