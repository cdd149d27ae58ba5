//! Answers that are empty, refusals, reasoning or calls of tools.

use agentv_core::Content;
use serde_json::{Value, json};

use super::{KEY, exchange, failure};
use crate::model::server::Reply;

#[tokio::test]
async fn an_empty_answer_is_a_transcript_where_the_vendor_says_why_it_stopped() {
    let chat = |reason: &str| {
        json!({"model": "m", "choices": [
            {"finish_reason": reason, "message": {"role": "assistant", "content": null}}
        ]})
    };
    let blocked = json!({"promptFeedback": {"blockReason": "SAFETY"}, "modelVersion": "g"});
    let cut = json!({"candidates": [{"finishReason": "MAX_TOKENS"}],
        "usageMetadata": {"promptTokenCount": 5, "thoughtsTokenCount": 9}});
    let incomplete = json!({"id": "1", "status": "incomplete", "model": "m", "output": [],
        "incomplete_details": {"reason": "max_output_tokens"}});
    let nothing = json!({"content": [], "stop_reason": "refusal"});
    for (kind, api, answer, reason) in [
        ("openai", "chat", chat("content_filter"), "content_filter"),
        ("openai", "chat", chat("length"), "length"),
        ("openai", "responses", incomplete, "max_output_tokens"),
        ("gemini", "chat", blocked, "SAFETY"),
        ("gemini", "chat", cut, "MAX_TOKENS"),
        ("anthropic", "chat", nothing, "refusal"),
    ] {
        let fields = json!({"model": "m", "api": api, "api_key": KEY});
        let (_, transcript) = exchange(kind, fields, Reply::json(200, &[], &answer)).await;
        assert_eq!(transcript.answer(), "", "{answer}");
        assert_eq!(
            transcript.finish_reason.as_deref(),
            Some(reason),
            "{answer}"
        );
        let content = &transcript.output_messages[0].content;
        assert_eq!(content, &Some(Content::Text(String::new())));
    }
}

#[tokio::test]
async fn a_refusal_is_what_the_model_said() {
    let chat = json!({"model": "m", "choices": [{"finish_reason": "stop",
        "message": {"role": "assistant", "content": null, "refusal": "I will not."}}]});
    let responses = json!({"id": "1", "status": "completed", "model": "m", "output": [
        {"type": "message", "content": [{"type": "refusal", "refusal": "I will not."}]}]});
    for (api, answer) in [("chat", chat), ("responses", responses)] {
        let fields = json!({"model": "m", "api": api});
        let (_, transcript) = exchange("openai", fields, Reply::json(200, &[], &answer)).await;
        assert_eq!(transcript.answer(), "I will not.", "{api}");
    }
}

#[tokio::test]
async fn reasoning_and_tool_calls_of_the_chat_protocol_are_kept_apart() {
    let answer = json!({"model": "m", "choices": [{"finish_reason": "tool_calls", "message": {
        "role": "assistant", "content": null, "reasoning_content": "Look it up.",
        "tool_calls": [{"id": "call_1", "type": "function",
            "function": {"name": "semanticSearch", "arguments": "{\"q\": \"x\"}"}}]
    }}]});
    let reply = Reply::json(200, &[], &answer);
    let (_, transcript) = exchange("openai", json!({"model": "m"}), reply).await;
    assert_eq!(transcript.answer(), "");
    assert_eq!(transcript.output_messages[0].content, None);
    assert_eq!(transcript.trace, Some(json!({"reasoning": "Look it up."})));
    let call = transcript.tool_calls().next().unwrap();
    assert_eq!(
        (call.tool.as_str(), &call.input),
        ("semanticSearch", &Some(json!({"q": "x"})))
    );
    assert_eq!(transcript.finish_reason.as_deref(), Some("tool_calls"));
    assert_eq!(transcript.token_usage, None);
    assert_eq!(transcript.cost_usd, None);
}

#[tokio::test]
async fn a_call_of_a_tool_has_the_id_that_the_vendor_gave_it_or_none() {
    let call = |fields: Value| {
        let parts = json!([{"functionCall": fields}]);
        json!({"candidates": [{"finishReason": "STOP", "content": {"parts": parts}}]})
    };
    let named = call(json!({"id": "call_7", "name": "log", "args": {"x": 6}}));
    let unnamed = call(json!({"name": "log", "args": {"x": 6}}));
    for (answer, expected) in [(named, Some("call_7")), (unnamed, None)] {
        let fields = json!({"api_key": KEY});
        let (_, transcript) = exchange("gemini", fields, Reply::json(200, &[], &answer)).await;
        assert_eq!(
            transcript.tool_calls().next().unwrap().id.as_deref(),
            expected
        );
    }
}

