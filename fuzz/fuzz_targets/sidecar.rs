//! Any bytes as the sidecar of a JSONL file.

#![no_main]

use agentv_fuzz::oracles::Scratch;
use libfuzzer_sys::fuzz_target;

thread_local! {
    static SCRATCH: Scratch = Scratch::default();
}

fuzz_target!(|bytes: &[u8]| SCRATCH.with(|scratch| scratch.sidecar(bytes)));
