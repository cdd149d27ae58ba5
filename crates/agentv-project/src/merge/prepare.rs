//! The preparation of a merge: the runs are compared before anything is written.

use std::collections::BTreeMap;
use std::path::PathBuf;

use agentv_core::{Planned, RunRecord, Secrets};
use agentv_evaluators::ReadTexts;
use agentv_journal::{FolderError, MergeRule, RecordFile, RunFolder, RunId, RunWriter};
use agentv_runner::{digest_of_text, trial_fields};
use jiff::Timestamp;

use super::artifacts::copy_artifacts;
use super::differences::differences;
use super::record::{evaluator_files, merged_record};
use super::shards::{warn_of_missing, warn_of_overlapping};
use crate::counted::counted;
use crate::error::ProjectError;
use crate::gates::Gates;
use crate::graders::KeptFiles;
use crate::notices::Notices;
use crate::open_run::{OpenRun, Outline};
use crate::options::GateOptions;
use crate::project::Project;
use crate::run_folders::{FoundRun, RunFolders, not_written, unusable};

/// A request to merge the shards of a run.
#[derive(Debug, Clone)]
pub struct MergeOptions {
    /// The runs: their ids, or the paths of their folders.
    pub runs: Vec<String>,
    /// Merges runs of different files, targets, evaluators or settings.
    pub force: bool,
    /// Requirements for the results.
    pub gates: GateOptions,
}

/// A merge whose runs were found and compared. Nothing was written.
pub struct PreparedMerge {
    runs: RunFolders,
    sources: Vec<FoundRun>,
    /// The missing shards; of very many, the first.
    missing: Vec<String>,
    gates: Gates,
}

impl Project {
    /// Finds the runs and compares them. Warns about missing and overlapping shards.
    ///
    /// # Errors
    /// If a run cannot be found or read, or if the runs are not shards of one run.
    pub fn prepare_merge(
        &self,
        options: &MergeOptions,
        notices: &mut dyn Notices,
    ) -> Result<PreparedMerge, ProjectError> {
        let runs = self.run_folders()?;
        let sources = sources(&options.runs, &runs, notices)?;
        let differences = differences(&sources);
        if !differences.is_empty() && !options.force {
            let hint = "run all shards with the same files, targets, evaluators and settings, or add `--force`";
            let message = format!("cannot merge: {}", differences.join("; "));
            return Err(ProjectError::with_hint(message, Some(hint.to_owned())));
        }
        differences
            .into_iter()
            .for_each(|difference| notices.warn(difference));
        let missing = warn_of_missing(&sources, notices);
        warn_of_overlapping(&sources, notices);
        let is_dry_run = sources.iter().any(|source| source.record.dry_run);
        let gates = Gates::open(&options.gates, &runs, None, is_dry_run, notices)?;
        let merged = merged_id(&sources)?;
        if gates.baseline() == Some(merged.as_str()) {
            return Err(ProjectError::with_hint(
                "the baseline is the earlier merge of the same runs, which this merge replaces",
                Some("name a different run with `--baseline`".to_owned()),
            ));
        }
        let gates = gates.with_advice("resume the shards, then merge them again".to_owned());
        Ok(PreparedMerge {
            runs,
            sources,
            gates: gates.of_shards(missing.clone()),
            missing,
        })
    }
}

impl PreparedMerge {
    /// Returns the facts that the caller needs to show the merged run.
    pub fn outline(&self) -> Outline {
        let records = self.sources.iter().map(|source| &source.record);
        Outline {
            has_several_targets: records.clone().any(|record| record.targets.len() > 1),
            trials: records.map(|record| record.trials).max().unwrap_or(1),
            secrets: Secrets::default(),
        }
    }

