//! Turns of a conversation as each protocol carries them, and what comes back of an answer.

use std::path::Path;
use std::time::Duration;

use agentv_core::{Message, Prompt, Provider, ProviderError, Request, ToolCall, Transcript};
use serde_json::{Value, json};
use tokio_util::sync::CancellationToken;

use super::{KEY, chat_answer, made};
use crate::model::server::{Reply, Server};

/// Returns a request of these messages, after which `further` happened.
fn request(messages: Value, further: Vec<Message>) -> Request {
    Request {
        prompt: Prompt {
            messages: serde_json::from_value(messages).unwrap(),
            ..Prompt::default()
        },
        further,
        ..Request::of_text("", Path::new("/").into(), Duration::from_secs(60))
    }
}

fn provider(kind: &str, mut fields: Value) -> std::sync::Arc<dyn Provider> {
    fields["model"] = json!("m");
    fields["api_key"] = json!(KEY);
    if fields.get("base_url").is_none() {
        fields["base_url"] = json!("http://127.0.0.1:9/v1");
    }
    made(kind, fields, &[]).unwrap()
}

/// Returns the body of a request.
fn body(kind: &str, fields: Value, request: &Request) -> Result<Value, String> {
    let body = provider(kind, fields).request_body(request).unwrap();
    let body = body.map_err(|error| error.to_string())?;
    Ok(serde_json::from_str(&body).unwrap())
}

async fn answer(kind: &str, mut fields: Value, reply: &Value) -> Result<Transcript, ProviderError> {
    let server = Server::start(Reply::json(200, &[], reply)).await;
    fields["base_url"] = json!(server.url);
    let provider = provider(kind, fields);
    let request = request(json!([{"role": "user", "content": "?"}]), Vec::new());
    provider.answer(&request, &CancellationToken::new()).await
}

const PROTOCOLS: &[(&str, &str)] = &[
    ("openai", "chat"),
    ("openai", "responses"),
    ("anthropic", ""),
    ("gemini", ""),
    ("bedrock", ""),
];

fn fields_of(api: &str) -> Value {
    match api {
        "" => json!({}),
        api => json!({"api": api}),
    }
}

#[test]
fn instructions_alone_are_sent_as_instructions_or_refused() {
    let asked = request(json!([{"role": "system", "content": "only"}]), Vec::new());
    let only = json!([{"role": "system", "content": "only"}]);
    for (kind, api) in PROTOCOLS {
        let sent = body(kind, fields_of(api), &asked);
        match *api {
            "chat" => assert_eq!(sent.unwrap()["messages"], only),
            "responses" => assert_eq!(sent.unwrap()["input"], only),
            _ => {
                let error = sent.unwrap_err();
                assert!(
                    error.ends_with(
                        "protocol cannot carry `system` messages alone; add a `user` message"
                    ),
                    "{error}"
                );
            }
        }
    }
}

#[test]
fn texts_stay_the_parts_that_the_user_wrote() {
    let content = json!([{"type": "text", "value": "a"}, {"type": "text", "value": "b"}]);
    let asked = request(json!([{"role": "user", "content": content}]), Vec::new());
    for ((kind, api), expected) in PROTOCOLS.iter().zip([
        json!([{"type": "text", "text": "a"}, {"type": "text", "text": "b"}]),
        json!([{"type": "input_text", "text": "a"}, {"type": "input_text", "text": "b"}]),
        json!([{"type": "text", "text": "a"}, {"type": "text", "text": "b"}]),
        json!([{"text": "a"}, {"text": "b"}]),
        json!([{"text": "a"}, {"text": "b"}]),
    ]) {
        let sent = body(kind, fields_of(api), &asked).unwrap();
        let messages = ["messages", "input", "contents"];
        let messages = messages.iter().find_map(|name| sent.get(name)).unwrap();
        let message = &messages[0];
        let parts = message.get("content").or(message.get("parts")).unwrap();
        assert_eq!(*parts, expected, "{kind} {api}");
    }
}

