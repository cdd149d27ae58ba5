//! The HTML report in a real browser.

#![allow(clippy::unwrap_used, reason = "a test may fail where it stands")]

mod browser;
mod devtools;
mod hostile;
mod large;
mod page;
mod reading;
mod runs;
mod two_runs;
mod unusual;

use std::process::ExitCode;
use std::sync::Arc;

use libtest_mimic::{Arguments, Trial};

use crate::browser::Browser;

/// A test: the sentence it proves, and its function.
type Test = (&'static str, fn(&Browser));

fn main() -> ExitCode {
    let arguments = Arguments::from_args();
    let tests = [
        reading::TESTS,
        two_runs::TESTS,
        hostile::TESTS,
        unusual::TESTS,
        large::TESTS,
    ];
    let tests: Vec<Test> = tests.concat();
    if arguments.list {
        let trials = tests
            .into_iter()
            .map(|(name, _)| Trial::test(name, || Ok(())));
        return libtest_mimic::run(&arguments, trials.collect()).exit_code();
    }
    let browser = Arc::new(Browser::start());
    let trials = tests.into_iter().map(|(name, test)| {
        let browser = Arc::clone(&browser);
        Trial::test(name, move || {
            test(&browser);
            Ok(())
        })
    });
    let conclusion = libtest_mimic::run(&arguments, trials.collect());
    drop(browser);
    conclusion.exit_code()
}
