//! Any YAML, written anew and read again.

#![no_main]

use agentv_fuzz::oracles::yaml_round_trip;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| yaml_round_trip(bytes));