#[tokio::test]
async fn a_name_is_sent_where_the_protocol_has_it_and_else_noticed() {
    let messages = json!([{"role": "user", "name": "bob", "content": "x"}]);
    let asked = request(messages, Vec::new());
    let sent = body("openai", json!({}), &asked).unwrap();
    assert_eq!(sent["messages"][0]["name"], "bob");
    let reply = json!({"content": [{"type": "text", "text": "6"}], "stop_reason": "end_turn"});
    let server = Server::start(Reply::json(200, &[], &reply)).await;
    let claude = provider("anthropic", json!({"base_url": server.url}));
    let cancel = CancellationToken::new();
    let answer = claude.answer(&asked, &cancel);
    let warning =
        "`name` of a message is not sent: the Anthropic messages protocol has no such field";
    assert_eq!(answer.await.unwrap().warnings, [warning]);
}

#[test]
fn a_type_of_bytes_that_a_protocol_lacks_is_refused() {
    let of = |kind: &str, media_type: &str| {
        let url = format!("data:{media_type};base64,AAAA");
        let content = json!([{"type": kind, "value": url}]);
        request(json!([{"role": "user", "content": content}]), Vec::new())
    };
    let docx = "application/vnd.openxmlformats-officedocument.wordprocessingml.document";
    let sent = body("bedrock", json!({}), &of("document", docx)).unwrap();
    let document = &sent["messages"][0]["content"][0]["document"];
    assert_eq!(document["format"], "docx");
    for (kind, block, media_type) in [
        ("bedrock", "image", "image/svg+xml"),
        ("bedrock", "document", "application/zip"),
        ("anthropic", "image", "image/svg+xml"),
        ("anthropic", "document", docx),
    ] {
        let error = body(kind, json!({}), &of(block, media_type)).unwrap_err();
        let named = block.replace("document", "file");
        let expected = format!("cannot carry a block of type `{named}` ({media_type})");
        assert!(error.contains(&expected), "{kind}: {error}");
    }
}

#[test]
fn an_image_in_the_result_of_a_tool_takes_the_form_of_the_protocol() {
    let image = json!({"type": "image", "value": "data:image/png;base64,AAAA"});
    let asked = request(
        json!([
            {"role": "user", "content": "?"},
            {"role": "assistant", "tool_calls": [{"tool": "f", "id": "k", "input": {}}]},
            {"role": "tool", "tool_call_id": "k", "content": [{"type": "text", "value": "see"}, image]},
        ]),
        Vec::new(),
    );
    let tools = json!({"tools": [{"name": "f"}]});
    let sent = body("anthropic", tools.clone(), &asked).unwrap();
    assert_eq!(
        sent["messages"][2]["content"][0]["content"][1]["type"],
        "image"
    );
    let sent = body("bedrock", tools.clone(), &asked).unwrap();
    let result = &sent["messages"][2]["content"][0]["toolResult"];
    assert_eq!(result["content"][1]["image"]["format"], "png");
    let mut responses = tools.clone();
    responses["api"] = json!("responses");
    let sent = body("openai", responses, &asked).unwrap();
    assert_eq!(sent["input"][2]["output"][1]["type"], "input_image");
    let sent = body("gemini", tools.clone(), &asked).unwrap();
    let result = &sent["contents"][2]["parts"][0]["functionResponse"];
    assert_eq!(result["response"], json!({"output": "see"}));
    assert_eq!(result["parts"][0]["inlineData"]["mimeType"], "image/png");
    let error = body("openai", tools, &asked).unwrap_err();
    let expected = "cannot carry a block of type `image` (image/png) in the result of a tool";
    assert!(error.contains(expected), "{error}");
}

