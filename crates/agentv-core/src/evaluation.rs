//! What judges an answer, and what it says.

use std::collections::BTreeMap;

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

impl Effort {
    /// Which of several evaluators are asked together, by their places: all, or those that take the
    /// same and the least first where one may spare those after it.
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

/// The reason for which an evaluator could not do its work, a sentence.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct EvaluatorError(pub String);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn where_one_may_spare_others_those_that_take_least_are_asked_first() {
        let efforts = [Effort::Judge, Effort::Check, Effort::Script, Effort::Check];
        let rounds = |spares| Effort::rounds([0, 1, 3].into_iter(), spares, |at| efforts[at]);
        assert_eq!(rounds(true), [vec![1, 3], vec![0]]);
        assert_eq!(rounds(false), [vec![0, 1, 3]]);
    }
}
