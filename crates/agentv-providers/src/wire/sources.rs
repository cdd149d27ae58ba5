//! Tests: the sources that an answer cites, and parts of vendors' own tools, streamed or not.

use serde_json::{Value, json};

use super::{Protocol, Reply};

fn at_once(protocol: Protocol, body: &str) -> Reply {
    protocol.wire().read(body).unwrap()
}

fn streamed(protocol: Protocol, events: &[(&str, Value)]) -> Reply {
    let mut assembler = protocol.wire().assembler();
    for (name, data) in events {
        assembler.event(name, &data.to_string()).unwrap();
    }
    assembler.finish().unwrap()
}

fn cited(sources: &[&Value]) -> Vec<Value> {
    let cited = sources
        .iter()
        .map(|source| json!({"type": "citation", "citation": source}));
    cited.collect()
}

#[test]
fn the_citations_of_anthropic_are_kept_and_come_back_with_their_text() {
    let source = json!({"type": "char_location", "cited_text": "The grass is green."});
    let call = json!({"type": "tool_use", "id": "c", "name": "f", "input": {"x": 1}});
    let content = json!([
        {"type": "text", "text": "Look: "},
        {"type": "text", "text": "it is green", "citations": [source, source]},
        call,
    ]);
    let body = json!({"content": content, "stop_reason": "tool_use"});
    let whole = at_once(Protocol::Messages, &body.to_string());
    assert_eq!(whole.text, "Look: it is green");
    assert_eq!(whole.other, cited(&[&source, &source]));
    assert_eq!(whole.carried, Some(content));
    let start = |block: Value| {
        (
            "",
            json!({"type": "content_block_start", "content_block": block}),
        )
    };
    let delta = |delta: Value| ("", json!({"type": "content_block_delta", "delta": delta}));
    let stop = || ("", json!({"type": "content_block_stop"}));
    let text = || start(json!({"type": "text", "text": ""}));
    let citation = || delta(json!({"type": "citations_delta", "citation": source}));
    let stream = streamed(
        Protocol::Messages,
        &[
            text(),
            delta(json!({"type": "text_delta", "text": "Look: "})),
            stop(),
            text(),
            citation(),
            delta(json!({"type": "text_delta", "text": "it is green"})),
            citation(),
            stop(),
            start(json!({"type": "tool_use", "id": "c", "name": "f", "input": {}})),
            delta(json!({"type": "input_json_delta", "partial_json": "{\"x\":1}"})),
            stop(),
            (
                "",
                json!({"type": "message_delta", "delta": {"stop_reason": "tool_use"}}),
            ),
            ("", json!({"type": "message_stop"})),
        ],
    );
    assert_eq!(stream, whole);
}

#[test]
fn the_cited_texts_and_own_tools_of_bedrock_are_kept() {
    let source = json!({"title": "Terms", "location": {"documentPage": {"start": 1}}});
    let search = json!({"toolUse": {"toolUseId": "s", "name": "search", "type": "server_tool_use", "input": {"q": 1}}});
    let found = json!({"toolResult": {"toolUseId": "s", "type": "search", "content": [{"json": {"n": 1}}]}});
    let call = json!({"toolUse": {"toolUseId": "c", "name": "f", "input": {"x": 1}}});
    let text =
        json!({"citationsContent": {"content": [{"text": "It is 6."}], "citations": [source]}});
    let content = json!([search, found, text, call]);
    let body = json!({"output": {"message": {"content": content}}, "stopReason": "tool_use"});
    let whole = at_once(Protocol::Converse, &body.to_string());
    assert_eq!(whole.text, "It is 6.");
    assert_eq!(whole.calls.len(), 1);
    let mut other = vec![search, found];
    other.extend(cited(&[&source]));
    assert_eq!(whole.other, other);
    assert_eq!(whole.carried, Some(content));
    let start = |start: Value| ("contentBlockStart", json!({"start": start}));
    let delta = |delta: Value| ("contentBlockDelta", json!({"delta": delta}));
    let stop = || ("contentBlockStop", json!({}));
    let stream = streamed(
        Protocol::Converse,
        &[
            start(
                json!({"toolUse": {"toolUseId": "s", "name": "search", "type": "server_tool_use"}}),
            ),
            delta(json!({"toolUse": {"input": "{\"q\":"}})),
            delta(json!({"toolUse": {"input": "1}"}})),
            stop(),
            start(json!({"toolResult": {"toolUseId": "s", "type": "search"}})),
            delta(json!({"toolResult": [{"json": {"n": 1}}]})),
            stop(),
            delta(json!({"text": "It is "})),
            delta(json!({"citation": source})),
            delta(json!({"text": "6."})),
            stop(),
            start(json!({"toolUse": {"toolUseId": "c", "name": "f"}})),
            delta(json!({"toolUse": {"input": "{\"x\":1}"}})),
            stop(),
            ("messageStop", json!({"stopReason": "tool_use"})),
            ("metadata", json!({"usage": {}})),
        ],
    );
    assert_eq!(stream, whole);
}

