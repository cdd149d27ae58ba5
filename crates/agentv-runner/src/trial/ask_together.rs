//! One call of a target for the answers of many trials.

use std::time::Instant;

use agentv_core::{BatchProvider, Cause, ProviderError, Request, Step, Timing, Transcript, Trial};

use crate::schedule::lane::Lane;
use crate::trial::attempt::{call, milliseconds};
use crate::trial::execute::Executor;
use crate::trial::judges::prepare;
use crate::trial::request::{prompt_of, request_of};

impl Executor {
    /// Asks a target once for all of these trials. Returns the first step of each, in order; `None` for
    /// those whose answer did not come before the run was stopped.
    pub(crate) async fn ask_together(
        &self,
        lane: &Lane,
        batch: &dyn BatchProvider,
        trials: &[Trial],
    ) -> Vec<Option<Step>> {
        let started = Instant::now();
        let answers = self.answers_of(lane, batch, trials).await;
        // No case has a time of its own: each gets its share of the command's.
        let timing = Timing {
            queue_ms: None,
            total_ms: Some(milliseconds(started.elapsed()) / trials.len().max(1) as f64),
            first_token_ms: None,
        };
        let mut answers = answers.unwrap_or_else(|error| vec![Err(error); trials.len()]);
        answers.resize_with(trials.len(), || {
            let message = "the target returned fewer answers than there are cases";
            Err(ProviderError::new(Cause::Missing, message))
        });
        let answered = trials.iter().zip(answers);
        answered
            .map(|(trial, answer)| self.first_step(trial, answer, timing, 1))
            .collect()
    }

    async fn answers_of(
        &self,
        lane: &Lane,
        batch: &dyn BatchProvider,
        trials: &[Trial],
    ) -> Result<Vec<Result<Transcript, ProviderError>>, ProviderError> {
        let prepared = prepare(self, lane).await;
        prepared.ok_or_else(ProviderError::cancelled)?;
        let limit = lane.target.limits.timeout;
        let requests = trials
            .iter()
            .map(|trial| request_of(trial, prompt_of(trial), limit));
        let requests: Vec<Request> = requests.collect();
        let cancel = self.stop.abortion().child_token();
        let asking = async { batch.answer_all(&requests, &cancel).await };
        call(self, limit, &cancel, asking).await
    }
}
