//! A file of answers, of which only the places are held in memory.

use std::collections::HashSet;
use std::fs::File;
use std::io::{self, BufReader};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use agentv_core::{Cause, ProviderError, Transcript};
use agentv_journal::{Line, Reader};
use agentv_syntax::nearest;
use serde::Deserialize;
use serde_json::Value;

use super::index::Index;
use super::line;
use super::source::{Format, Source};
use crate::answer;
use crate::excerpt::excerpt;

/// How many cases that are not there get a suggestion, and how many lines are looked at for one.
const SUGGESTIONS: u32 = 20;
const LINES_FOR_A_SUGGESTION: usize = 20_000;

/// The answers of a file, found by the id of a case.
pub(super) struct Recording {
    file: File,
    source: Source,
    index: Index,
    /// The target that replays: in a run of several targets, that of the same name is meant.
    target: String,
    root: PathBuf,
    suggested: AtomicU32,
}

/// Which answer is wanted.
pub(super) struct Question {
    pub(super) id: String,
    pub(super) trial: u32,
    pub(super) eval_file: Arc<str>,
    pub(super) folder: Arc<Path>,
}

/// One answer of the file.
struct Answer {
    id: String,
    /// `None` serves every trial.
    trial: Option<u32>,
    target: Option<String>,
    eval_file: Option<String>,
    transcript: Transcript,
}

impl Recording {
    /// Reads the file through once and remembers where each answer is.
    ///
    /// # Errors
    /// When the file cannot be read or a line of it holds no answer, in words.
    pub(super) fn open(source: Source, target: &str, root: &Path) -> Result<Recording, String> {
        let file = File::open(&source.path)
            .map_err(|error| format!("`{}` cannot be read: {error}", source.shown))?;
        let mut index = match source.format {
            Format::Answers => index_answers(&source)?,
            Format::Transcripts => index_transcripts(&source)?,
        };
        index.finish();
        let recording = Recording {
            file,
            source,
            index,
            target: target.to_owned(),
            root: root.to_owned(),
            suggested: AtomicU32::new(0),
        };
        if recording.source.format == Format::Answers {
            recording.refuse_repeated()?;
        }
        Ok(recording)
    }

    /// The answer to a case.
    pub(super) fn answer(&self, question: &Question) -> Result<Transcript, ProviderError> {
        let mut answers = Vec::new();
        for offset in self.index.places(&question.id) {
            let answer = self.read(offset).map_err(|reason| {
                let shown = &self.source.shown;
                let message = format!("`{shown}` was changed while it was used: {reason}");
                ProviderError::new(Cause::Answer, message)
            })?;
            if answer.id == question.id {
                answers.push(answer);
            }
        }
        let missing = |message: String| ProviderError::new(Cause::Missing, message);
        if answers.is_empty() {
            return Err(missing(self.not_there(&question.id)));
        }
        self.choose(answers, question)
            .map(|answer| answer.transcript)
            .map_err(missing)
    }

    /// The one that is meant, among several answers to the case.
    fn choose(&self, answers: Vec<Answer>, question: &Question) -> Result<Answer, String> {
        let answers = preferred(answers, |answer| {
            answer.target.as_ref() == Some(&self.target)
        });
        let answers = preferred(answers, |answer| {
            answer.eval_file.as_deref() == Some(&*question.eval_file)
        });
        let answers = preferred(answers, |answer| {
            let file = answer.eval_file.as_ref();
            file.is_some_and(|file| self.root.join(file).parent() == Some(&*question.folder))
        });
        let about = format!("`{}` has answers of several", self.source.shown);
        one(&answers, |answer| answer.target.as_deref())
            .map_err(|names| format!("{about} targets to `{}` ({names})", question.id))?;
        one(&answers, |answer| answer.eval_file.as_deref())
            .map_err(|names| format!("{about} eval files to `{}` ({names})", question.id))?;
        of_trial(answers, question.trial).ok_or_else(|| {
            format!(
                "`{}` has several answers to `{}`, but none of trial {}",
                self.source.shown, question.id, question.trial
            )
        })
    }

    fn read(&self, offset: u64) -> Result<Answer, String> {
        let bytes = line::at(&self.file, offset).map_err(|error| error.to_string())?;
        match self.source.format {
            Format::Answers => answer_in(&bytes),
            Format::Transcripts => serde_json::from_slice::<TranscriptLine>(&bytes)
                .map(Answer::from)
                .map_err(|error| error.to_string()),
        }
    }

    /// Two answers to the same trial of a case: one of them would never be given.
    fn refuse_repeated(&self) -> Result<(), String> {
        for places in self.index.shared() {
            let mut known = HashSet::new();
            for offset in places {
                let Answer { id, trial, .. } = self.read(offset)?;
                let shown = &self.source.shown;
                if !known.insert((id.clone(), trial)) {
                    let number = self.number_of(offset).map_err(|error| error.to_string())?;
                    return Err(format!(
                        "line {number} of `{shown}` answers `{}` again; \
                         to answer several trials, give each line a `trial`",
                        excerpt(&id)
                    ));
                }
            }
        }
        Ok(())
    }

    fn number_of(&self, offset: u64) -> io::Result<u64> {
        let mut file = BufReader::new(File::open(&self.source.path)?);
        let mut bytes = Vec::new();
        let (mut at, mut number) = (0, 1);
        while at < offset {
            at += line::next(&mut file, &mut bytes)? as u64;
            number += 1;
        }
        Ok(number)
    }

