//! The seeds and the corpus of the fuzz targets, run through the same functions.

use agentv_testkit::each_seed;

use crate::oracles::{judge_answer, script_output};

#[test]
fn every_seed_of_a_judges_answer_holds() {
    each_seed("judge_answer", judge_answer);
}

#[test]
fn every_seed_of_a_scripts_output_holds() {
    each_seed("script_output", script_output);
}
