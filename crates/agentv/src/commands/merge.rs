//! `agentv merge`: the shards of a run into one run.

use std::collections::BTreeMap;
use std::io::{self, Write};
use std::path::Path;

use agentv_core::{RanFile, ResultRecord, RunRecord};
use agentv_journal::{FolderError, KeyFields, Line, MergeRule, RecordFile, RunFolder, RunId};
use agentv_report::{Closing, Summary, SummaryFold, render_summary};
use jiff::Timestamp;

use super::run::folder;
use super::run::refused::Refused;
use super::run::reporting::summary_style;
use crate::arguments::MergeArguments;
use crate::exit::{Exit, OutputError};
use crate::output;

pub(crate) fn run(arguments: &MergeArguments) -> Result<Exit, OutputError> {
    match merge(arguments) {
        Ok((folder, summary)) => {
            let shown = output::from_here(folder.path());
            let closing = Closing {
                folder: Some(&shown),
                planned: summary.trials,
                ..Closing::default()
            };
            let text = render_summary(&summary, &closing, summary_style());
            let mut stdout = io::stdout().lock();
            stdout.write_all(text.as_bytes())?;
            stdout.flush()?;
            Ok(Exit::Success)
        }
        Err(refused) => Ok(refused.tell()),
    }
}

/// What makes two records those of the same trial.
fn trial_key() -> KeyFields {
    KeyFields::new(["eval_file", "eval_id", "target", "trial"])
}

fn merge(arguments: &MergeArguments) -> Result<(RunFolder, Summary), Refused> {
    let results = results_here()?;
    let mut sources = Vec::new();
    for name in &arguments.runs {
        let source = folder::find(&results, name)?;
        let record = source.run::<RunRecord>().map_err(folder::unusable)?;
        let record = record.ok_or_else(|| {
            Refused::because(format!(
                "`{}` is no run: it has no run.json",
                source.path().display()
            ))
        })?;
        sources.push((source, record));
    }
    sources.sort_by(|(one, _), (other, _)| one.id().cmp(other.id()));
    sources.dedup_by(|(one, _), (other, _)| one.id() == other.id());
    let results = match sources
        .first()
        .and_then(|(source, _)| source.path().parent())
    {
        Some(folder) if !folder.as_os_str().is_empty() => folder.to_owned(),
        _ => results,
    };
    let target = open_or_create(&results, &merged_id(&sources)?)?;
    let not_written = |error: FolderError| Refused::not_written(error.to_string());
    let mut writer = target.write(Timestamp::now()).map_err(folder::unusable)?;
    let folders: Vec<RunFolder> = sources.iter().map(|(source, _)| source.clone()).collect();
    let rule = MergeRule {
        key: trial_key(),
        time: "timestamp".to_owned(),
    };
    for file in [RecordFile::Transcripts, RecordFile::Results] {
        let merged = writer.merge(file, &folders, &rule).map_err(not_written)?;
        for (path, damage) in &merged.damage {
            output::warning(&format!("`{}`: {damage}", path.display()));
        }
    }
    let record = merged_record(&sources);
    let summary = summary_of(&target, &record)?;
    let record = RunRecord {
        totals: serde_json::to_value(&summary).ok(),
        ..record
    };
    writer.write_run(&record).map_err(not_written)?;
    Ok((target, summary))
}

/// The results of the project around the working folder.
fn results_here() -> Result<std::path::PathBuf, Refused> {
    let here = std::env::current_dir().and_then(std::fs::canonicalize);
    let here = here.map_err(|error| Refused::because(format!("no working folder: {error}")))?;
    Ok(folder::results_of(
        &agentv_dataset::Project::around(&here).root,
    ))
}

/// The same for the same runs, so that merging again gives the same run.
fn merged_id(sources: &[(RunFolder, RunRecord)]) -> Result<RunId, Refused> {
    let ids: Vec<&str> = sources
        .iter()
        .map(|(source, _)| source.id().as_str())
        .collect();
    let id = format!("merged-{}", agentv_runner::digest_of_text(&ids.join("\n")));
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
fn merged_record(sources: &[(RunFolder, RunRecord)]) -> RunRecord {
    let records = || sources.iter().map(|(_, record)| record);
    let mut files: BTreeMap<&str, &RanFile> = BTreeMap::new();
    for file in records().flat_map(|record| &record.files) {
        files.entry(&file.path).or_insert(file);
    }
    let mut targets = Vec::new();
    for target in records().flat_map(|record| &record.targets) {
        if !targets.contains(target) {
            targets.push(target.clone());
        }
    }
    let first = records().next().cloned().unwrap_or_default();
    let earliest = records().map(|record| record.started_at.clone()).min();
    RunRecord {
        version: env!("CARGO_PKG_VERSION").to_owned(),
        started_at: earliest.unwrap_or_default(),
        finished_at: records()
            .filter_map(|record| record.finished_at.clone())
            .max(),
        files: files.into_values().cloned().collect(),
        targets,
        trials: records().map(|record| record.trials).max().unwrap_or(1),
        dry_run: records().any(|record| record.dry_run),
        shard: None,
        stopped: None,
        rerun_of: None,
        merged_from: sources
            .iter()
            .map(|(source, _)| source.id().to_string())
            .collect(),
        totals: None,
        ..first
    }
}

fn summary_of(folder: &RunFolder, record: &RunRecord) -> Result<Summary, Refused> {
    let unreadable = |error: agentv_journal::FileError| Refused::because(error.to_string());
    let latest = folder
        .latest(RecordFile::Results, &trial_key())
        .map_err(unreadable)?;
    let mut fold = SummaryFold::new();
    for line in latest.records::<ResultRecord>() {
        if let Line::Record(record) = line.map_err(unreadable)? {
            fold.add(&record.value);
        }
    }
    let skipped = record.files.iter().map(|file| file.skipped).sum();
    Ok(fold.finish(skipped))
}
