//! The record of a merged run.

use std::collections::BTreeMap;

use agentv_core::{RanFile, RanTarget, RunRecord};
use jiff::Timestamp;

use crate::graders::joined_texts;
use crate::run_folders::FoundRun;
use crate::tags;

/// Combines the requests of the runs.
pub(super) fn merged_record(sources: &[FoundRun], now: Timestamp) -> RunRecord {
    let records = || sources.iter().map(|source| &source.record);
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
        tags: tags::each_once(records().flat_map(|record| &record.tags)),
        files: files(sources),
        targets: each_once(|record| &record.targets),
        judges: each_once(|record| &record.judges),
        trials: records().map(|record| record.trials).max().unwrap_or(1),
        planned: planned(sources),
        dry_run: records().any(|record| record.dry_run),
        shard: None,
        balance: None,
        stopped: None,
        rerun_of: shared(&|record| record.rerun_of.clone()),
        graded_from: shared(&|record| record.graded_from.clone()),
        evaluators_file: shared(&|record| record.evaluators_file.clone()),
        evaluator_files: evaluator_files(sources),
        read_files: records()
            .flat_map(|record| record.read_files.clone())
            .collect(),
        earlier: records()
            .flat_map(|record| record.earlier.clone())
            .collect(),
        merged_from: sources
            .iter()
            .map(|source| source.folder.id().to_string())
            .collect(),
        merged_at: Some(now.to_string()),
        totals: None,
        statistics: None,
        gates: Vec::new(),
        ..first
    }
}

/// Returns the eval files, in the order of the runs. Each shard has its own skipped cases; of several runs of the same shard, the one
/// with the most counts.
fn files(sources: &[FoundRun]) -> Vec<RanFile> {
    let mut paths: Vec<&str> = Vec::new();
    let mut by_path: BTreeMap<&str, BTreeMap<&str, &RanFile>> = BTreeMap::new();
    for source in sources {
        let shard = source.record.shard.as_deref().unwrap_or_default();
        for file in &source.record.files {
            if !by_path.contains_key(&*file.path) {
                paths.push(&file.path);
            }
            let of_shards = by_path.entry(&file.path).or_default();
            let known = of_shards.entry(shard).or_insert(file);
            if known.skipped < file.skipped {
                *known = file;
            }
        }
    }
    let joined = paths.into_iter().filter_map(|path| {
        let mut files = by_path.remove(path)?.into_values();
        let mut joined = files.next()?.clone();
        for file in files {
            joined.skipped = joined.skipped.saturating_add(file.skipped);
            joined.skipped_cases.extend(file.skipped_cases.clone());
        }
        joined.skipped_cases.sort_by_key(|case| case.line);
        Some(joined)
    });
    joined.collect()
}

/// Returns the texts that evaluators read, without paths whose texts differ between the runs.
pub(super) fn evaluator_files(sources: &[FoundRun]) -> BTreeMap<String, String> {
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
