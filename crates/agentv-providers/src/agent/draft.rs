//! The transcript of an agent while its events are being read.

use std::collections::{BTreeSet, HashMap};
use std::time::Duration;

use agentv_core::{
    Activity, AgentTrace, Content, Denial, Message, Role, TokenUsage, ToolCall, ToolKind,
    Transcript,
};
use serde_json::Value;

use super::kind::AgentKind;
use crate::answer::{DEEPEST, is_within};
use crate::model::Price;
use crate::wire::Usage;

/// The reason for the end of an agent that reached its limit of turns.
pub(crate) const MAX_TURNS: &str = "max_turns";

/// The transcript of an agent while its events are being read.
///
/// Events may come in any order, twice, or not at all: an agent's stream is not trusted.
pub(crate) struct Draft {
    kind: &'static AgentKind,
    /// The time since the start of the agent.
    now: Duration,
    first_timestamp: Option<jiff::Timestamp>,
    messages: Vec<Message>,
    /// The places of messages by the agent's names for them.
    named: HashMap<String, usize>,
    /// The places of calls by their ids: message, and call within it.
    calls: HashMap<String, (usize, usize)>,
    begun: HashMap<String, Duration>,
    /// The ids of calls of tools that the agent does not have.
    unavailable: BTreeSet<String>,
    tokens: Option<Tokens>,
    cost: Option<f64>,
    /// True if the cost was counted by us.
    is_cost_counted: bool,
    model: Option<String>,
    session: Option<String>,
    trace: AgentTrace,
    finish_reason: Option<String>,
    duration_ms: Option<f64>,
    end: Option<DraftEnd>,
    /// The actions of the agent since they were last taken.
    news: Vec<Activity>,
}

/// The end of a run, as the agent itself states it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum DraftEnd {
    /// It has finished its work.
    Done,
    /// It reports an error.
    Failed(String),
}

/// The tokens that an agent reports.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Tokens {
    /// Tokens read, including cached ones.
    pub(crate) input: u64,
    /// Tokens written, including reasoning.
    pub(crate) output: u64,
    /// The part of `input` that came from a cache.
    pub(crate) cached: Option<u64>,
    /// The part of `output` that was reasoning.
    pub(crate) reasoning: Option<u64>,
}

impl Tokens {
    /// Adds the tokens of another step.
    pub(crate) fn add(&mut self, other: Tokens) {
        let sum = |a: Option<u64>, b: Option<u64>| match (a, b) {
            (None, None) => None,
            (a, b) => Some(a.unwrap_or(0).saturating_add(b.unwrap_or(0))),
        };
        self.input = self.input.saturating_add(other.input);
        self.output = self.output.saturating_add(other.output);
        self.cached = sum(self.cached, other.cached);
        self.reasoning = sum(self.reasoning, other.reasoning);
    }

    /// Returns true if nothing was counted.
    pub(crate) fn is_zero(&self) -> bool {
        self.input == 0 && self.output == 0
    }
}

/// A call of a tool, as an agent announces it.
#[derive(Debug, Default)]
pub(crate) struct Call<'a> {
    pub(crate) id: &'a str,
    pub(crate) tool: &'a str,
    pub(crate) input: Option<&'a Value>,
    /// The agent's name for the message that makes the call, if it has one.
    pub(crate) message: Option<&'a str>,
    /// The call of a subagent that made this call.
    pub(crate) parent: Option<&'a str>,
}

impl Draft {
    pub(crate) fn new(kind: &'static AgentKind) -> Draft {
        Draft {
            kind,
            now: Duration::ZERO,
            first_timestamp: None,
            messages: Vec::new(),
            named: HashMap::new(),
            calls: HashMap::new(),
            begun: HashMap::new(),
            unavailable: BTreeSet::new(),
            tokens: None,
            cost: None,
            is_cost_counted: false,
            model: None,
            session: None,
            trace: AgentTrace {
                agent: Some(kind.provider.to_owned()),
                ..AgentTrace::default()
            },
            finish_reason: None,
            duration_ms: None,
            end: None,
            news: Vec::new(),
        }
    }

    /// Sets the time at which the next event arrived.
    pub(crate) fn at(&mut self, now: Duration) {
        self.now = now;
    }

    /// Sets the time of the next event to a timestamp of the agent.
    pub(crate) fn at_timestamp(&mut self, timestamp: &str) {
        let Ok(timestamp) = timestamp.parse::<jiff::Timestamp>() else {
            return;
        };
        let first = *self.first_timestamp.get_or_insert(timestamp);
        let since = timestamp.duration_since(first);
        self.now = Duration::try_from(since).unwrap_or_default();
    }

