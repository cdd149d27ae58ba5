//! The seeds and the corpus of the fuzz targets, run through the same functions.

use std::fs;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;

use libtest_mimic::Trial;

use crate::oracles::{Commands, Exchange, Project};

pub(crate) fn trials() -> Vec<Trial> {
    trials![
        every_seed_of_a_targets_file_holds,
        every_seed_of_a_provider_response_holds,
        every_seed_of_a_commands_output_holds,
    ]
}

fn every_seed_of_a_targets_file_holds() {
    let project = Project::default();
    each_seed("targets_file", |seed| project.targets_file(seed));
}

fn every_seed_of_a_provider_response_holds() {
    let exchange = Exchange::default();
    each_seed("provider_response", |seed| exchange.provider_response(seed));
}

fn every_seed_of_a_commands_output_holds() {
    let commands = Commands::default();
    each_seed("cli_output", |seed| commands.cli_output(seed));
}

/// Calls `target` with every file in `fuzz/seeds/NAME` and `fuzz/corpus/NAME`.
fn each_seed(name: &str, target: impl Fn(&[u8])) {
    let fuzz = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fuzz");
    let seeds = fs::read_dir(fuzz.join("seeds").join(name)).unwrap();
    let corpus = fs::read_dir(fuzz.join("corpus").join(name));
    let (mut count, mut failed) = (0, Vec::new());
    for entry in seeds.chain(corpus.into_iter().flatten()) {
        let path = entry.unwrap().path();
        let seed = fs::read(&path).unwrap();
        let caught = catch_unwind(AssertUnwindSafe(|| target(&seed)));
        failed.extend(caught.is_err().then_some(path));
        count += 1;
    }
    assert!(failed.is_empty(), "{failed:#?}");
    assert!(count > 0, "no seeds of {name}");
}
