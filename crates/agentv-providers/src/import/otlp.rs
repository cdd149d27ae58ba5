//! Traces in OTLP JSON with the GenAI conventions of OpenTelemetry.

use agentv_core::{Message, TokenUsage, Transcript};
use serde_json::{Map, Value, json};

use super::answer::ImportedAnswer;
use super::error::ImportError;
use super::sessions::{add, text_of, values};
use super::source::ImportSource;

pub(super) static SOURCE: ImportSource = ImportSource {
    name: "otlp",
    doc: "OTLP JSON (`resourceSpans`) with spans of the GenAI conventions",
    read,
    in_archive: None,
};

fn read(_: &str, text: &str) -> Result<Vec<ImportedAnswer>, ImportError> {
    let mut spans: Vec<Span> = Vec::new();
    for document in values(text)? {
        for resource in items(&document["resourceSpans"]) {
            let scopes = items(&resource["scopeSpans"]);
            let written = scopes.flat_map(|scope| items(&scope["spans"]));
            spans.extend(written.map(Span::of));
        }
    }
    let mut traces: Vec<(String, Vec<Span>)> = Vec::new();
    for span in spans {
        match traces.iter_mut().find(|(id, _)| *id == span.trace) {
            Some((_, known)) => known.push(span),
            None => traces.push((span.trace.clone(), vec![span])),
        }
    }
    Ok(traces
        .iter_mut()
        .filter_map(|(id, spans)| answer_of(id, spans))
        .collect())
}

fn items(value: &Value) -> impl Iterator<Item = &Value> {
    value.as_array().into_iter().flatten()
}

/// A span.
struct Span {
    trace: String,
    parent: String,
    /// The start and the end, in nanoseconds.
    start: i128,
    end: i128,
    is_error: bool,
    attributes: Map<String, Value>,
    /// The events, by name, with their attributes.
    events: Vec<(String, Map<String, Value>)>,
}

impl Span {
    fn of(written: &Value) -> Span {
        let text = |name: &str| written[name].as_str().unwrap_or_default().to_owned();
        let time = |name: &str| match &written[name] {
            Value::String(digits) => digits.parse().unwrap_or(0),
            other => other.as_i64().map_or(0, i128::from),
        };
        let events = items(&written["events"]).map(|event| {
            let name = event["name"].as_str().unwrap_or_default().to_owned();
            (name, attributes(&event["attributes"]))
        });
        let code = &written["status"]["code"];
        Span {
            trace: text("traceId"),
            parent: text("parentSpanId"),
            start: time("startTimeUnixNano"),
            end: time("endTimeUnixNano"),
            is_error: *code == json!(2) || *code == json!("STATUS_CODE_ERROR"),
            attributes: attributes(&written["attributes"]),
            events: events.collect(),
        }
    }

    /// Returns the duration; `None` if the span has no length.
    fn duration_ms(&self) -> Option<f64> {
        let length = self.end - self.start;
        (length > 0).then(|| length as f64 / 1e6)
    }

    fn text(&self, name: &str) -> Option<&str> {
        self.attributes.get(name)?.as_str()
    }

    fn number(&self, name: &str) -> Option<u64> {
        match self.attributes.get(name)? {
            Value::String(digits) => digits.parse().ok(),
            other => other.as_u64(),
        }
    }

    /// Returns a value that conventions allow as JSON text, too.
    fn structure(&self, name: &str) -> Option<Value> {
        let value = self.attributes.get(name)?;
        Some(match value.as_str() {
            Some(text) => serde_json::from_str(text).unwrap_or_else(|_| value.clone()),
            None => value.clone(),
        })
    }

    fn operation(&self) -> &str {
        self.text("gen_ai.operation.name").unwrap_or_default()
    }

    fn is_chat(&self) -> bool {
        let operations = ["chat", "generate_content", "text_completion"];
        let is_tool = self.attributes.contains_key("gen_ai.tool.name");
        operations.contains(&self.operation())
            || self.operation().is_empty()
                && !is_tool
                && self
                    .attributes
                    .keys()
                    .any(|name| name.starts_with("gen_ai."))
    }
}

