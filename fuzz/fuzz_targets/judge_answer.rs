//! Any text as the answer of a judge.

#![no_main]

use agentv_fuzz::judges::judge_answer;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| judge_answer(bytes));
