//! The seeds and the corpus of the fuzz target, run through the same function.

use std::fs;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;

use crate::oracles::Runs;

#[test]
fn every_seed_of_a_run_folder_holds() {
    let fuzz = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fuzz");
    let seeds = fs::read_dir(fuzz.join("seeds/run_folder")).unwrap();
    let corpus = fs::read_dir(fuzz.join("corpus/run_folder"));
    let runs = Runs::default();
    let (mut count, mut failed) = (0, Vec::new());
    for entry in seeds.chain(corpus.into_iter().flatten()) {
        let path = entry.unwrap().path();
        let seed = fs::read(&path).unwrap();
        let caught = catch_unwind(AssertUnwindSafe(|| runs.run_folder(&seed)));
        failed.extend(caught.is_err().then_some(path));
        count += 1;
    }
    assert!(failed.is_empty(), "{failed:#?}");
    assert!(count > 5, "{count} seeds");
}
