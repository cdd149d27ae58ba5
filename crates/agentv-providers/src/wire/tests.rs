//! Laws that hold for every protocol: a stream, however it is cut into chunks, gives the same answer as
//! one that comes at once, and a stream without its end gives none.

use proptest::collection::vec;
use proptest::prelude::*;
use serde_json::{Value, json};

use super::event_stream::frame;
use super::stream::{Incoming, StreamError};
use super::{Ask, Conversation, Dialect, Parameters, Part, Protocol, Reply, Turn, User, WireError};

const PROTOCOLS: [Protocol; 5] = [
    Protocol::Chat,
    Protocol::Responses,
    Protocol::Messages,
    Protocol::Generate,
    Protocol::Converse,
];

/// A piece of an answer as a JSON string with escapes, which may be half of a surrogate pair.
type Piece = String;

/// An answer that a vendor can write at once or as a stream.
#[derive(Debug, Clone)]
struct Answer {
    reasoning: Vec<Piece>,
    text: Vec<Piece>,
    calls: Vec<(String, Value)>,
    stop: &'static str,
}

/// Returns a strategy for the code units of any text, and whether each is escaped.
fn units() -> impl Strategy<Value = Vec<(u16, bool)>> {
    let unit = prop_oneof![
        4 => 0x20..0x7f_u16,
        2 => prop_oneof![Just(0x20_u16), Just(0x0a), Just(0x0d), Just(0x09), Just(0)],
        1 => 0..0x20_u16,
        2 => 0xd800..0xe000_u16,
        2 => any::<u16>(),
    ];
    vec((unit, any::<bool>()), 0..12)
}

fn piece() -> impl Strategy<Value = Piece> {
    units().prop_map(|units| {
        let mut piece = String::from("\"");
        for (unit, is_escaped) in units {
            match char::from_u32(u32::from(unit)) {
                Some(letter)
                    if !is_escaped && !letter.is_control() && letter != '"' && letter != '\\' =>
                {
                    piece.push(letter);
                }
                _ => piece.push_str(&format!("\\u{unit:04x}")),
            }
        }
        piece.push('"');
        piece
    })
}

fn answer() -> impl Strategy<Value = Answer> {
    let call = ("[a-z]{1,8}", "\\PC{0,8}", any::<u32>())
        .prop_map(|(name, text, number)| (name, json!({"q": text, "n": number})));
    let stop = prop_oneof![Just("stop"), Just("length")];
    (
        vec(piece(), 0..3),
        vec(piece(), 1..5),
        vec(call, 0..3),
        stop,
    )
        .prop_map(|(reasoning, text, calls, stop)| Answer {
            reasoning,
            text,
            calls,
            stop,
        })
}

/// Returns the body of a request with a system prompt and a message of the user.
fn written(protocol: Protocol, said: &str, system: &str) -> Value {
    let conversation = Conversation {
        system: vec![vec![system.into()]],
        turns: vec![Turn::User(User {
            parts: vec![Part::Text(said.into())],
            name: None,
        })],
    };
    let body = protocol.wire().write(&Ask {
        model: "m",
        conversation: &conversation,
        parameters: &Parameters::default(),
        tools: &[],
        format: None,
        stream: true,
        dialect: &Dialect::USUAL,
    });
    serde_json::from_slice(&body.unwrap()).unwrap()
}

/// Returns the texts of the system and of the user in the body of a request.
fn sent_texts(protocol: Protocol, body: &Value) -> [Option<&str>; 2] {
    let places = match protocol {
        Protocol::Chat => ["/messages/0/content", "/messages/1/content"],
        Protocol::Responses => ["/instructions", "/input/0/content"],
        Protocol::Messages => ["/system", "/messages/0/content"],
        Protocol::Generate => [
            "/systemInstruction/parts/0/text",
            "/contents/0/parts/0/text",
        ],
        Protocol::Converse => ["/system/0/text", "/messages/0/content/0/text"],
    };
    places.map(|place| body.pointer(place).and_then(Value::as_str))
}

/// Joins pieces to one JSON string.
fn joined(pieces: &[Piece]) -> String {
    let inner = pieces.iter().map(|piece| &piece[1..piece.len() - 1]);
    format!("\"{}\"", inner.collect::<String>())
}

fn quoted(value: &Value) -> String {
    Value::String(value.to_string()).to_string()
}