#[test]
fn an_image_of_our_own_tool_is_shown_where_the_protocol_can_and_else_named() {
    let mut call: ToolCall =
        serde_json::from_value(json!({"tool": "f", "id": "k", "input": {}})).unwrap();
    call.output = Some(json!("see\n[image: image/png, 3 bytes]"));
    call.set_output_blocks(vec![
        json!({"type": "text", "value": "see"}),
        json!({"type": "image", "value": "data:image/png;base64,AAAA"}),
    ]);
    let mut message = Message::new(agentv_core::Role::Assistant, "");
    message.tool_calls.push(call);
    let asked = request(json!([{"role": "user", "content": "?"}]), vec![message]);
    let with = |fields: Value| {
        let mut fields = fields;
        fields["tools"] = json!([{"name": "f"}]);
        fields
    };
    let named = "see\n[image: image/png, 3 bytes]";
    let sent = body("openai", with(json!({})), &asked).unwrap();
    assert_eq!(sent["messages"][2]["content"], named);
    let sent = body("gemini", with(json!({})), &asked).unwrap();
    let result = &sent["contents"][2]["parts"][0]["functionResponse"];
    assert_eq!(result["response"], json!({"output": named}));
    let gemini = made(
        "gemini",
        json!({"model": "gemini-3-pro", "api_key": KEY, "tools": [{"name": "f"}]}),
        &[],
    );
    let sent = gemini.unwrap().request_body(&asked).unwrap().unwrap();
    let sent: Value = serde_json::from_str(&sent).unwrap();
    let result = &sent["contents"][2]["parts"][0]["functionResponse"];
    assert_eq!(result["parts"][0]["inlineData"]["data"], "AAAA");
    let sent = body("openai", with(json!({"api": "responses"})), &asked).unwrap();
    let items = sent["input"].as_array().unwrap();
    let output = &items.last().unwrap()["output"];
    assert_eq!(output[0], json!({"type": "input_text", "text": "see"}));
    assert_eq!(output[1]["type"], "input_image");
    let sent = body("anthropic", with(json!({})), &asked).unwrap();
    let result = &sent["messages"][2]["content"][0];
    assert_eq!(result["content"][1]["source"]["data"], "AAAA");
    let sent = body("bedrock", with(json!({})), &asked).unwrap();
    let result = &sent["messages"][2]["content"][0]["toolResult"];
    assert_eq!(result["content"][1]["image"]["source"]["bytes"], "AAAA");
}

#[test]
fn lists_in_params_are_joined_with_ours_and_a_field_for_streams_is_obeyed() {
    let asked = request(json!([{"role": "user", "content": "?"}]), Vec::new());
    let search = json!({"type": "web_search_20250305", "name": "web_search"});
    let fields = json!({"tools": [{"name": "f"}], "params": {"tools": [search], "stream": false}});
    let sent = body("anthropic", fields, &asked).unwrap();
    assert_eq!(sent["tools"][0]["name"], "f");
    assert_eq!(sent["tools"][1], search);
    assert_eq!(sent["stream"], false);
    let sent = body("openai", json!({"params": {"stream": false}}), &asked).unwrap();
    assert_eq!(
        (&sent["stream"], sent.get("stream_options")),
        (&json!(false), None)
    );
    let thinking = json!({"thinkingConfig": {"includeThoughts": true}});
    let fields = json!({"thinking_budget": 5, "params": {"generationConfig": thinking}});
    let sent = body("gemini", fields, &asked).unwrap();
    assert_eq!(
        sent["generationConfig"]["thinkingConfig"],
        json!({"thinkingBudget": 5, "includeThoughts": true})
    );
}

#[test]
fn several_answers_per_trial_are_refused() {
    for (kind, params) in [
        ("openai", json!({"n": 2})),
        ("gemini", json!({"generationConfig": {"candidateCount": 2}})),
    ] {
        let fields = json!({"model": "m", "api_key": KEY, "params": params});
        let error = made(kind, fields, &[]).err().unwrap().to_string();
        assert!(error.contains("a trial has one"), "{error}");
    }
    let fields = json!({"model": "m", "api_key": KEY, "params": {"n": 1}});
    assert!(made("openai", fields, &[]).is_ok());
}

#[test]
fn calls_without_tools_are_refused_where_the_protocol_requires_them() {
    let asked = request(
        json!([
            {"role": "user", "content": "?"},
            {"role": "assistant", "tool_calls": [{"tool": "f", "id": "k", "input": {}, "output": 1}]},
        ]),
        Vec::new(),
    );
    let error = body("bedrock", json!({}), &asked).unwrap_err();
    let expected = "cannot carry tool calls of a case without `tools` of the target";
    assert!(error.contains(expected), "{error}");
}

