//! Answers as streams: complete, cut, idle, refused.

use agentv_core::Cause;
use serde_json::json;

use super::{KEY, ask, chat_answer, exchange, failure, made};
use crate::model::server::{Reply, Server};

const STREAM: &str = "text/event-stream";

fn chat_stream() -> String {
    let chunk = |choice: &str, usage: &str| {
        format!(r#"data: {{"id":"1","model":"gpt-4o","choices":[{choice}]{usage}}}"#)
    };
    let events = [
        chunk(r#"{"delta":{"role":"assistant","content":""}}"#, ""),
        chunk(r#"{"delta":{"content":"  \ud83d"}}"#, ""),
        chunk(r#"{"delta":{"content":"\ude00\n"}}"#, ""),
        chunk(r#"{"delta":{},"finish_reason":"stop"}"#, ""),
        chunk("", r#","usage":{"prompt_tokens":10,"completion_tokens":2}"#),
        "data: [DONE]".to_owned(),
    ];
    events.join("\n\n") + "\n\n"
}

#[tokio::test]
async fn a_stream_gives_the_text_to_the_byte_and_the_time_of_its_first_token() {
    let reply = Reply::text(200, STREAM, &[], &chat_stream());
    let (_, transcript) = exchange("openai", json!({"model": "gpt-4o"}), reply).await;
    assert_eq!(transcript.answer(), "  😀\n");
    assert_eq!(transcript.token_usage.unwrap().total(), 12);
    assert_eq!(transcript.finish_reason.as_deref(), Some("stop"));
    assert!(transcript.first_token_ms.unwrap() > 0.0);
    let reply = Reply::json(200, &[], &chat_answer());
    let (_, transcript) = exchange("openai", json!({"model": "gpt-4o"}), reply).await;
    assert_eq!(transcript.first_token_ms, None);
}

#[tokio::test]
async fn a_stream_without_its_end_is_a_failure_of_the_network() {
    let whole = chat_stream();
    let end = whole.find(r#"{"delta":{},"finish_reason""#).unwrap();
    for length in 0..end {
        if !whole.is_char_boundary(length) {
            continue;
        }
        let reply = Reply::text(200, STREAM, &[], &whole[..length]);
        let error = failure("openai", json!({"model": "m"}), reply).await;
        assert_eq!(error.cause, Cause::Network, "{length}: {error}");
        assert_eq!(
            error.message,
            "the stream from OpenAI ended in the middle of its answer"
        );
    }
}

#[tokio::test]
async fn an_idle_stream_is_given_up() {
    let whole = Reply::text(200, STREAM, &[], &chat_stream());
    let length = whole.len();
    let reply = whole.stalled(length - 200);
    let fields = json!({"model": "m", "idle_seconds": 0.05});
    let error = failure("openai", fields, reply).await;
    assert_eq!(error.cause, Cause::Timeout);
    assert_eq!(
        error.message,
        "OpenAI sent nothing for 0.05 s in the middle of its answer; to wait longer, set `idle_seconds` of the target"
    );
}

#[tokio::test]
async fn an_error_in_a_stream_is_told_in_the_vendors_words() {
    let overloaded = "event: error\ndata: {\"type\":\"error\",\"error\":{\"type\":\"overloaded_error\",\"message\":\"Overloaded\"}}\n\n";
    let reply = Reply::text(200, STREAM, &[], overloaded);
    let error = failure("anthropic", json!({"model": "m"}), reply).await;
    assert_eq!(error.cause, Cause::Status(529));
    let middle = chat_stream().replace(
        r#"{"delta":{},"finish_reason":"stop"}]"#,
        r#"],"error":{"code":502,"message":"Provider disconnected"}"#,
    );
    let reply = Reply::text(200, STREAM, &[], &middle);
    let error = failure("openrouter", json!({"model": "m"}), reply).await;
    assert_eq!(error.cause, Cause::Status(502));
    assert_eq!(
        error.message,
        "OpenRouter failed (502): Provider disconnected"
    );
}

#[tokio::test]
async fn a_vendor_that_refuses_to_stream_is_asked_without_from_then_on() {
    let refusal = json!({"error": {"message":
        "Your organization must be verified to stream this model.", "param": "stream"}});
    let refusal = Reply::json(400, &[], &refusal);
    let server = Server::start_with(vec![refusal], Reply::json(200, &[], &chat_answer())).await;
    let fields = json!({"model": "gpt-4o", "api_key": KEY, "base_url": server.url});
    let provider = made("openai", fields, &[]).unwrap();
    for _ in 0..2 {
        assert_eq!(ask(provider.as_ref()).await.unwrap().answer(), "6");
    }
    let received = server.received();
    let streamed: Vec<_> = received.iter().map(|sent| &sent.body["stream"]).collect();
    assert_eq!(streamed, [&json!(true), &json!(false), &json!(false)]);
}

#[tokio::test]
async fn a_stream_that_breaks_off_with_an_error_is_a_failed_attempt() {
    let boom = |kind: &str| format!(r#"{{"error":{{"message":"boom","type":"{kind}"}}}}"#);
    let responses = r#"{"type":"error","code":"server_error","message":"boom"}"#;
    let fields = json!({"model": "m"});
    let with_responses = json!({"model": "m", "api": "responses"});
    for (kind, fields, data, cause) in [
        ("openai", &fields, boom("server_error"), Cause::Status(500)),
        ("openai", &fields, boom("odd"), Cause::Network),
        (
            "openai",
            &with_responses,
            responses.to_owned(),
            Cause::Status(500),
        ),
        ("anthropic", &fields, boom("api_error"), Cause::Status(500)),
        (
            "openai",
            &fields,
            boom("invalid_request_error"),
            Cause::Status(400),
        ),
    ] {
        let stream = format!("data: {data}\n\n");
        let stream = match kind {
            "anthropic" => format!("event: error\n{stream}"),
            _ => stream,
        };
        let reply = Reply::text(200, STREAM, &[], &stream);
        let error = failure(kind, fields.clone(), reply).await;
        assert_eq!(error.cause, cause, "{kind} {data}: {error}");
        assert!(error.message.contains("boom"), "{error}");
    }
}

#[tokio::test]
async fn a_refusal_to_stream_is_understood_in_many_words() {
    for (status, body) in [
        (
            400,
            json!({"error": {"message": "Streaming is not supported for this model"}}),
        ),
        (
            400,
            json!({"message": "This model doesn't support the ConverseStream operation."}),
        ),
        (
            422,
            json!({"detail": [{"type": "extra_forbidden", "loc": ["body", "stream_options"],
                "msg": "Extra inputs are not permitted"}]}),
        ),
        (405, json!({"error": "streaming disabled"})),
        (
            501,
            json!({"error": {"message": "Streaming not implemented"}}),
        ),
    ] {
        let refusal = Reply::json(status, &[], &body);
        let server = Server::start_with(vec![refusal], Reply::json(200, &[], &chat_answer())).await;
        let fields = json!({"model": "gpt-4o", "api_key": KEY, "base_url": server.url});
        let provider = made("openai", fields, &[]).unwrap();
        assert_eq!(
            ask(provider.as_ref()).await.unwrap().answer(),
            "6",
            "{body}"
        );
    }
}

#[tokio::test]
async fn the_refused_field_is_named() {
    let body =
        json!({"detail": [{"loc": ["body", "seed"], "msg": "Extra inputs are not permitted"}]});
    let error = failure(
        "openai",
        json!({"model": "m"}),
        Reply::json(422, &[], &body),
    );
    let message = error.await.message;
    assert_eq!(
        message,
        "OpenAI refused the request (422): `seed`: Extra inputs are not permitted"
    );
}

#[tokio::test]
async fn a_stream_of_another_type_is_read_as_one() {
    for content_type in ["text/plain", "application/octet-stream"] {
        let reply = Reply::text(200, content_type, &[], &chat_stream());
        let (_, transcript) = exchange("openai", json!({"model": "gpt-4o"}), reply).await;
        assert_eq!(transcript.answer(), "  😀\n");
    }
}

#[tokio::test]
async fn an_answer_that_breaks_off_is_never_graded() {
    let middle = |chunk: &str| {
        let whole = chat_stream();
        let end = whole.find(r#"data: {"id":"1","model":"gpt-4o","choices":[{"delta":{},"#);
        format!("{}{chunk}\n\ndata: [DONE]\n\n", &whole[..end.unwrap()])
    };
    for (event, cause) in [
        (
            r#"data: {"choices":[{"delta":{},"finish_reason":"error"}]}"#,
            Cause::Status(502),
        ),
        (
            r#"data: {"choices":[{"delta":{},"finish_reason":null,"error":{"code":503,"message":"upstream"}}]}"#,
            Cause::Status(503),
        ),
        (
            r#"data: {"object":"error","message":"boom","type":"InternalServerError","code":500}"#,
            Cause::Status(500),
        ),
    ] {
        let reply = Reply::text(200, STREAM, &[], &middle(event));
        let error = failure("openai", json!({"model": "m"}), reply).await;
        assert_eq!(error.cause, cause, "{event}: {error}");
    }
    for status in ["queued", "in_progress", "cancelled"] {
        let body = json!({"status": status, "output": [
            {"type": "message", "content": [{"type": "output_text", "text": "half"}]}]});
        let fields = json!({"model": "m", "api": "responses"});
        let error = failure("openai", fields, Reply::json(200, &[], &body)).await;
        assert!(error.message.contains(status), "{error}");
    }
}

#[tokio::test]
async fn images_audio_and_sources_of_a_chat_are_kept_streamed_or_not() {
    let image = json!({"type": "image_url", "image_url": {"url": "data:image/png;base64,AA=="}});
    let source = json!({"type": "url_citation", "url_citation": {"url": "https://h"}});
    let audio = json!({"id": "a", "data": "YWJj", "transcript": "Hi there", "expires_at": 9});
    let message = json!({
        "role": "assistant", "content": [{"type": "text", "text": "6"}, {"type": "reference", "ids": [1]}],
        "images": [image], "annotations": [source], "audio": audio,
    });
    let whole = json!({"choices": [{"message": message, "finish_reason": "stop"}]});
    let deltas = [
        json!({"content": "6"}),
        json!({"content": [{"type": "reference", "ids": [1]}]}),
        json!({"content": "", "images": [image]}),
        json!({"annotations": [source]}),
        json!({"audio": {"id": "a", "data": "YQ=="}}),
        json!({"audio": {"transcript": "Hi "}}),
        json!({"audio": {"data": "YmM=", "transcript": "there"}}),
        json!({"audio": {"expires_at": 9, "transcript": null}}),
    ];
    let end = json!({"choices": [{"delta": {}, "finish_reason": "stop"}]});
    let events = deltas.map(|delta| json!({"choices": [{"delta": delta}]}));
    let events = events.iter().chain([&end]);
    let stream: String = events.map(|event| format!("data: {event}\n\n")).collect();
    let expected = json!({"other_parts": [
        {"type": "reference", "ids": [1]}, image, source, {"type": "audio", "audio": audio},
    ]});
    let replies = [
        Reply::json(200, &[], &whole),
        Reply::text(200, STREAM, &[], &stream),
    ];
    for reply in replies {
        let (_, transcript) = exchange("openai", json!({"model": "m"}), reply).await;
        assert_eq!(transcript.answer(), "6");
        assert_eq!(transcript.trace, Some(expected.clone()));
    }
}
