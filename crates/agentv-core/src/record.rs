//! The records of a run on disk: one per line.

use std::sync::Arc;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::{
    CaseIdentity, EvalCase, Evaluation, EvaluatorError, EvaluatorSpec, JudgeCall, Message,
    PassThreshold, RawExchange, Score, Secrets, Status, TraceSummary, Transcript, Verdict,
};

/// The answer of a target in one trial. It is written before the answer is graded.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct TranscriptRecord {
    /// The time of the answer, RFC 3339 in UTC.
    pub timestamp: String,
    /// The eval file, relative to the project root.
    pub eval_file: Arc<str>,
    /// The number of the case among the usable cases of its file, from 1; `None` in records of versions
    /// that did not write it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub position: Option<u64>,
    /// The id of the case.
    pub eval_id: String,
    /// The target.
    pub target: Arc<str>,
    /// The number of the trial, from 1.
    pub trial: u32,
    /// A digest of everything that can change the answer.
    pub answer_key: String,
    /// The identity of the case; `None` in records of versions that did not write it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub identity: Option<CaseIdentity>,
    /// The case, with the content of its files.
    pub case: Arc<EvalCase>,
    /// The transcript of the target.
    pub transcript: Transcript,
    /// The duration.
    #[serde(default, skip_serializing_if = "Timing::is_empty")]
    pub timing: Timing,
    /// The number of attempts.
    pub attempts: u32,
    /// True if the answer came from the cache.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub cached: bool,
    /// True if secrets were removed from the answer, before it was graded.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub redacted: bool,
    /// True if a mock replaced the target.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub dry_run: bool,
    /// The error that ended the trial, if the transcript is not an answer. It is kept for people to read,
    /// and never graded or reused.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
    /// True if the run was stopped between two requests of the trial, and a resume continues with the next
    /// one. A later record with the same answer key then includes this one, with its cost.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub unfinished: bool,
    /// True if the run that gave the answer knew that its question or its target has changed since.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub outdated: bool,
    /// True if another run got and paid the answer, and this one only grades it.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub of_other_run: bool,
}

impl TranscriptRecord {
    /// Returns the record without secrets in its answer; `None` if it has none.
    pub fn redacted_by(&self, secrets: &Secrets) -> Option<TranscriptRecord> {
        let redacted = secrets.redact_record(&self.transcript);
        let leaks = self.transcript.raw.iter().any(|raw| raw.hides(secrets));
        let mut transcript = match redacted {
            Some(redacted) => redacted,
            None if leaks => self.transcript.clone(),
            None => return None,
        };
        let raw = transcript.raw.iter_mut();
        raw.filter(|raw| raw.hides(secrets))
            .for_each(RawExchange::hide_body);
        // A stream holds the answer in pieces, and so a secret in it, too.
        let is_redacted = transcript.output_messages != self.transcript.output_messages;
        if is_redacted || transcript.trace != self.transcript.trace {
            transcript.raw.iter_mut().for_each(RawExchange::hide_stream);
        }
        Some(TranscriptRecord {
            redacted: self.redacted || is_redacted,
            transcript,
            ..self.clone()
        })
    }
}

/// The result of one trial.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ResultRecord {
    /// The time of the result, RFC 3339 in UTC.
    pub timestamp: String,
    /// The eval file, relative to the project root.
    pub eval_file: Arc<str>,
    /// The number of the case among the usable cases of its file, from 1; `None` in records of versions
    /// that did not write it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub position: Option<u64>,
    /// The id of the case.
    pub eval_id: String,
    /// The dataset of the case.
    pub dataset: String,
    /// Groups cases that are not independent of each other.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub conversation_id: Option<String>,
    /// The target.
    pub target: Arc<str>,
    /// The number of the trial, from 1.
    pub trial: u32,
    /// The status.
    pub status: Status,
    /// The score; `None` for errored and ungraded trials.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub score: Option<Score>,
    /// The lowest score that passes, if it is not the default.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pass_threshold: Option<PassThreshold>,
    /// The strengths of the answer, from all evaluators.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub hits: Vec<String>,
    /// The weaknesses of the answer.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub misses: Vec<String>,
    /// The answer; `None` if the target gave none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub candidate_answer: Option<String>,
    /// The reasons, in the words of the evaluators.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reasoning: Option<String>,
    /// The results of the evaluators.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub evaluator_results: Vec<EvaluatorResult>,
    /// A summary of the transcript.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub trace_summary: Option<TraceSummary>,
    /// The messages of the target, if the user asked for them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub output_messages: Option<Vec<Message>>,
    /// The duration.
    #[serde(default, skip_serializing_if = "Timing::is_empty")]
    pub timing: Timing,
    /// The number of attempts.
    pub attempts: u32,
    /// True if the answer came from the cache.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub cached: bool,
    /// True if secrets were removed from the answer, before it was graded.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub redacted: bool,
    /// True if a mock replaced the target.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub dry_run: bool,
    /// True if the answer was cut off because it reached the limit of tokens.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub truncated: bool,
    /// True if the target was stopped because it had used up its steps or turns.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub out_of_steps: bool,
    /// Set if the result is of an earlier version of the case, the target or a setting: a later resume
    /// did not repeat the trial.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub outdated: Option<Outdated>,
    /// The error of an errored trial.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error: Option<TrialError>,
    /// The line of the case in its eval file, from 1, if there is no answer. An answer is recorded with its
    /// case, which has the line.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub line: Option<u64>,
    /// The folder of the trial's workspace, if it was kept.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub workspace: Option<String>,
    /// True if another run got and paid the answer, and this one only grades it.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub of_other_run: bool,
    /// The cost in US dollars of earlier answers and grades of this trial in the same run, which later ones
    /// replaced, as far as it is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub replaced_cost_usd: Option<f64>,
    /// A digest of everything that can change the answer.
    pub answer_key: String,
    /// A digest of that and of everything that can change the grade.
    pub grade_key: String,
}

