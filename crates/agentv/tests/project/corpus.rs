//! The corpus shows every kind of evaluator at work, and written wrongly.

use std::fs;

use crate::repository;

/// Returns the results of the folder that shows a kind at work, whatever its verdict.
fn results(kind: &str) -> Option<String> {
    let verdicts = ["pass", "fail", "error"].into_iter();
    let mut results = verdicts.filter_map(|verdict| {
        let folder = format!("corpus/evaluators/{verdict}/{kind}");
        fs::read_to_string(repository().join(folder).join("records")).ok()
    });
    results.next()
}

#[test]
fn every_kind_of_evaluator_passes_and_fails_in_a_folder_of_the_corpus() {
    for kind in agentv_evaluators::ALL.iter().map(|kind| kind.name) {
        let results = results(kind).unwrap_or_default();
        for status in ["pass", "fail"] {
            let status = format!("\"status\":\"{status}\"");
            assert!(results.contains(&status), "{kind} {status}");
        }
    }
}

#[test]
fn every_kind_of_evaluator_is_written_wrongly_in_a_folder_of_the_corpus() {
    for kind in agentv_evaluators::ALL.iter().map(|kind| kind.name) {
        let folder = format!("corpus/evaluators/invalid/{kind}");
        let told = fs::read_to_string(repository().join(folder).join("stdout"));
        let told = told.unwrap_or_default();
        assert!(told.matches("error[E").count() >= 3, "{kind}\n{told}");
    }
}
