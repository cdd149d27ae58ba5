//! The shards of a run, merged into one run.

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;

use agentv_core::{RanFile, RanTarget, RunRecord};
use agentv_journal::{FolderError, MergeRule, RecordFile, RunFolder, RunId};
use agentv_report::{Summary, SummaryFold};
use agentv_runner::{digest_of_text, trial_fields};
use jiff::Timestamp;

use crate::error::ProjectError;
use crate::graders::joined_texts;
use crate::notices::Notices;
use crate::project::Project;
use crate::results::each_result;
use crate::run_folders::{FoundRun, RunFolders, not_written, unusable};

/// A run that was merged from several.
pub struct MergedRun {
    /// Its folder.
    pub folder: RunFolder,
    /// Its figures.
    pub summary: Summary,
    /// The number of trials that the runs planned.
    pub planned: u64,
    /// Set if there is a run of every shard, and a result of every trial.
    pub is_complete: bool,
}

impl Project {
    /// Merges the runs of these names into one run, whose name follows from theirs.
    ///
    /// # Errors
    /// If a run cannot be found or read, or the merged run cannot be written.
    pub fn merge(
        &self,
        names: &[String],
        now: Timestamp,
        notices: &mut dyn Notices,
    ) -> Result<MergedRun, ProjectError> {
        let runs = self.run_folders()?;
        let sources = sources(names, &runs, notices)?;
        let has_all_shards = warn_of_missing_shards(&sources, notices);
        warn_of_different_files(&sources, notices);
        let folder = open_or_create(&runs, &merged_id(&sources)?)?;
        let mut writer = folder.write(now).map_err(not_written)?;
        let folders: Vec<RunFolder> = sources.iter().map(|source| source.folder.clone()).collect();
        let rule = MergeRule {
            key: trial_fields(),
            time: "timestamp".to_owned(),
        };
        for file in [RecordFile::Transcripts, RecordFile::Results] {
            let merged = writer.merge(file, &folders, &rule).map_err(not_written)?;
            for (path, damage) in &merged.damage {
                notices.warn(format!("`{}`: {damage}", path.display()));
            }
        }
        let mut record = merged_record(&sources);
        let mut fold = SummaryFold::new();
        each_result(&folder, &mut |result| fold.add(&result))?;
        let summary = fold.finish(record.files.iter().map(|file| file.skipped).sum());
        record.totals = serde_json::to_value(&summary).ok();
        writer.write_run(&record).map_err(not_written)?;
        Ok(MergedRun {
            folder,
            is_complete: has_all_shards && summary.trials >= record.planned,
            summary,
            planned: record.planned,
        })
    }
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

/// The most missing shards that a warning names.
const MOST_SHARDS_NAMED: usize = 20;

/// Warns about missing shards. Returns true if there are none.
fn warn_of_missing_shards(sources: &[FoundRun], notices: &mut dyn Notices) -> bool {
    let shards = sources.iter().filter_map(|source| {
        let (index, count) = source.record.shard.as_deref()?.split_once('/')?;
        Some((count.parse::<u64>().ok()?, index.parse::<u64>().ok()?))
    });
    let mut found: BTreeMap<u64, BTreeSet<u64>> = BTreeMap::new();
    shards.for_each(|(count, index)| {
        found.entry(count).or_default().insert(index);
    });
    let mut complete = true;
    for (count, there) in found {
        let missing = (1..=count).filter(|index| !there.contains(index));
        // The record of a foreign run may name any number of shards.
        let named: Vec<String> = missing
            .take(MOST_SHARDS_NAMED + 1)
            .map(|index| format!("{index}/{count}"))
            .collect();
        if !named.is_empty() {
            complete = false;
            let more = if named.len() > MOST_SHARDS_NAMED {
                ", …"
            } else {
                ""
            };
            let (shards, them) = match named.len() {
                1 => ("shard", "it"),
                _ => ("shards", "them"),
            };
            let missing = named[..named.len().min(MOST_SHARDS_NAMED)].join(", ") + more;
            notices.warn(format!(
                "no run found for {shards} {missing}: run {them} with `--shard`, then merge again"
            ));
        }
    }
    complete
}

/// Warns if the runs are of different files: shards of one run never are.
fn warn_of_different_files(sources: &[FoundRun], notices: &mut dyn Notices) {
    let files = |source: &FoundRun| -> BTreeSet<String> {
        let files = source.record.files.iter();
        files.map(|file| file.path.clone()).collect()
    };
    let different = sources
        .windows(2)
        .find(|pair| files(&pair[0]) != files(&pair[1]));
    if let Some([one, other]) = different {
        notices.warn(format!(
            "runs `{}` and `{}` have different eval files",
            one.folder.id(),
            other.folder.id()
        ));
    }
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

/// Combines the requests of the runs.
fn merged_record(sources: &[FoundRun]) -> RunRecord {
    let records = || sources.iter().map(|source| &source.record);
    let mut files: BTreeMap<&str, &RanFile> = BTreeMap::new();
    for file in records().flat_map(|record| &record.files) {
        files.entry(&file.path).or_insert(file);
    }
    let each_once = |listed: fn(&RunRecord) -> &[RanTarget]| {
        let mut targets: Vec<RanTarget> = Vec::new();
        for target in records().flat_map(listed) {
            if !targets.contains(target) {
                targets.push(target.clone());
            }
        }
        targets
    };
    // A field that differs between the runs says nothing about the merged run.
    let shared = |field: &dyn Fn(&RunRecord) -> Option<String>| {
        let first = records().next().and_then(field);
        let is_first = |record: &RunRecord| field(record) == first;
        records().all(is_first).then(|| first.clone()).flatten()
    };
    let first = records().next().cloned().unwrap_or_default();
    let earliest = records().map(|record| record.started_at.clone()).min();
    RunRecord {
        version: env!("CARGO_PKG_VERSION").to_owned(),
        started_at: earliest.unwrap_or_default(),
        finished_at: records()
            .filter_map(|record| record.finished_at.clone())
            .max(),
        files: files.into_values().cloned().collect(),
        targets: each_once(|record| &record.targets),
        judges: each_once(|record| &record.judges),
        trials: records().map(|record| record.trials).max().unwrap_or(1),
        planned: planned(sources),
        dry_run: records().any(|record| record.dry_run),
        shard: None,
        stopped: None,
        rerun_of: None,
        graded_from: shared(&|record| record.graded_from.clone()),
        evaluators_file: shared(&|record| record.evaluators_file.clone()),
        evaluator_files: evaluator_files(sources),
        merged_from: sources
            .iter()
            .map(|source| source.folder.id().to_string())
            .collect(),
        totals: None,
        statistics: None,
        ..first
    }
}

/// Returns the texts that evaluators read, without paths whose texts differ between the runs.
fn evaluator_files(sources: &[FoundRun]) -> BTreeMap<String, String> {
    let of_each = sources.iter().map(|source| &source.record.evaluator_files);
    let is_same = |path: &str, text: &str| {
        let mut others = of_each.clone().filter_map(|files| files.get(path));
        others.all(|other| other == text)
    };
    let texts = of_each.clone().flatten();
    let texts = texts.filter(|(path, text)| is_same(path, text));
    joined_texts(texts.map(|(path, text)| (path.clone(), text.clone())))
}

/// Returns the number of planned trials. Of several runs of the same shard and files, the largest counts.
fn planned(sources: &[FoundRun]) -> u64 {
    let mut by_shard: BTreeMap<String, u64> = BTreeMap::new();
    for source in sources {
        let files = source.record.files.iter();
        let files: Vec<&str> = files.map(|file| file.path.as_str()).collect();
        let shard = source.record.shard.as_deref().unwrap_or_default();
        let planned = by_shard.entry(format!("{shard} {}", files.join("\n")));
        let planned = planned.or_default();
        *planned = source.record.planned.max(*planned);
    }
    let planned = by_shard.into_values();
    planned.fold(0, u64::saturating_add)
}
