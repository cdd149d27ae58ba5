//! `agentv merge`: the shards of a run into one run.

use std::collections::{BTreeMap, BTreeSet};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use agentv_core::{RanFile, RanTarget, RunRecord};
use agentv_journal::{FolderError, MergeRule, RecordFile, RunFolder, RunId};
use agentv_report::{Closing, Summary, SummaryFold, render_summary};
use agentv_runner::{digest_of_text, trial_fields};
use jiff::Timestamp;

use super::run::folder;
use super::run::kept_files::joined;
use super::run::refused::Refused;
use super::run::reporting::summary_style;
use super::run::rerun::each_result;
use crate::arguments::MergeArguments;
use crate::exit::{Exit, OutputError};
use crate::output;

pub(crate) fn run(arguments: &MergeArguments) -> Result<Exit, OutputError> {
    let merged = match merge(arguments) {
        Ok(merged) => merged,
        Err(refused) => return Ok(refused.tell()),
    };
    let shown = output::from_here(merged.folder.path());
    let closing = Closing {
        folder: Some(&shown),
        planned: merged.planned,
        ..Closing::default()
    };
    let text = render_summary(&merged.summary, &closing, summary_style());
    let mut stdout = io::stdout().lock();
    stdout.write_all(text.as_bytes())?;
    stdout.flush()?;
    let complete = merged.complete && merged.summary.trials >= merged.planned;
    Ok(match complete {
        true => Exit::Success,
        false => Exit::Problems,
    })
}

/// What came of it.
struct Merged {
    folder: RunFolder,
    summary: Summary,
    /// How many trials the runs were to have.
    planned: u64,
    /// Whether there is a run for every shard.
    complete: bool,
}

/// A run to merge.
struct Source {
    folder: RunFolder,
    record: RunRecord,
}

fn merge(arguments: &MergeArguments) -> Result<Merged, Refused> {
    let results = folder::results_here()?;
    let sources = sources(arguments, &results)?;
    let complete = tell_missing_shards(&sources);
    tell_different_files(&sources);
    let folder = open_or_create(&results, &merged_id(&sources)?)?;
    let not_written = folder::not_written;
    let mut writer = folder.write(Timestamp::now()).map_err(not_written)?;
    let folders: Vec<RunFolder> = sources.iter().map(|source| source.folder.clone()).collect();
    let rule = MergeRule {
        key: trial_fields(),
        time: "timestamp".to_owned(),
    };
    for file in [RecordFile::Transcripts, RecordFile::Results] {
        let merged = writer.merge(file, &folders, &rule).map_err(not_written)?;
        for (path, damage) in &merged.damage {
            output::warning(&format!("`{}`: {damage}", path.display()));
        }
    }
    let mut record = merged_record(&sources);
    let mut fold = SummaryFold::new();
    each_result(&folder, &mut |result| fold.add(&result))?;
    let summary = fold.finish(record.files.iter().map(|file| file.skipped).sum());
    record.totals = serde_json::to_value(&summary).ok();
    writer.write_run(&record).map_err(not_written)?;
    Ok(Merged {
        folder,
        summary,
        planned: record.planned,
        complete,
    })
}

/// The runs that are asked for, each once, in an order that does not depend on how they are named.
fn sources(arguments: &MergeArguments, results: &Path) -> Result<Vec<Source>, Refused> {
    let mut by_place: BTreeMap<PathBuf, Source> = BTreeMap::new();
    for name in &arguments.runs {
        let (folder, record) = folder::find(results, name)?;
        folder::refuse_calibration(&folder, &record)?;
        folder::refuse_unfinished(&folder)?;
        let place = std::fs::canonicalize(folder.path());
        let place = place.unwrap_or_else(|_| folder.path().to_owned());
        by_place.insert(place, Source { folder, record });
    }
    let mut sources: Vec<Source> = by_place.into_values().collect();
    sources.sort_by_cached_key(identity);
    Ok(sources)
}

/// What tells one run from another, wherever its folder is and whatever that is called.
fn identity(source: &Source) -> String {
    let RunRecord {
        started_at, shard, ..
    } = &source.record;
    let shard = shard.as_deref().unwrap_or_default();
    format!("{} {started_at} {shard}", source.folder.id())
}

/// How many missing shards are named.
const MOST_SHARDS_TOLD: usize = 20;

/// Says which shards are not there; whether all are.
fn tell_missing_shards(sources: &[Source]) -> bool {
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
        // The record of somebody else's run may say anything.
        let told: Vec<String> = missing
            .take(MOST_SHARDS_TOLD + 1)
            .map(|index| format!("{index}/{count}"))
            .collect();
        if !told.is_empty() {
            complete = false;
            let more = if told.len() > MOST_SHARDS_TOLD {
                ", …"
            } else {
                ""
            };
            let missing = told[..told.len().min(MOST_SHARDS_TOLD)].join(", ") + more;
            output::warning(&format!(
                "there is no run of shard {missing}: run it with `--shard`, then merge again"
            ));
        }
    }
    complete
}

/// Shards of one run are of the same files.
fn tell_different_files(sources: &[Source]) {
    let files = |source: &Source| -> BTreeSet<String> {
        let files = source.record.files.iter();
        files.map(|file| file.path.clone()).collect()
    };
    let different = sources
        .windows(2)
        .find(|pair| files(&pair[0]) != files(&pair[1]));
    if let Some([one, other]) = different {
        output::warning(&format!(
            "the runs `{}` and `{}` are of different files",
            one.folder.id(),
            other.folder.id()
        ));
    }
}

/// The same for the same runs, so that merging again gives the same run.
fn merged_id(sources: &[Source]) -> Result<RunId, Refused> {
    let identities: Vec<String> = sources.iter().map(identity).collect();
    let id = format!("merged-{}", digest_of_text(&identities.join("\n")));
    id.parse()
        .map_err(|error: agentv_journal::InvalidRunId| Refused::because(error.to_string()))
}

fn open_or_create(results: &Path, id: &RunId) -> Result<RunFolder, Refused> {
    match RunFolder::create(results, id) {
        Err(FolderError::Exists(_)) => {
            RunFolder::open(&results.join(id.as_str())).map_err(folder::unusable)
        }
        created => created.map_err(|error| Refused::not_written(error.to_string())),
    }
}

/// What the runs were asked to do, together.
fn merged_record(sources: &[Source]) -> RunRecord {
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
    // What holds for some of them only does not hold for the whole.
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
        ..first
    }
}

/// The texts that evaluators read, but for those of paths that stood for several.
fn evaluator_files(sources: &[Source]) -> BTreeMap<String, String> {
    let of_each = sources.iter().map(|source| &source.record.evaluator_files);
    let is_same = |path: &str, text: &str| {
        let mut others = of_each.clone().filter_map(|files| files.get(path));
        others.all(|other| other == text)
    };
    let texts = of_each.clone().flatten();
    let texts = texts.filter(|(path, text)| is_same(path, text));
    joined(texts.map(|(path, text)| (path.clone(), text.clone())))
}

/// How many trials the runs were to have: of runs of the same shard, or of the same files where they
/// are no shards, the largest counts.
fn planned(sources: &[Source]) -> u64 {
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