impl ResultRecord {
    /// The fields that identify a trial. Of two records of the same trial, the later one counts.
    pub const TRIAL: [&str; 4] = ["eval_file", "eval_id", "target", "trial"];

    /// Returns the cost of the answer in US dollars, without that of its judges; `None` if it is not
    /// known, or if another run paid for it.
    pub fn answer_cost_usd(&self) -> Option<f64> {
        let answer = self.trace_summary.as_ref().and_then(|trace| trace.cost_usd);
        answer.filter(|_| self.is_own_answer())
    }

    /// Returns the cost in US dollars of an answer that another run got, and this one grades.
    pub fn graded_cost_usd(&self) -> Option<f64> {
        let answer = self.trace_summary.as_ref().and_then(|trace| trace.cost_usd);
        answer.filter(|_| self.of_other_run && !self.cached)
    }

    /// Returns true if this run got the answer: neither the cache nor another run did.
    pub fn is_own_answer(&self) -> bool {
        !self.cached && !self.of_other_run
    }

    /// Returns true if the answer cost an unknown amount: the target used tokens at an unknown price, or did
    /// not report its tokens.
    pub fn is_unpriced(&self) -> bool {
        let trace = self.trace_summary.as_ref();
        let lacks_price = |trace: &TraceSummary| {
            (trace.token_usage.is_some() || trace.lacks_usage) && trace.cost_usd.is_none()
        };
        self.is_own_answer() && trace.is_some_and(lacks_price)
    }

    /// Returns the names of the judges that cost an unknown amount, once per call.
    pub fn unpriced_judges(&self) -> impl Iterator<Item = &str> {
        let calls = self.judge_calls();
        let unpriced = calls.filter(|call| {
            (call.token_usage.is_some() || call.lacks_usage) && call.cost_usd.is_none()
        });
        unpriced.map(|call| call.target.as_str())
    }

    /// Returns the names of the target and the judges that did not report their tokens, so that their cost is
    /// unknown, once per answer.
    pub fn without_usage(&self) -> impl Iterator<Item = &str> {
        let trace = self.trace_summary.as_ref().filter(|_| self.is_own_answer());
        let answer = trace.filter(|trace| trace.lacks_usage && trace.cost_usd.is_none());
        let calls = self.judge_calls();
        let calls = calls.filter(|call| call.lacks_usage && call.cost_usd.is_none());
        let judges = calls.map(|call| call.target.as_str());
        answer.map(|_| &*self.target).into_iter().chain(judges)
    }

    /// Returns the names of the target and the judges that cost an unknown amount, each once.
    pub fn unpriced(&self) -> Vec<String> {
        let target = self.is_unpriced().then_some(&*self.target);
        let mut names: Vec<String> = Vec::new();
        for name in target.into_iter().chain(self.unpriced_judges()) {
            if !names.iter().any(|known| known == name) {
                names.push(name.to_owned());
            }
        }
        names
    }

    /// Returns true if the target judged its own answer.
    pub fn is_self_judged(&self) -> bool {
        let mut calls = self.judge_calls();
        calls.any(|call| call.own_answer || *call.target == *self.target)
    }

    /// Returns the calls of judges, by all evaluators.
    pub fn judge_calls(&self) -> impl Iterator<Item = &JudgeCall> {
        let results = self.evaluator_results.iter();
        results.flat_map(|result| &result.judge_calls)
    }

    /// Returns the cost of the judges in US dollars, if known.
    pub fn judge_cost_usd(&self) -> Option<f64> {
        let costs = self.judge_calls().filter_map(|call| call.cost_usd);
        costs.reduce(|sum, cost| sum + cost)
    }

    /// Returns the reason for the status in one line: the error, else the first miss, else the
    /// reasoning.
    pub fn reason(&self) -> Option<&str> {
        let error = self.error.as_ref().map(|error| error.message.as_str());
        let missed = || self.misses.first().map(String::as_str);
        error.or_else(missed).or(self.reasoning.as_deref())
    }