    /// Drops the messages and calls, which a better source replaces.
    pub(crate) fn start_again(&mut self) {
        self.messages.clear();
        self.named.clear();
        self.calls.clear();
        self.begun.clear();
        self.trace.denials.clear();
    }

    /// Adds text of the agent to its message of this name, or as a message of its own.
    pub(crate) fn say(&mut self, message: Option<&str>, text: &str) {
        if text.is_empty() {
            return;
        }
        self.news.push(Activity {
            tool: None,
            detail: first_line(text),
        });
        let place = self.message(message);
        let message = &mut self.messages[place];
        message.content = Some(Content::Text(match message.content.take() {
            None => text.to_owned(),
            Some(before) => format!("{}\n{text}", before.text()),
        }));
    }

    /// Adds text of the agent that continues the text before it.
    pub(crate) fn say_more(&mut self, message: &str, text: &str) {
        let place = self.message(Some(message));
        let message = &mut self.messages[place];
        message.content = Some(Content::Text(match message.content.take() {
            None => text.to_owned(),
            Some(before) => before.text() + text,
        }));
    }

    /// Adds a call, unless it is known. Then it completes the call.
    pub(crate) fn call(&mut self, call: &Call<'_>) {
        let input = call.input.map(shallow);
        if let Some(known) = self.known(call.id) {
            if input.is_some() {
                known.input = input;
            }
            if !call.tool.is_empty() {
                self.rename(call.id, call.tool);
            }
            return;
        }
        self.news.push(Activity {
            tool: Some(call.tool.to_owned()),
            detail: input.as_ref().map(essence).unwrap_or_default(),
        });
        let mut made = ToolCall {
            input,
            id: Some(call.id.to_owned()).filter(|id| !id.is_empty()),
            ..ToolCall::new(call.tool)
        };
        made.set_kind(self.kind.kind_of(call.tool));
        if let Some(parent) = call.parent {
            made.extra.insert("parent_id".to_owned(), parent.into());
        }
        let place = self.message(call.message);
        let calls = &mut self.messages[place].tool_calls;
        calls.push(made);
        let at = (place, calls.len() - 1);
        self.calls.insert(call.id.to_owned(), at);
        self.begun.insert(call.id.to_owned(), self.now);
    }

    /// Gives a known call the tool's real name.
    fn rename(&mut self, id: &str, tool: &str) {
        let kind = self.kind.kind_of(tool);
        if let Some(call) = self.known(id) {
            tool.clone_into(&mut call.tool);
            call.set_kind(kind);
        }
    }

    /// Sets the kind of a known call.
    pub(crate) fn set_kind(&mut self, id: &str, kind: ToolKind) {
        if let Some(call) = self.known(id) {
            call.set_kind(kind);
        }
    }

    /// Sets the output of a known call, which ends it.
    pub(crate) fn result(&mut self, id: &str, output: &Value, is_error: bool) {
        let now = self.now;
        let begun = self.begun.remove(id);
        let Some(call) = self.known(id) else {
            return;
        };
        call.output = Some(shallow(output));
        if is_error {
            call.set_error();
        }
        if let (None, Some(begun)) = (call.duration_ms, begun) {
            call.duration_ms = Some(milliseconds(now.saturating_sub(begun)));
        }
    }

    /// Sets the exit code of a known call.
    pub(crate) fn exit_code(&mut self, id: &str, code: i64) {
        if let Some(call) = self.known(id) {
            call.set_exit_code(code);
        }
    }

    /// Sets the duration of a known call, as the agent measured it.
    pub(crate) fn duration(&mut self, id: &str, milliseconds: f64) {
        if milliseconds.is_finite()
            && milliseconds >= 0.0
            && let Some(call) = self.known(id)
        {
            call.duration_ms = Some(milliseconds);
        }
    }

    /// Returns the call with this id.
    pub(crate) fn known(&mut self, id: &str) -> Option<&mut ToolCall> {
        let &(message, call) = self.calls.get(id)?;
        self.messages[message].tool_calls.get_mut(call)
    }

    /// Returns the calls so far.
    pub(crate) fn tool_calls(&self) -> impl Iterator<Item = &ToolCall> {
        self.messages.iter().flat_map(|message| &message.tool_calls)
    }