/// Returns the message that comes back with the results of the calls of an answer.
async fn returned(kind: &str, api: &str, reply: Value) -> Value {
    let mut fields = fields_of(api);
    fields["tools"] = json!([{"name": "f", "output": "o"}]);
    let mut transcript = answer(kind, fields.clone(), &reply).await.unwrap();
    let messages = transcript.output_messages.iter_mut();
    for call in messages.flat_map(|message| &mut message.tool_calls) {
        call.output = Some(json!("o"));
    }
    let user = json!([{"role": "user", "content": "?"}]);
    // The steps of a trial that was stopped come back from a record.
    let kept = serde_json::to_string(&transcript.output_messages).unwrap();
    let asked = request(user, serde_json::from_str(&kept).unwrap());
    body(kind, fields, &asked).unwrap()
}

#[tokio::test]
async fn arguments_come_back_as_the_model_wrote_them() {
    let written = r#"{"a": 1.0, "big": 12345678901234567890123}"#;
    let call =
        json!({"id": "k", "type": "function", "function": {"name": "f", "arguments": written}});
    let reply = json!({"choices": [{"message": {"content": null, "tool_calls": [call]},
        "finish_reason": "tool_calls"}]});
    let sent = returned("openai", "chat", reply).await;
    let function = &sent["messages"][1]["tool_calls"][0]["function"];
    assert_eq!(function["arguments"], written);
    let item = json!({"type": "function_call", "call_id": "k", "name": "f", "arguments": written});
    let reply = json!({"status": "completed", "output": [item]});
    let sent = returned("openai", "responses", reply).await;
    assert_eq!(sent["input"][1]["arguments"], written);
}

#[tokio::test]
async fn no_arguments_are_an_empty_object() {
    let call = json!({"id": "k", "type": "function", "function": {"name": "f", "arguments": ""}});
    let reply = json!({"choices": [{"message": {"content": null, "tool_calls": [call]}}]});
    let transcript = answer("openai", json!({}), &reply).await.unwrap();
    let call = transcript.tool_calls().next().unwrap();
    assert_eq!(call.input, Some(json!({})));
}

#[tokio::test]
async fn reasoning_comes_back_in_the_field_of_the_vendor() {
    let call = json!({"id": "k", "type": "function", "function": {"name": "f", "arguments": "{}"}});
    let details = json!([{"type": "reasoning.text", "text": "so", "signature": "s", "index": 0}]);
    for (kind, fields) in [
        ("deepseek", json!({"reasoning_content": "so"})),
        (
            "openrouter",
            json!({"reasoning": "so", "reasoning_details": details}),
        ),
    ] {
        let mut message = fields.clone();
        message["content"] = json!("");
        message["tool_calls"] = json!([call]);
        let reply = json!({"choices": [{"message": message, "finish_reason": "tool_calls"}]});
        let sent = returned(kind, "", reply).await;
        for (name, value) in fields.as_object().unwrap() {
            assert_eq!(sent["messages"][1][name], *value, "{kind}");
        }
    }
    // An answer without calls is not continued.
    let reply = chat_answer();
    let transcript = answer("openai", json!({}), &reply).await.unwrap();
    assert!(transcript.output_messages[0].extra.is_empty());
}

#[tokio::test]
async fn the_parts_of_a_turn_come_back_in_their_order() {
    let thinking = |text: &str| json!({"type": "thinking", "thinking": text, "signature": text});
    let call = |id: &str| json!({"type": "tool_use", "id": id, "name": "f", "input": {"x": 1}});
    let text = |text: &str| json!({"type": "text", "text": text});
    let content = json!([
        text("A "),
        thinking("T1"),
        call("c1"),
        thinking("T2"),
        text("B"),
        call("c2")
    ]);
    let reply = json!({"content": content, "stop_reason": "tool_use"});
    let sent = returned("anthropic", "", reply).await;
    assert_eq!(sent["messages"][1]["content"], content);

    let thinking = |text: &str| json!({"reasoningContent": {"reasoningText": {"text": text, "signature": text}}});
    let call = |id: &str| json!({"toolUse": {"toolUseId": id, "name": "f", "input": {"x": 1}}});
    let content = json!([thinking("T1"), call("c1"), thinking("T2"), {"text": "B"}, call("c2")]);
    let message = json!({"role": "assistant", "content": content});
    let reply = json!({"output": {"message": message}, "stopReason": "tool_use"});
    let sent = returned("bedrock", "", reply).await;
    assert_eq!(sent["messages"][1]["content"], content);

    let thinking =
        |id: &str| json!({"type": "reasoning", "id": id, "encrypted_content": id, "summary": []});
    let call =
        |id: &str| json!({"type": "function_call", "call_id": id, "name": "f", "arguments": "{}"});
    let output = json!([thinking("r1"), call("c1"), thinking("r2"), call("c2")]);
    let reply = json!({"status": "completed", "output": output});
    let sent = returned("openai", "responses", reply).await;
    let input = sent["input"].as_array().unwrap();
    assert_eq!(json!(input[1..5]), output);
}