    /// Returns the misses of the case itself, which no evaluator found: what decided its status.
    pub fn own_misses(&self) -> impl Iterator<Item = &str> {
        let is_found = |miss: &&String| {
            let mut results = self.evaluator_results.iter();
            results.any(|result| result.misses.contains(miss))
        };
        let own = self.misses.iter().filter(move |miss| !is_found(miss));
        own.map(String::as_str)
    }
}

/// The durations of a trial, in milliseconds.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
pub struct Timing {
    /// The waiting time: in our queue, for limits, between attempts.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub queue_ms: Option<f64>,
    /// The duration of the last attempt's call.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub total_ms: Option<f64>,
    /// The part of `total_ms` until the first token arrived, if the answer was streamed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub first_token_ms: Option<f64>,
}

impl Timing {
    /// Returns true if nothing was measured, as for a cached answer.
    pub fn is_empty(&self) -> bool {
        self.queue_ms.is_none() && self.total_ms.is_none()
    }
}

/// The result of one evaluator.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct EvaluatorResult {
    /// The evaluator's name.
    pub name: String,
    /// Its type.
    #[serde(rename = "type")]
    pub kind: String,
    /// The score; `None` if the evaluator errored.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub score: Option<Score>,
    /// The weight in the case's score.
    pub weight: f64,
    /// The verdict.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub verdict: Option<Verdict>,
    /// True if a required part is missing, which fails the case.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub lacks_required: bool,
    /// The strengths of the answer.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub hits: Vec<String>,
    /// The weaknesses of the answer.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub misses: Vec<String>,
    /// The reasons for the score.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reasoning: Option<String>,
    /// Further data of the evaluator.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub details: Option<Value>,
    /// The results of the members of a composite.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub evaluator_results: Vec<EvaluatorResult>,
    /// The calls of judges, with their costs.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub judge_calls: Vec<JudgeCall>,
    /// The reason for which the evaluator was skipped.
    #[serde(default, alias = "left_out", skip_serializing_if = "Option::is_none")]
    pub skipped: Option<String>,
    /// The error that kept the evaluator from its work.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
}

impl EvaluatorResult {
    /// Makes the result of an evaluator that has not run yet.
    pub fn unsaid(spec: &EvaluatorSpec) -> EvaluatorResult {
        EvaluatorResult {
            name: spec.name.clone(),
            kind: spec.kind.clone(),
            score: None,
            weight: spec.weight,
            verdict: None,
            lacks_required: false,
            hits: Vec::new(),
            misses: Vec::new(),
            reasoning: None,
            details: None,
            evaluator_results: Vec::new(),
            judge_calls: Vec::new(),
            skipped: None,
            error: None,
        }
    }

    /// Makes the result of an evaluation, without the calls of judges.
    pub fn said(
        spec: &EvaluatorSpec,
        evaluation: Evaluation,
        threshold: PassThreshold,
    ) -> EvaluatorResult {
        EvaluatorResult {
            score: Some(evaluation.score),
            verdict: Some(evaluation.verdict_at(threshold)),
            lacks_required: evaluation.lacks_required,
            hits: evaluation.hits,
            misses: evaluation.misses,
            reasoning: evaluation.reasoning,
            details: evaluation.details,
            evaluator_results: evaluation.members,
            ..EvaluatorResult::unsaid(spec)
        }
    }

    /// Makes the result of an evaluator that was skipped.
    pub fn skipped(spec: &EvaluatorSpec, reason: impl Into<String>) -> EvaluatorResult {
        EvaluatorResult {
            skipped: Some(reason.into()),
            ..EvaluatorResult::unsaid(spec)
        }
    }

    /// Makes the result of an evaluator that errored.
    pub fn errored(spec: &EvaluatorSpec, error: &EvaluatorError) -> EvaluatorResult {
        EvaluatorResult {
            error: Some(error.to_string()),
            ..EvaluatorResult::unsaid(spec)
        }
    }
}

/// The error of an errored trial.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct TrialError {
    /// The stage that failed.
    pub stage: Stage,
    /// The error message, a sentence.
    pub message: String,
}

/// The part of a result that is out of date.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Outdated {
    /// The answer: the question or the target has changed, or the case no longer exists.
    Answer,
    /// Only the grade: the expected values, an evaluator, a judge or the threshold has changed.
    Grade,
}

/// The stages of a trial.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Stage {
    /// Waiting for the cases that the case depends on.
    Dependency,
    /// Making the workspace.
    Workspace,
    /// Asking the target.
    Target,
    /// The run was stopped between two requests of the trial. A resume continues it.
    Stop,
    /// Grading the answer.
    Evaluator,
}

impl Stage {
    /// Returns the stage as written.
    pub fn as_str(self) -> &'static str {
        match self {
            Stage::Dependency => "dependency",
            Stage::Workspace => "workspace",
            Stage::Target => "target",
            Stage::Stop => "stop",
            Stage::Evaluator => "evaluator",
        }
    }

    /// Returns true if there is no answer: it failed before grading.
    pub fn is_before_grading(self) -> bool {
        match self {
            Stage::Dependency | Stage::Workspace | Stage::Target | Stage::Stop => true,
            Stage::Evaluator => false,
        }
    }
}
