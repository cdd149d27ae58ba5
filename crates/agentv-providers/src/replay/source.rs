//! The file with the answers of a replay.

use std::path::{Path, PathBuf};

use agentv_journal::{RecordFile, list_runs};
use agentv_syntax::nearest;

use crate::target::{SettingError, Settings};

/// A file of answers.
pub(super) struct Source {
    pub(super) path: PathBuf,
    /// The path, as the user wrote it.
    pub(super) shown: String,
    pub(super) format: Format,
}

/// The format of the lines.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Format {
    /// Objects such as `{id, text}` or `{id, output_messages, …}`.
    Answers,
    /// The transcripts of a run.
    Transcripts,
}

/// Finds the file of the field `path`: a JSONL file, the folder of a run, or the id of a run.
///
/// # Errors
/// If there is no such file or run.
pub(super) fn find(settings: &Settings) -> Result<Source, SettingError> {
    let shown = settings.text("path").unwrap_or_default().to_owned();
    let path = settings.folder().join(&shown);
    if path.is_dir() {
        return run_in(&path, shown);
    }
    if path.exists() && !path.is_file() {
        let message = format!("`{shown}` is neither a file nor a folder");
        let hint = "answers are read more than once: write them to a regular file";
        return Err(SettingError::of("path", message).hint(hint));
    }
    if path.exists() {
        let transcripts = path.file_name().is_some_and(|name| name == transcripts());
        return Ok(Source {
            path,
            shown,
            format: if transcripts {
                Format::Transcripts
            } else {
                Format::Answers
            },
        });
    }
    let results = settings.surroundings().root.join(".agentv/results");
    let run = results.join(&shown);
    if !shown.contains(['/', '\\']) && run.is_dir() {
        return run_in(&run, shown);
    }
    Err(nothing(&shown, settings.folder(), &results))
}

fn transcripts() -> &'static str {
    RecordFile::Transcripts.name()
}

fn run_in(folder: &Path, shown: String) -> Result<Source, SettingError> {
    let path = folder.join(transcripts());
    if !path.is_file() {
        let message = format!("`{shown}` is a folder without `{}`", transcripts());
        let hint = "give a JSONL file, or the folder or id of an earlier run";
        return Err(SettingError::of("path", message).hint(hint));
    }
    Ok(Source {
        path,
        shown,
        format: Format::Transcripts,
    })
}

fn nothing(shown: &str, folder: &Path, results: &Path) -> SettingError {
    let folder = folder.display();
    let message = format!("`{shown}` not found in `{folder}`, and no run has that id");
    let error = SettingError::of("path", message);
    let runs = list_runs(results).unwrap_or_default();
    let ids: Vec<_> = runs.iter().map(|run| run.folder.id().as_str()).collect();
    match (nearest(shown, ids.iter().copied()), ids.first()) {
        (Some(guess), _) => error.hint(format!("did you mean the run `{guess}`?")),
        (None, Some(newest)) => error.hint(format!("the newest run is `{newest}`")),
        (None, None) => error,
    }
}
