//! The corpus shows every kind of evaluator at work.

use std::fs;

use crate::repository;

/// The folders in which a kind may be shown, by the exit code of the run.
const VERDICTS: [&str; 3] = ["pass", "fail", "error"];

/// Returns the results of the folder that shows a kind at work, whatever its verdict.
fn results(kind: &str) -> Option<String> {
    let mut results = VERDICTS.into_iter().filter_map(|verdict| {
        let folder = format!("corpus/evaluators/{verdict}/{kind}");
        fs::read_to_string(repository().join(folder).join("records")).ok()
    });
    results.next()
}

/// Returns what the corpus lacks to show a kind at work, and what to add where.
fn missing(kind: &str) -> Vec<String> {
    let Some(results) = results(kind) else {
        return vec![format!(
            "no folder shows `{kind}` at work: copy corpus/evaluators/fail/starts_with to \
             corpus/evaluators/fail/{kind}, and change the first line of `cmd` and the files in `project`"
        )];
    };
    let statuses = ["pass", "fail"].into_iter();
    let statuses = statuses.filter(|status| !results.contains(&format!("\"status\":\"{status}\"")));
    let missing = statuses.map(|status| {
        format!(
            "no case in corpus/evaluators/*/{kind} has the status `{status}`: add one to \
             project/cases.yaml, with its answer in project/targets.yaml"
        )
    });
    missing.collect()
}

#[test]
fn every_kind_of_evaluator_passes_and_fails_in_a_folder_of_the_corpus() {
    let kinds = agentv_evaluators::ALL.iter().map(|kind| kind.name);
    let missing: Vec<String> = kinds.flat_map(missing).collect();
    assert!(
        missing.is_empty(),
        "{}\nThen run `SNAPSHOTS=overwrite cargo test -p agentv --test corpus`, and read the diff.",
        missing.join("\n")
    );
}
