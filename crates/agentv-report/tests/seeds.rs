//! The seeds and the corpus of the fuzz target, run through the same function.

use agentv_testkit::each_seed;

use crate::oracles::Runs;

#[test]
fn every_seed_of_a_run_folder_holds() {
    let runs = Runs::default();
    each_seed("run_folder", |seed| runs.run_folder(seed));
}