    /// Writes the merged run. Its name follows from those of its sources: merging the same runs again writes
    /// the same run.
    ///
    /// # Errors
    /// If the merged run cannot be written.
    pub fn begin(self, now: Timestamp, notices: &mut dyn Notices) -> Result<OpenRun, ProjectError> {
        let sources = &self.sources;
        let folder = open_or_create(&self.runs, &merged_id(sources)?)?;
        let mut writer = folder.write(now).map_err(not_written)?;
        merge_records(&mut writer, sources, notices)?;
        let record = RunRecord {
            missing_shards: self.missing,
            ..merged_record(sources, now)
        };
        writer.write_run(&record).map_err(not_written)?;
        let files = record.files.iter().filter(|file| file.skipped > 0);
        Ok(OpenRun {
            planned: Planned {
                trials: 0,
                skipped: record.files.iter().map(|file| file.skipped).sum(),
            },
            skipped_by_file: files
                .map(|file| (file.path.clone(), file.skipped))
                .collect(),
            kept_files: KeptFiles::new(
                evaluator_files(sources),
                ReadTexts::default(),
                Secrets::default(),
            ),
            record,
            folder,
            writer,
            gates: self.gates,
            resumed_cases: None,
            is_resumed: true,
            worker_needs: None,
            other_files: Vec::new(),
            not_answered: 0,
        })
    }
}

/// Merges the record files of the runs. Warns about damaged lines, and about trials that several runs have.
fn merge_records(
    writer: &mut RunWriter,
    sources: &[FoundRun],
    notices: &mut dyn Notices,
) -> Result<(), ProjectError> {
    let folders: Vec<RunFolder> = sources.iter().map(|source| source.folder.clone()).collect();
    let rule = MergeRule {
        key: trial_fields(),
        time: "timestamp".to_owned(),
    };
    let mut records = 0;
    for file in [RecordFile::Transcripts, RecordFile::Results] {
        let merged = writer.merge(file, &folders, &rule).map_err(not_written)?;
        for (path, damage) in &merged.damage {
            notices.warn(format!("`{}`: {damage}", path.display()));
        }
        records = merged.records;
    }
    copy_artifacts(writer.folder(), &folders)?;
    let mut of_sources = 0;
    for folder in &folders {
        let latest = folder.latest(RecordFile::Results, &rule.key);
        of_sources += latest.map_err(ProjectError::from_error)?.len() as u64;
    }
    if of_sources > records {
        let trials = counted(of_sources - records, "trial");
        notices.warn(format!(
            "several runs have results of {trials}: the newest result of each is used"
        ));
    }
    Ok(())
}

/// Finds the runs, each once, in an order that does not depend on their names.
fn sources(
    names: &[String],
    runs: &RunFolders,
    notices: &mut dyn Notices,
) -> Result<Vec<FoundRun>, ProjectError> {
    let mut by_place: BTreeMap<PathBuf, FoundRun> = BTreeMap::new();
    for name in names {
        let found = runs.find(name, notices)?;
        found.refuse_calibration()?;
        found.refuse_unfinished()?;
        let place = std::fs::canonicalize(found.folder.path());
        let place = place.unwrap_or_else(|_| found.folder.path().to_owned());
        by_place.insert(place, found);
    }
    let mut sources: Vec<FoundRun> = by_place.into_values().collect();
    sources.sort_by_cached_key(identity);
    Ok(sources)
}

/// Returns the identity of a run, which does not depend on the place of its folder.
fn identity(source: &FoundRun) -> String {
    let RunRecord {
        started_at, shard, ..
    } = &source.record;
    let shard = shard.as_deref().unwrap_or_default();
    format!("{} {started_at} {shard}", source.folder.id())
}

/// Returns the id of the merged run. The same runs always get the same id.
fn merged_id(sources: &[FoundRun]) -> Result<RunId, ProjectError> {
    let identities: Vec<String> = sources.iter().map(identity).collect();
    let id = format!("merged-{}", digest_of_text(&identities.join("\n")));
    id.parse()
        .map_err(|error: agentv_journal::InvalidRunId| ProjectError::because(error.to_string()))
}

fn open_or_create(runs: &RunFolders, id: &RunId) -> Result<RunFolder, ProjectError> {
    match RunFolder::create(runs.path(), id) {
        Err(FolderError::Exists(_)) => {
            RunFolder::open(&runs.path().join(id.as_str())).map_err(unusable)
        }
        created => created.map_err(ProjectError::not_written),
    }
}
