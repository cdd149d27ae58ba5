//! Tests with real commands, servers and recordings. The test program is the supervisor of the
//! commands.

#![expect(clippy::unwrap_used, reason = "they are tests")]

use std::process::ExitCode;

/// Creates a test for each function, with the function's name.
macro_rules! trials {
    ($($test:ident),* $(,)?) => {
        vec![$(libtest_mimic::Trial::test(
            concat!(module_path!(), "::", stringify!($test)).trim_start_matches("main::"),
            || { $test(); Ok(()) },
        )),*]
    };
}

#[cfg(target_os = "linux")]
mod agents;
#[cfg(target_os = "linux")]
mod batch;
#[cfg(target_os = "linux")]
mod cli;
mod http;
mod mutations;
#[expect(unreachable_pub, reason = "the fuzz targets include this file as well")]
mod oracles;
mod project;
mod replay;
mod resolve;
mod seeds;
mod server;

fn main() -> ExitCode {
    if let Some(exit) = agentv_process::supervise(std::env::args_os()) {
        return exit;
    }
    // The program is also the agent that tests start.
    let arguments: Vec<String> = std::env::args().collect();
    if let [_, first, rest @ ..] = arguments.as_slice()
        && first == "fake-agent"
    {
        return agentv_testkit::fake_agent(rest);
    }
    let arguments = libtest_mimic::Arguments::from_args();
    let trials = [
        #[cfg(target_os = "linux")]
        agents::trials(),
        #[cfg(target_os = "linux")]
        batch::trials(),
        #[cfg(target_os = "linux")]
        cli::trials(),
        http::trials(),
        mutations::trials(),
        replay::trials(),
        resolve::trials(),
        seeds::trials(),
    ];
    libtest_mimic::run(&arguments, trials.into_iter().flatten().collect()).exit_code()
}
