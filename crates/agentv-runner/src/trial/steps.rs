//! The steps of a trial whose target calls tools: ask, run the calls, ask again with their results.

use std::time::Instant;

use agentv_core::{
    Cause, Message, ProviderError, Request, Role, Stop, Timing, TokenUsage, Toolbox, Transcript,
    TranscriptRecord, Trial,
};
use serde_json::Value;

use crate::schedule::budget::SetAside;
use crate::schedule::lane::Lane;
use crate::trial::attempt::{AskResult, ask, milliseconds};
use crate::trial::execute::Executor;
use crate::workspace::TrialWorkspace;

/// The reason for the end of a transcript whose model still called tools in the last step.
const MAX_STEPS: &str = "max_steps";

/// Asks the target of `lane`, and continues with the results of the tools that it calls, until it
/// answers, calls a tool without a result, or has used up its steps. A trial that was stopped between two
/// steps continues with the next. Limits, retries and stops apply to each request, and `set_aside` pays
/// for each. Returns `None` if the run was stopped before the first answer came, and an error with the
/// steps so far if it was stopped later.
pub(crate) async fn ask_in_steps(
    executor: &Executor,
    lane: &Lane,
    request: &mut Request,
    trial: &Trial,
    taken_up: Instant,
    workspace: &mut Option<TrialWorkspace>,
    mut set_aside: Option<&mut SetAside>,
) -> Option<AskResult> {
    // A conversation begins again.
    let begun = trial.work.begun().filter(|_| trial.case.turns.is_empty());
    let mut whole = begun.map(Whole::of).unwrap_or_default();
    let toolbox = lane.target.provider.toolbox();
    if let Some(toolbox) = toolbox.filter(|_| whole.has_begun) {
        // The calls that the end of the run prevented.
        let Some(ran) = run_calls(executor, toolbox, request, &mut whole.transcript).await else {
            return whole.stop(RUN);
        };
        whole.tools_ms += ran.took;
        if let Some(error) = ran.error {
            return Some(whole.fail(error));
        }
        request
            .further
            .clone_from(&whole.transcript.output_messages);
    }
    let asked = ask(executor, lane, request, trial, taken_up, workspace).await;
    let Some(toolbox) = toolbox else {
        return asked;
    };
    let Some(mut asked) = asked else {
        return whole.stop(RUN);
    };
    for step in whole.steps() + 1.. {
        whole.add_timing(asked.timing, asked.attempts);
        let mut transcript = match asked.answer {
            Ok(transcript) => transcript,
            Err(error) => return Some(whole.fail(error)),
        };
        if !continues(toolbox, &transcript) {
            whole.add(transcript);
            break;
        }
        if step >= toolbox.max_steps() {
            whole.add(transcript);
            whole.transcript.finish_reason = Some(MAX_STEPS.to_owned());
            break;
        }
        let cost = transcript.cost_usd;
        let ran = if executor.stop.is_leaving() {
            None
        } else {
            run_calls(executor, toolbox, request, &mut transcript).await
        };
        request.further.extend(transcript.output_messages.clone());
        whole.add(transcript);
        let Some(ran) = ran else {
            return whole.stop(RUN);
        };
        whole.tools_ms += ran.took;
        if let Some(error) = ran.error {
            return Some(whole.fail(error));
        }
        if let Some(set_aside) = set_aside.as_deref_mut() {
            match may_continue(executor, set_aside, cost).await {
                Some(true) => {}
                Some(false) => return whole.stop(BUDGET),
                None => return whole.stop(RUN),
            }
        }
        if executor.stop.is_leaving() {
            return whole.stop(RUN);
        }
        request.attempt = 1;
        let next = ask(executor, lane, request, trial, Instant::now(), workspace).await;
        let Some(next) = next else {
            return whole.stop(RUN);
        };
        asked = next;
    }
    Some(whole.finish())
}

/// The words for what stopped a trial between two steps.
pub(crate) const BUDGET: &str = "`--budget`";
pub(crate) const RUN: &str = "the end of the run";

/// Pays for a step. Returns false, and stops the run, if the budget forbids another one; `None` if the
/// run is stopped meanwhile.
pub(crate) async fn may_continue(
    executor: &Executor,
    set_aside: &mut SetAside,
    cost: Option<f64>,
) -> Option<bool> {
    let is_allowed = tokio::select! {
        biased;
        is_allowed = set_aside.call_again(cost) => is_allowed,
        () = executor.stop.leaving() => return None,
    };
    if !is_allowed {
        executor.stop.stop(Stop::Budget);
    }
    Some(is_allowed)
}

