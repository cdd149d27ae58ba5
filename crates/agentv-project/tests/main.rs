//! Projects prepared and run for real. The test program is the supervisor of the commands, and the other
//! process that executes trials.

#![expect(clippy::unwrap_used, reason = "they are tests")]

mod piped_trials;

use std::process::ExitCode;

fn main() -> ExitCode {
    if let Some(exit) = agentv_process::supervise(std::env::args_os()) {
        return exit;
    }
    if std::env::var_os(piped_trials::EXECUTE).is_some() {
        piped_trials::execute_from_stdin();
        return ExitCode::SUCCESS;
    }
    let arguments = libtest_mimic::Arguments::from_args();
    libtest_mimic::run(&arguments, piped_trials::tests()).exit_code()
}
