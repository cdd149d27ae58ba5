//! Replays the recording of a coding agent, and misbehaves on request.

use std::process::ExitCode;

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    agentv_testkit::fake_agent(&arguments)
}