/// Checks that the model calls tools, and that each has a result. A call that was cut off is not made.
fn continues(toolbox: &dyn Toolbox, transcript: &Transcript) -> bool {
    let mut calls = transcript.tool_calls().peekable();
    calls.peek().is_some()
        && !transcript.is_truncated()
        && calls.all(|call| toolbox.answers(&call.tool))
}

/// The calls of one step after they ran.
#[derive(Default)]
struct RanCalls {
    /// The time that they took, in milliseconds.
    took: f64,
    /// The reason for which a call could not run. Those after it did not.
    error: Option<ProviderError>,
}

/// Runs the calls without a result one after the other, and puts their results beside them; `None` if the
/// run is stopped.
async fn run_calls(
    executor: &Executor,
    toolbox: &dyn Toolbox,
    request: &Request,
    transcript: &mut Transcript,
) -> Option<RanCalls> {
    let cancel = executor.stop.abortion().child_token();
    let mut ran = RanCalls::default();
    let messages = transcript.output_messages.iter_mut();
    let calls = messages.flat_map(|message: &mut Message| &mut message.tool_calls);
    for call in calls.filter(|call| call.output.is_none()) {
        let started = Instant::now();
        let result = tokio::select! {
            biased;
            () = executor.stop.abortion().cancelled() => return None,
            result = toolbox.call(call, request, &cancel) => result,
        };
        let duration = milliseconds(started.elapsed());
        ran.took += duration;
        call.duration_ms = Some(duration);
        let (output, is_error) = match result {
            Err(error) if error.cause == Cause::Cancelled => return None,
            Ok(result) => {
                if !result.blocks.is_empty() {
                    call.set_output_blocks(result.blocks);
                }
                (result.output, result.is_error)
            }
            Err(error) => {
                let message = Value::from(error.message.as_str());
                ran.error = Some(error);
                (message, true)
            }
        };
        call.output = Some(output);
        if is_error {
            call.set_error();
        }
        if ran.error.is_some() {
            break;
        }
    }
    Some(ran)
}

/// All steps as one answer.
#[derive(Default)]
pub(crate) struct Whole {
    transcript: Transcript,
    timing: Timing,
    attempts: u32,
    tools_ms: f64,
    has_begun: bool,
}

impl Whole {
    /// Returns the steps of a trial that was stopped between two of them.
    fn of(begun: &TranscriptRecord) -> Whole {
        Whole {
            transcript: begun.transcript.clone(),
            timing: begun.timing,
            attempts: begun.attempts,
            tools_ms: 0.0,
            has_begun: true,
        }
    }

    /// Returns the number of requests that were answered.
    fn steps(&self) -> u32 {
        let messages = self.transcript.output_messages.iter();
        let answers = messages.filter(|message| message.role == Role::Assistant);
        answers.count().try_into().unwrap_or(u32::MAX)
    }

    pub(crate) fn add_timing(&mut self, timing: Timing, attempts: u32) {
        let sum = |one: Option<f64>, other: Option<f64>| match (one, other) {
            (Some(one), Some(other)) => Some(rounded(one + other)),
            (one, other) => one.or(other),
        };
        self.timing = Timing {
            queue_ms: sum(self.timing.queue_ms, timing.queue_ms),
            total_ms: sum(self.timing.total_ms, timing.total_ms),
            first_token_ms: self.timing.first_token_ms.or(timing.first_token_ms),
        };
        // Each step is one attempt if nothing fails.
        self.attempts += match self.attempts {
            0 => attempts,
            _ => attempts - 1,
        };
    }

    /// Returns the steps so far.
    pub(crate) fn transcript(&self) -> &Transcript {
        &self.transcript
    }

    /// Adds the messages of the next turn.
    pub(crate) fn say(&mut self, messages: &[Message]) {
        let whole = &mut self.transcript.output_messages;
        whole.extend_from_slice(messages);
    }

    pub(crate) fn add(&mut self, step: Transcript) {
        let is_first = !std::mem::replace(&mut self.has_begun, true);
        let whole = &mut self.transcript;
        whole.output_messages.extend(step.output_messages);
        whole.token_usage = if is_first {
            step.token_usage
        } else {
            sum_of_tokens(whole.token_usage, step.token_usage)
        };
        whole.lacks_usage |= step.lacks_usage;
        whole.cost_usd = match is_first {
            true => step.cost_usd,
            // A sum without a part of it would be wrong.
            false => whole
                .cost_usd
                .zip(step.cost_usd)
                .map(|(one, other)| one + other),
        };
        whole.finish_reason = step.finish_reason;
        whole.model = step.model.or(whole.model.take());
        whole.request_id = step.request_id.or(whole.request_id.take());
        whole.trace = joined(whole.trace.take(), step.trace);
        whole.warnings.extend(step.warnings);
    }

