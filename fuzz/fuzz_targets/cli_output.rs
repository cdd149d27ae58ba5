//! Any bytes as what a command wrote.

#![no_main]

use agentv_fuzz::providers::Commands;
use libfuzzer_sys::fuzz_target;

thread_local! {
    static SCRATCH: Commands = Commands::default();
}

fuzz_target!(|bytes: &[u8]| SCRATCH.with(|scratch| scratch.cli_output(bytes)));
