//! Any bytes in a run folder.

#![no_main]

use agentv_fuzz::journal::Journal;
use libfuzzer_sys::fuzz_target;

thread_local! {
    static SCRATCH: Journal = Journal::default();
}

fuzz_target!(|bytes: &[u8]| SCRATCH.with(|scratch| scratch.journal(bytes)));
