//! What a run leaves on disk: one record a line.

use std::sync::Arc;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::{
    CaseIdentity, EvalCase, Evaluation, EvaluatorError, EvaluatorSpec, JudgeCall, Message, Score,
    Status, TraceSummary, Transcript, Verdict,
};

/// What a target answered in one trial. Written before the answer is graded.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct TranscriptRecord {
    /// When the answer came, RFC 3339 in UTC.
    pub timestamp: String,
    /// The eval file, relative to the project root.
    pub eval_file: Arc<str>,
    /// The id of the case.
    pub eval_id: String,
    /// The target that was asked.
    pub target: Arc<str>,
    /// Which repeat of the case, from 1.
    pub trial: u32,
    /// A digest of everything that can change the answer.
    pub answer_key: String,
    /// The identity of the case; `None` in records of versions that did not write it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub identity: Option<CaseIdentity>,
    /// The case, with the content of its files.
    pub case: Arc<EvalCase>,
    /// What the target did.
    pub transcript: Transcript,
    /// How long it took.
    #[serde(default, skip_serializing_if = "Timing::is_empty")]
    pub timing: Timing,
    /// How many attempts it took.
    pub attempts: u32,
    /// Whether the answer came from the cache.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub cached: bool,
    /// Whether a mock stood in for the target.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub dry_run: bool,
}

/// How one trial ended.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ResultRecord {
    /// When it ended, RFC 3339 in UTC.
    pub timestamp: String,
    /// The eval file, relative to the project root.
    pub eval_file: Arc<str>,
    /// The id of the case.
    pub eval_id: String,
    /// The dataset of the case.
    pub dataset: String,
    /// Groups cases that are not independent of each other.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub conversation_id: Option<String>,
    /// The target that was asked.
    pub target: Arc<str>,
    /// Which repeat of the case, from 1.
    pub trial: u32,
    /// How it ended.
    pub status: Status,
    /// How good the answer is; errored and ungraded trials have none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub score: Option<Score>,
    /// What the answer got right, of all evaluators.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub hits: Vec<String>,
    /// What it got wrong.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub misses: Vec<String>,
    /// The answer; none where the target gave none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub candidate_answer: Option<String>,
    /// Why, in the words of the evaluators.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reasoning: Option<String>,
    /// What each evaluator said.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub evaluator_results: Vec<EvaluatorResult>,
    /// What the target did, in figures.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub trace_summary: Option<TraceSummary>,
    /// What the target said, where the user asked for it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub output_messages: Option<Vec<Message>>,
    /// How long it took.
    #[serde(default, skip_serializing_if = "Timing::is_empty")]
    pub timing: Timing,
    /// How many attempts it took.
    pub attempts: u32,
    /// Whether the answer came from the cache.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub cached: bool,
    /// Whether a mock stood in for the target.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub dry_run: bool,
    /// What went wrong, of an errored trial.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error: Option<TrialError>,
    /// A digest of everything that can change the answer.
    pub answer_key: String,
    /// A digest of that and of everything that can change the grade.
    pub grade_key: String,
}

impl ResultRecord {
    /// The fields that say which trial a record is of; of two of the same trial, the later counts.
    pub const TRIAL: [&str; 4] = ["eval_file", "eval_id", "target", "trial"];

    /// What the trial cost in US dollars, where known: the answer and its judges.
    pub fn cost_usd(&self) -> Option<f64> {
        let answer = self.trace_summary.as_ref().and_then(|trace| trace.cost_usd);
        // A cached answer was paid for by another run.
        let answer = answer.filter(|_| !self.cached);
        let costs = [answer, self.judge_cost_usd()];
        costs.into_iter().flatten().reduce(|sum, cost| sum + cost)
    }

    /// What its judges cost in US dollars, where known.
    pub fn judge_cost_usd(&self) -> Option<f64> {
        let calls = self.evaluator_results.iter();
        let calls = calls.flat_map(|result| &result.judge_calls);
        let costs = calls.filter_map(|call| call.cost_usd);
        costs.reduce(|sum, cost| sum + cost)
    }

    /// Why the trial ended as it did, in a line: the error, else what was missed, else the reasoning.
    pub fn reason(&self) -> Option<&str> {
        let error = self.error.as_ref().map(|error| error.message.as_str());
        let missed = || self.misses.first().map(String::as_str);
        error.or_else(missed).or(self.reasoning.as_deref())
    }
}

/// How long a trial took, in milliseconds.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
pub struct Timing {
    /// Waiting for us: in our queue, for limits, between attempts.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub queue_ms: Option<f64>,
    /// The call of the last attempt alone.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub total_ms: Option<f64>,
}

impl Timing {
    /// Whether nothing was measured, as of an answer from the cache.
    pub fn is_empty(&self) -> bool {
        self.queue_ms.is_none() && self.total_ms.is_none()
    }
}

/// What one evaluator said of an answer.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct EvaluatorResult {
    /// The evaluator's name.
    pub name: String,
    /// Its type.
    #[serde(rename = "type")]
    pub kind: String,
    /// How good the answer is; none where it could not do its work.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub score: Option<Score>,
    /// Its share in the case's score.
    pub weight: f64,
    /// What the score is called.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub verdict: Option<Verdict>,
    /// Whether something inside was required and is missing, which fails the case.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub lacks_required: bool,
    /// What the answer got right.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub hits: Vec<String>,
    /// What it got wrong.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub misses: Vec<String>,
    /// Why.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reasoning: Option<String>,
    /// Whatever else it has to say.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub details: Option<Value>,
    /// What its members said, of an evaluator made of several.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub evaluator_results: Vec<EvaluatorResult>,
    /// The calls of judges that it took, and what they cost.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub judge_calls: Vec<JudgeCall>,
    /// Why it was not asked.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub left_out: Option<String>,
    /// Why it could not do its work.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
}

impl EvaluatorResult {
    /// Of an evaluator that has said nothing yet.
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
            left_out: None,
            error: None,
        }
    }

    /// What an evaluator said; the calls of judges that it took are not known from that.
    pub fn said(spec: &EvaluatorSpec, evaluation: Evaluation) -> EvaluatorResult {
        EvaluatorResult {
            score: Some(evaluation.score),
            verdict: Some(evaluation.verdict),
            lacks_required: evaluation.lacks_required,
            hits: evaluation.hits,
            misses: evaluation.misses,
            reasoning: evaluation.reasoning,
            details: evaluation.details,
            evaluator_results: evaluation.members,
            ..EvaluatorResult::unsaid(spec)
        }
    }

    /// Of an evaluator that is not asked, and why.
    pub fn left_out(spec: &EvaluatorSpec, reason: impl Into<String>) -> EvaluatorResult {
        EvaluatorResult {
            left_out: Some(reason.into()),
            ..EvaluatorResult::unsaid(spec)
        }
    }

    /// Of an evaluator that could not do its work, and why.
    pub fn errored(spec: &EvaluatorSpec, error: EvaluatorError) -> EvaluatorResult {
        EvaluatorResult {
            error: Some(error.0),
            ..EvaluatorResult::unsaid(spec)
        }
    }
}

/// What went wrong in an errored trial.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct TrialError {
    /// Where it went wrong.
    pub stage: Stage,
    /// What happened, a sentence.
    pub message: String,
}

/// The stages of a trial.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Stage {
    /// Asking the target.
    Target,
    /// Grading the answer.
    Evaluator,
}
