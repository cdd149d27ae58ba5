//! What judges an answer, and what it says.

use std::fmt;

use serde_json::Value;

use crate::{
    BoxFuture, EvalCase, EvaluatorResult, Judging, Prompt, Score, TraceSummary, Transcript, Verdict,
};

/// What judges an answer by one criterion.
pub trait Evaluator: Send + Sync {
    /// Judges an answer.
    ///
    /// An error means that the work could not be done, and nothing is known of the answer: it is
    /// never a low score.
    fn evaluate<'a>(
        &'a self,
        subject: &'a Subject<'a>,
    ) -> BoxFuture<'a, Result<Evaluation, EvaluatorError>>;
}

/// What an evaluator takes to say something, the least first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Effort {
    /// A look at what there is.
    Check,
    /// A process of its own.
    Script,
    /// A target that is asked.
    Judge,
}

/// What is judged: an answer, and the case that asked for it.
#[derive(Debug, Clone, Copy)]
pub struct Subject<'a> {
    /// The case.
    pub case: &'a EvalCase,
    /// What the target was asked.
    pub prompt: &'a Prompt,
    /// What the target did.
    pub transcript: &'a Transcript,
    /// Its answer, as text.
    pub answer: &'a str,
    /// What it did, in figures.
    pub trace: &'a TraceSummary,
    /// Who may be asked about it; none where nobody is to be asked.
    pub judging: Option<Judging<'a>>,
    /// Whether whoever takes more is not asked once something that is required has failed.
    pub spares: bool,
}

impl Subject<'_> {
    /// What a good answer looks like: the last expected assistant message that has content.
    pub fn reference_answer(&self) -> Option<String> {
        let reference = self.case.expected_messages.iter().rev();
        let mut contents = reference
            .filter(|message| message.role == crate::Role::Assistant)
            .filter_map(|message| message.content.as_ref());
        contents.next().map(crate::Content::text)
    }
}

/// What an evaluator says of an answer.
#[derive(Debug, Clone, PartialEq)]
pub struct Evaluation {
    /// How good the answer is.
    pub score: Score,
    /// What that is called: the score's verdict, unless something that was required is missing.
    pub verdict: Verdict,
    /// Whether something inside was required and is missing, an item of a checklist or a member of
    /// several: it fails the case whatever the mean.
    pub lacks_required: bool,
    /// What the answer got right.
    pub hits: Vec<String>,
    /// What it got wrong.
    pub misses: Vec<String>,
    /// Why.
    pub reasoning: Option<String>,
    /// Whatever else the evaluator has to say, kept as it is.
    pub details: Option<Value>,
    /// What its members said, of an evaluator made of several.
    pub members: Vec<EvaluatorResult>,
}

impl Evaluation {
    /// A score without further words.
    pub fn of(score: Score) -> Evaluation {
        Evaluation {
            score,
            verdict: score.verdict(),
            lacks_required: false,
            hits: Vec::new(),
            misses: Vec::new(),
            reasoning: None,
            details: None,
            members: Vec::new(),
        }
    }

    /// A check that is met or not; `finding` becomes the hit or the miss.
    pub fn check(met: bool, finding: impl Into<String>) -> Evaluation {
        let mut evaluation = Evaluation::of(Score::of(met));
        let findings = if met {
            &mut evaluation.hits
        } else {
            &mut evaluation.misses
        };
        findings.push(finding.into());
        evaluation
    }
}

/// Why an evaluator could not do its work, a sentence.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EvaluatorError(pub String);

impl fmt::Display for EvaluatorError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for EvaluatorError {}