/// Returns the attributes of a span, by name.
fn attributes(list: &Value) -> Map<String, Value> {
    let fields = items(list).filter_map(|attribute| {
        let name = attribute["key"].as_str()?.to_owned();
        Some((name, plain(&attribute["value"])))
    });
    fields.collect()
}

/// Returns a value of OTLP as a plain one.
fn plain(value: &Value) -> Value {
    let Some((kind, inside)) = value.as_object().and_then(|value| value.iter().next()) else {
        return Value::Null;
    };
    match kind.as_str() {
        "intValue" => match inside {
            Value::String(digits) => digits.parse::<i64>().map_or(Value::Null, Value::from),
            other => other.clone(),
        },
        "arrayValue" => items(&inside["values"]).map(plain).collect(),
        "kvlistValue" => Value::Object(attributes(&inside["values"])),
        _ => inside.clone(),
    }
}

fn answer_of(trace: &str, spans: &mut [Span]) -> Option<ImportedAnswer> {
    spans.sort_by_key(|span| span.start);
    let first = |name: &str| spans.iter().find_map(|span| span.text(name));
    let mut messages: Vec<Value> = Vec::new();
    let mut usage = None;
    for span in spans.iter() {
        if span.is_chat() {
            messages.append(&mut said(span));
            if let Some(tokens) = tokens(span) {
                add(&mut usage, tokens);
            }
        } else if span.operation() == "execute_tool"
            || span.attributes.contains_key("gen_ai.tool.name")
        {
            put_result(&mut messages, span);
        }
    }
    let root = spans
        .iter()
        .find(|span| span.parent.is_empty())
        .or(spans.first())?;
    if messages.is_empty() {
        messages.append(&mut said(root));
    }
    if usage.is_none() {
        usage = tokens(root);
    }
    let messages: Option<Vec<Message>> = messages
        .into_iter()
        .map(|message| serde_json::from_value(message).ok())
        .collect();
    let messages = messages.filter(|messages| !messages.is_empty())?;
    let id = first("agentv.eval_id").or_else(|| first("gen_ai.conversation.id"));
    let trial = spans.iter().find_map(|span| span.number("agentv.trial"));
    Some(ImportedAnswer {
        id: id.unwrap_or(trace).to_owned(),
        trial: trial.and_then(|trial| u32::try_from(trial).ok()),
        question: spans.iter().find_map(question),
        transcript: Transcript {
            output_messages: messages,
            token_usage: usage,
            cost_usd: spans
                .iter()
                .find_map(|span| span.attributes.get("agentv.cost_usd")?.as_f64()),
            duration_ms: root.duration_ms(),
            finish_reason: spans.iter().rev().find_map(finish_reason),
            model: first("gen_ai.response.model")
                .or_else(|| first("gen_ai.request.model"))
                .map(str::to_owned),
            ..Transcript::default()
        },
    })
}

fn finish_reason(span: &Span) -> Option<String> {
    let reasons = span.structure("gen_ai.response.finish_reasons")?;
    items(&reasons).next()?.as_str().map(str::to_owned)
}

fn tokens(span: &Span) -> Option<TokenUsage> {
    let count = |names: [&str; 2]| names.iter().find_map(|name| span.number(name));
    let input = count(["gen_ai.usage.input_tokens", "gen_ai.usage.prompt_tokens"]);
    let output = count([
        "gen_ai.usage.output_tokens",
        "gen_ai.usage.completion_tokens",
    ]);
    if input.is_none() && output.is_none() {
        return None;
    }
    Some(TokenUsage {
        input: input.unwrap_or(0),
        output: output.unwrap_or(0),
        cached: count([
            "gen_ai.usage.cache_read.input_tokens",
            "gen_ai.usage.cached_tokens",
        ]),
        reasoning: count([
            "gen_ai.usage.reasoning.output_tokens",
            "gen_ai.usage.reasoning_tokens",
        ]),
    })
}

fn question(span: &Span) -> Option<String> {
    let messages = span.structure("gen_ai.input.messages")?;
    let last = items(&messages)
        .filter(|message| message["role"] == "user")
        .last()?;
    text_of(&last["parts"]).or_else(|| text_of(&last["content"]))
}

