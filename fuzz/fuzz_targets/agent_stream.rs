//! Any bytes as what an agent printed and left behind.

#![no_main]

use agentv_fuzz::providers::agent_stream;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| agent_stream(bytes));
