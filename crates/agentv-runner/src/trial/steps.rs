//! The steps of a trial whose target calls tools: ask, run the calls, ask again with their results.

use std::time::Instant;

use agentv_core::{Message, Request, Timing, TokenUsage, Toolbox, Transcript, Trial};
use serde_json::{Value, json};

use crate::schedule::lane::Lane;
use crate::trial::attempt::{AskResult, ask, milliseconds};
use crate::trial::execute::Executor;
use crate::workspace::TrialWorkspace;

/// The reason for the end of a transcript whose model still called tools in the last step.
const MAX_STEPS: &str = "max_steps";

/// Asks the target of `lane`, and continues with the results of the tools that it calls, until it
/// answers, calls a tool without a result, or has used up its steps. Limits, retries and stops apply to
/// each request. Returns `None` if the run was stopped before an answer came.
pub(crate) async fn ask_in_steps(
    executor: &Executor,
    lane: &Lane,
    request: &mut Request,
    trial: &Trial,
    taken_up: Instant,
    workspace: &mut Option<TrialWorkspace>,
) -> Option<AskResult> {
    let asked = ask(executor, lane, request, trial, taken_up, workspace).await?;
    let (Some(toolbox), Ok(_)) = (lane.target.provider.toolbox(), &asked.answer) else {
        return Some(asked);
    };
    let mut whole = Whole::default();
    let mut asked = asked;
    for step in 1.. {
        let AskResult {
            answer,
            timing,
            attempts,
        } = asked;
        whole.add_timing(timing, attempts);
        let mut transcript = match answer {
            Ok(transcript) => transcript,
            Err(error) => return Some(whole.finish(Err(error))),
        };
        let is_answered = !continues(toolbox, &transcript);
        if is_answered || step >= toolbox.max_steps() {
            whole.add(transcript);
            if !is_answered {
                whole.transcript.finish_reason = Some(MAX_STEPS.to_owned());
            }
            break;
        }
        let running = run_calls(executor, toolbox, request, &mut transcript);
        whole.tools_ms += running.await?;
        request.further.extend(transcript.output_messages.clone());
        whole.add(transcript);
        request.attempt = 1;
        asked = ask(executor, lane, request, trial, Instant::now(), workspace).await?;
    }
    let transcript = std::mem::take(&mut whole.transcript);
    Some(whole.finish(Ok(transcript)))
}

/// Checks that the model calls tools, and that each has a result.
fn continues(toolbox: &dyn Toolbox, transcript: &Transcript) -> bool {
    let mut calls = transcript.tool_calls().peekable();
    calls.peek().is_some() && calls.all(|call| toolbox.answers(&call.tool))
}

/// Runs the calls one after the other, and puts their results beside them. Returns the time that they
/// took, or `None` if the run is stopped.
async fn run_calls(
    executor: &Executor,
    toolbox: &dyn Toolbox,
    request: &Request,
    transcript: &mut Transcript,
) -> Option<f64> {
    let cancel = executor.stop.abortion().child_token();
    let mut took = 0.0;
    let messages = transcript.output_messages.iter_mut();
    for call in messages.flat_map(|message: &mut Message| &mut message.tool_calls) {
        let started = Instant::now();
        let result = tokio::select! {
            biased;
            () = executor.stop.abortion().cancelled() => return None,
            result = toolbox.call(call, request, &cancel) => result,
        };
        let duration = milliseconds(started.elapsed());
        took += duration;
        call.output = Some(result.output);
        call.duration_ms = Some(duration);
        if result.is_error {
            call.set_error();
        }
    }
    Some(took)
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

    fn finish(self, answer: Result<Transcript, agentv_core::ProviderError>) -> AskResult {
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