#[tokio::test]
async fn the_ids_of_geminis_calls_come_back() {
    let call = |id: &str| json!({"functionCall": {"id": id, "name": "f", "args": {}}});
    let content = json!({"role": "model", "parts": [call("a"), call("b")]});
    let reply = json!({"candidates": [{"content": content, "finishReason": "STOP"}]});
    let sent = returned("gemini", "", reply).await;
    assert_eq!(sent["contents"][1]["parts"], content["parts"]);
    let results = sent["contents"][2]["parts"].as_array().unwrap();
    let ids = results.iter().map(|part| &part["functionResponse"]["id"]);
    assert_eq!(ids.collect::<Vec<_>>(), ["a", "b"]);
}

#[test]
fn a_choice_of_no_tool_is_refused() {
    let of = |fields: Value| {
        let mut fields = fields;
        fields["model"] = json!("m");
        fields["base_url"] = json!("http://127.0.0.1:9/v1");
        made("openai", fields, &[])
            .err()
            .map(|error| error.to_string())
    };
    let tools = json!([{"name": "f"}]);
    let wrong = of(json!({"tools": tools, "tool_choice": "requird"})).unwrap();
    assert!(wrong.contains("there is no tool `requird`"), "{wrong}");
    let wrong = of(json!({"tool_choice": "auto"})).unwrap();
    assert!(wrong.contains("there are no `tools`"), "{wrong}");
    assert_eq!(of(json!({"tools": tools, "tool_choice": "f"})), None);
}

#[test]
fn a_budget_of_nothing_disables_thinking() {
    let asked = request(json!([{"role": "user", "content": "?"}]), Vec::new());
    let sent = body("anthropic", json!({"thinking_budget": 0}), &asked).unwrap();
    assert_eq!(sent["thinking"], json!({"type": "disabled"}));
}

/// Returns the turn of the model as it is sent back with the results of its calls.
async fn heard_and_returned(kind: &str, fields: Value, reply: Reply) -> (Transcript, Value) {
    let server = Server::start(reply).await;
    let mut asking = fields.clone();
    asking["base_url"] = json!(server.url);
    let messages = json!([{"role": "user", "content": "?"}]);
    let asked = request(messages.clone(), Vec::new());
    let provider = provider(kind, asking);
    let answer = provider.answer(&asked, &CancellationToken::new()).await;
    let transcript = answer.unwrap();
    let mut further = transcript.output_messages.clone();
    further.push(serde_json::from_value(json!({"role": "tool", "content": "r"})).unwrap());
    let sent = body(kind, fields, &request(messages, further)).unwrap();
    (transcript, sent)
}

fn events(events: &[Value]) -> Reply {
    let events = events.iter().map(|event| format!("data: {event}\n\n"));
    let stream: String = events.collect();
    Reply::text(200, "text/event-stream", &[], &stream)
}

