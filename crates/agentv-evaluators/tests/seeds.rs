//! The seeds of the fuzz target of judges' answers, run through the same function.

use std::fs;
use std::path::Path;

use crate::oracles::judge_answer;

#[test]
fn every_seed_of_a_judges_answer_holds() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fuzz/seeds/judge_answer");
    let mut count = 0;
    for entry in fs::read_dir(&folder).unwrap() {
        let path = entry.unwrap().path();
        let seed = fs::read(&path).unwrap();
        let caught = std::panic::catch_unwind(|| judge_answer(&seed));
        assert!(caught.is_ok(), "{}", path.display());
        count += 1;
    }
    assert!(count > 20, "{count} seeds in {}", folder.display());
}
