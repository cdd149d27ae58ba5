//! The seeds and the corpus of the fuzz targets, run through the same functions.

use std::fs;
use std::path::Path;

use crate::oracles::{Scratch, json_lexer, yaml_round_trip};

/// Calls `target` with every file in `fuzz/seeds/NAME` and `fuzz/corpus/NAME`.
fn each_seed(name: &str, target: impl Fn(&[u8])) {
    let fuzz = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fuzz");
    let seeds = fs::read_dir(fuzz.join("seeds").join(name)).unwrap();
    let corpus = fs::read_dir(fuzz.join("corpus").join(name));
    let (mut count, mut failed) = (0, Vec::new());
    for entry in seeds.chain(corpus.into_iter().flatten()) {
        let path = entry.unwrap().path();
        let seed = fs::read(&path).unwrap();
        let caught = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| target(&seed)));
        failed.extend(caught.is_err().then_some(path));
        count += 1;
    }
    assert!(failed.is_empty(), "{failed:#?}");
    assert!(count > 0, "no seeds of {name}");
}

#[test]
fn every_seed_of_a_line_holds() {
    let scratch = Scratch::default();
    each_seed("jsonl_line", |seed| scratch.jsonl_line(seed));
}

#[test]
fn every_seed_of_a_suite_holds() {
    let scratch = Scratch::default();
    each_seed("yaml_suite", |seed| scratch.yaml_suite(seed));
}

#[test]
fn every_seed_of_a_sidecar_holds() {
    let scratch = Scratch::default();
    each_seed("sidecar", |seed| scratch.sidecar(seed));
}

#[test]
fn every_seed_of_the_lexer_holds() {
    each_seed("json_lexer", json_lexer);
}

#[test]
fn every_seed_of_the_yaml_round_trip_holds() {
    each_seed("yaml_round_trip", yaml_round_trip);
    // A suite and a sidecar are YAML as well.
    each_seed("yaml_suite", yaml_round_trip);
    each_seed("sidecar", yaml_round_trip);
}
