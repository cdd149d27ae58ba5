//! Any bytes as a targets file.

#![no_main]

use agentv_fuzz::providers::Project;
use libfuzzer_sys::fuzz_target;

thread_local! {
    static SCRATCH: Project = Project::default();
}

fuzz_target!(|bytes: &[u8]| SCRATCH.with(|scratch| scratch.targets_file(bytes)));
