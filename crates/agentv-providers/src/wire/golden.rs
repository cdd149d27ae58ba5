//! Golden requests and responses of every protocol, in the folder `golden`.

use std::borrow::Cow;
use std::fs;
use std::path::PathBuf;
use std::sync::Arc;

use serde_json::{Value, json};

use super::event_stream::frame;
use super::stream::{Incoming, StreamError};
use super::{
    Ask, Assistant, Call, Conversation, Dialect, Format, Media, MediaKind, MediaSource, Parameter,
    Parameters, Part, Protocol, Reply, Tool, ToolChoice, ToolResult, Turn, User, Wire,
};

/// The protocols and the names of their folders.
const PROTOCOLS: [(Protocol, &str); 5] = [
    (Protocol::Chat, "openai_chat"),
    (Protocol::Responses, "openai_responses"),
    (Protocol::Messages, "anthropic_messages"),
    (Protocol::Generate, "gemini_generate_content"),
    (Protocol::Converse, "bedrock_converse"),
];

fn file(folder: &str, name: &str) -> PathBuf {
    let root = PathBuf::from(env!("CARGO_MANIFEST_DIR"));
    root.join("golden").join(folder).join(name)
}

fn read(folder: &str, name: &str) -> String {
    let path = file(folder, name);
    fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// Compares a text with a golden file, or writes the file if the user asks for it.
fn compare(folder: &str, name: &str, text: &str) {
    if std::env::var_os("SNAPSHOTS").is_some_and(|action| action == "overwrite") {
        fs::write(file(folder, name), text).unwrap();
    }
    assert_eq!(text, read(folder, name), "{folder}/{name}");
}

fn media(kind: MediaKind, media_type: &'static str, source: MediaSource<'static>) -> Part<'static> {
    let name = match kind {
        MediaKind::Image => "map.png",
        MediaKind::Audio => "words.wav",
        MediaKind::Document => "terms.pdf",
    };
    Part::Media(Media {
        kind,
        media_type: Cow::Borrowed(media_type),
        source,
        name: Some(Cow::Borrowed(name)),
        detail: None,
    })
}

fn said(parts: Vec<Part<'_>>) -> Turn<'_> {
    Turn::User(User { parts, name: None })
}

/// Returns the pieces of a user's turn that a protocol carries.
fn user(wire: &dyn Wire) -> Vec<Part<'static>> {
    let bytes = || MediaSource::Base64(Cow::Borrowed("AAAA"));
    let url = || MediaSource::Url(Cow::Borrowed("https://example.com/map.png"));
    let all = vec![
        Part::Text(Cow::Borrowed("  What is this?\n\u{1f327}\u{e9} ")),
        media(MediaKind::Image, "image/png", bytes()),
        media(MediaKind::Image, "image/png", url()),
        media(MediaKind::Audio, "audio/wav", bytes()),
        media(MediaKind::Document, "application/pdf", bytes()),
    ];
    all.into_iter()
        .filter(|part| {
            let part = match part {
                Part::Text(text) => Part::Text(text.clone()),
                Part::Media(media) => Part::Media(media.clone()),
            };
            let alone = Conversation {
                system: Vec::new(),
                turns: vec![said(vec![part])],
            };
            let parameters = Parameters::default();
            wire.write(&ask(&alone, &parameters, &[], None, false))
                .is_ok()
        })
        .collect()
}

fn ask<'a>(
    conversation: &'a Conversation<'a>,
    parameters: &'a Parameters,
    tools: &'a [Tool],
    format: Option<&'a Format>,
    stream: bool,
) -> Ask<'a> {
    Ask {
        model: "the-model",
        conversation,
        parameters,
        tools,
        format,
        stream,
        dialect: &Dialect::USUAL,
    }
}

/// Returns the parameters that a protocol has.
fn parameters(wire: &dyn Wire) -> Parameters {
    Parameters {
        temperature: Some(0.5),
        top_p: Some(0.25),
        max_output_tokens: Some(2_000),
        stop: if wire.has(Parameter::Stop) {
            vec!["END".to_owned()]
        } else {
            Vec::new()
        },
        seed: wire.has(Parameter::Seed).then_some(7),
        reasoning_effort: wire
            .has(Parameter::ReasoningEffort)
            .then(|| "low".to_owned()),
        thinking_budget: wire.has(Parameter::ThinkingBudget).then_some(1_000),
        format: None,
        logprobs: wire.has(Parameter::Logprobs).then_some(3),
        tool_choice: Some(ToolChoice::Named("weather".to_owned())),
        params: Default::default(),
    }
}

fn call(id: &'static str, input: Value) -> Call<'static> {
    Call {
        carried: None,
        id: Cow::Borrowed(id),
        name: "weather",
        input: Cow::Owned(input),
        signature: Some("CiQB"),
        written: None,
    }
}

fn result(id: &'static str, text: &'static str, is_error: bool) -> Turn<'static> {
    Turn::Tool(ToolResult {
        id: Cow::Borrowed(id),
        name: "weather",
        parts: vec![Part::Text(Cow::Borrowed(text))],
        is_error,
    })
}

