//! Asking a judge which of two answers is better.

use std::sync::Arc;

use agentv_core::{EvaluatorError, Judge, Judging, Subject};

use super::fence::Fence;
use super::form::Form;
use super::ladder::Ladder;
use super::question::JudgeQuestion;

/// Asks a judge which of two answers to the question of `subject` meets a criterion better. Returns 1 for the first,
/// 0 for the second and 0.5 for neither.
///
/// # Errors
/// Fails if there is no judge, or it gives no usable answer.
pub(crate) async fn preference(
    subject: &Subject<'_>,
    judge: &Judge,
    criterion: &str,
    [first, second]: [&str; 2],
) -> Result<f64, EvaluatorError> {
    let Some(Judging(judges)) = subject.judging else {
        return Err(EvaluatorError::new("no judge is available"));
    };
    let fence = Fence::around(subject, Some(&format!("{first}\n{second}\n{criterion}")));
    let parts = [
        ("question", subject.prompt.question.as_str()),
        ("criterion", criterion),
        ("first", first),
        ("second", second),
    ];
    let material: Vec<String> = parts.map(|(name, text)| fence.wrap(name, text)).into();
    let question = JudgeQuestion::new(&Form::Pair, material.join("\n\n"), fence);
    let both = format!("{first}\n{second}");
    let ladder = Ladder {
        judges,
        judge,
        form: &Form::Pair,
        judged: &both,
        schema: Arc::clone(&Form::Pair.schema()),
    };
    let judgement = ladder.climb(&question).await?;
    Ok(judgement.score.value())
}