    /// Returns the steps as an answer.
    pub(crate) fn finish(mut self) -> AskResult {
        let transcript = std::mem::take(&mut self.transcript);
        self.end(Ok(transcript))
    }

    /// Returns a failure with the steps before it.
    pub(crate) fn fail(mut self, mut error: ProviderError) -> AskResult {
        if self.has_begun {
            if let Some(partial) = error.partial.take() {
                self.add(*partial);
            }
            error = error.with_partial(std::mem::take(&mut self.transcript));
        }
        self.end(Err(error))
    }

    /// Returns the steps before the run was stopped, if there are any.
    fn stop(self, by: &str) -> Option<AskResult> {
        if !self.has_begun {
            return None;
        }
        let requests = match self.steps() {
            1 => "1 request".to_owned(),
            steps => format!("{steps} requests"),
        };
        let message = format!("{by} stopped the trial after {requests}; `--resume` continues it");
        Some(self.fail(ProviderError::new(Cause::Cancelled, message)))
    }

    /// Returns the turns before the run was stopped.
    pub(crate) fn stop_in_turn(self, by: &str, turn: usize) -> AskResult {
        let message =
            format!("{by} stopped the conversation after turn {turn}; `--resume` repeats it");
        self.fail(ProviderError::new(Cause::Cancelled, message))
    }

    fn end(self, answer: Result<Transcript, ProviderError>) -> AskResult {
        AskResult {
            answer,
            timing: Timing {
                total_ms: self.timing.total_ms.map(|ms| rounded(ms + self.tools_ms)),
                ..self.timing
            },
            attempts: self.attempts,
        }
    }
}

/// Removes what the addition of milliseconds adds behind the microseconds.
fn rounded(milliseconds: f64) -> f64 {
    (milliseconds * 1e3).round() / 1e3
}

fn sum_of_tokens(one: Option<TokenUsage>, other: Option<TokenUsage>) -> Option<TokenUsage> {
    let (one, other) = one.zip(other)?;
    let sum = |one: Option<u64>, other: Option<u64>| match (one, other) {
        (Some(one), Some(other)) => Some(one.saturating_add(other)),
        (one, other) => one.or(other),
    };
    Some(TokenUsage {
        input: one.input.saturating_add(other.input),
        output: one.output.saturating_add(other.output),
        cached: sum(one.cached, other.cached),
        reasoning: sum(one.reasoning, other.reasoning),
    })
}

/// Joins the traces of two steps field by field: the reasoning with an empty line between, lists at their
/// ends. Anything else is that of the later step.
fn joined(one: Option<Value>, other: Option<Value>) -> Option<Value> {
    let (mut one, other) = match (one, other) {
        (Some(Value::Object(one)), Some(Value::Object(other))) => (one, other),
        (one, other) => return other.or(one),
    };
    for (name, later) in other {
        let both = match (one.remove(&name), later) {
            (Some(Value::String(first)), Value::String(second)) if name == "reasoning" => {
                Value::String(format!("{first}\n\n{second}"))
            }
            (Some(Value::Array(mut first)), Value::Array(second)) => {
                first.extend(second);
                Value::Array(first)
            }
            (Some(Value::Object(first)), Value::Object(second)) => {
                joined(Some(first.into()), Some(second.into())).unwrap_or_default()
            }
            (_, later) => later,
        };
        one.insert(name, both);
    }
    Some(Value::Object(one))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn the_parts_of_all_steps_are_kept() {
        let first = json!({"reasoning": "a", "other_parts": [1], "logprobs": {"content": [1]}});
        let second = json!({"reasoning": "b", "other_parts": [2], "logprobs": {"content": [2]}});
        let both = json!({
            "reasoning": "a\n\nb", "other_parts": [1, 2], "logprobs": {"content": [1, 2]}
        });
        assert_eq!(joined(Some(first.clone()), Some(second)), Some(both));
        let reasoning = json!({"reasoning": "b"});
        let all = json!({"reasoning": "a\n\nb", "other_parts": [1], "logprobs": {"content": [1]}});
        assert_eq!(joined(Some(first.clone()), Some(reasoning)), Some(all));
        assert_eq!(joined(Some(first.clone()), None), Some(first));
    }
}
