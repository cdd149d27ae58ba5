//! Tests that share one browser.

use std::process::ExitCode;
use std::sync::Arc;

use libtest_mimic::{Arguments, Trial};

use super::Browser;

/// A test: the sentence it proves, and its function.
pub type BrowserTest = (&'static str, fn(&Browser));

/// Runs the tests in one browser, with the arguments of the process.
pub fn run_tests(tests: &[BrowserTest]) -> ExitCode {
    let arguments = Arguments::from_args();
    if arguments.list {
        let trials = tests.iter().map(|(name, _)| Trial::test(*name, || Ok(())));
        return libtest_mimic::run(&arguments, trials.collect()).exit_code();
    }
    let browser = Arc::new(Browser::start());
    let trials = tests.iter().map(|(name, test)| {
        let (browser, test) = (Arc::clone(&browser), *test);
        Trial::test(*name, move || {
            test(&browser);
            Ok(())
        })
    });
    let conclusion = libtest_mimic::run(&arguments, trials.collect());
    drop(browser);
    conclusion.exit_code()
}