/// Returns the answer as it comes at once.
fn whole(protocol: Protocol, answer: &Answer) -> String {
    let (text, reasoning) = (joined(&answer.text), joined(&answer.reasoning));
    let stop = answer.stop;
    let calls = |write: &dyn Fn(usize, &str, &Value) -> String| -> Vec<String> {
        let calls = answer.calls.iter().enumerate();
        calls
            .map(|(index, (name, input))| write(index, name, input))
            .collect()
    };
    match protocol {
        Protocol::Chat => {
            let calls = calls(&|index, name, input| {
                let arguments = quoted(input);
                format!(
                    r#"{{"id":"c{index}","type":"function","function":{{"name":"{name}","arguments":{arguments}}}}}"#
                )
            });
            format!(
                r#"{{"id":"i","model":"m","choices":[{{"index":0,"message":{{"role":"assistant","content":{text},"reasoning_content":{reasoning},"tool_calls":[{}]}},"finish_reason":"{stop}"}}],"usage":{{"prompt_tokens":7,"completion_tokens":5,"total_tokens":12,"completion_tokens_details":{{"reasoning_tokens":2}}}}}}"#,
                calls.join(",")
            )
        }
        Protocol::Responses => responses_answer(answer),
        Protocol::Messages => {
            let mut blocks = vec![
                format!(r#"{{"type":"thinking","thinking":{reasoning},"signature":"s"}}"#),
                format!(r#"{{"type":"text","text":{text}}}"#),
            ];
            blocks.extend(calls(&|index, name, input| {
                format!(r#"{{"type":"tool_use","id":"c{index}","name":"{name}","input":{input}}}"#)
            }));
            format!(
                r#"{{"id":"i","model":"m","content":[{}],"stop_reason":"{stop}","usage":{{"input_tokens":7,"output_tokens":5,"cache_read_input_tokens":3}}}}"#,
                blocks.join(",")
            )
        }
        Protocol::Generate => {
            let mut parts = vec![
                format!(r#"{{"text":{reasoning},"thought":true}}"#),
                format!(r#"{{"text":{text}}}"#),
            ];
            parts.extend(calls(&|_, name, input| {
                format!(r#"{{"functionCall":{{"name":"{name}","args":{input}}},"thoughtSignature":"s"}}"#)
            }));
            format!(
                r#"{{"candidates":[{{"content":{{"parts":[{}]}},"finishReason":"{stop}"}}],"usageMetadata":{{"promptTokenCount":7,"candidatesTokenCount":3,"thoughtsTokenCount":2}},"modelVersion":"m","responseId":"i"}}"#,
                parts.join(",")
            )
        }
        Protocol::Converse => {
            let mut blocks = vec![
                format!(
                    r#"{{"reasoningContent":{{"reasoningText":{{"text":{reasoning},"signature":"s"}}}}}}"#
                ),
                format!(r#"{{"text":{text}}}"#),
            ];
            blocks.extend(calls(&|index, name, input| {
                format!(
                    r#"{{"toolUse":{{"toolUseId":"c{index}","name":"{name}","input":{input}}}}}"#
                )
            }));
            format!(
                r#"{{"output":{{"message":{{"content":[{}]}}}},"stopReason":"{stop}","usage":{{"inputTokens":7,"outputTokens":5,"cacheReadInputTokens":3}}}}"#,
                blocks.join(",")
            )
        }
    }
}

fn responses_answer(answer: &Answer) -> String {
    let (text, reasoning) = (joined(&answer.text), joined(&answer.reasoning));
    let mut items = vec![
        format!(
            r#"{{"type":"reasoning","summary":[{{"type":"summary_text","text":{reasoning}}}],"encrypted_content":"e"}}"#
        ),
        format!(r#"{{"type":"message","content":[{{"type":"output_text","text":{text}}}]}}"#),
    ];
    for (index, (name, input)) in answer.calls.iter().enumerate() {
        let arguments = quoted(input);
        items.push(format!(r#"{{"type":"function_call","call_id":"c{index}","name":"{name}","arguments":{arguments}}}"#));
    }
    let stop = answer.stop;
    format!(
        r#"{{"id":"i","model":"m","status":"{stop}","output":[{}],"usage":{{"input_tokens":7,"output_tokens":5,"output_tokens_details":{{"reasoning_tokens":2}}}}}}"#,
        items.join(",")
    )
}

/// Returns the same answer as a stream, and the place before which it is not complete.
fn streamed(protocol: Protocol, answer: &Answer) -> (Vec<u8>, usize) {
    match protocol {
        Protocol::Chat => chat_stream(answer),
        Protocol::Responses => responses_stream(answer),
        Protocol::Messages => messages_stream(answer),
        Protocol::Generate => generate_stream(answer),
        Protocol::Converse => converse_stream(answer),
    }
}

/// Halves of arguments, cut between characters.
fn halves(text: &str) -> [String; 2] {
    let (first, second) = text.split_at(text.floor_char_boundary(text.len() / 2));
    [first, second].map(|half| Value::from(half).to_string())
}

fn chat_stream(answer: &Answer) -> (Vec<u8>, usize) {
    let mut stream = String::from(": hello\n\n");
    let mut chunk = |choices: String, usage: &str| {
        stream.push_str(&format!(
            "data: {{\"id\":\"i\",\"model\":\"m\",\"choices\":[{choices}]{usage}}}\r\n\r\n"
        ));
        stream.len()
    };
    let delta = |fields: String| format!(r#"{{"index":0,"delta":{{{fields}}}}}"#);
    for piece in &answer.reasoning {
        chunk(delta(format!(r#""reasoning_content":{piece}"#)), "");
    }
    for piece in &answer.text {
        chunk(delta(format!(r#""content":{piece}"#)), "");
    }
    for (index, (name, input)) in answer.calls.iter().enumerate() {
        chunk(
            delta(format!(
                r#""tool_calls":[{{"index":{index},"id":"c{index}","function":{{"name":"{name}","arguments":""}}}}]"#
            )),
            "",
        );
        for half in halves(&input.to_string()) {
            chunk(
                delta(format!(
                    r#""tool_calls":[{{"index":{index},"function":{{"arguments":{half}}}}}]"#
                )),
                "",
            );
        }
    }
    let before = chunk(delta(String::new()), "");
    let stop = answer.stop;
    chunk(
        format!(r#"{{"index":0,"delta":{{}},"finish_reason":"{stop}"}}"#),
        "",
    );
    chunk(
        String::new(),
        r#","usage":{"prompt_tokens":7,"completion_tokens":5,"total_tokens":12,"completion_tokens_details":{"reasoning_tokens":2}}"#,
    );
    stream.push_str("data: [DONE]\n\n");
    (stream.into_bytes(), before)
}

fn responses_stream(answer: &Answer) -> (Vec<u8>, usize) {
    let mut stream = String::from(
        "event: response.created\ndata: {\"type\":\"response.created\",\"response\":{}}\n\n",
    );
    for piece in &answer.text {
        stream.push_str(&format!(
            "event: response.output_text.delta\ndata: {{\"type\":\"response.output_text.delta\",\"delta\":{piece}}}\n\n"
        ));
    }
    let before = stream.len();
    let whole = responses_answer(answer);
    stream.push_str(&format!(
        "event: response.completed\ndata: {{\"type\":\"response.completed\",\"response\":{whole}}}\n\n"
    ));
    (stream.into_bytes(), before)
}

fn messages_stream(answer: &Answer) -> (Vec<u8>, usize) {
    let mut stream = String::new();
    let mut event = |name: &str, fields: String| {
        stream.push_str(&format!(
            "event: {name}\ndata: {{\"type\":\"{name}\"{fields}}}\n\n"
        ));
        stream.len()
    };
    event("message_start", r#","message":{"id":"i","model":"m","content":[],"usage":{"input_tokens":7,"output_tokens":1,"cache_read_input_tokens":3}}"#.to_owned());
    event("ping", String::new());
    event(
        "content_block_start",
        r#","index":0,"content_block":{"type":"thinking","thinking":""}"#.to_owned(),
    );
    for piece in &answer.reasoning {
        event(
            "content_block_delta",
            format!(r#","index":0,"delta":{{"type":"thinking_delta","thinking":{piece}}}"#),
        );
    }
    event(
        "content_block_delta",
        r#","index":0,"delta":{"type":"signature_delta","signature":"s"}"#.to_owned(),
    );
    event("content_block_stop", r#","index":0"#.to_owned());
    event(
        "content_block_start",
        r#","index":1,"content_block":{"type":"text","text":""}"#.to_owned(),
    );
    for piece in &answer.text {
        event(
            "content_block_delta",
            format!(r#","index":1,"delta":{{"type":"text_delta","text":{piece}}}"#),
        );
    }
    event("content_block_stop", r#","index":1"#.to_owned());
    for (index, (name, input)) in answer.calls.iter().enumerate() {
        event(
            "content_block_start",
            format!(
                r#","index":2,"content_block":{{"type":"tool_use","id":"c{index}","name":"{name}","input":{{}}}}"#
            ),
        );
        for half in halves(&input.to_string()) {
            event(
                "content_block_delta",
                format!(
                    r#","index":2,"delta":{{"type":"input_json_delta","partial_json":{half}}}"#
                ),
            );
        }
        event("content_block_stop", r#","index":2"#.to_owned());
    }
    let stop = answer.stop;
    let before = event(
        "message_delta",
        format!(r#","delta":{{"stop_reason":"{stop}"}},"usage":{{"output_tokens":5}}"#),
    );
    event("message_stop", String::new());
    (stream.into_bytes(), before)
}

fn generate_stream(answer: &Answer) -> (Vec<u8>, usize) {
    let mut stream = String::new();
    let mut event = |parts: String, rest: &str| {
        stream.push_str(&format!(
            "data: {{\"candidates\":[{{\"content\":{{\"parts\":[{parts}]}}{rest}}}],\"modelVersion\":\"m\",\"responseId\":\"i\",\"usageMetadata\":{{\"promptTokenCount\":7,\"candidatesTokenCount\":3,\"thoughtsTokenCount\":2}}}}\r\n\r\n"
        ));
        stream.len()
    };
    for piece in &answer.reasoning {
        event(format!(r#"{{"text":{piece},"thought":true}}"#), "");
    }
    for piece in &answer.text {
        event(format!(r#"{{"text":{piece}}}"#), "");
    }
    let mut before = 0;
    for (name, input) in &answer.calls {
        before = event(
            format!(
                r#"{{"functionCall":{{"name":"{name}","args":{input}}},"thoughtSignature":"s"}}"#
            ),
            "",
        );
    }
    let before = before.max(event(String::new(), ""));
    event(
        String::new(),
        &format!(r#","finishReason":"{}""#, answer.stop),
    );
    (stream.into_bytes(), before)
}

fn converse_stream(answer: &Answer) -> (Vec<u8>, usize) {
    let mut stream = Vec::new();
    let mut event = |name: &str, payload: String| {
        let headers = [(":message-type", "event"), (":event-type", name)];
        stream.extend(frame(&headers, &payload));
        stream.len()
    };
    event("messageStart", r#"{"role":"assistant"}"#.to_owned());
    for piece in &answer.reasoning {
        event(
            "contentBlockDelta",
            format!(r#"{{"delta":{{"reasoningContent":{{"text":{piece}}}}}}}"#),
        );
    }
    event(
        "contentBlockDelta",
        r#"{"delta":{"reasoningContent":{"signature":"s"}}}"#.to_owned(),
    );
    event("contentBlockStop", "{}".to_owned());
    for piece in &answer.text {
        event(
            "contentBlockDelta",
            format!(r#"{{"delta":{{"text":{piece}}}}}"#),
        );
    }
    event("contentBlockStop", "{}".to_owned());
    for (index, (name, input)) in answer.calls.iter().enumerate() {
        event(
            "contentBlockStart",
            format!(r#"{{"start":{{"toolUse":{{"toolUseId":"c{index}","name":"{name}"}}}}}}"#),
        );
        for half in halves(&input.to_string()) {
            event(
                "contentBlockDelta",
                format!(r#"{{"delta":{{"toolUse":{{"input":{half}}}}}}}"#),
            );
        }
        event("contentBlockStop", "{}".to_owned());
    }
    let before = event("contentBlockStop", "{}".to_owned());
    event(
        "messageStop",
        format!(r#"{{"stopReason":"{}"}}"#, answer.stop),
    );
    event(
        "metadata",
        r#"{"usage":{"inputTokens":7,"outputTokens":5,"cacheReadInputTokens":3}}"#.to_owned(),
    );
    (stream, before)
}

fn assembled<'c>(
    protocol: Protocol,
    chunks: impl IntoIterator<Item = &'c [u8]>,
) -> Result<Reply, StreamError> {
    let content_type = match protocol {
        Protocol::Converse => "application/vnd.amazon.eventstream",
        _ => "text/event-stream; charset=utf-8",
    };
    let mut incoming = Incoming::of(content_type, protocol.wire()).unwrap();
    for chunk in chunks {
        incoming.push(chunk)?;
    }
    incoming.finish()
}

fn at_once(protocol: Protocol, answer: &Answer) -> Reply {
    let body = whole(protocol, answer);
    match protocol.wire().read(&body) {
        Ok(reply) => reply,
        Err(error) => panic!("{protocol:?}: {error}: {body}"),
    }
}

/// Returns the text of a JSON string that may hold halves of surrogate pairs.
fn text(piece: &str) -> String {
    let units: Vec<u16> = decoded(&piece[1..piece.len() - 1]);
    String::from_utf16_lossy(&units)
}

fn decoded(inner: &str) -> Vec<u16> {
    let mut units = Vec::new();
    let mut rest = inner;
    while let Some(letter) = rest.chars().next() {
        if let Some(escaped) = rest.strip_prefix("\\u") {
            units.push(u16::from_str_radix(&escaped[..4], 16).unwrap());
            rest = &escaped[4..];
        } else {
            units.extend_from_slice(letter.encode_utf16(&mut [0; 2]));
            rest = &rest[letter.len_utf8()..];
        }
    }
    units
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 200, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn a_stream_cut_anywhere_gives_the_answer_that_comes_at_once(
        answer in answer(),
        sizes in vec(1..40_usize, 1..20),
    ) {
        for protocol in PROTOCOLS {
            let expected = at_once(protocol, &answer);
            prop_assert_eq!(&expected.text, &text(&joined(&answer.text)), "{:?}", protocol);
            prop_assert_eq!(&expected.reasoning, &text(&joined(&answer.reasoning)), "{:?}", protocol);
            prop_assert_eq!(expected.calls.len(), answer.calls.len());
            for (call, (name, input)) in expected.calls.iter().zip(&answer.calls) {
                prop_assert_eq!((&call.tool, call.input.as_ref()), (name, Some(input)));
            }
            let (stream, _) = streamed(protocol, &answer);
            let mut rest = &stream[..];
            let mut chunks = Vec::new();
            for size in sizes.iter().cycle() {
                if rest.is_empty() {
                    break;
                }
                let (chunk, after) = rest.split_at(rest.len().min(*size));
                chunks.push(chunk);
                rest = after;
            }
            let reply = assembled(protocol, chunks).unwrap();
            prop_assert_eq!(reply, expected, "{:?}", protocol);
        }
    }

    #[test]
    fn a_request_has_the_texts_of_the_user_to_the_byte(said in any::<String>(), system in any::<String>()) {
        for protocol in PROTOCOLS {
            let body = written(protocol, &said, &system);
            let sent = sent_texts(protocol, &body);
            prop_assert_eq!(sent, [Some(system.as_str()), Some(said.as_str())], "{:?}", protocol);
        }
    }

    #[test]
    fn a_stream_without_its_end_gives_no_answer(answer in answer(), place in any::<prop::sample::Index>()) {
        for protocol in PROTOCOLS {
            let (stream, before) = streamed(protocol, &answer);
            let end = place.index(before + 1);
            let error = assembled(protocol, [&stream[..end]]).unwrap_err();
            let is_cut = matches!(error, StreamError::Event(WireError::Cut, _));
            prop_assert!(is_cut, "{:?} at {}: {:?}", protocol, end, error);
        }
    }

    #[test]
    fn no_bytes_make_a_reader_panic(bytes in vec(any::<u8>(), 0..200)) {
        for protocol in PROTOCOLS {
            let _ = assembled(protocol, [&bytes[..]]);
            let _ = protocol.wire().read(&String::from_utf8_lossy(&bytes));
        }
    }
}

#[test]
fn a_text_of_a_megabyte_is_sent() {
    let said = " é\n\u{0}😀".repeat(125_000);
    for protocol in PROTOCOLS {
        let body = written(protocol, &said, "");
        assert_eq!(sent_texts(protocol, &body)[1], Some(said.as_str()));
    }
}

#[test]
fn a_text_of_a_megabyte_is_kept() {
    let answer = Answer {
        reasoning: Vec::new(),
        text: vec![format!("\"{}\"", " é\\n".repeat(250_000)); 1],
        calls: Vec::new(),
        stop: "stop",
    };
    for protocol in PROTOCOLS {
        let expected = at_once(protocol, &answer);
        assert_eq!(expected.text.len(), 1_000_000);
        let (stream, _) = streamed(protocol, &answer);
        assert_eq!(assembled(protocol, stream.chunks(1_400)).unwrap(), expected);
    }
}
