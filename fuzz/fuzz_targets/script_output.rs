//! Any text as what a script that grades printed.

#![no_main]

use agentv_fuzz::judges::script_output;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| script_output(bytes));
