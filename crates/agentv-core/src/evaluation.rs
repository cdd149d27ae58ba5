//! Evaluators: they judge an answer.

use std::collections::BTreeMap;
use std::error::Error;
use std::path::Path;

use serde_json::Value;

use crate::{
    BoxFuture, Content, EvalCase, EvaluatorResult, FileChange, Judging, PassThreshold, Prompt,
    Rival, Role, Score, TargetSandbox, TraceSummary, Transcript, Verdict, WorkspaceFolders,
};

/// An evaluator judges an answer by one criterion.
pub trait Evaluator: Send + Sync {
    /// Judges an answer.
    ///
    /// An error means that the evaluator could not do its work. It says nothing about the answer,
    /// and is never a low score.
    fn evaluate<'a>(
        &'a self,
        subject: &'a Subject<'a>,
    ) -> BoxFuture<'a, Result<Evaluation, EvaluatorError>>;
}

/// The effort of an evaluator, the least first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Effort {
    /// A check of the data at hand.
    Check,
    /// A separate process.
    Script,
    /// A request to a target.
    Judge,
}

impl Effort {
    /// Groups evaluators, by their positions, into rounds that run together: all in one round, or
    /// by effort, the least first, if a failed evaluator may spare those after it.
    pub fn rounds(
        asked: impl Iterator<Item = usize>,
        spares: bool,
        effort_at: impl Fn(usize) -> Effort,
    ) -> Vec<Vec<usize>> {
        if !spares {
            return vec![asked.collect()];
        }
        let mut rounds: BTreeMap<Effort, Vec<usize>> = BTreeMap::new();
        for at in asked {
            rounds.entry(effort_at(at)).or_default().push(at);
        }
        rounds.into_values().collect()
    }
}

/// The subject of an evaluation: an answer, and its case.
#[derive(Debug, Clone, Copy)]
pub struct Subject<'a> {
    /// The case.
    pub case: &'a EvalCase,
    /// The prompt of the target.
    pub prompt: &'a Prompt,
    /// The transcript of the target.
    pub transcript: &'a Transcript,
    /// Its answer, as text.
    pub answer: &'a str,
    /// A summary of the transcript.
    pub trace: &'a TraceSummary,
    /// The folder of the eval file, absolute.
    pub folder: &'a Path,
    /// The folders of the trial's workspace; `None` if it had none, or if it is gone.
    pub workspace: Option<&'a WorkspaceFolders>,
    /// The sandbox of the target. Commands that run in the workspace run in it, too.
    pub sandbox: Option<&'a TargetSandbox>,
    /// The changed files beyond those that the transcript lists, while the workspace exists.
    pub further_changes: &'a [FileChange],
    /// True if the trial had a workspace that is gone, as when an old answer is graded again.
    pub workspace_is_gone: bool,
    /// The answers that this one is compared with.
    pub rivals: &'a [Rival],
    /// The judges that may be asked; `None` if none may.
    pub judging: Option<Judging<'a>>,
    /// True if evaluators with more effort are skipped once a required one has failed.
    pub spares: bool,
}

impl<'a> Subject<'a> {
    /// Returns the lowest score that passes.
    pub fn pass_threshold(&self) -> PassThreshold {
        self.case.pass_threshold.unwrap_or_default()
    }

    /// Returns the content of the reference answer: that of the last expected assistant message that
    /// has any.
    pub fn reference_content(&self) -> Option<&'a Content> {
        let messages = self.case.expected_messages.iter().rev();
        let mut contents = messages
            .filter(|message| message.role == Role::Assistant)
            .filter_map(|message| message.content.as_ref());
        contents.next()
    }

    /// Returns the reference answer as a text.
    pub fn reference_answer(&self) -> Option<String> {
        self.reference_content().map(Content::text)
    }
}

/// The result of an evaluator.
#[derive(Debug, Clone, PartialEq)]
pub struct Evaluation {
    /// The score of the answer.
    pub score: Score,
    /// The verdict of the evaluator, if it is not that of its score.
    pub verdict: Option<Verdict>,
    /// True if a required part is missing (an item of a checklist, a member of a composite). It
    /// fails the case whatever the mean.
    pub lacks_required: bool,
    /// The strengths of the answer.
    pub hits: Vec<String>,
    /// The weaknesses of the answer.
    pub misses: Vec<String>,
    /// The reasons for the score.
    pub reasoning: Option<String>,
    /// Further data of the evaluator, kept unchanged.
    pub details: Option<Value>,
    /// The results of the members of a composite.
    pub members: Vec<EvaluatorResult>,
}

impl Evaluation {
    /// Makes an evaluation that consists of a score.
    pub fn of(score: Score) -> Evaluation {
        Evaluation {
            score,
            verdict: None,
            lacks_required: false,
            hits: Vec::new(),
            misses: Vec::new(),
            reasoning: None,
            details: None,
            members: Vec::new(),
        }
    }

    /// Returns the verdict: `Fail` if a required part is missing, else that of the evaluator, else that of
    /// the score.
    pub fn verdict_at(&self, threshold: PassThreshold) -> Verdict {
        if self.lacks_required {
            return Verdict::Fail;
        }
        self.verdict
            .unwrap_or_else(|| self.score.verdict(threshold))
    }

    /// Makes the evaluation of a check. `finding` becomes the hit or the miss.
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

/// The reason for which an evaluator could not do its work.
#[derive(Debug, thiserror::Error)]
#[error(transparent)]
pub struct EvaluatorError(Box<dyn Error + Send + Sync>);

impl EvaluatorError {
    /// Makes the error from its reason: an error, or a sentence.
    pub fn new(reason: impl Into<Box<dyn Error + Send + Sync>>) -> EvaluatorError {
        EvaluatorError(reason.into())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_cheapest_evaluators_run_first_if_they_can_spare_others() {
        let efforts = [Effort::Judge, Effort::Check, Effort::Script, Effort::Check];
        let rounds = |spares| Effort::rounds([0, 1, 3].into_iter(), spares, |at| efforts[at]);
        assert_eq!(rounds(true), [vec![1, 3], vec![0]]);
        assert_eq!(rounds(false), [vec![0, 1, 3]]);
    }
}
