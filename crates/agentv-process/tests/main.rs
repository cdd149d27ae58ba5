//! Tests with real commands. The test program is its own supervisor, and also the program that is
//! killed.

#![cfg_attr(
    target_os = "linux",
    expect(clippy::unwrap_used, reason = "they are tests")
)]

use std::process::ExitCode;

/// Creates a test for each function, with the function's name.
#[cfg(target_os = "linux")]
macro_rules! trials {
    ($($test:ident),* $(,)?) => {
        vec![$(libtest_mimic::Trial::test(
            concat!(module_path!(), "::", stringify!($test)).trim_start_matches("main::"),
            || { $test(); Ok(()) },
        )),*]
    };
}

#[cfg(target_os = "linux")]
mod dialogue;
#[cfg(target_os = "linux")]
mod ending;
#[cfg(target_os = "linux")]
mod output;
#[cfg(target_os = "linux")]
mod play;
#[cfg(target_os = "linux")]
mod quoting;
#[cfg(target_os = "linux")]
mod sandbox;
#[cfg(target_os = "linux")]
mod stage;
#[cfg(target_os = "linux")]
mod starting;

#[cfg(target_os = "linux")]
fn main() -> ExitCode {
    if let Some(exit) = agentv_process::supervise(std::env::args_os()) {
        return exit;
    }
    if let Some(exit) = play::asked() {
        return exit;
    }
    let arguments = libtest_mimic::Arguments::from_args();
    let trials = [
        dialogue::trials(),
        ending::trials(),
        output::trials(),
        quoting::trials(),
        sandbox::trials(),
        starting::trials(),
    ];
    libtest_mimic::run(&arguments, trials.into_iter().flatten().collect()).exit_code()
}

#[cfg(not(target_os = "linux"))]
fn main() -> ExitCode {
    ExitCode::SUCCESS
}