#[tokio::test]
async fn arguments_that_are_not_json_are_kept_as_a_string() {
    let calls = json!([
        {"id": "call_1", "type": "function", "function": {"name": "f", "arguments": "{\"x\": "}},
        {"id": "call_2", "type": "function", "function": {"name": "g", "arguments": "{\"y\": 1}"}},
    ]);
    let chat = json!({"model": "m-1", "choices": [{"finish_reason": "tool_calls", "message": {
        "role": "assistant", "content": "Let me see.", "tool_calls": calls}}],
        "usage": {"prompt_tokens": 20, "completion_tokens": 30, "total_tokens": 50}});
    let responses = json!({"id": "r", "status": "completed", "model": "m-1", "output": [
        {"type": "message", "content": [{"type": "output_text", "text": "Let me see."}]},
        {"type": "function_call", "call_id": "call_1", "name": "f", "arguments": "{\"x\": "},
        {"type": "function_call", "call_id": "call_2", "name": "g", "arguments": "{\"y\": 1}"}],
        "usage": {"input_tokens": 20, "output_tokens": 30, "total_tokens": 50}});
    for (api, answer) in [("chat", chat), ("responses", responses)] {
        let fields = json!({"model": "m", "api": api});
        let (_, transcript) = exchange("openai", fields, Reply::json(200, &[], &answer)).await;
        assert_eq!(transcript.answer(), "Let me see.", "{api}");
        let inputs: Vec<_> = transcript
            .tool_calls()
            .map(|call| call.input.clone())
            .collect();
        assert_eq!(
            inputs,
            [Some(json!("{\"x\": ")), Some(json!({"y": 1}))],
            "{api}"
        );
        let ids: Vec<_> = transcript
            .tool_calls()
            .map(|call| call.id.as_deref())
            .collect();
        assert_eq!(ids, [Some("call_1"), Some("call_2")], "{api}");
        let usage = transcript.token_usage.unwrap();
        assert_eq!((usage.input, usage.output), (20, 30), "{api}");
        assert_eq!(transcript.model.as_deref(), Some("m-1"), "{api}");
    }
}

#[tokio::test]
async fn arguments_that_are_no_json_are_kept_as_the_model_wrote_them() {
    for (arguments, expected) in [
        ("{\"q\": ", json!("{\"q\": ")),
        ("", json!({})),
        ("null", json!(null)),
        (" {\"b\": 1.0, \"a\": 2}", json!({"b": 1.0, "a": 2})),
    ] {
        let answer = json!({"choices": [{"finish_reason": "tool_calls", "message": {
            "role": "assistant", "tool_calls": [{"id": "1", "type": "function",
                "function": {"name": "f", "arguments": arguments}}]}}]});
        let reply = Reply::json(200, &[], &answer);
        let (_, transcript) = exchange("openai", json!({"model": "m"}), reply).await;
        let call = transcript.tool_calls().next().unwrap();
        assert_eq!(call.input, Some(expected), "{arguments}");
    }
}

#[tokio::test]
async fn the_vendors_name_for_the_request_is_kept() {
    let mut answer = json!({"id": "chatcmpl-1", "choices": [
        {"finish_reason": "stop", "message": {"content": "4"}}]});
    let reply = Reply::json(200, &[("x-request-id", "req_7")], &answer);
    let (_, transcript) = exchange("openai", json!({"model": "m"}), reply).await;
    assert_eq!(transcript.request_id.as_deref(), Some("req_7"));
    let reply = Reply::json(200, &[], &answer);
    let (_, transcript) = exchange("openai", json!({"model": "m"}), reply).await;
    assert_eq!(transcript.request_id.as_deref(), Some("chatcmpl-1"));
    answer["id"] = Value::Null;
    let reply = Reply::json(200, &[], &answer);
    let (_, transcript) = exchange("openai", json!({"model": "m"}), reply).await;
    assert_eq!(transcript.request_id, None);
}

#[tokio::test]
async fn arguments_that_no_record_could_hold_are_an_error() {
    for levels in [120, 1_000] {
        let arguments = format!("{}{}", "[".repeat(levels), "]".repeat(levels));
        let answer = json!({"choices": [{"finish_reason": "tool_calls", "message": {
            "role": "assistant", "tool_calls": [{"id": "1", "type": "function",
                "function": {"name": "f", "arguments": arguments}}]}}]});
        let reply = Reply::json(200, &[], &answer);
        let error = failure("openai", json!({"model": "m"}), reply).await;
        assert_eq!(
            error.message,
            "cannot read the answer from OpenAI: the arguments of a tool call are nested more than 100 levels deep"
        );
    }
}

#[tokio::test]
async fn an_answer_without_a_message_is_explained_whatever_it_contains() {
    let answer = json!({"x".repeat(10_000): 1, KEY: 2});
    let error = failure(
        "openai",
        json!({"model": "m"}),
        Reply::json(200, &[], &answer),
    )
    .await;
    assert!(error.message.len() < 500, "{error}");
}
