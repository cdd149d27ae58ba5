//! The question, the expected answer and the actual answer of a trial, for reports.

use agentv_core::{EvalCase, Prompt, ResultRecord, Role};
use agentv_journal::FileError;

use crate::results::{RunResults, Transcripts};
use crate::text::clip;

/// The number of bytes that a report shows of each text.
const LONGEST: usize = 1_000;

/// The transcripts of a run, for looking up what its trials asked and expected.
pub(crate) struct Exchanges(Option<Transcripts>);

/// The texts of a trial that explain its result, each cut to a limit.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Exchange {
    /// None if the target gave no answer, or if the results have no transcripts.
    pub(crate) question: Option<String>,
    /// The reference answer, else the expected outcome.
    pub(crate) expected: Option<String>,
    pub(crate) answer: Option<String>,
    /// The line of the eval file on which the case begins.
    pub(crate) line: Option<u64>,
}

impl Exchanges {
    pub(crate) fn of(run: &RunResults) -> Result<Exchanges, FileError> {
        Ok(Exchanges(run.transcripts()?))
    }

    /// Returns the texts of a trial.
    pub(crate) fn get(&mut self, record: &ResultRecord) -> Result<Exchange, FileError> {
        let transcript = match &mut self.0 {
            Some(transcripts) => transcripts.get(&record.answer_key)?,
            None => None,
        };
        let case = transcript.as_ref().map(|transcript| &*transcript.case);
        Ok(Exchange {
            question: case.map(|case| shortened(&Prompt::of(case).question)),
            expected: case.and_then(expected).map(|text| shortened(&text)),
            answer: record.candidate_answer.as_deref().map(shortened),
            line: case
                .and_then(|case| Some(case.source.as_ref()?.line))
                .or(record.line),
        })
    }
}

fn expected(case: &EvalCase) -> Option<String> {
    let answers = case.expected_messages.iter().rev();
    let mut answers = answers.filter(|message| message.role == Role::Assistant);
    let reference = answers.find_map(|message| message.content.as_ref());
    let reference = reference.map(agentv_core::Content::text);
    reference
        .filter(|text| !text.is_empty())
        .or_else(|| case.expected_outcome.clone())
}

fn shortened(text: &str) -> String {
    if text.len() <= LONGEST {
        return text.to_owned();
    }
    format!("{}…", clip(text, LONGEST))
}

impl Exchange {
    /// Returns the texts with their names, those that exist.
    pub(crate) fn parts(&self) -> impl Iterator<Item = (&'static str, &str)> {
        let parts = [
            ("question", &self.question),
            ("expected", &self.expected),
            ("answer", &self.answer),
        ];
        parts
            .into_iter()
            .filter_map(|(name, text)| Some((name, text.as_deref()?)))
    }
}
