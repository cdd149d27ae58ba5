//! Any bytes as the stream of a model.

#![no_main]

use agentv_fuzz::providers::model_stream;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| model_stream(bytes));