    /// Returns the text of the last message that has any.
    pub(crate) fn last_text(&self) -> Option<String> {
        let mut texts = self.messages.iter().rev();
        texts.find_map(|message| message.content.as_ref().map(Content::text))
    }

    /// Notes a call that the agent's permissions refused.
    pub(crate) fn deny(&mut self, id: &str, denial: Denial) {
        if let Some(call) = self.known(id) {
            call.set_error();
            if call
                .extra
                .insert("denied".to_owned(), true.into())
                .is_some()
            {
                // It was reported before.
                return;
            }
        }
        self.trace.denials.push(denial);
    }

    /// Notes a call of a tool that the agent does not have.
    pub(crate) fn unavailable(&mut self, id: &str) {
        if let Some(call) = self.known(id) {
            call.set_error();
        }
        self.unavailable.insert(id.to_owned());
    }

    /// Refuses the calls of tools that the agent does not have, since we withheld them.
    pub(crate) fn deny_unavailable(&mut self) {
        for id in std::mem::take(&mut self.unavailable) {
            self.deny_call(&id);
        }
    }

    /// Notes that a call was refused, for the reason that is its output.
    pub(crate) fn deny_call(&mut self, id: &str) {
        let Some(call) = self.known(id) else {
            return;
        };
        let denial = Denial {
            tool: call.tool.clone(),
            input: call.input.clone(),
            reason: call
                .output
                .as_ref()
                .and_then(Value::as_str)
                .map(str::to_owned),
        };
        self.deny(id, denial);
    }

    /// Returns the number of messages so far, which are the turns of the agent.
    pub(crate) fn turns(&self) -> u64 {
        self.messages.len() as u64
    }

    /// Returns the cost so far, as the agent reports it or by price; `None` if it is unknown.
    pub(crate) fn cost_so_far(&self, price: Option<Price>) -> Option<f64> {
        if self.has_cost() {
            return self.cost;
        }
        let tokens = self.tokens.filter(|tokens| !tokens.is_zero())?;
        price?.cost(&Usage {
            input: Some(tokens.input),
            output: Some(tokens.output),
            cached: tokens.cached,
            reasoning: tokens.reasoning,
            ..Usage::default()
        })
    }

    /// Returns true if the agent made calls and each was refused.
    pub(crate) fn every_call_was_denied(&self) -> bool {
        let mut calls = self.tool_calls().peekable();
        calls.peek().is_some() && calls.all(|call| call.extra.contains_key("denied"))
    }

    /// Counts a request to the model that the agent repeated.
    pub(crate) fn retry(&mut self) {
        self.add_retries(1);
    }

    /// Counts requests to the model that were repeated.
    pub(crate) fn add_retries(&mut self, count: u64) {
        self.trace.retries += count;
    }

    /// Notes the version of the agent.
    pub(crate) fn version(&mut self, version: &str) {
        self.trace.version = Some(version.to_owned());
    }

    /// Returns true if the version of the agent is known.
    pub(crate) fn has_version(&self) -> bool {
        self.trace.version.is_some()
    }

    /// Notes a further fact for the trace.
    pub(crate) fn fact(&mut self, name: &str, value: Value) {
        self.trace.extra.insert(name.to_owned(), value);
    }

    /// Notes the model, as it calls itself.
    pub(crate) fn model(&mut self, model: &str) {
        if !model.is_empty() {
            self.model = Some(model.to_owned());
        }
    }

    /// Notes the agent's name for the session.
    pub(crate) fn session(&mut self, id: &str) {
        self.session = Some(id.to_owned());
    }

    /// Returns the agent's name for the session.
    pub(crate) fn session_id(&self) -> Option<&str> {
        self.session.as_deref()
    }

    /// Sets the tokens of the whole run.
    pub(crate) fn set_tokens(&mut self, tokens: Tokens) {
        self.tokens = Some(tokens);
    }

    /// Adds the tokens of one step.
    pub(crate) fn add_tokens(&mut self, tokens: Tokens) {
        self.tokens.get_or_insert_default().add(tokens);
    }

    /// Returns true if the agent has reported tokens.
    pub(crate) fn has_tokens(&self) -> bool {
        self.tokens.is_some_and(|tokens| !tokens.is_zero())
    }

    /// Sets the cost of the whole run in US dollars.
    pub(crate) fn set_cost(&mut self, cost: f64) {
        if cost.is_finite() && cost >= 0.0 {
            self.cost = Some(cost);
        }
    }

    /// Sets the cost that we counted ourselves.
    pub(crate) fn count_cost(&mut self, cost: f64) {
        self.is_cost_counted = true;
        self.set_cost(cost);
    }

