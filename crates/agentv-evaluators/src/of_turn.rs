//! `turn`: an evaluator that grades the answer to one turn of a conversation.

use std::sync::Arc;

use agentv_core::{
    BoxFuture, EvalCase, Evaluation, Evaluator, EvaluatorError, Prompt, Score, Subject,
    TraceSummary, Transcript, TurnFailure,
};

use crate::error::BuildError;
use crate::options::Options;
use crate::registry::TURN;

/// Returns an evaluator that grades the turn that its options name, if they name one.
pub(crate) fn of_turn(
    evaluator: Arc<dyn Evaluator>,
    options: &Options<'_>,
) -> Result<Arc<dyn Evaluator>, BuildError> {
    Ok(match options.count(TURN)? {
        Some(turn) => Arc::new(OfTurn {
            evaluator,
            turn: usize::try_from(turn).unwrap_or(usize::MAX),
        }),
        None => evaluator,
    })
}

struct OfTurn {
    evaluator: Arc<dyn Evaluator>,
    /// The turn, from 1.
    turn: usize,
}

impl Evaluator for OfTurn {
    fn evaluate<'a>(
        &'a self,
        subject: &'a Subject<'a>,
    ) -> BoxFuture<'a, Result<Evaluation, EvaluatorError>> {
        Box::pin(self.grade(subject))
    }
}

impl OfTurn {
    /// Returns the evaluation of a turn that was not asked, because the answer to one before it did not pass.
    fn not_asked(&self) -> Evaluation {
        let turn = self.turn;
        let miss =
            format!("turn {turn} was not asked: the answer to a turn before it did not pass");
        Evaluation {
            misses: vec![miss],
            ..Evaluation::of(Score::ZERO)
        }
    }

    async fn grade(&self, subject: &Subject<'_>) -> Result<Evaluation, EvaluatorError> {
        let output = &subject.transcript.output_messages;
        let case = subject.case;
        let said = case.answer_to(self.turn, output);
        let asked = case.conversation(self.turn, output);
        let (Some(said), Some(asked)) = (said, asked) else {
            if case.on_turn_failure == TurnFailure::Stop && self.turn <= case.turns.len() + 1 {
                return Ok(self.not_asked());
            }
            let message = format!("the answer has no turn {}", self.turn);
            return Err(EvaluatorError::new(message));
        };
        let expected = match self.turn.checked_sub(2).and_then(|at| case.turns.get(at)) {
            Some(turn) => turn.expected_messages.clone(),
            None => case.expected_messages.clone(),
        };
        let case = EvalCase {
            input_messages: asked,
            expected_messages: expected,
            turns: Vec::new(),
            ..case.clone()
        };
        let transcript = Transcript {
            output_messages: said.to_vec(),
            ..Transcript::default()
        };
        let (prompt, answer) = (Prompt::of(&case), transcript.answer());
        let trace = TraceSummary::of(&transcript, None);
        let subject = Subject {
            case: &case,
            prompt: &prompt,
            transcript: &transcript,
            answer: &answer,
            trace: &trace,
            ..*subject
        };
        self.evaluator.evaluate(&subject).await
    }
}
