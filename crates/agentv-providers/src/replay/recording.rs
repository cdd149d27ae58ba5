//! A file of answers. Only the places of the answers are in memory.

use std::collections::HashSet;
use std::fs::File;
use std::io::{self, BufReader};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use agentv_core::{Cause, ProviderError, Transcript};
use agentv_journal::{Line, Reader};
use agentv_syntax::nearest;

use super::answer_line::{AnswerLineError, LineId, RecordedAnswer, TranscriptLine, without_mark};
use super::error::{ChoiceError, RecordingError};
use super::index::Index;
use super::line;
use super::source::{Format, Source};
use crate::excerpt::excerpt;

/// The number of missing cases that get a suggestion, and the number of lines that are searched for
/// one.
const SUGGESTIONS: u32 = 20;
const LINES_FOR_A_SUGGESTION: usize = 20_000;

/// The answers of a file, found by the id of a case.
pub(super) struct Recording {
    file: File,
    source: Source,
    index: Index,
    /// The target that replays. In a run of several targets, its answers are those of the target with
    /// the same name.
    target: String,
    root: PathBuf,
    suggested: AtomicU32,
}

/// The case and trial that an answer is wanted for.
pub(super) struct WantedAnswer {
    pub(super) id: String,
    pub(super) trial: u32,
    pub(super) eval_file: Arc<str>,
    pub(super) folder: Arc<Path>,
}

