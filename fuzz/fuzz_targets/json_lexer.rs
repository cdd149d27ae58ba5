//! Any text, read by our lexer and by `serde_json`.

#![no_main]

use agentv_fuzz::oracles::json_lexer;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| json_lexer(bytes));
