//! The steps of a trial whose target calls tools: ask, run the calls, ask again with their results.

use std::time::Instant;

use agentv_core::{
    Message, ProviderError, Request, RunEvent, Stop, Timing, TokenUsage, Toolbox, Transcript, Trial,
};
use serde_json::{Value, json};

use crate::schedule::budget::SetAside;
use crate::schedule::lane::Lane;
use crate::trial::attempt::{AskResult, ask, milliseconds};
use crate::trial::execute::Executor;
use crate::workspace::TrialWorkspace;

/// The reason for the end of a transcript whose model still called tools in the last step.
const MAX_STEPS: &str = "max_steps";

/// Asks the target of `lane`, and continues with the results of the tools that it calls, until it
/// answers, calls a tool without a result, or has used up its steps. Limits, retries and stops apply to
/// each request, and `set_aside` pays for each. Returns `None` if the run was stopped before an answer
/// came.
pub(crate) async fn ask_in_steps(
    executor: &Executor,
    lane: &Lane,
    request: &mut Request,
    trial: &Trial,
    taken_up: Instant,
    workspace: &mut Option<TrialWorkspace>,
    mut set_aside: Option<&mut SetAside>,
) -> Option<AskResult> {
    let mut asked = ask(executor, lane, request, trial, taken_up, workspace).await?;
    let Some(toolbox) = lane.target.provider.toolbox() else {
        return Some(asked);
    };
    let mut whole = Whole::default();
    for step in 1.. {
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
        let ran = run_calls(executor, toolbox, request, &mut transcript).await?;
        whole.tools_ms += ran.took;
        request.further.extend(transcript.output_messages.clone());
        let cost = transcript.cost_usd;
        whole.add(transcript);
        if let Some(error) = ran.error {
            return Some(whole.fail(error));
        }
        if let Some(set_aside) = set_aside.as_deref_mut()
            && !may_continue(executor, set_aside, cost).await?
        {
            notice_budget(executor, trial, step, &whole);
            return None;
        }
        request.attempt = 1;
        asked = ask(executor, lane, request, trial, Instant::now(), workspace).await?;
    }
    Some(whole.finish())
}

/// Pays for a step. Returns false, and stops the run, if the budget forbids another one; `None` if the
/// run is stopped meanwhile.
async fn may_continue(
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

/// Reports the cost of a trial that the budget ended between two steps: no record has it.
fn notice_budget(executor: &Executor, trial: &Trial, steps: u32, whole: &Whole) {
    let cost = whole.transcript.cost_usd;
    let cost = cost.map_or_else(|| "unknown".to_owned(), |cost| format!("${cost:.4}"));
    let requests = if steps == 1 { "request" } else { "requests" };
    let message = format!(
        "`--budget` stopped case `{}` of target `{}` after {steps} {requests}; their cost ({cost}) is \
         not in the totals",
        trial.case.id, trial.target,
    );
    let message = executor.secrets.redact(&message).into_owned();
    executor.notify(RunEvent::Noticed { message });
}

/// Checks that the model calls tools, and that each has a result.
fn continues(toolbox: &dyn Toolbox, transcript: &Transcript) -> bool {
    let mut calls = transcript.tool_calls().peekable();
    calls.peek().is_some() && calls.all(|call| toolbox.answers(&call.tool))
}

/// The calls of one step after they ran.
#[derive(Default)]
struct RanCalls {
    /// The time that they took, in milliseconds.
    took: f64,
    /// The reason for which a call could not run. Those after it did not.
    error: Option<ProviderError>,
}

/// Runs the calls one after the other, and puts their results beside them; `None` if the run is stopped.
async fn run_calls(
    executor: &Executor,
    toolbox: &dyn Toolbox,
    request: &Request,
    transcript: &mut Transcript,
) -> Option<RanCalls> {
    let cancel = executor.stop.abortion().child_token();
    let mut ran = RanCalls::default();
    let messages = transcript.output_messages.iter_mut();
    for call in messages.flat_map(|message: &mut Message| &mut message.tool_calls) {
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
            Ok(result) => (result.output, result.is_error),
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
struct Whole {
    transcript: Transcript,
    timing: Timing,
    attempts: u32,
    tools_ms: f64,
    has_begun: bool,
}

impl Whole {
    fn add_timing(&mut self, timing: Timing, attempts: u32) {
        let sum = |one: Option<f64>, other: Option<f64>| match (one, other) {
            (Some(one), Some(other)) => Some(one + other),
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

    fn add(&mut self, step: Transcript) {
        let is_first = !std::mem::replace(&mut self.has_begun, true);
        let whole = &mut self.transcript;
        whole.output_messages.extend(step.output_messages);
        whole.token_usage = match is_first {
            true => step.token_usage,
            false => sum_of_tokens(whole.token_usage, step.token_usage),
        };
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
    fn finish(mut self) -> AskResult {
        let transcript = std::mem::take(&mut self.transcript);
        self.end(Ok(transcript))
    }

    /// Returns a failure with the steps before it.
    fn fail(mut self, mut error: ProviderError) -> AskResult {
        if self.has_begun {
            if let Some(partial) = error.partial.take() {
                self.add(*partial);
            }
            error = error.with_partial(std::mem::take(&mut self.transcript));
        }
        self.end(Err(error))
    }

    fn end(self, answer: Result<Transcript, ProviderError>) -> AskResult {
        AskResult {
            answer,
            timing: Timing {
                total_ms: self.timing.total_ms.map(|ms| ms + self.tools_ms),
                ..self.timing
            },
            attempts: self.attempts,
        }
    }
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

/// Joins the reasoning of two steps. Anything else is that of the later one.
fn joined(one: Option<Value>, other: Option<Value>) -> Option<Value> {
    let (Some(one), Some(mut other)) = (one.clone(), other.clone()) else {
        return one.or(other);
    };
    let text = |trace: &Value| Some(trace.get("reasoning")?.as_str()?.to_owned());
    if let (Some(first), Value::Object(fields)) = (text(&one), &mut other) {
        let second = fields.get("reasoning").and_then(Value::as_str);
        let both = match second {
            Some(second) => format!("{first}\n\n{second}"),
            None => first,
        };
        fields.insert("reasoning".to_owned(), json!(both));
    }
    Some(other)
}