#[tokio::test]
async fn data_of_a_chat_vendor_comes_back_with_its_call() {
    let signed = json!({"google": {"thought_signature": "GS"}});
    let call = json!({
        "index": 0, "id": "c", "type": "function", "extra_content": signed,
        "function": {"name": "f", "arguments": "{}"},
    });
    let blocks = json!([{"type": "thinking", "thinking": "t", "signature": "s"}]);
    let message = json!({
        "role": "assistant", "content": null, "tool_calls": [call],
        "extra_content": signed, "thinking_blocks": blocks, "reasoning_opaque": "op",
    });
    let whole = json!({"choices": [{"message": message, "finish_reason": "tool_calls"}]});
    let deltas = [
        json!({"thinking_blocks": blocks, "extra_content": signed, "reasoning_opaque": "o"}),
        json!({"tool_calls": [call], "reasoning_opaque": "p"}),
    ];
    let mut stream = deltas
        .map(|delta| json!({"choices": [{"delta": delta}]}))
        .to_vec();
    stream.push(json!({"choices": [{"delta": {}, "finish_reason": "tool_calls"}]}));
    for reply in [Reply::json(200, &[], &whole), events(&stream)] {
        let (_, sent) = heard_and_returned("openai", json!({}), reply).await;
        let turn = &sent["messages"][1];
        assert_eq!(turn["tool_calls"][0]["extra_content"], signed, "{sent}");
        assert_eq!(turn["extra_content"], signed);
        assert_eq!(turn["thinking_blocks"], blocks);
        assert_eq!(turn["reasoning_opaque"], "op");
    }
}

#[tokio::test]
async fn phases_and_the_vendors_own_tools_come_back_in_their_order() {
    let text = json!([{"type": "output_text", "text": "looking", "annotations": []}]);
    let items = json!([
        {"type": "reasoning", "id": "rs_1", "summary": [], "encrypted_content": "e"},
        {"type": "web_search_call", "id": "ws_1", "status": "completed"},
        {"type": "reasoning", "id": "rs_2", "summary": []},
        {"type": "message", "id": "msg_1", "status": "completed", "role": "assistant",
         "phase": "commentary", "content": text},
        {"type": "function_call", "id": "fc_1", "call_id": "c", "name": "f",
         "arguments": "{}", "status": "completed"},
    ]);
    let reply = json!({"status": "completed", "output": items});
    let fields = json!({"api": "responses"});
    let (transcript, sent) =
        heard_and_returned("openai", fields, Reply::json(200, &[], &reply)).await;
    assert_eq!(transcript.answer(), "looking");
    let expected = json!([
        {"type": "reasoning", "id": "rs_1", "summary": [], "encrypted_content": "e"},
        {"type": "web_search_call", "id": "ws_1", "status": "completed"},
        {"type": "message", "role": "assistant", "phase": "commentary", "content": text},
        {"type": "function_call", "call_id": "c", "name": "f", "arguments": "{}"},
        {"type": "function_call_output", "call_id": "c", "output": "r"},
    ]);
    assert_eq!(
        sent["input"].as_array().unwrap()[1..],
        *expected.as_array().unwrap()
    );
}

#[tokio::test]
async fn signed_texts_and_code_of_gemini_come_back_in_their_order() {
    let code = json!({"executableCode": {"language": "PYTHON", "code": "1"}});
    let call = json!({
        "functionCall": {"name": "f", "args": {"n": 1}}, "thoughtSignature": "S2"
    });
    let parts = json!([{"text": "ab", "thoughtSignature": "S1"}, code, call]);
    let whole = |parts: &Value| json!({"candidates": [{"content": {"parts": parts}, "finishReason": "STOP"}]});
    let piece = |parts: Value| json!({"candidates": [{"content": {"parts": parts}}]});
    let stream = [
        piece(json!([{"text": "a"}])),
        piece(json!([{"text": "b"}])),
        piece(json!([{"text": "", "thoughtSignature": "S1"}, code])),
        whole(&json!([call])),
    ];
    let of_stream = json!([{"text": "ab"}, {"text": "", "thoughtSignature": "S1"}, code, call]);
    for (reply, expected) in [
        (Reply::json(200, &[], &whole(&parts)), &parts),
        (events(&stream), &of_stream),
    ] {
        let (transcript, sent) = heard_and_returned("gemini", json!({}), reply).await;
        assert_eq!(transcript.answer(), "ab");
        assert_eq!(sent["contents"][1]["parts"], *expected);
    }
}

#[tokio::test]
async fn arguments_with_half_of_a_surrogate_pair_are_an_object() {
    let chat = r#"{"choices":[{"finish_reason":"tool_calls","message":{"tool_calls":[{"id":"c","function":{"name":"f","arguments":"{\"a\": \"x\\ud83d\"}"}}]}}]}"#;
    let gemini = r#"{"candidates":[{"finishReason":"STOP","content":{"parts":[{"functionCall":{"name":"f","args":{"a": "x\ud83d"}}}]}}]}"#;
    for (kind, reply) in [("openai", chat), ("gemini", gemini)] {
        let reply = Reply::text(200, "application/json", &[], reply);
        let (transcript, _) = heard_and_returned(kind, json!({}), reply).await;
        let call = &transcript.output_messages[0].tool_calls[0];
        assert_eq!(call.input, Some(json!({"a": "x\u{fffd}"})), "{kind}");
    }
}

