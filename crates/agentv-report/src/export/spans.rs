//! The spans of one trial.

use agentv_core::{
    Content, Digest, EvaluatorResult, Message, ResultRecord, ToolCall, TranscriptRecord,
};
use serde_json::{Map, Value, json};

/// Returns the trace of a trial as one document of OTLP JSON.
///
/// The agent is the root span, with a span for each message of the model and for each call of a tool. Only
/// calls have times of their own; messages divide the time of the trial.
pub(super) fn document(record: &TranscriptRecord, result: &ResultRecord) -> Value {
    let spans = Trace::of(record).spans(record, result);
    json!({"resourceSpans": [{
        "resource": {"attributes": attributes([
            ("service.name", json!("agentv")),
            ("agentv.eval_file", json!(record.eval_file)),
        ])},
        "scopeSpans": [{
            "scope": {"name": "agentv", "version": env!("CARGO_PKG_VERSION")},
            "spans": spans,
        }],
    }]})
}

/// The identity and the times of a trace.
struct Trace {
    id: String,
    /// The start and the end, in nanoseconds.
    start: i128,
    end: i128,
}

impl Trace {
    fn of(record: &TranscriptRecord) -> Trace {
        let identity = format!("{}\n{}\n{}", record.answer_key, record.target, record.trial);
        let timestamp = record.timestamp.parse::<jiff::Timestamp>();
        let end = timestamp.map_or(0, |time| time.as_nanosecond());
        let milliseconds = record.transcript.duration_ms.or(record.timing.total_ms);
        let length = nanoseconds(milliseconds.unwrap_or(0.0));
        Trace {
            id: Digest::of(identity.as_bytes()).to_string(),
            start: end - length,
            end,
        }
    }

    /// Returns the id of the `index`th span.
    fn span_id(&self, index: usize) -> String {
        let digest = Digest::of(format!("{} {index}", self.id).as_bytes());
        format!("{:016x}", digest.short())
    }

    fn span(&self, index: usize, name: String, times: (i128, i128), fields: Value) -> Value {
        let mut span = json!({
            "traceId": self.id,
            "spanId": self.span_id(index),
            "parentSpanId": if index == 0 { String::new() } else { self.span_id(0) },
            "name": name,
            "kind": if index == 0 { 1 } else { 3 },
            "startTimeUnixNano": times.0.to_string(),
            "endTimeUnixNano": times.1.to_string(),
        });
        for (name, value) in fields.as_object().into_iter().flatten() {
            span[name] = value.clone();
        }
        span
    }

    fn spans(&self, record: &TranscriptRecord, result: &ResultRecord) -> Vec<Value> {
        let mut spans = vec![self.root(record, result)];
        let messages = &record.transcript.output_messages;
        let length = (self.end - self.start) / (messages.len().max(1) as i128);
        for (at, message) in messages.iter().enumerate() {
            let start = self.start + length * at as i128;
            let model = record.transcript.model.as_deref();
            let name = format!("chat {}", model.unwrap_or(&record.target));
            let fields = json!({"attributes": attributes([
                ("gen_ai.operation.name", json!("chat")),
                ("gen_ai.response.model", json!(model)),
                ("gen_ai.output.messages", json!(json!([parts_of(message)]).to_string())),
            ])});
            spans.push(self.span(spans.len(), name, (start, start), fields));
            for (number, call) in message.tool_calls.iter().enumerate() {
                // Calls come after their message, in order.
                let start = start + 1 + number as i128;
                let end = start + nanoseconds(call.duration_ms.unwrap_or(0.0));
                let name = format!("execute_tool {}", call.tool);
                spans.push(self.span(spans.len(), name, (start, end), fields_of(call)));
            }
        }
        spans
    }

