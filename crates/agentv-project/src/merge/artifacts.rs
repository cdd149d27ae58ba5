//! The files of transcripts in a merged run.

use std::collections::HashMap;
use std::fs;
use std::io;
use std::path::{Component, Path};

use agentv_core::Artifact;
use agentv_journal::{Line, RecordFile, RunFolder, create_private};
use serde::Deserialize;

use crate::error::ProjectError;

/// The folder of these files in a run folder.
const ARTIFACTS: &str = "artifacts";

/// The part of a transcript's record that names its files.
#[derive(Deserialize)]
struct Listed {
    #[serde(default)]
    timestamp: String,
    #[serde(default)]
    transcript: ListedTranscript,
}

#[derive(Deserialize, Default)]
struct ListedTranscript {
    #[serde(default)]
    artifacts: Vec<Artifact>,
}

/// Copies the files of the transcripts that the merged run has taken from its sources.
///
/// # Errors
/// If a file cannot be copied. One that is missing from its source stays missing.
pub(super) fn copy_artifacts(
    merged: &RunFolder,
    sources: &[RunFolder],
) -> Result<(), ProjectError> {
    let has_files = |source: &&RunFolder| source.path().join(ARTIFACTS).is_dir();
    let sources: Vec<&RunFolder> = sources.iter().filter(has_files).collect();
    if sources.is_empty() {
        return Ok(());
    }
    // A path belongs to one trial, and its time decides whose record of the trial counts.
    let mut wanted: HashMap<String, String> = HashMap::new();
    each_file(merged, |path, time| {
        wanted.insert(path, time);
        Ok(())
    })?;
    for source in sources {
        each_file(source, |path, time| {
            if wanted.get(&path) == Some(&time) {
                copy(&source.path().join(&path), &merged.path().join(&path))?;
            }
            Ok(())
        })?;
    }
    Ok(())
}

/// Visits the paths of all files of transcripts in a run, with the times of their records.
fn each_file(
    run: &RunFolder,
    mut visit: impl FnMut(String, String) -> io::Result<()>,
) -> Result<(), ProjectError> {
    let records = run.records::<Listed>(RecordFile::Transcripts);
    let records = records.map_err(ProjectError::from_error)?;
    for line in records {
        let Line::Record(record) = line.map_err(ProjectError::from_error)? else {
            continue;
        };
        let Listed {
            timestamp,
            transcript,
        } = record.value;
        let paths = transcript.artifacts.into_iter();
        for path in paths.filter_map(|artifact| artifact.path) {
            if is_inside(&path) {
                visit(path, timestamp.clone()).map_err(ProjectError::not_written)?;
            }
        }
    }
    Ok(())
}

/// Checks that a path stays in the folder for these files. A record may come from anywhere.
fn is_inside(path: &str) -> bool {
    let path = Path::new(path);
    let is_name = |part| matches!(part, Component::Normal(_));
    path.starts_with(ARTIFACTS) && path.components().all(is_name)
}

fn copy(from: &Path, to: &Path) -> io::Result<()> {
    // A link could lead to any file of this machine.
    if !fs::symlink_metadata(from).is_ok_and(|found| found.is_file()) {
        return Ok(());
    }
    create_private(to)?;
    fs::copy(from, to).map(drop)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_that_lead_elsewhere_are_refused() {
        assert!(is_inside("artifacts/a-1/stream.jsonl"));
        for path in [
            "artifacts/../run.json",
            "/etc/passwd",
            "../artifacts/a",
            "other/a",
            "",
        ] {
            assert!(!is_inside(path), "{path}");
        }
    }
}