#[test]
fn the_sources_of_gemini_and_of_responses_are_kept() {
    let grounds =
        json!({"webSearchQueries": ["q"], "groundingChunks": [{"web": {"uri": "https://h"}}]});
    let candidate = |text: &str| json!({"content": {"parts": [{"text": text}]}, "finishReason": "STOP", "groundingMetadata": grounds});
    let event = |text: &str| json!({"candidates": [candidate(text)]});
    let whole = at_once(Protocol::Generate, &event("It is 6.").to_string());
    assert_eq!(whole.other, [json!({"groundingMetadata": grounds})]);
    let stream = streamed(
        Protocol::Generate,
        &[("", event("It is ")), ("", event("6."))],
    );
    assert_eq!(stream, whole);
    let source = json!({"type": "url_citation", "url": "https://h"});
    let piece = json!({"type": "output_text", "text": "6", "annotations": [source]});
    let message = json!({"type": "message", "content": [piece]});
    let body = json!({"status": "completed", "output": [message]});
    let whole = at_once(Protocol::Responses, &body.to_string());
    assert_eq!(whole.other, [source]);
}

#[test]
fn half_of_a_character_beside_the_answer_does_not_spoil_it() {
    let probabilities = r#"{"content":[{"token":"\ud83d","logprob":-1}]}"#;
    for (protocol, body) in [
        (
            Protocol::Chat,
            format!(
                r#"{{"choices":[{{"message":{{"content":"6"}},"logprobs":{probabilities},"finish_reason":"stop"}}]}}"#
            ),
        ),
        (
            Protocol::Generate,
            format!(
                r#"{{"candidates":[{{"content":{{"parts":[{{"text":"6"}}]}},"logprobsResult":{probabilities},"finishReason":"STOP"}}]}}"#
            ),
        ),
    ] {
        let reply = at_once(protocol, &body);
        assert_eq!(reply.text, "6");
        let logprobs = reply.logprobs.unwrap();
        assert_eq!(logprobs["content"][0]["token"], "\u{fffd}");
    }
    let body = r#"{"content":[{"type":"text","text":"6","citations":[{"cited_text":"\ud83d"}]}],"stop_reason":"end_turn"}"#;
    let reply = at_once(Protocol::Messages, body);
    assert_eq!(reply.text, "6");
    assert_eq!(reply.other[0]["citation"]["cited_text"], "\u{fffd}");
    let body = r#"{"status":"completed","output":[{"type":"message","content":[{"type":"output_text","text":"6","logprobs":[{"token":"\ud83d"}]}]}]}"#;
    let reply = at_once(Protocol::Responses, body);
    assert_eq!(reply.text, "6");
    assert_eq!(reply.logprobs, Some(json!([{"token": "\u{fffd}"}])));
}