impl Recording {
    /// Reads the whole file once and remembers the place of each answer.
    ///
    /// # Errors
    /// If the file cannot be read, or a line of it is not an answer.
    pub(super) fn open(
        source: Source,
        target: &str,
        root: &Path,
    ) -> Result<Recording, RecordingError> {
        let file = File::open(&source.path).map_err(|error| unreadable(&source, error))?;
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

    /// Returns the answer to a case.
    ///
    /// # Errors
    /// If there is no such answer, or several and none is clearly the right one.
    pub(super) fn answer(&self, wanted: &WantedAnswer) -> Result<Transcript, ProviderError> {
        let mut answers = Vec::new();
        for offset in self.index.places(&wanted.id) {
            let answer = self.read(offset).map_err(|reason| {
                let shown = &self.source.shown;
                let message = format!("`{shown}` changed during the run: {reason}");
                ProviderError::new(Cause::Answer, message)
            })?;
            if answer.id == wanted.id {
                answers.push(answer);
            }
        }
        let missing = |message: String| ProviderError::new(Cause::Missing, message);
        if answers.is_empty() {
            return Err(missing(self.not_there(&wanted.id)));
        }
        self.choose(answers, wanted)
            .map(|answer| answer.transcript)
            .map_err(|error| missing(error.to_string()))
    }

    /// Chooses among several answers to the case.
    fn choose(
        &self,
        answers: Vec<RecordedAnswer>,
        wanted: &WantedAnswer,
    ) -> Result<RecordedAnswer, ChoiceError> {
        let answers = preferred(answers, |answer| {
            answer.target.as_ref() == Some(&self.target)
        });
        let answers = preferred(answers, |answer| {
            answer.eval_file.as_deref() == Some(&*wanted.eval_file)
        });
        let answers = preferred(answers, |answer| {
            let file = answer.eval_file.as_ref();
            file.is_some_and(|file| self.root.join(file).parent() == Some(&*wanted.folder))
        });
        let ambiguous = |kind, names| ChoiceError::Ambiguous {
            shown: self.source.shown.clone(),
            kind,
            id: wanted.id.clone(),
            names,
        };
        if let Some(names) = different(&answers, |answer| answer.target.as_deref()) {
            return Err(ambiguous("targets", names));
        }
        if let Some(names) = different(&answers, |answer| answer.eval_file.as_deref()) {
            return Err(ambiguous("eval files", names));
        }
        of_trial(answers, wanted.trial).ok_or_else(|| ChoiceError::NoTrial {
            shown: self.source.shown.clone(),
            id: wanted.id.clone(),
            trial: wanted.trial,
        })
    }

    fn read(&self, offset: u64) -> Result<RecordedAnswer, AnswerLineError> {
        let bytes = line::at(&self.file, offset)?;
        match self.source.format {
            Format::Answers => RecordedAnswer::of_answer(&bytes),
            Format::Transcripts => RecordedAnswer::of_transcript(&bytes),
        }
    }

    /// Refuses two answers to the same trial of a case, since one of them would never be given.
    fn refuse_repeated(&self) -> Result<(), RecordingError> {
        for places in self.index.shared() {
            let mut known = HashSet::new();
            for offset in places {
                let RecordedAnswer { id, trial, .. } = self.read(offset)?;
                if !known.insert((id.clone(), trial)) {
                    let number = self.number_of(offset);
                    return Err(RecordingError::Repeated {
                        number: number.map_err(|error| unreadable(&self.source, error))?,
                        shown: self.source.shown.clone(),
                        id: excerpt(&id),
                    });
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
            if let Ok(LineId { id }) = serde_json::from_slice(&bytes) {
                known.push(id);
            }
        }
        nearest(id, known.iter().map(String::as_str)).map(str::to_owned)
    }
}

/// Returns the answers that fit, or all if none does.
fn preferred(
    answers: Vec<RecordedAnswer>,
    fits: impl Fn(&RecordedAnswer) -> bool,
) -> Vec<RecordedAnswer> {
    if !answers.iter().any(&fits) {
        return answers;
    }
    answers.into_iter().filter(fits).collect()
}

/// Returns the names of the answers if they differ.
fn different(
    answers: &[RecordedAnswer],
    name: fn(&RecordedAnswer) -> Option<&str>,
) -> Option<String> {
    let mut names: Vec<&str> = answers.iter().filter_map(name).collect();
    names.sort_unstable();
    names.dedup();
    (names.len() > 1).then(|| format!("`{}`", excerpt(&names.join("`, `"))))
}

/// Returns the answer of this trial, else one for all trials, else that of the only trial. The last of
/// several counts, as in a run.
fn of_trial(mut answers: Vec<RecordedAnswer>, trial: u32) -> Option<RecordedAnswer> {
    let last = |wanted: Option<u32>| answers.iter().rposition(|answer| answer.trial == wanted);
    let first = answers.first()?.trial;
    let only = answers.iter().all(|answer| answer.trial == first);
    let place = last(Some(trial)).or_else(|| last(None));
    let place = place.or_else(|| only.then(|| answers.len() - 1))?;
    Some(answers.swap_remove(place))
}

fn unreadable(source: &Source, error: io::Error) -> RecordingError {
    RecordingError::Unreadable {
        shown: source.shown.clone(),
        source: error,
    }
}

fn index_answers(source: &Source) -> Result<Index, RecordingError> {
    let unreadable = |error: io::Error| unreadable(source, error);
    let file = File::open(&source.path).map_err(unreadable)?;
    let mut file = BufReader::with_capacity(1 << 18, file);
    let mut index = Index::default();
    let mut bytes = Vec::new();
    let (mut offset, mut number) = (0, 0);
    loop {
        let taken = line::next(&mut file, &mut bytes).map_err(unreadable)?;
        if taken == 0 {
            return Ok(index);
        }
        number += 1;
        if !without_mark(&bytes).trim_ascii().is_empty() {
            let answer = RecordedAnswer::of_answer(&bytes);
            let answer = answer.map_err(|error| RecordingError::Line {
                number,
                shown: source.shown.clone(),
                source: error,
            })?;
            index.add(&answer.id, offset);
        }
        offset += taken as u64;
    }
}

fn index_transcripts(source: &Source) -> Result<Index, RecordingError> {
    let mut index = Index::default();
    for record in Reader::<TranscriptLine>::open(&source.path)? {
        match record? {
            Line::Record(record) => index.add(&record.value.eval_id, record.offset),
            Line::Damaged(damage) => {
                return Err(RecordingError::NotATranscript {
                    number: damage.line,
                    shown: source.shown.clone(),
                    reason: damage.reason.to_string(),
                });
            }
        }
    }
    Ok(index)
}