#[tokio::test]
async fn the_text_of_a_stream_counts_if_its_end_has_none() {
    let stream = [
        json!({"type": "response.output_text.delta", "delta": "hel"}),
        json!({"type": "response.output_text.delta", "delta": "lo"}),
        json!({"type": "response.completed", "response": {"status": "completed", "output": []}}),
    ];
    let server = Server::start(events(&stream)).await;
    let fields = json!({"api": "responses", "base_url": server.url});
    let asked = request(json!([{"role": "user", "content": "?"}]), Vec::new());
    let answer = provider("openai", fields);
    let answer = answer.answer(&asked, &CancellationToken::new()).await;
    assert_eq!(answer.unwrap().answer(), "hello");
}

#[tokio::test]
async fn white_space_alone_is_not_sent_back_where_it_is_refused() {
    let call = json!({"type": "tool_use", "id": "c", "name": "f", "input": {}});
    let content = json!([{"type": "text", "text": "\n\n"}, call]);
    let reply = json!({"content": content, "stop_reason": "tool_use"});
    let sent = returned("anthropic", "", reply).await;
    assert_eq!(sent["messages"][1]["content"], json!([call]));
    let thinking = json!({"type": "thinking", "thinking": "t", "signature": "s"});
    let content = json!([{"type": "text", "text": " "}, thinking, call]);
    let reply = json!({"content": content, "stop_reason": "tool_use"});
    let sent = returned("anthropic", "", reply).await;
    assert_eq!(sent["messages"][1]["content"], json!([thinking, call]));

    let call = json!({"toolUse": {"toolUseId": "c", "name": "f", "input": {}}});
    let message = json!({"role": "assistant", "content": [{"text": "\n"}, call]});
    let reply = json!({"output": {"message": message}, "stopReason": "tool_use"});
    let sent = returned("bedrock", "", reply).await;
    assert_eq!(sent["messages"][1]["content"], json!([call]));
}

#[test]
fn an_empty_result_has_no_block_on_bedrock() {
    let calls = json!([{"tool": "f", "id": "k", "input": {}, "output": ""}]);
    let messages = json!([
        {"role": "user", "content": "?"}, {"role": "assistant", "tool_calls": calls},
    ]);
    let tools = json!({"tools": [{"name": "f"}]});
    let sent = body("bedrock", tools, &request(messages, Vec::new())).unwrap();
    let result = &sent["messages"][2]["content"][0]["toolResult"];
    assert_eq!(result["content"], json!([]));
}

#[test]
fn audio_takes_the_form_of_bedrock() {
    let block = json!({"type": "audio", "value": "data:audio/mpeg;base64,AAAA"});
    let asked = request(json!([{"role": "user", "content": [block]}]), Vec::new());
    let sent = body("bedrock", json!({}), &asked).unwrap();
    let expected = json!({"audio": {"format": "mp3", "source": {"bytes": "AAAA"}}});
    assert_eq!(sent["messages"][0]["content"], json!([expected]));
}

#[test]
fn the_schema_of_a_tool_is_that_of_an_object_with_properties() {
    let asked = request(json!([{"role": "user", "content": "?"}]), Vec::new());
    for (written, expected) in [
        (
            json!({"type": "object"}),
            json!({"type": "object", "properties": {}}),
        ),
        (json!({}), json!({"type": "object", "properties": {}})),
        (
            json!({"properties": {"a": {}}}),
            json!({"properties": {"a": {}}, "type": "object"}),
        ),
        (json!({"anyOf": [{}]}), json!({"anyOf": [{}]})),
    ] {
        let tools = json!({"tools": [{"name": "f", "parameters": written}]});
        let sent = body("openai", tools, &asked).unwrap();
        assert_eq!(sent["tools"][0]["function"]["parameters"], expected);
    }
}