    fn not_there(&self, id: &str) -> String {
        let shown = &self.source.shown;
        match self.suggestion(id) {
            Some(guess) => format!("`{shown}` has no answer to `{id}`; did you mean `{guess}`?"),
            None => format!("`{shown}` has no answer to `{id}`"),
        }
    }

    fn suggestion(&self, id: &str) -> Option<String> {
        if self.suggested.fetch_add(1, Ordering::Relaxed) >= SUGGESTIONS {
            return None;
        }
        let mut file = BufReader::new(File::open(&self.source.path).ok()?);
        let mut bytes = Vec::new();
        let mut known = Vec::new();
        for _ in 0..LINES_FOR_A_SUGGESTION {
            if line::next(&mut file, &mut bytes).ok()? == 0 {
                break;
            }
            if let Ok(Id { id }) = serde_json::from_slice(&bytes) {
                known.push(id);
            }
        }
        nearest(id, known.iter().map(String::as_str)).map(str::to_owned)
    }
}

/// Those that fit, or all where none does.
fn preferred(answers: Vec<Answer>, fits: impl Fn(&Answer) -> bool) -> Vec<Answer> {
    if !answers.iter().any(&fits) {
        return answers;
    }
    answers.into_iter().filter(fits).collect()
}

/// Refuses answers of which it is not clear which is meant, with the names that they have.
fn one(answers: &[Answer], name: fn(&Answer) -> Option<&str>) -> Result<(), String> {
    let mut names: Vec<&str> = answers.iter().filter_map(name).collect();
    names.sort_unstable();
    names.dedup();
    match names.len() {
        0 | 1 => Ok(()),
        _ => Err(format!("`{}`", excerpt(&names.join("`, `")))),
    }
}

/// The answer of this trial, else one that serves all, else that of the only trial there is. The last
/// of equal ones counts, as in the run itself.
fn of_trial(mut answers: Vec<Answer>, trial: u32) -> Option<Answer> {
    let last = |wanted: Option<u32>| answers.iter().rposition(|answer| answer.trial == wanted);
    let first = answers.first()?.trial;
    let only = answers.iter().all(|answer| answer.trial == first);
    let place = last(Some(trial)).or_else(|| last(None));
    let place = place.or_else(|| only.then(|| answers.len() - 1))?;
    Some(answers.swap_remove(place))
}

fn index_answers(source: &Source) -> Result<Index, String> {
    let Source { path, shown, .. } = source;
    let unreadable = |error: io::Error| format!("`{shown}` cannot be read: {error}");
    let mut file = BufReader::with_capacity(1 << 18, File::open(path).map_err(unreadable)?);
    let mut index = Index::default();
    let mut bytes = Vec::new();
    let (mut offset, mut number) = (0, 0);
    loop {
        let taken = line::next(&mut file, &mut bytes).map_err(unreadable)?;
        if taken == 0 {
            return Ok(index);
        }
        number += 1;
        let text = without_mark(&bytes);
        if !text.trim_ascii().is_empty() {
            let answer = answer_in(&bytes)
                .map_err(|reason| format!("line {number} of `{shown}`: {reason}"))?;
            index.add(&answer.id, offset);
        }
        offset += taken as u64;
    }
}

fn index_transcripts(source: &Source) -> Result<Index, String> {
    let Source { path, shown, .. } = source;
    let mut index = Index::default();
    let records = Reader::<TranscriptLine>::open(path).map_err(|error| error.to_string())?;
    for record in records {
        match record.map_err(|error| error.to_string())? {
            Line::Record(record) => index.add(&record.value.eval_id, record.offset),
            Line::Damaged(damage) => {
                return Err(format!(
                    "line {} of `{shown}` is no transcript: {}",
                    damage.line, damage.reason
                ));
            }
        }
    }
    Ok(index)
}

fn without_mark(bytes: &[u8]) -> &[u8] {
    bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes)
}

/// An answer from a line of a file that a user wrote.
fn answer_in(bytes: &[u8]) -> Result<Answer, String> {
    let value = serde_json::from_slice(without_mark(bytes)).map_err(|error| {
        let reason = error
            .to_string()
            .replace(" at line 1 column ", " at column ");
        format!("is not JSON: {reason}")
    })?;
    let Value::Object(mut fields) = value else {
        let found = answer::described(&value);
        return Err(format!("expected an object with `id`, found {found}"));
    };
    let id = match fields.shift_remove("id") {
        Some(Value::String(id)) => id,
        Some(other) => {
            let found = answer::described(&other);
            return Err(format!("`id`: expected a string, found {found}"));
        }
        None => return Err("missing id".to_owned()),
    };
    let trial = fields
        .shift_remove("trial")
        .filter(|trial| !trial.is_null());
    let trial = trial.map(|trial| {
        let number = trial.as_u64().and_then(|number| u32::try_from(number).ok());
        number.ok_or("`trial`: expected a whole number that is 1 or more")
    });
    Ok(Answer {
        id,
        trial: trial.transpose()?,
        target: None,
        eval_file: None,
        transcript: answer::of_fields(fields)?,
    })
}

/// What is read of a transcript record.
#[derive(Deserialize)]
struct TranscriptLine {
    eval_id: String,
    eval_file: String,
    target: String,
    trial: u32,
    transcript: Transcript,
}

impl From<TranscriptLine> for Answer {
    fn from(line: TranscriptLine) -> Answer {
        Answer {
            id: line.eval_id,
            trial: Some(line.trial),
            target: Some(line.target),
            eval_file: Some(line.eval_file),
            transcript: line.transcript,
        }
    }
}

#[derive(Deserialize)]
struct Id {
    #[serde(alias = "eval_id")]
    id: String,
}