/// Returns the messages that a model wrote in a span: in its attributes, or in its events.
fn said(span: &Span) -> Vec<Value> {
    if let Some(output) = span.structure("gen_ai.output.messages") {
        return items(&output).map(of_parts).collect();
    }
    let of_events = span.events.iter().filter_map(|(name, attributes)| {
        let written = match name.as_str() {
            "gen_ai.choice" => attributes
                .get("message")
                .or_else(|| attributes.get("content")),
            "gen_ai.content.completion" => attributes.get("gen_ai.completion"),
            _ => None,
        }?;
        let parsed = written
            .as_str()
            .and_then(|text| serde_json::from_str::<Value>(text).ok());
        let message = parsed
            .filter(Value::is_object)
            .unwrap_or_else(|| json!({"content": written}));
        Some(of_parts(&message))
    });
    let messages: Vec<Value> = of_events.collect();
    if !messages.is_empty() {
        return messages;
    }
    let text = span
        .text("gen_ai.completion.0.content")
        .filter(|text| !text.is_empty());
    let calls = (0..).map_while(|index| numbered_call(span, index));
    let calls: Vec<Value> = calls.collect();
    if text.is_none() && calls.is_empty() {
        return Vec::new();
    }
    vec![message(text.map(str::to_owned), calls)]
}

/// Returns a call in the older attributes, which are numbered.
fn numbered_call(span: &Span, index: usize) -> Option<Value> {
    let field = |name: &str| span.text(&format!("gen_ai.completion.0.tool_calls.{index}.{name}"));
    let mut call = json!({"tool": field("name")?});
    if let Some(arguments) = field("arguments") {
        call["input"] = serde_json::from_str(arguments).unwrap_or_else(|_| json!(arguments));
    }
    if let Some(id) = field("id") {
        call["id"] = json!(id);
    }
    Some(call)
}

/// Returns a message whose content is in parts.
fn of_parts(written: &Value) -> Value {
    let parts = if written["parts"].is_array() {
        &written["parts"]
    } else {
        &written["content"]
    };
    let texts = items(parts).filter(|part| part["type"] == "text");
    let texts: Vec<String> = texts
        .filter_map(|part| text_of(&part["content"]).or_else(|| text_of(&part["text"])))
        .collect();
    let text = match parts.as_str() {
        Some(text) => Some(text.to_owned()),
        None => (!texts.is_empty()).then(|| texts.join("\n")),
    };
    let structure = items(parts).find(|part| part["type"] == "structure");
    let in_parts = items(parts).filter(|part| part["type"] == "tool_call");
    let beside = items(&written["tool_calls"]);
    let calls = in_parts.chain(beside).map(|call| {
        let function = call
            .get("function")
            .filter(|it| it.is_object())
            .unwrap_or(call);
        let mut ours = json!({"tool": function["name"]});
        if let Some(arguments) = function.get("arguments").filter(|it| !it.is_null()) {
            let parsed = arguments
                .as_str()
                .and_then(|text| serde_json::from_str(text).ok());
            ours["input"] = parsed.unwrap_or_else(|| arguments.clone());
        }
        if let Some(id) = call["id"].as_str() {
            ours["id"] = json!(id);
        }
        ours
    });
    let mut ours = message(text, calls.collect());
    if let Some(structure) = structure {
        ours["content"] = structure["content"].clone();
    }
    ours
}

fn message(text: Option<String>, calls: Vec<Value>) -> Value {
    let mut message = json!({"role": "assistant"});
    if let Some(text) = text {
        message["content"] = json!(text);
    }
    if !calls.is_empty() {
        message["tool_calls"] = Value::Array(calls);
    }
    message
}

