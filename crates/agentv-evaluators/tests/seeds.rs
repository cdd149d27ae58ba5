//! The seeds and the corpus of the fuzz targets, run through the same functions.

use std::fs;
use std::path::Path;

use crate::oracles::{judge_answer, script_output};

#[test]
fn every_seed_of_a_judges_answer_holds() {
    each_seed("judge_answer", judge_answer);
}

#[test]
fn every_seed_of_a_scripts_output_holds() {
    each_seed("script_output", script_output);
}

/// Calls `target` with every file in `fuzz/seeds/NAME` and `fuzz/corpus/NAME`.
fn each_seed(name: &str, target: fn(&[u8])) {
    let fuzz = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fuzz");
    let seeds = fs::read_dir(fuzz.join("seeds").join(name)).unwrap();
    let corpus = fs::read_dir(fuzz.join("corpus").join(name));
    let (mut count, mut failed) = (0, Vec::new());
    for entry in seeds.chain(corpus.into_iter().flatten()) {
        let path = entry.unwrap().path();
        let seed = fs::read(&path).unwrap();
        let caught = std::panic::catch_unwind(|| target(&seed));
        failed.extend(caught.is_err().then_some(path));
        count += 1;
    }
    assert!(failed.is_empty(), "{failed:#?}");
    assert!(count > 10, "{count} seeds of {name}");
}