    fn root(&self, record: &TranscriptRecord, result: &ResultRecord) -> Value {
        let transcript = &record.transcript;
        let usage = transcript.token_usage;
        let asked = record.case.input_messages.iter().map(parts_of);
        let reasons = transcript
            .finish_reason
            .as_ref()
            .map(|reason| json!([reason]));
        let fields = json!({
            "attributes": attributes([
                ("gen_ai.operation.name", json!("invoke_agent")),
                ("gen_ai.agent.name", json!(record.target)),
                ("gen_ai.response.model", json!(transcript.model)),
                ("gen_ai.response.finish_reasons", reasons.unwrap_or_default()),
                ("gen_ai.usage.input_tokens", json!(usage.map(|usage| usage.input))),
                ("gen_ai.usage.output_tokens", json!(usage.map(|usage| usage.output))),
                ("gen_ai.usage.cache_read.input_tokens", json!(usage.and_then(|usage| usage.cached))),
                ("gen_ai.usage.reasoning.output_tokens", json!(usage.and_then(|usage| usage.reasoning))),
                ("gen_ai.input.messages", json!(Value::Array(asked.collect()).to_string())),
                ("agentv.eval_id", json!(record.eval_id)),
                ("agentv.trial", json!(record.trial)),
                ("agentv.status", json!(result.status)),
                ("agentv.score", json!(result.score)),
                ("agentv.cost_usd", json!(transcript.cost_usd)),
            ]),
            "events": result.evaluator_results.iter().map(|it| self.evaluation(it)).collect::<Vec<_>>(),
            "status": match &record.error {
                Some(error) => json!({"code": 2, "message": error}),
                None => json!({}),
            },
        });
        let name = format!("invoke_agent {}", record.target);
        self.span(0, name, (self.start, self.end), fields)
    }

    fn evaluation(&self, result: &EvaluatorResult) -> Value {
        json!({
            "name": "gen_ai.evaluation.result",
            "timeUnixNano": self.end.to_string(),
            "attributes": attributes([
                ("gen_ai.evaluation.name", json!(result.name)),
                ("gen_ai.evaluation.score.value", json!(result.score)),
                ("gen_ai.evaluation.score.label", json!(result.verdict)),
                ("gen_ai.evaluation.explanation", json!(result.reasoning)),
                ("error.type", json!(result.error)),
            ]),
        })
    }
}

fn nanoseconds(milliseconds: f64) -> i128 {
    (milliseconds * 1e6).round() as i128
}

fn fields_of(call: &ToolCall) -> Value {
    let text = |value: &Option<Value>| value.as_ref().map(Value::to_string);
    let status = if call.is_error() {
        json!({"code": 2})
    } else {
        json!({})
    };
    json!({"status": status, "attributes": attributes([
        ("gen_ai.operation.name", json!("execute_tool")),
        ("gen_ai.tool.name", json!(call.tool)),
        ("gen_ai.tool.call.id", json!(call.id)),
        ("gen_ai.tool.call.arguments", json!(text(&call.input))),
        ("gen_ai.tool.call.result", json!(text(&call.output))),
    ])})
}

/// Returns a message as the conventions write it: with its content in parts.
fn parts_of(message: &Message) -> Value {
    let mut parts = Vec::new();
    match &message.content {
        Some(Content::Text(text)) => parts.push(json!({"type": "text", "content": text})),
        Some(other) => parts.push(json!({"type": "structure", "content": other})),
        None => {}
    }
    parts.extend(message.tool_calls.iter().map(|call| {
        let mut part = json!({"type": "tool_call", "name": call.tool});
        if let Some(id) = &call.id {
            part["id"] = json!(id);
        }
        if let Some(input) = &call.input {
            part["arguments"] = input.clone();
        }
        part
    }));
    json!({"role": message.role, "parts": parts})
}

/// Returns attributes in the form of OTLP. Those without a value are omitted.
fn attributes<const N: usize>(fields: [(&str, Value); N]) -> Vec<Value> {
    let given = fields.into_iter().filter(|(_, value)| !value.is_null());
    given
        .map(|(key, value)| json!({"key": key, "value": wrapped(&value)}))
        .collect()
}

fn wrapped(value: &Value) -> Value {
    match value {
        Value::Null => json!({}),
        Value::Bool(value) => json!({"boolValue": value}),
        Value::Number(number) if number.is_f64() => json!({"doubleValue": number}),
        Value::Number(number) => json!({"intValue": number.to_string()}),
        Value::String(text) => json!({"stringValue": text}),
        Value::Array(items) => {
            json!({"arrayValue": {"values": items.iter().map(wrapped).collect::<Vec<_>>()}})
        }
        Value::Object(fields) => json!({"kvlistValue": {"values": list_of(fields)}}),
    }
}

fn list_of(fields: &Map<String, Value>) -> Vec<Value> {
    let list = fields.iter();
    list.map(|(key, value)| json!({"key": key, "value": wrapped(value)}))
        .collect()
}
