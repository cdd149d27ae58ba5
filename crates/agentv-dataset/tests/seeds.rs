//! The seeds and the corpus of the fuzz targets, run through the same functions.

use agentv_testkit::each_seed;

use crate::oracles::{Scratch, json_lexer, yaml_round_trip};

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
