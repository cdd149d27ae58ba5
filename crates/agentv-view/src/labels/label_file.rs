//! The file of labels: read and replaced as a whole, by one process at a time.

use std::fs::{self, File};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use agentv_journal::{Access, AtomicFile, FileError};
use serde_json::{Map, Value};
use thiserror::Error;

use super::answer::Answer;
use super::label::{Label, Labelling, Source};

/// The longest note in characters.
const LONGEST_NOTE: usize = 10_000;

/// The labels of a project.
#[derive(Debug)]
pub struct LabelFile {
    path: PathBuf,
    /// Threads of this process wait here, other processes for the lock of a file.
    turn: Mutex<()>,
}

/// A reason why a label is not written.
#[derive(Debug, Error)]
pub enum LabelError {
    /// The label has changed since the person saw it.
    #[error("this answer was labelled elsewhere in the meantime")]
    Changed(Box<Option<Label>>),
    /// The label is not valid.
    #[error("{0}")]
    Invalid(String),
    /// The file cannot be read or written.
    #[error(transparent)]
    File(#[from] FileError),
}

impl LabelFile {
    /// Returns the file at a path, which may not exist yet.
    pub fn at(path: PathBuf) -> LabelFile {
        LabelFile {
            path,
            turn: Mutex::new(()),
        }
    }

    /// Returns its path.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Reads all labels. Lines that are not labels of this page are skipped.
    ///
    /// # Errors
    /// Fails if the file cannot be read.
    pub fn read(&self) -> Result<Vec<Label>, FileError> {
        let text = self.text()?;
        let labels = text
            .lines()
            .filter_map(|line| serde_json::from_str(line).ok());
        Ok(labels.collect())
    }

    /// Writes a label of an answer, in place of an earlier one, and leaves all other lines unchanged.
    ///
    /// # Errors
    /// Fails if the label has changed since the person saw it, is not valid, or cannot be written.
    pub fn put(
        &self,
        answer: &Answer,
        labelling: &Labelling,
        by: &str,
        at: &str,
    ) -> Result<Option<Label>, LabelError> {
        check(labelling)?;
        let _turn = self.turn.lock().unwrap_or_else(PoisonError::into_inner);
        let _lock = self.locked()?;
        let text = self.text()?;
        let known = text.lines().find_map(|line| label_of(line, &answer.id));
        let seen = known.as_ref().map(|label| &*label.labelled.at);
        if seen != labelling.seen.as_deref() {
            return Err(LabelError::Changed(Box::new(known)));
        }
        let label = (!labelling.is_removal()).then(|| label_from(answer, labelling, by, at));
        let line = label.as_ref().map(|label| line_of(answer, label));
        self.replace(&text, &answer.id, line)?;
        Ok(label)
    }

    /// Replaces the line of an answer, or appends it.
    fn replace(&self, text: &str, id: &str, line: Option<String>) -> Result<(), FileError> {
        let mut next = line;
        let mut lines: Vec<String> = Vec::new();
        for old in text.lines() {
            if label_of(old, id).is_some() {
                lines.extend(next.take());
            } else {
                lines.push(old.to_owned());
            }
        }
        lines.extend(next);
        let failed = |source| file_error("write", &self.path, source);
        let mut file = AtomicFile::create(&self.path, Access::Umask).map_err(failed)?;
        let written = lines.iter().try_for_each(|line| writeln!(file, "{line}"));
        written.and_then(|()| file.commit()).map_err(failed)
    }

    fn text(&self) -> Result<String, FileError> {
        match fs::read(&self.path) {
            Ok(bytes) => Ok(String::from_utf8_lossy(&bytes).into_owned()),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(String::new()),
            Err(error) => Err(file_error("read", &self.path, error)),
        }
    }

    /// Waits until no other process writes labels.
    fn locked(&self) -> Result<File, FileError> {
        let path = self.path.with_extension("lock");
        let failed = |source| file_error("lock", &path, source);
        let mut options = File::options();
        let file = options
            .create(true)
            .append(true)
            .open(&path)
            .map_err(failed)?;
        file.lock().map_err(failed)?;
        Ok(file)
    }
}

fn file_error(action: &'static str, path: &Path, source: io::Error) -> FileError {
    FileError {
        action,
        path: path.to_owned(),
        source,
    }
}

/// Returns the label on a line, if it is that of an answer.
fn label_of(line: &str, id: &str) -> Option<Label> {
    let label: Label = serde_json::from_str(line).ok()?;
    (label.id == id).then_some(label)
}

fn check(labelling: &Labelling) -> Result<(), LabelError> {
    let is_score = |score: f64| (0.0..=1.0).contains(&score);
    if labelling.score.is_some_and(|score| !is_score(score)) {
        let reason = "a score must be a number from 0 to 1";
        return Err(LabelError::Invalid(reason.to_owned()));
    }
    let note = labelling.note.as_deref().unwrap_or_default();
    if note.chars().count() > LONGEST_NOTE {
        let reason = format!("a note has at most {LONGEST_NOTE} characters");
        return Err(LabelError::Invalid(reason));
    }
    Ok(())
}

fn label_from(answer: &Answer, labelling: &Labelling, by: &str, at: &str) -> Label {
    let note = labelling.note.as_deref().map(str::trim);
    let name = &answer.name;
    Label {
        id: answer.id.clone(),
        human_verdict: labelling.verdict,
        human_score: labelling.score,
        human_note: note.filter(|note| !note.is_empty()).map(str::to_owned),
        labelled: Source {
            by: by.to_owned(),
            at: at.to_owned(),
            blind: labelling.blind,
            run: labelling.run.clone(),
            eval_file: name.file.clone(),
            eval_id: name.id.clone(),
            target: name.target.clone(),
            trial: name.trial,
        },
    }
}

/// Returns the line of a label: the case and its answer, then the label.
fn line_of(answer: &Answer, label: &Label) -> String {
    let mut line: Map<String, Value> = answer.line();
    if let Ok(Value::Object(fields)) = serde_json::to_value(label) {
        line.extend(fields);
    }
    Value::Object(line).to_string()
}