/// Puts the result of a tool into its call. A call that no message has becomes one of the last message.
fn put_result(messages: &mut Vec<Value>, span: &Span) {
    let tool = span.text("gen_ai.tool.name").unwrap_or_default();
    let id = span.text("gen_ai.tool.call.id");
    let mut ours = json!({});
    if let Some(output) = span.structure("gen_ai.tool.call.result") {
        ours["output"] = output;
    }
    if let Some(duration) = span.duration_ms() {
        ours["duration_ms"] = json!(duration);
    }
    if span.is_error {
        ours["is_error"] = json!(true);
    }
    let calls = messages
        .iter_mut()
        .flat_map(|message| message["tool_calls"].as_array_mut().into_iter().flatten());
    let mut open =
        calls.filter(|call| call.get("output").is_none() && call.get("duration_ms").is_none());
    let is_meant = |call: &&mut Value| match id {
        Some(id) => call["id"] == id,
        None => call["tool"] == tool,
    };
    if let Some(call) = open.find(is_meant) {
        for (name, value) in ours.as_object().into_iter().flatten() {
            call[name] = value.clone();
        }
        return;
    }
    ours["tool"] = json!(tool);
    if let Some(id) = id {
        ours["id"] = json!(id);
    }
    if let Some(input) = span.structure("gen_ai.tool.call.arguments") {
        ours["input"] = input;
    }
    match messages
        .last_mut()
        .filter(|last| last.get("tool_calls").is_some())
    {
        Some(last) => {
            if let Some(calls) = last["tool_calls"].as_array_mut() {
                calls.push(ours);
            }
        }
        None => messages.push(message(None, vec![ours])),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn span(start: u64, end: u64, parent: &str, attributes: Value) -> Value {
        let attributes = attributes.as_object().unwrap().iter().map(|(key, value)| {
            let value = match value {
                Value::String(text) => json!({"stringValue": text}),
                Value::Number(number) => json!({"intValue": number.to_string()}),
                other => json!({"stringValue": other.to_string()}),
            };
            json!({"key": key, "value": value})
        });
        json!({"traceId": "t1", "spanId": start.to_string(), "parentSpanId": parent,
            "startTimeUnixNano": (start * 1_000_000).to_string(), "endTimeUnixNano": (end * 1_000_000).to_string(),
            "attributes": attributes.collect::<Vec<_>>()})
    }

    #[test]
    fn a_trace_is_an_answer_with_its_calls_and_tokens() {
        let spans = [
            span(
                0,
                100,
                "",
                json!({"gen_ai.operation.name": "invoke_agent", "gen_ai.usage.input_tokens": 99}),
            ),
            span(
                1,
                40,
                "0",
                json!({"gen_ai.operation.name": "chat", "gen_ai.response.model": "m",
                "gen_ai.usage.input_tokens": 10, "gen_ai.usage.output_tokens": 2,
                "gen_ai.output.messages": [{"role": "assistant", "parts": [{"type": "tool_call", "id": "c", "name": "find", "arguments": {"q": 1}}]}]}),
            ),
            span(
                41,
                51,
                "0",
                json!({"gen_ai.operation.name": "execute_tool", "gen_ai.tool.name": "find",
                "gen_ai.tool.call.id": "c", "gen_ai.tool.call.result": "found"}),
            ),
            span(
                52,
                90,
                "0",
                json!({"gen_ai.operation.name": "chat", "gen_ai.usage.input_tokens": 20, "gen_ai.usage.output_tokens": 3,
                "gen_ai.output.messages": [{"role": "assistant", "parts": [{"type": "text", "content": "Here"}]}]}),
            ),
        ];
        let document = json!({"resourceSpans": [{"scopeSpans": [{"spans": spans}]}]});
        let answers = SOURCE.answers("file", document.to_string()).unwrap();
        let transcript = &answers[0].transcript;
        assert_eq!(
            (answers[0].id.as_str(), transcript.answer().as_str()),
            ("t1", "Here")
        );
        let calls: Vec<_> = transcript.tool_calls().collect();
        assert_eq!(
            (
                calls[0].tool.as_str(),
                calls[0].output.as_ref().unwrap(),
                calls[0].duration_ms
            ),
            ("find", &json!("found"), Some(10.0))
        );
        // The sum of the requests, not that of the agent, which would count them twice.
        let usage = transcript.token_usage.unwrap();
        assert_eq!((usage.input, usage.output), (30, 5));
        assert_eq!(transcript.duration_ms, Some(100.0));
    }
}