    /// Sets the cost by the price that the user set: `counted` by the proxy, or else of the tokens that the
    /// agent reports.
    pub(crate) fn price_again(&mut self, price: Price, counted: Option<f64>) {
        let reported = self.cost.take();
        match counted.or_else(|| self.cost_so_far(Some(price))) {
            Some(cost) => self.count_cost(cost),
            None => self.cost = reported,
        }
    }

    /// Adds the cost of one step in US dollars.
    pub(crate) fn add_cost(&mut self, cost: f64) {
        self.set_cost(self.cost.unwrap_or(0.0) + cost);
    }

    /// Returns true if the agent has reported a cost. One that knows no price reports 0.
    pub(crate) fn has_cost(&self) -> bool {
        self.cost
            .is_some_and(|cost| cost > 0.0 || !self.has_tokens())
    }

    /// Sets the reason for the end, in the agent's words.
    pub(crate) fn finish_reason(&mut self, reason: &str) {
        self.finish_reason = Some(reason.to_owned());
    }

    /// Sets the duration of the run, as the agent measured it.
    pub(crate) fn set_duration(&mut self, milliseconds: f64) {
        self.duration_ms = Some(milliseconds).filter(|ms| ms.is_finite() && *ms >= 0.0);
    }

    /// Notes the end of the run. An error is never replaced by a success.
    pub(crate) fn end(&mut self, end: DraftEnd) {
        if !matches!(self.end, Some(DraftEnd::Failed(_))) {
            self.end = Some(end);
        }
    }

    /// Takes back the end of the run, since the agent continues.
    pub(crate) fn resume(&mut self) {
        self.end = None;
    }

    /// Returns the end of the run, if the agent has stated it.
    pub(crate) fn stated_end(&self) -> Option<&DraftEnd> {
        self.end.as_ref()
    }

    /// Returns true if the agent itself says that it reached its limit of turns.
    pub(crate) fn reached_max_turns(&self) -> bool {
        self.finish_reason.as_deref() == Some(MAX_TURNS)
    }

    /// Takes the news since the last time.
    pub(crate) fn take_news(&mut self) -> Vec<Activity> {
        std::mem::take(&mut self.news)
    }

    /// Returns the transcript.
    pub(crate) fn into_transcript(self) -> Transcript {
        let has_cost = self.has_cost() || self.is_cost_counted;
        let messages = self.messages.into_iter();
        let filled =
            messages.filter(|message| message.content.is_some() || !message.tool_calls.is_empty());
        Transcript {
            output_messages: filled.collect(),
            token_usage: self.tokens.map(|tokens| TokenUsage {
                input: tokens.input,
                output: tokens.output,
                cached: tokens.cached,
                reasoning: tokens.reasoning,
            }),
            cost_usd: self.cost.filter(|_| has_cost),
            duration_ms: self.duration_ms,
            finish_reason: self.finish_reason,
            model: self.model,
            request_id: self.session,
            trace: Some(self.trace.into_value()),
            ..Transcript::default()
        }
    }

    /// Returns the place of the message of this name, or of a new one.
    fn message(&mut self, name: Option<&str>) -> usize {
        if let Some(place) = name.and_then(|name| self.named.get(name)) {
            return *place;
        }
        self.messages.push(Message {
            role: Role::Assistant,
            content: None,
            name: None,
            tool_calls: Vec::new(),
            extra: agentv_core::Extra::new(),
        });
        let place = self.messages.len() - 1;
        if let Some(name) = name {
            self.named.insert(name.to_owned(), place);
        }
        place
    }
}

/// Returns a value that a record can hold: one that is nested too deep becomes text.
fn shallow(value: &Value) -> Value {
    if is_within(value, DEEPEST) {
        value.clone()
    } else {
        Value::String(value.to_string())
    }
}

/// Returns the argument that says most about a call, on one line.
fn essence(input: &Value) -> String {
    if let Some(text) = input.as_str() {
        return first_line(text);
    }
    match ToolCall::telling_argument(input).or_else(|| input.get("input")) {
        Some(Value::String(text)) => first_line(text),
        Some(value) => first_line(&value.to_string()),
        None => String::new(),
    }
}

fn first_line(text: &str) -> String {
    const LONGEST: usize = 200;
    let line = text.trim().lines().next().unwrap_or_default();
    line.chars().take(LONGEST).collect()
}

fn milliseconds(duration: Duration) -> f64 {
    (duration.as_secs_f64() * 1e3).round()
}
