//! The seeds and the corpus of the fuzz target, run through the same function.

use agentv_testkit::each_seed;

use crate::oracles::Journal;

#[test]
fn every_seed_of_a_journal_holds() {
    let journal = Journal::default();
    each_seed("journal", |seed| journal.journal(seed));
}
