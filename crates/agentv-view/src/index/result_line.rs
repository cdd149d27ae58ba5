//! The parts of a result that the index needs.

use std::borrow::Cow;
use std::fmt;

use agentv_core::{Score, Status, Verdict};
use agentv_report::{excerpt, said};
use serde::Deserialize;
use serde::de::{Deserializer, IgnoredAny, MapAccess, Visitor};

use super::names::Names;
use super::row::Row;
use super::texts::{END, PART};

/// The number of bytes of a reason in a list.
const REASON: usize = 200;
/// The number of bytes of the texts of a trial that can be searched in the index.
pub(crate) const SEARCHED: usize = 4096;

/// A string that borrows if nothing in it is escaped. In an `Option` or a `Vec`, a `Cow` would always be copied.
#[derive(Debug, Deserialize)]
pub(crate) struct Text<'a>(#[serde(borrow)] Cow<'a, str>);

/// A result, without what lists do not need. Only the fields that identify the trial and its status are
/// required, so that records of other versions are read as far as possible.
#[derive(Debug, Deserialize)]
pub(crate) struct ResultLine<'a> {
    #[serde(borrow)]
    pub(crate) eval_file: Cow<'a, str>,
    position: Option<u64>,
    #[serde(borrow)]
    pub(crate) eval_id: Cow<'a, str>,
    #[serde(borrow, default)]
    dataset: Cow<'a, str>,
    #[serde(borrow)]
    pub(crate) target: Cow<'a, str>,
    pub(crate) trial: u32,
    status: Status,
    score: Option<f64>,
    #[serde(borrow, default)]
    hits: Vec<Text<'a>>,
    #[serde(borrow, default)]
    misses: Vec<Text<'a>>,
    #[serde(borrow)]
    pub(crate) candidate_answer: Option<Text<'a>>,
    #[serde(borrow)]
    reasoning: Option<Text<'a>>,
    #[serde(borrow, default)]
    evaluator_results: Vec<EvaluatorLine<'a>>,
    #[serde(borrow)]
    trace_summary: Option<TraceLine<'a>>,
    #[serde(default)]
    timing: TimingLine,
    #[serde(default)]
    cached: bool,
    #[serde(borrow)]
    error: Option<ErrorLine<'a>>,
    #[serde(borrow, default)]
    pub(crate) answer_key: Cow<'a, str>,
}

#[derive(Debug, Deserialize)]
struct EvaluatorLine<'a> {
    #[serde(borrow)]
    name: Cow<'a, str>,
    #[serde(borrow, rename = "type", default)]
    kind: Cow<'a, str>,
    score: Option<f64>,
    verdict: Option<Verdict>,
    #[serde(alias = "left_out")]
    skipped: Option<IgnoredAny>,
    #[serde(borrow)]
    reasoning: Option<Text<'a>>,
    #[serde(borrow)]
    error: Option<Text<'a>>,
}

#[derive(Debug, Deserialize)]
struct TraceLine<'a> {
    cost_usd: Option<f64>,
    #[serde(borrow, default)]
    tool_calls_by_name: FieldNames<'a>,
}

#[derive(Debug, Default, Deserialize)]
struct TimingLine {
    total_ms: Option<f64>,
}

#[derive(Debug, Deserialize)]
struct ErrorLine<'a> {
    #[serde(borrow)]
    message: Cow<'a, str>,
}

/// The names of the fields of an object.
#[derive(Debug, Default)]
struct FieldNames<'a>(Vec<Cow<'a, str>>);

impl<'de: 'a, 'a> Deserialize<'de> for FieldNames<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Fields;
        impl<'de> Visitor<'de> for Fields {
            type Value = FieldNames<'de>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object")
            }

            fn visit_map<M: MapAccess<'de>>(self, mut map: M) -> Result<Self::Value, M::Error> {
                let mut names = Vec::new();
                while let Some((Text(name), _)) = map.next_entry::<Text<'de>, IgnoredAny>()? {
                    names.push(name);
                }
                Ok(FieldNames(names))
            }
        }
        deserializer.deserialize_map(Fields)
    }
}

