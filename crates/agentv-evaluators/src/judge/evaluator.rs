//! The evaluator that asks judges.

use agentv_core::{BoxFuture, EvalCase, Evaluation, Evaluator, EvaluatorError, Judging, Subject};
use futures_util::future::join_all;

use super::fence::Fence;
use super::form::Form;
use super::ladder::Ladder;
use super::panel::Panel;
use super::prompt_source::PromptSource;
use super::question::JudgeQuestion;
use crate::error::could_not_judge;

/// An evaluator that asks judges and combines their answers.
#[derive(Debug)]
pub(crate) struct JudgeEvaluator {
    pub(crate) prompt: PromptSource,
    pub(crate) form: Form,
    pub(crate) panel: Panel,
    /// The expected outcome, in place of that of the case.
    pub(crate) outcome: Option<String>,
}

impl Evaluator for JudgeEvaluator {
    fn evaluate<'a>(
        &'a self,
        subject: &'a Subject<'a>,
    ) -> BoxFuture<'a, Result<Evaluation, EvaluatorError>> {
        Box::pin(self.judge(subject, None))
    }
}

impl JudgeEvaluator {
    /// Judges an answer, or the results of other evaluators if `results` are given.
    pub(crate) async fn judge(
        &self,
        subject: &Subject<'_>,
        results: Option<&str>,
    ) -> Result<Evaluation, EvaluatorError> {
        let Some(Judging(judges)) = subject.judging else {
            return Err(EvaluatorError::new("no judge is available"));
        };
        let case;
        let mut subject = *subject;
        if let Some(outcome) = &self.outcome {
            case = EvalCase {
                expected_outcome: Some(outcome.clone()),
                ..subject.case.clone()
            };
            subject.case = &case;
        }
        let subject = &subject;
        let fence = Fence::around(subject, results);
        let material = self.prompt.render(subject, &fence, results).await;
        let question = JudgeQuestion::new(&self.form, material.map_err(could_not_judge)?, fence);
        let schema = self.form.schema();
        let ladders: Vec<Ladder<'_>> = self
            .panel
            .judges
            .iter()
            .map(|judge| Ladder {
                judges,
                judge,
                form: &self.form,
                judged: subject.answer,
                schema: schema.clone(),
            })
            .collect();
        let asked = ladders.iter().map(|ladder| ladder.climb(&question));
        let mut judgements = Vec::with_capacity(ladders.len());
        // A judge without an answer is not skipped: fewer judges would be a different measure.
        for (ladder, judgement) in ladders.iter().zip(join_all(asked).await) {
            judgements.push((judges.name(ladder.judge), judgement?));
        }
        Ok(self.panel.evaluation(judgements, subject.pass_threshold()))
    }
}