#[test]
fn golden_requests_have_everything_that_their_protocol_carries() {
    let tools = [Tool {
        name: "weather".to_owned(),
        description: Some("Returns the weather in a city.".to_owned()),
        parameters: json!({"type": "object", "properties": {"city": {"type": "string"}}}),
    }];
    let format = Format::JsonSchema {
        name: "answer".to_owned(),
        schema: Arc::new(json!({"type": "object", "properties": {"rain": {"type": "boolean"}}})),
        strict: Some(true),
    };
    for (protocol, folder) in PROTOCOLS {
        let wire = protocol.wire();
        // The parts that the vendor sent with its answer come back with it.
        let answered = wire.read(&read(folder, "response.json")).unwrap();
        let conversation = Conversation {
            system: vec![vec![Cow::Borrowed("You are terse.")]],
            turns: vec![
                said(user(wire)),
                Turn::Assistant(Assistant {
                    name: None,
                    texts: vec![Cow::Borrowed("Let me look.")],
                    calls: vec![
                        call("a", json!({"city": "Paris"})),
                        call("b", json!("{\"city\": ")),
                    ],
                    carried: answered.carried.as_ref(),
                }),
                result("a", "  12 degrees\n", false),
                result("b", "the arguments are not JSON", true),
                said(vec![Part::Text(Cow::Borrowed("And tomorrow?"))]),
            ],
        };
        let parameters = parameters(wire);
        for (stream, name) in [(false, "request.json"), (true, "request-streamed.json")] {
            let ask = ask(&conversation, &parameters, &tools, Some(&format), stream);
            let body = wire.write(&ask).unwrap();
            let body: Value = serde_json::from_slice(&body).unwrap();
            compare(folder, name, &format!("{body:#}\n"));
        }
    }
}

/// Returns a golden stream as bytes.
fn stream(protocol: Protocol, folder: &str) -> Vec<u8> {
    let text = read(folder, "response.stream");
    if protocol != Protocol::Converse {
        return text.into_bytes();
    }
    let events = text.lines().filter_map(|line| line.split_once(' '));
    let frames = events.flat_map(|(name, payload)| {
        let headers = [(":message-type", "event"), (":event-type", name)];
        frame(&headers, payload)
    });
    frames.collect()
}

fn assembled(protocol: Protocol, bytes: &[u8]) -> Result<Reply, StreamError> {
    let content_type = match protocol {
        Protocol::Converse => "application/vnd.amazon.eventstream",
        _ => "text/event-stream",
    };
    let mut incoming = Incoming::of(content_type, protocol.wire()).unwrap();
    incoming.push(bytes)?;
    incoming.finish()
}

fn shown(reply: &Reply) -> Value {
    json!({
        "text": reply.text,
        "reasoning": reply.reasoning,
        "calls": reply.calls,
        "finish_reason": reply.finish_reason,
        "usage": {
            "input": reply.usage.input,
            "output": reply.usage.output,
            "cached": reply.usage.cached,
            "cache_written": reply.usage.cache_written,
            "reasoning": reply.usage.reasoning,
        },
        "model": reply.model,
        "id": reply.id,
        "cost": reply.cost,
        "logprobs": reply.logprobs,
        "carried": reply.carried,
    })
}

#[test]
fn golden_responses_mean_the_same_at_once_and_as_a_stream() {
    for (protocol, folder) in PROTOCOLS {
        let whole = protocol
            .wire()
            .read(&read(folder, "response.json"))
            .unwrap();
        compare(folder, "reply.json", &format!("{:#}\n", shown(&whole)));
        let streamed = assembled(protocol, &stream(protocol, folder)).unwrap();
        // The model and the id of Bedrock are in the address and the headers.
        assert_eq!(shown(&streamed), shown(&whole), "{folder}");
    }
}

#[test]
fn a_golden_stream_cut_at_any_byte_before_its_end_is_no_answer() {
    for (protocol, folder) in PROTOCOLS {
        let stream = stream(protocol, folder);
        let whole = assembled(protocol, &stream).unwrap();
        let mut answers = (0..stream.len())
            .filter_map(|end| Some((end, assembled(protocol, &stream[..end]).ok()?)))
            .peekable();
        let complete = answers.peek().map_or(stream.len(), |(end, _)| *end);
        // After the end of the answer, only its figures can be missing.
        for (end, reply) in answers {
            assert_eq!(
                (&reply.text, &reply.calls, &reply.finish_reason),
                (&whole.text, &whole.calls, &whole.finish_reason),
                "{folder} at {end}"
            );
        }
        let before_end = match protocol {
            Protocol::Chat => "finish_reason\":\"tool_calls",
            Protocol::Responses => "response.completed",
            Protocol::Messages => "message_stop",
            Protocol::Generate => "finishReason",
            Protocol::Converse => "stopReason",
        };
        let mut windows = stream.windows(before_end.len());
        let place = windows.position(|bytes| bytes == before_end.as_bytes());
        let place = place.unwrap();
        assert!(complete > place, "{folder}: an answer before its end");
    }
}