impl ResultLine<'_> {
    /// Returns the row of the trial. Its offsets and its transcript are set later.
    pub(crate) fn row(&self, names: &mut Names) -> Row {
        let status = Status::ALL.iter().position(|status| *status == self.status);
        let figure = |value: Option<f64>| value.filter(|value| value.is_finite());
        let position = self
            .position
            .and_then(|position| u32::try_from(position).ok());
        Row {
            at: 0,
            words: 0,
            score: figure(self.score).unwrap_or(f64::NAN),
            length: 0,
            transcript: Row::NO_TRANSCRIPT,
            ms: figure(self.timing.total_ms).map_or(f32::NAN, |ms| ms as f32),
            cost: figure(self.cost()).map_or(f32::NAN, |cost| cost as f32),
            file: names.files.number(&*self.eval_file),
            target: names.targets.number(&*self.target),
            dataset: names.datasets.number(&*self.dataset),
            trial: self.trial,
            position: position.unwrap_or(u32::MAX),
            verdicts: self.verdicts(names),
            tools: self.tools(names),
            status: status.unwrap_or_default() as u8,
            flags: 0,
        }
    }

    /// Returns the cost of the answer, as [`ResultRecord`](agentv_core::ResultRecord) does.
    fn cost(&self) -> Option<f64> {
        let answer = self.trace_summary.as_ref().and_then(|trace| trace.cost_usd);
        answer.filter(|_| !self.cached)
    }

    fn verdicts(&self, names: &mut Names) -> u32 {
        let results = self.evaluator_results.iter().map(|result| {
            let who = names.evaluators.number_of_pair(&result.name, &result.kind);
            let score = result.score.and_then(Score::new);
            (who, said(score, result.verdict, result.skipped.is_some()))
        });
        let results: Vec<(u32, u8)> = results.collect();
        names.verdicts.number(&results)
    }

    fn tools(&self, names: &mut Names) -> u32 {
        let trace = self.trace_summary.iter();
        let tools = trace.flat_map(|trace| &trace.tool_calls_by_name.0);
        let mut tools: Vec<u32> = tools.map(|tool| names.tools.number(&**tool)).collect();
        tools.sort_unstable();
        names.tool_sets.number(&tools)
    }

    /// Appends the entry of the trial: its id, its reason in short, and all of its words in lower case.
    /// Returns true if there are more words than can be searched.
    pub(crate) fn append_words(&self, to: &mut Vec<u8>) -> bool {
        push_plain(&self.eval_id, to);
        to.push(PART);
        push_plain(&excerpt(self.reason(), REASON), to);
        to.push(PART);
        let mut words = Words {
            to,
            room: SEARCHED,
            is_cut: false,
        };
        words.push(&self.eval_id);
        self.candidate_answer
            .iter()
            .for_each(|answer| words.push(&answer.0));
        self.error
            .iter()
            .for_each(|error| words.push(&error.message));
        self.misses
            .iter()
            .chain(&self.hits)
            .for_each(|finding| words.push(&finding.0));
        self.reasoning
            .iter()
            .for_each(|reasoning| words.push(&reasoning.0));
        for result in &self.evaluator_results {
            result
                .reasoning
                .iter()
                .for_each(|reasoning| words.push(&reasoning.0));
            result.error.iter().for_each(|error| words.push(&error.0));
        }
        let is_cut = words.is_cut;
        to.push(END);
        is_cut
    }

    fn reason(&self) -> &str {
        let error = self.error.as_ref().map(|error| &*error.message);
        let missed = || self.misses.first().map(|miss| &*miss.0);
        let reasoning = self.reasoning.as_ref().map(|reasoning| &*reasoning.0);
        let reason = error.or_else(missed).or(reasoning);
        reason.unwrap_or_default()
    }
}

/// Words in lower case, up to a limit.
pub(crate) struct Words<'a> {
    pub(crate) to: &'a mut Vec<u8>,
    pub(crate) room: usize,
    pub(crate) is_cut: bool,
}

impl Words<'_> {
    /// Adds a text on lines of its own.
    pub(crate) fn push(&mut self, text: &str) {
        let kept = &text[..text.floor_char_boundary(self.room)];
        self.is_cut |= kept.len() < text.len();
        self.room -= kept.len();
        if kept.is_ascii() {
            let start = self.to.len();
            push_plain(kept, self.to);
            self.to[start..].make_ascii_lowercase();
        } else {
            push_plain(&kept.to_lowercase(), self.to);
        }
        self.to.push(b'\n');
    }
}

/// Appends a text in which nothing looks like the end of an entry or of a part.
pub(crate) fn push_plain(text: &str, to: &mut Vec<u8>) {
    if text.as_bytes().iter().any(|byte| *byte <= PART) {
        to.extend(text.replace(['\0', '\u{1}'], "\u{fffd}").as_bytes());
    } else {
        to.extend_from_slice(text.as_bytes());
    }
}
