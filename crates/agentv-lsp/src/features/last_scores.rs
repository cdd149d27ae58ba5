//! The last result of each case, from the runs of the project.

use std::collections::{BTreeMap, HashMap};
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use agentv_core::{PassThreshold, RunRecord, Score, Status};
use agentv_dataset::Project as ProjectFolder;
use agentv_project::{Project, each_result};

/// The most runs of a file that are read.
const MOST_RUNS: usize = 20;

/// The results of a case by one target, in the newest run that has any.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct TargetResults {
    pub(super) statuses: Vec<Status>,
    pub(super) scores: Vec<Score>,
    /// The lowest score that passed.
    pub(super) threshold: PassThreshold,
}

/// The results of a case by target.
pub(super) type CaseResults = BTreeMap<String, TargetResults>;

/// The last results of the cases of files, kept until another run was written.
#[derive(Debug, Default)]
pub(crate) struct LastScores {
    by_file: HashMap<PathBuf, (Stamp, HashMap<String, CaseResults>)>,
}

/// The newest run and the state of its results: equal stamps mean equal results.
type Stamp = Vec<(PathBuf, u64, Option<SystemTime>)>;

impl LastScores {
    /// Returns the last results of the cases of a file, by id.
    pub(super) fn of(&mut self, file: &Path, project: &Project) -> &HashMap<String, CaseResults> {
        let folder = file.parent().unwrap_or(Path::new("."));
        let around = ProjectFolder::around(folder);
        let runs = project.run_folders_of(&around.root);
        let shown = around.display(file);
        let folders = runs.all().unwrap_or_default();
        let stamp: Stamp = folders
            .iter()
            .take(MOST_RUNS)
            .map(|run| stamp_of(run.path()))
            .collect();
        let is_known = self
            .by_file
            .get(file)
            .is_some_and(|(known, _)| *known == stamp);
        if !is_known {
            let mut results = HashMap::new();
            let of_file = folders.iter().filter(|run| {
                let record = run.run::<RunRecord>().ok().flatten();
                record.is_some_and(|record| is_real_run_of(&record, &shown))
            });
            for run in of_file.take(MOST_RUNS) {
                add_results(run, &shown, &mut results);
            }
            self.by_file.insert(file.to_owned(), (stamp, results));
        }
        &self.by_file.entry(file.to_owned()).or_default().1
    }
}

fn stamp_of(run: &Path) -> (PathBuf, u64, Option<SystemTime>) {
    let metadata = std::fs::metadata(run.join("results.jsonl")).ok();
    let length = metadata.as_ref().map_or(0, std::fs::Metadata::len);
    let modified = metadata.and_then(|metadata| metadata.modified().ok());
    (run.to_owned(), length, modified)
}

/// Checks for a run of the targets themselves that includes the file.
fn is_real_run_of(record: &RunRecord, file: &str) -> bool {
    let has_file = record.files.iter().any(|ran| ran.path == file);
    has_file && !record.dry_run && record.calibrated_with.is_none()
}

/// Adds the results of cases that no newer run has.
fn add_results(
    run: &agentv_journal::RunFolder,
    file: &str,
    results: &mut HashMap<String, CaseResults>,
) {
    let mut of_run: HashMap<String, CaseResults> = HashMap::new();
    let read = each_result(run, &mut |record| {
        if *record.eval_file != *file {
            return;
        }
        let case = of_run.entry(record.eval_id).or_default();
        let target = case.entry(record.target.to_string()).or_default();
        target.statuses.push(record.status);
        target.scores.extend(record.score);
        target.threshold = record.pass_threshold.unwrap_or_default();
    });
    if read.is_ok() {
        for (id, case) in of_run {
            results.entry(id).or_insert(case);
        }
    }
}
