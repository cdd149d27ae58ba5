//! Asking one judge, with a second try after an unusable answer.

use std::sync::Arc;

use agentv_core::{EvaluatorError, Judge, JudgeRequest, Judges, Prompt, ProviderError, Transcript};
use serde_json::Value;
use thiserror::Error;

use super::extract::extract;
use super::form::Form;
use super::judgement::Judgement;
use super::question::JudgeQuestion;
use super::unusable::UnusableAnswer;
use crate::error::could_not_judge;

/// The reason why a judge gave no judgement.
#[derive(Debug, Error)]
enum JudgeError {
    #[error("the judge `{judge}` did not answer: {source}")]
    NotAnswered {
        judge: String,
        source: ProviderError,
    },
    #[error("the judge `{judge}` was asked twice, and its answer is not usable: {source}{advice}")]
    Unusable {
        judge: String,
        source: UnusableAnswer,
        advice: &'static str,
    },
}

/// One judge and the form of answer that it is asked for.
pub(super) struct Ladder<'a> {
    pub(super) judges: &'a dyn Judges,
    pub(super) judge: &'a Judge,
    pub(super) form: &'a Form,
    /// The judged answer, which the judge may quote.
    pub(super) judged: &'a str,
    pub(super) schema: Arc<Value>,
}

impl Ladder<'_> {
    /// Asks the judge, and asks once more if the answer cannot be used.
    pub(super) async fn climb(
        &self,
        question: &JudgeQuestion,
    ) -> Result<Judgement, EvaluatorError> {
        let first = self.ask(question.prompt()).await?;
        let wrong = match self.read(&first) {
            Ok(judgement) => return Ok(judgement),
            Err(wrong) => wrong,
        };
        let second = self.ask(question.repair(&first.answer(), &wrong)).await?;
        self.read(&second).map_err(|source| {
            could_not_judge(JudgeError::Unusable {
                judge: self.judges.name(self.judge).to_owned(),
                advice: if second.is_truncated() {
                    "; it was cut off: `max_output_tokens` of the judge may be too low"
                } else {
                    ""
                },
                source,
            })
        })
    }

    async fn ask(&self, prompt: Prompt) -> Result<Transcript, EvaluatorError> {
        let request = JudgeRequest {
            prompt,
            output_schema: Some(Arc::clone(&self.schema)),
        };
        let asked = self.judges.ask(self.judge, request).await;
        asked.map_err(|source| {
            let judge = self.judges.name(self.judge).to_owned();
            could_not_judge(JudgeError::NotAnswered { judge, source })
        })
    }

    fn read(&self, transcript: &Transcript) -> Result<Judgement, UnusableAnswer> {
        extract(&transcript.answer(), self.judged, |answer| {
            self.form.read(answer)
        })
    }
}
