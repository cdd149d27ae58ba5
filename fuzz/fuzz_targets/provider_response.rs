//! Any bytes as the answer of a server.

#![no_main]

use agentv_fuzz::providers::Exchange;
use libfuzzer_sys::fuzz_target;

thread_local! {
    static SCRATCH: Exchange = Exchange::default();
}

fuzz_target!(|bytes: &[u8]| SCRATCH.with(|scratch| scratch.provider_response(bytes)));
