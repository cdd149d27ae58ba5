//! The reports of any run folder.

#![no_main]

use agentv_fuzz::reports::Runs;
use libfuzzer_sys::fuzz_target;

thread_local! {
    static SCRATCH: Runs = Runs::default();
}

fuzz_target!(|bytes: &[u8]| SCRATCH.with(|scratch| scratch.run_folder(bytes)));
