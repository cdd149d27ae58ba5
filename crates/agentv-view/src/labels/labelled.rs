//! The labels of a run's trials, compared with the verdicts of its evaluators.

use std::collections::HashMap;

use agentv_core::{ResultRecord, Score, Status, Verdict};
use agentv_journal::RecordFile;
use agentv_report::agreement::RatedAnswer;
use serde_json::Value;

use super::agreements::Rated;
use super::answer::{Answer, NoLabel};
use super::label::Label;
use crate::index::{RunIndex, TrialName};
use crate::view_error::ViewError;

/// The labels of a run's trials.
#[derive(Debug, Default)]
pub struct Labelled {
    /// The labels by the number of their trial.
    pub labels: HashMap<u32, Label>,
    /// The verdicts of a person and of an evaluator on the same answer.
    pub(super) rated: Vec<Rated>,
}

/// The trials of a run by the ids of their answers, as far as labels asked for them.
#[derive(Debug, Default)]
pub(crate) struct KnownAnswers {
    version: u64,
    /// The trial of a label, with its grades; `None` if the run does not have the answer.
    trials: HashMap<String, Option<Graded>>,
}

/// A trial whose answer has a label.
#[derive(Debug, Clone)]
struct Graded {
    item: u32,
    threshold: agentv_core::PassThreshold,
    status: Status,
    score: Option<f64>,
    /// The verdicts of the evaluators that asked a judge.
    judges: Vec<(String, Verdict, Option<f64>)>,
}

impl KnownAnswers {
    /// Finds the trials of a run that have labels.
    pub(crate) fn labelled(
        &mut self,
        index: &RunIndex,
        labels: Vec<Label>,
    ) -> Result<Labelled, ViewError> {
        if self.version != index.version() {
            self.trials.clear();
            self.version = index.version();
        }
        self.find(index, &labels)?;
        let mut found = Labelled::default();
        for label in labels {
            if let Some(Some(graded)) = self.trials.get(&label.id) {
                found.rated.extend(graded.rated(&label));
                found.labels.insert(graded.item, label);
            }
        }
        Ok(found)
    }

    /// Looks for the answers that are not known yet.
    fn find(&mut self, index: &RunIndex, labels: &[Label]) -> Result<(), ViewError> {
        let unknown = labels
            .iter()
            .filter(|label| !self.trials.contains_key(&label.id));
        let unknown: Vec<&Label> = unknown.collect();
        if unknown.is_empty() {
            return Ok(());
        }
        let names = unknown.iter().map(|label| TrialName {
            file: label.labelled.eval_file.clone(),
            id: label.labelled.eval_id.clone(),
            target: label.labelled.target.clone(),
            trial: label.labelled.trial,
        });
        let items = index.locate_all(&names.collect::<Vec<_>>())?;
        for (label, item) in unknown.into_iter().zip(items) {
            let graded = match item {
                Some(item) => graded(index, item, &label.id)?,
                None => None,
            };
            self.trials.insert(label.id.clone(), graded);
        }
        Ok(())
    }
}

/// Reads the answer of a trial, which the error explains if it cannot be labelled.
///
/// # Errors
/// Fails if its records cannot be read.
pub(crate) fn answer_of(
    index: &RunIndex,
    item: u32,
) -> Result<(Result<Answer, NoLabel>, ResultRecord), ViewError> {
    let missing = || ViewError::NoTrial(item);
    let row = index.shown(item)?.ok_or_else(missing)?;
    let records = index.records(item).ok_or_else(missing)?;
    let result = index.read(RecordFile::Results, records.result)?;
    let result: ResultRecord = serde_json::from_slice(&result).map_err(|_| missing())?;
    let transcript = match records.transcript {
        Some(part) => {
            let bytes = index.read(RecordFile::Transcripts, part)?;
            serde_json::from_slice::<Value>(&bytes).ok()
        }
        None => None,
    };
    Ok((Answer::of(row.name, &result, transcript.as_ref()), result))
}

/// Returns the grades of a trial, if its answer is the one that was labelled.
fn graded(index: &RunIndex, item: u32, id: &str) -> Result<Option<Graded>, ViewError> {
    let (answer, result) = answer_of(index, item)?;
    let Some(answer) = answer.ok().filter(|answer| answer.id == id) else {
        return Ok(None);
    };
    let threshold = answer.pass_threshold();
    let judges = result.evaluator_results.iter().filter_map(|one| {
        let score = one.score?;
        let verdict = one.verdict.unwrap_or_else(|| score.verdict(threshold));
        let asked = !one.judge_calls.is_empty();
        asked.then(|| (one.name.clone(), verdict, Some(score.value())))
    });
    Ok(Some(Graded {
        item,
        threshold,
        status: result.status,
        score: result.score.map(Score::value),
        judges: judges.collect(),
    }))
}

impl Graded {
    /// Returns the verdicts of the person and of each evaluator.
    fn rated(&self, label: &Label) -> Vec<Rated> {
        let human_score = label.human_score.and_then(Score::new);
        let from_score = || human_score.map(|score| score.verdict(self.threshold));
        let Some(human) = label.human_verdict.or_else(from_score) else {
            return Vec::new();
        };
        let rated = |name: Option<&str>, judge: Verdict, score: Option<f64>| Rated {
            evaluator: name.map(str::to_owned),
            answer: RatedAnswer {
                human,
                judge,
                scores: human_score.map(Score::value).zip(score),
            },
        };
        let whole = verdict_of(self.status).map(|verdict| rated(None, verdict, self.score));
        let judges = self.judges.iter();
        let judges = judges.map(|(name, verdict, score)| rated(Some(name), *verdict, *score));
        whole.into_iter().chain(judges).collect()
    }
}

/// Returns the verdict on a trial; an errored or ungraded one has none.
fn verdict_of(status: Status) -> Option<Verdict> {
    match status {
        Status::Pass => Some(Verdict::Pass),
        Status::Borderline => Some(Verdict::Borderline),
        Status::Fail => Some(Verdict::Fail),
        Status::Error | Status::Ungraded => None,
    }
}
