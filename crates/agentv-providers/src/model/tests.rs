//! Models are asked for real, at a small vendor on this machine.

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use agentv_core::{
    Cause, Content, Prompt, Provider, ProviderError, Request, Role, TokenUsage, Transcript,
};
use serde_json::{Value, json};
use tokio_util::sync::CancellationToken;

use super::server::{Received, Reply, Server};
use crate::Environment;
use crate::kinds;
use crate::settings::{SettingError, Settings};

const KEY: &str = "sk-test-0123456789";

/// The provider of a target with these fields, in an environment with these variables.
fn made(
    kind: &str,
    fields: Value,
    variables: &[(&str, &str)],
) -> Result<Arc<dyn Provider>, SettingError> {
    let variables = variables.iter();
    let variables = variables.map(|(name, value)| ((*name).to_owned(), (*value).to_owned()));
    let settings = Settings::of_test(fields, Environment::new(variables));
    (kinds::named(kind).unwrap().build)(&settings)
}

fn conversation() -> Prompt {
    let messages = [
        (Role::System, "You are terse."),
        (Role::User, "What is 2+2?"),
        (Role::Assistant, "4"),
        (Role::User, "And 3+3?"),
    ];
    Prompt {
        question: String::new(),
        guidelines: "Be kind.".to_owned(),
        messages: messages
            .map(|(role, text)| (role, text.to_owned()))
            .to_vec(),
    }
}

const SYSTEM: &str = "You are terse.\n\n[[ ## Guidelines ## ]]\n\nBe kind.";

async fn ask(provider: &dyn Provider) -> Result<Transcript, ProviderError> {
    let folder: Arc<Path> = Arc::from(Path::new("/"));
    let request = Request {
        prompt: conversation(),
        ..Request::of_text("", folder, Duration::from_secs(60))
    };
    provider.answer(&request, &CancellationToken::new()).await
}

/// What the vendor is sent and what is made of its answer, for fields with a `base_url`.
async fn exchange(kind: &str, mut fields: Value, reply: Reply) -> (Received, Transcript) {
    let server = Server::start(reply).await;
    fields["base_url"] = json!(server.url);
    let provider = made(kind, fields, &[]).unwrap();
    let transcript = ask(provider.as_ref()).await.unwrap();
    (server.received().remove(0), transcript)
}

async fn failure(kind: &str, mut fields: Value, reply: Reply) -> ProviderError {
    let server = Server::start(reply).await;
    fields["base_url"] = json!(server.url);
    fields["api_key"] = json!(KEY);
    let provider = made(kind, fields, &[]).unwrap();
    let error = ask(provider.as_ref()).await.unwrap_err();
    assert!(!error.message.contains(KEY), "{error}");
    error
}

fn chat_answer() -> Value {
    json!({
        "id": "chatcmpl-1", "object": "chat.completion", "model": "gpt-4o-2024-08-06",
        "choices": [{
            "index": 0, "finish_reason": "stop",
            "message": {"role": "assistant", "content": "6", "refusal": null}
        }],
        "usage": {
            "prompt_tokens": 1000, "completion_tokens": 10, "total_tokens": 1010,
            "prompt_tokens_details": {"cached_tokens": 400}
        }
    })
}

#[tokio::test]
async fn openai_is_asked_and_read_by_its_chat_protocol() {
    let fields = json!({
        "model": "gpt-4o", "api_key": KEY, "temperature": 0.2, "max_output_tokens": 50,
        "headers": {"X-Team": "evals"}
    });
    let (sent, transcript) =
        exchange("openai", fields, Reply::json(200, &[], &chat_answer())).await;
    assert_eq!(sent.line, "POST /v1/chat/completions");
    assert_eq!(sent.headers["authorization"], format!("Bearer {KEY}"));
    assert_eq!(sent.headers["x-team"], "evals");
    assert_eq!(
        sent.body,
        json!({
            "model": "gpt-4o", "stream": false, "temperature": 0.2, "max_tokens": 50,
            "messages": [
                {"role": "system", "content": SYSTEM},
                {"role": "user", "content": "What is 2+2?"},
                {"role": "assistant", "content": "4"},
                {"role": "user", "content": "And 3+3?"},
            ]
        })
    );
    assert_eq!(transcript.answer(), "6");
    assert_eq!(transcript.finish_reason.as_deref(), Some("stop"));
    assert_eq!(transcript.model.as_deref(), Some("gpt-4o-2024-08-06"));
    let usage = TokenUsage {
        input: 1000,
        output: 10,
        cached: Some(400),
    };
    assert_eq!(transcript.token_usage, Some(usage));
    let dollars = (600.0 * 2.5 + 400.0 * 1.25 + 10.0 * 10.0) / 1e6;
    let cost = transcript.cost_usd.unwrap();
    assert!((cost - dollars).abs() < 1e-12, "{cost}");
}

#[tokio::test]
async fn openai_is_asked_and_read_by_its_responses_protocol() {
    let answer = json!({
        "id": "resp_1", "object": "response", "status": "completed", "model": "gpt-5-2025-08-07",
        "error": null, "incomplete_details": null,
        "output": [
            {"type": "reasoning", "id": "rs_1", "summary": [{"type": "summary_text", "text": "Add."}]},
            {"type": "message", "role": "assistant", "status": "completed",
             "content": [{"type": "output_text", "text": "6", "annotations": []}]},
            {"type": "function_call", "call_id": "call_1", "name": "log", "arguments": "{\"x\": 6}"}
        ],
        "usage": {
            "input_tokens": 20, "input_tokens_details": {"cached_tokens": 0},
            "output_tokens": 30, "output_tokens_details": {"reasoning_tokens": 20},
            "total_tokens": 50
        }
    });
    let fields =
        json!({"model": "gpt-5", "api": "responses", "api_key": KEY, "max_output_tokens": 9});
    let (sent, transcript) = exchange("openai", fields, Reply::json(200, &[], &answer)).await;
    assert_eq!(sent.line, "POST /v1/responses");
    assert_eq!(sent.headers["authorization"], format!("Bearer {KEY}"));
    assert_eq!(sent.body["instructions"], SYSTEM);
    assert_eq!(sent.body["max_output_tokens"], 9);
    assert_eq!(sent.body["store"], false);
    assert_eq!(sent.body.get("reasoning"), None);
    let input = sent.body["input"].as_array().unwrap();
    assert_eq!(input.len(), 3);
    assert_eq!(
        (&input[0]["role"], &input[1]["role"]),
        (&json!("user"), &json!("assistant"))
    );
    assert_eq!(transcript.answer(), "6");
    assert_eq!(transcript.trace, Some(json!({"reasoning": "Add."})));
    let call = transcript.tool_calls().next().unwrap();
    assert_eq!(
        (call.tool.as_str(), call.id.as_deref()),
        ("log", Some("call_1"))
    );
    assert_eq!(call.input, Some(json!({"x": 6})));
    assert_eq!(transcript.finish_reason.as_deref(), Some("completed"));
    let usage = TokenUsage {
        input: 20,
        output: 30,
        cached: None,
    };
    assert_eq!(transcript.token_usage, Some(usage));
    assert!(transcript.cost_usd.unwrap() > 0.0);
}

#[tokio::test]
async fn anthropic_is_asked_and_read_by_its_messages_protocol() {
    let answer = json!({
        "id": "msg_1", "type": "message", "role": "assistant", "model": "claude-sonnet-4-5-20250929",
        "content": [
            {"type": "thinking", "thinking": "Add.", "signature": "s"},
            {"type": "text", "text": "It is "}, {"type": "text", "text": "6"},
            {"type": "tool_use", "id": "toolu_1", "name": "log", "input": {"x": 6}}
        ],
        "stop_reason": "tool_use", "stop_sequence": null,
        "usage": {"input_tokens": 100, "cache_creation_input_tokens": 50,
                  "cache_read_input_tokens": 800, "output_tokens": 10}
    });
    let fields = json!({"model": "claude-sonnet-4-5", "api_key": KEY, "thinking_budget": 2000});
    let (sent, transcript) = exchange("anthropic", fields, Reply::json(200, &[], &answer)).await;
    assert_eq!(sent.line, "POST /v1/messages");
    assert_eq!(sent.headers["x-api-key"], KEY);
    assert_eq!(sent.headers["anthropic-version"], "2023-06-01");
    assert_eq!(sent.headers.get("authorization"), None);
    assert_eq!(sent.body["model"], "claude-sonnet-4-5");
    assert_eq!(sent.body["system"], SYSTEM);
    assert_eq!(
        sent.body["thinking"],
        json!({"type": "enabled", "budget_tokens": 2000})
    );
    assert_eq!(
        sent.body["messages"],
        json!([
            {"role": "user", "content": "What is 2+2?"},
            {"role": "assistant", "content": "4"},
            {"role": "user", "content": "And 3+3?"},
        ])
    );
    assert_eq!(transcript.answer(), "It is 6");
    assert_eq!(transcript.trace, Some(json!({"reasoning": "Add."})));
    assert_eq!(transcript.tool_calls().count(), 1);
    assert_eq!(transcript.finish_reason.as_deref(), Some("tool_use"));
    let usage = TokenUsage {
        input: 950,
        output: 10,
        cached: Some(800),
    };
    assert_eq!(transcript.token_usage, Some(usage));
    let dollars = (100.0 * 3.0 + 50.0 * 3.75 + 800.0 * 0.3 + 10.0 * 15.0) / 1e6;
    let cost = transcript.cost_usd.unwrap();
    assert!((cost - dollars).abs() < 1e-12, "{cost}");
}

#[tokio::test]
async fn gemini_is_asked_and_read_by_its_own_protocol() {
    let answer = json!({
        "candidates": [{
            "content": {"role": "model", "parts": [
                {"text": "Add.", "thought": true}, {"text": "6"},
                {"functionCall": {"name": "log", "args": {"x": 6}}}
            ]},
            "finishReason": "STOP", "index": 0
        }],
        "usageMetadata": {"promptTokenCount": 20, "cachedContentTokenCount": 8,
            "candidatesTokenCount": 3, "thoughtsTokenCount": 7, "totalTokenCount": 30},
        "modelVersion": "gemini-2.5-flash"
    });
    let fields = json!({"api_key": KEY, "temperature": 0, "max_output_tokens": 50});
    let (sent, transcript) = exchange("gemini", fields, Reply::json(200, &[], &answer)).await;
    assert_eq!(
        sent.line,
        "POST /v1beta/models/gemini-2.5-flash:generateContent"
    );
    assert_eq!(sent.headers["x-goog-api-key"], KEY);
    assert_eq!(
        sent.body["systemInstruction"],
        json!({"parts": [{"text": SYSTEM}]})
    );
    let config = json!({"temperature": 0.0, "maxOutputTokens": 50});
    assert_eq!(sent.body["generationConfig"], config);
    let roles: Vec<&Value> = sent.body["contents"].as_array().unwrap().iter().collect();
    assert_eq!(
        roles[0],
        &json!({"role": "user", "parts": [{"text": "What is 2+2?"}]})
    );
    assert_eq!(roles[1]["role"], "model");
    assert_eq!(transcript.answer(), "6");
    assert_eq!(transcript.trace, Some(json!({"reasoning": "Add."})));
    assert_eq!(transcript.tool_calls().next().unwrap().tool, "log");
    assert_eq!(transcript.finish_reason.as_deref(), Some("stop"));
    let usage = TokenUsage {
        input: 20,
        output: 10,
        cached: Some(8),
    };
    assert_eq!(transcript.token_usage, Some(usage));
    assert!(transcript.cost_usd.unwrap() > 0.0);
}

#[tokio::test]
async fn ollama_is_asked_without_a_key_and_costs_nothing_known() {
    let answer = json!({
        "model": "llama3", "done": true, "done_reason": "length",
        "message": {"role": "assistant", "content": "6", "thinking": "Add."},
        "prompt_eval_count": 20, "eval_count": 3
    });
    let fields = json!({"model": "llama3", "max_output_tokens": 3});
    let (sent, transcript) = exchange("ollama", fields, Reply::json(200, &[], &answer)).await;
    assert_eq!(sent.line, "POST /api/chat");
    assert_eq!(sent.headers.get("authorization"), None);
    assert_eq!(
        sent.body["messages"][0],
        json!({"role": "system", "content": SYSTEM})
    );
    assert_eq!(sent.body["options"], json!({"num_predict": 3}));
    assert_eq!(sent.body.get("think"), None);
    assert_eq!(transcript.answer(), "6");
    assert_eq!(transcript.finish_reason.as_deref(), Some("length"));
    assert_eq!(transcript.model.as_deref(), Some("llama3"));
    assert_eq!(transcript.token_usage.unwrap().total(), 23);
    assert_eq!(transcript.cost_usd, None);
}

#[tokio::test]
async fn bedrock_is_asked_by_converse_with_a_bearer_token() {
    let answer = json!({
        "output": {"message": {"role": "assistant", "content": [{"text": "6"}]}},
        "stopReason": "end_turn",
        "usage": {"inputTokens": 20, "outputTokens": 3, "totalTokens": 33,
                  "cacheReadInputTokens": 10, "cacheWriteInputTokens": 0}
    });
    let fields = json!({"model": "amazon.nova-pro-v1:0", "api_key": KEY});
    let (sent, transcript) = exchange("bedrock", fields, Reply::json(200, &[], &answer)).await;
    assert_eq!(sent.line, "POST /model/amazon.nova-pro-v1%3A0/converse");
    assert_eq!(sent.headers["authorization"], format!("Bearer {KEY}"));
    assert_eq!(sent.body["system"], json!([{"text": SYSTEM}]));
    assert_eq!(transcript.answer(), "6");
    assert_eq!(transcript.finish_reason.as_deref(), Some("end_turn"));
    let usage = TokenUsage {
        input: 30,
        output: 3,
        cached: Some(10),
    };
    assert_eq!(transcript.token_usage, Some(usage));
    assert!(transcript.cost_usd.unwrap() > 0.0);
}

#[tokio::test]
async fn azure_is_asked_at_the_deployment_with_its_own_header() {
    let server = Server::start(Reply::json(200, &[], &chat_answer())).await;
    let fields =
        json!({"endpoint": server.url, "deployment": "mine", "model": "gpt-4o", "api_key": KEY});
    let provider = made("azure-openai", fields, &[]).unwrap();
    let transcript = ask(provider.as_ref()).await.unwrap();
    let sent = server.received().remove(0);
    assert_eq!(
        sent.line,
        "POST /openai/deployments/mine/chat/completions?api-version=2024-10-21"
    );
    assert_eq!(sent.headers["api-key"], KEY);
    assert_eq!(sent.headers.get("authorization"), None);
    assert_eq!(transcript.answer(), "6");
    assert!(transcript.cost_usd.unwrap() > 0.0);
}

#[tokio::test]
async fn vendors_with_the_protocol_of_openai_are_asked_with_a_bearer_token() {
    let kinds = [
        "openrouter",
        "groq",
        "mistral",
        "deepseek",
        "xai",
        "together",
        "fireworks",
    ];
    for kind in kinds {
        let fields = json!({"model": "a/some-model-high", "api_key": KEY});
        let reply = Reply::json(200, &[], &chat_answer());
        let (sent, transcript) = exchange(kind, fields, reply).await;
        assert_eq!(sent.line, "POST /v1/chat/completions", "{kind}");
        assert_eq!(sent.headers["authorization"], format!("Bearer {KEY}"));
        assert_eq!(sent.body["model"], "a/some-model-high", "{kind}");
        assert_eq!(sent.body.get("reasoning_effort"), None, "{kind}");
        assert_eq!(sent.body.get("thinking"), None, "{kind}");
        assert_eq!(transcript.answer(), "6", "{kind}");
    }
}

#[tokio::test]
async fn the_name_of_a_model_reaches_the_vendor_as_it_is_written() {
    let name = "ft:gpt-4o:acme::abc-max";
    for (kind, api) in [("openai", "chat"), ("openai", "responses")] {
        let answer = if api == "chat" {
            chat_answer()
        } else {
            json!({"id": "1", "status": "completed", "model": "m", "output": []})
        };
        let fields = json!({"model": name, "api": api});
        let (sent, _) = exchange(kind, fields, Reply::json(200, &[], &answer)).await;
        assert_eq!(sent.body["model"], name, "{api}");
    }
    let answer = json!({"content": [{"type": "text", "text": "6"}], "stop_reason": "end_turn"});
    let fields = json!({"model": "my-model-high", "api_key": KEY});
    let (sent, _) = exchange("anthropic", fields, Reply::json(200, &[], &answer)).await;
    assert_eq!(sent.body["model"], "my-model-high");
    assert_eq!(sent.body.get("thinking"), None);
}

#[tokio::test]
async fn headers_of_the_user_win_and_stand_for_a_key() {
    let fields = json!({
        "model": "claude-sonnet-4-5",
        "headers": {"Authorization": "Bearer of-the-user", "Anthropic-Version": "2099-01-01"}
    });
    let answer = json!({"content": [{"type": "text", "text": "6"}], "stop_reason": "end_turn"});
    let (sent, _) = exchange("anthropic", fields, Reply::json(200, &[], &answer)).await;
    assert_eq!(sent.headers["authorization"], "Bearer of-the-user");
    assert_eq!(sent.headers["anthropic-version"], "2099-01-01");
    assert_eq!(sent.headers.get("x-api-key"), None);
}

#[tokio::test]
async fn a_server_of_ones_own_is_asked_without_a_key() {
    let reply = Reply::json(200, &[], &chat_answer());
    let (sent, _) = exchange("openai", json!({"model": "local"}), reply).await;
    assert_eq!(sent.headers.get("authorization"), None);
}

#[test]
fn a_missing_key_is_an_error_that_names_the_field_and_the_variable() {
    for (kind, fields, variable) in [
        ("openai", json!({"model": "gpt-5"}), "OPENAI_API_KEY"),
        (
            "anthropic",
            json!({"model": "m", "base_url": "http://h"}),
            "ANTHROPIC_API_KEY",
        ),
        ("gemini", json!({}), "GEMINI_API_KEY` or `GOOGLE_API_KEY"),
        ("groq", json!({"model": "m"}), "GROQ_API_KEY"),
        (
            "azure",
            json!({"resource": "r", "model": "m"}),
            "AZURE_OPENAI_API_KEY",
        ),
        ("bedrock", json!({"model": "m"}), "AWS_BEARER_TOKEN_BEDROCK"),
    ] {
        let error = made(kind, fields, &[]).err().unwrap();
        assert_eq!(error.field.as_deref(), Some("api_key"), "{kind}");
        assert!(error.to_string().contains(variable), "{error}");
    }
    for (kind, fields) in [
        ("ollama", json!({"model": "m"})),
        (
            "openai",
            json!({"model": "m", "base_url": "http://localhost:1234/v1"}),
        ),
    ] {
        assert!(made(kind, fields, &[]).is_ok(), "{kind}");
    }
    let environment = [("GOOGLE_API_KEY", KEY)];
    assert!(made("google", json!({}), &environment).is_ok());
}

#[test]
fn fields_that_cannot_work_are_errors_before_anything_is_asked() {
    for (fields, field) in [
        (json!({"api_key": "a\nb"}), "api_key"),
        (json!({"headers": {"a b": "c"}}), "headers"),
        (json!({"headers": {"a": "b\nc"}}), "headers"),
        (json!({"base_url": "localhost:1234"}), "base_url"),
        (json!({"temperature": "warm"}), "temperature"),
        (
            json!({"max_output_tokens": 5_000_000_000_u64}),
            "max_output_tokens",
        ),
        (
            json!({"thinking_budget": 500, "max_output_tokens": 500}),
            "thinking_budget",
        ),
        (json!({"price": {"input": 1}}), "price"),
    ] {
        let mut all = json!({"model": "m", "api_key": KEY});
        for (name, value) in fields.as_object().unwrap() {
            all[name] = value.clone();
        }
        let error = made("anthropic", all, &[]).err().unwrap();
        assert_eq!(error.field.as_deref(), Some(field), "{fields}");
    }
}

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
        ("gemini", "chat", blocked, "safety"),
        ("gemini", "chat", cut, "max_tokens"),
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
async fn a_call_of_a_tool_has_the_id_that_the_vendor_gave_it_or_none() {
    let call = |id: Value| {
        json!({"model": "m", "done_reason": "stop", "message": {"role": "assistant", "content": "",
            "tool_calls": [{"id": id, "function": {"name": "log", "arguments": {"x": 6}}}]}})
    };
    let mut without = call(Value::Null);
    let unnamed = without["message"]["tool_calls"][0].as_object_mut();
    unnamed.unwrap().remove("id");
    for (answer, expected) in [(call(json!("call_7")), Some("call_7")), (without, None)] {
        let fields = json!({"model": "m"});
        let (_, transcript) = exchange("ollama", fields, Reply::json(200, &[], &answer)).await;
        assert_eq!(
            transcript.tool_calls().next().unwrap().id.as_deref(),
            expected
        );
    }
}

#[tokio::test]
async fn arguments_that_no_record_could_hold_are_an_error() {
    let arguments = format!("{}{}", "[".repeat(120), "]".repeat(120));
    let answer = json!({"choices": [{"finish_reason": "tool_calls", "message": {
        "role": "assistant", "tool_calls": [{"id": "1", "type": "function",
            "function": {"name": "f", "arguments": arguments}}]}}]});
    let error = failure(
        "openai",
        json!({"model": "m"}),
        Reply::json(200, &[], &answer),
    )
    .await;
    assert_eq!(
        error.message,
        "the answer of OpenAI cannot be read: arguments of a tool are nested deeper than 100 levels"
    );
}

#[tokio::test]
async fn an_answer_without_a_message_is_told_in_a_sentence_whatever_it_has() {
    let answer = json!({"x".repeat(10_000): 1, KEY: 2});
    let error = failure(
        "openai",
        json!({"model": "m"}),
        Reply::json(200, &[], &answer),
    )
    .await;
    assert!(error.message.len() < 500, "{error}");
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
async fn the_price_of_the_target_goes_before_the_table_and_the_vendor() {
    let mut answer = chat_answer();
    answer["usage"]["cost"] = json!(0.5);
    let reply = Reply::json(200, &[], &answer);
    let fields = json!({"model": "openai/gpt-4o", "api_key": KEY});
    let (_, told) = exchange("openrouter", fields, reply.clone()).await;
    assert_eq!(told.cost_usd, Some(0.5));
    let fields = json!({"model": "openai/gpt-4o", "api_key": KEY,
        "price": {"input": 1000, "output": 0, "cached_input": 500}});
    let (_, own) = exchange("openrouter", fields, reply).await;
    assert_eq!(own.cost_usd, Some(0.8));
}

#[tokio::test]
async fn a_status_says_what_to_do_in_the_vendors_own_words() {
    let openai = |message: &str, code: &str| json!({"error": {"message": message, "type": code, "code": code}});
    for (status, body, cause, words) in [
        (
            401,
            openai(
                "Incorrect API key provided: sk-test-0123456789.",
                "invalid_api_key",
            ),
            Cause::Status(401),
            "OpenAI refused the key (401): Incorrect API key provided: [REDACTED]; check `api_key` or the variable `OPENAI_API_KEY`",
        ),
        (
            403,
            openai("No access", "forbidden"),
            Cause::Status(403),
            "OpenAI refused access (403): No access",
        ),
        (
            404,
            openai("The model `gpt-9` does not exist", "model_not_found"),
            Cause::Status(404),
            "(404): The model `gpt-9` does not exist; check `model` and the address",
        ),
        (
            429,
            openai("Rate limit reached", "rate_limit_exceeded"),
            Cause::Status(429),
            "OpenAI is asked too often (429): Rate limit reached",
        ),
        (
            429,
            openai("You exceeded your current quota.", "insufficient_quota"),
            Cause::Setup,
            "the quota at OpenAI is used up (429): You exceeded your current quota; trying again does not help",
        ),
        (
            400,
            openai("Unsupported value", "invalid_request_error"),
            Cause::Status(400),
            "OpenAI refused the request (400): Unsupported value",
        ),
        (
            500,
            json!({}),
            Cause::Status(500),
            "OpenAI failed (500): {}",
        ),
        (
            529,
            json!({"type": "error", "error": {"type": "overloaded_error", "message": "Overloaded"}}),
            Cause::Status(529),
            "OpenAI is overloaded or down (529): Overloaded",
        ),
    ] {
        let error = failure(
            "openai",
            json!({"model": "gpt-9"}),
            Reply::json(status, &[], &body),
        )
        .await;
        assert_eq!(error.cause, cause, "{error}");
        assert!(error.message.contains(words), "{error}");
    }
    let page = format!(
        "<html><title>502 Bad Gateway</title>{}</html>",
        "x".repeat(1_000_000)
    );
    let reply = Reply::text(502, "text/html", &[], &page);
    let error = failure("openai", json!({"model": "m"}), reply).await;
    assert_eq!(error.message, "OpenAI failed (502): 502 Bad Gateway");
}

#[tokio::test]
async fn the_wait_that_a_vendor_asks_for_is_handed_on() {
    let body = json!({"error": {"message": "slow down"}});
    let google = json!({"error": {"code": 429, "message": "m", "details": [{"retryDelay": "3s"}]}});
    for (headers, body, wait) in [
        (
            vec![("retry-after", "7")],
            &body,
            Some(Duration::from_secs(7)),
        ),
        (
            vec![("retry-after-ms", "250"), ("retry-after", "7")],
            &body,
            Some(Duration::from_millis(250)),
        ),
        (vec![], &google, Some(Duration::from_secs(3))),
        (vec![], &body, None),
    ] {
        let reply = Reply::json(429, &headers, body);
        let error = failure("openai", json!({"model": "m"}), reply).await;
        assert!(error.is_rate_limit(), "{error}");
        assert_eq!(error.retry_after, wait, "{headers:?}");
    }
    let reply = Reply::json(
        503,
        &[("retry-after", "Fri, 31 Dec 2100 23:59:59 GMT")],
        &body,
    );
    let error = failure("openai", json!({"model": "m"}), reply).await;
    assert!(error.retry_after.unwrap() > Duration::from_secs(1_000_000));
}

#[tokio::test]
async fn an_answer_that_cannot_be_used_is_an_error_in_words() {
    let json = "application/json";
    for (reply, words) in [
        (
            Reply::text(200, json, &[], "{\"choices\": "),
            "no valid JSON",
        ),
        (Reply::text(200, json, &[], ""), "no valid JSON"),
        (
            Reply::bytes(200, json, &[], b"\xff\xfe\x00"),
            "no valid JSON",
        ),
        (
            Reply::text(200, "text/html", &[], "<title>Login</title>"),
            "expected JSON, found `text/html`: Login",
        ),
        (
            Reply::text(200, json, &[], "{}"),
            "it has no message, only nothing",
        ),
        (
            Reply::text(200, json, &[], r#"{"id": "1", "choices": []}"#),
            "it has no message, only `id`, `choices`",
        ),
        (Reply::text(200, json, &[], "[1, 2]"), "it has no message"),
        (
            Reply::text(200, json, &[], r#"{"error": {"message": "No backend"}}"#),
            "OpenAI reports an error: No backend",
        ),
        (
            Reply::text(
                200,
                json,
                &[],
                r#"{"choices": [{"message": {"tool_calls": [{"id": "1", "type": "function", "function": {"name": "f", "arguments": "{"}}]}}]}"#,
            ),
            "cannot be read",
        ),
    ] {
        let error = failure("openai", json!({"model": "m"}), reply).await;
        assert_eq!(error.cause, Cause::Answer, "{error}");
        assert!(error.message.contains(words), "{error}");
        assert!(error.message.chars().count() < 600, "{error}");
    }
    let reply = Reply::text(
        200,
        json,
        &[],
        r#"{"modelVersion": "g", "usageMetadata": {}}"#,
    );
    let error = failure("gemini", json!({"model": "g"}), reply).await;
    let words = "the answer of Gemini cannot be read: it has no message, only";
    assert!(error.message.starts_with(words), "{error}");
    let late = r#"{"error": {"code": 429, "message": "Provider returned error"}}"#;
    let error = failure(
        "openai",
        json!({"model": "m"}),
        Reply::text(200, json, &[], late),
    )
    .await;
    assert!(error.is_rate_limit(), "{error}");
    let failed = json!({"id": "1", "status": "failed", "model": "m", "output": [],
        "error": {"code": "server_error", "message": "It broke"}});
    let fields = json!({"model": "m", "api": "responses"});
    let error = failure("openai", fields, Reply::json(200, &[], &failed)).await;
    assert_eq!(error.message, "OpenAI reports an error: It broke");
}

#[tokio::test]
async fn a_broken_connection_is_an_error_of_the_network() {
    let whole = Reply::json(200, &[], &chat_answer());
    let length = whole.len();
    for kept in [0, 10, length - 10] {
        let error = failure("openai", json!({"model": "m"}), whole.clone().cut(kept)).await;
        assert_eq!(error.cause, Cause::Network, "{kept}: {error}");
    }
    let closed = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = closed.local_addr().unwrap();
    drop(closed);
    for (base_url, words) in [
        (format!("http://{address}"), "refused"),
        (
            "http://no-such-host.invalid".to_owned(),
            "no-such-host.invalid",
        ),
    ] {
        let fields = json!({"model": "m", "base_url": base_url, "api_key": KEY});
        let provider = made("openai", fields, &[]).unwrap();
        let error = ask(provider.as_ref()).await.unwrap_err();
        assert_eq!(error.cause, Cause::Network, "{error}");
        assert!(error.message.contains(words), "{error}");
    }
}

#[tokio::test]
async fn targets_share_their_connections() {
    let server = Server::start(Reply::json(200, &[], &chat_answer())).await;
    for model in ["a", "b", "c"] {
        let fields = json!({"model": model, "base_url": server.url});
        let provider = made("openai", fields, &[]).unwrap();
        ask(provider.as_ref()).await.unwrap();
    }
    assert_eq!(server.received().len(), 3);
    assert_eq!(server.connections(), 1);
}

#[tokio::test]
async fn a_request_to_stop_ends_the_wait_for_an_answer() {
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let base_url = format!("http://{}", listener.local_addr().unwrap());
    let provider = made("openai", json!({"model": "m", "base_url": base_url}), &[]).unwrap();
    let folder: Arc<Path> = Arc::from(Path::new("/"));
    let request = Request::of_text("Hi", folder, Duration::from_secs(60));
    let cancel = CancellationToken::new();
    let asking = provider.answer(&request, &cancel);
    let stopping = async {
        let connection = listener.accept().await.unwrap();
        cancel.cancel();
        connection
    };
    let (answer, _connection) = tokio::join!(asking, stopping);
    assert_eq!(answer.unwrap_err().cause, Cause::Cancelled);
}

async fn ask_for_json(provider: &dyn Provider) -> Result<Transcript, ProviderError> {
    let folder: Arc<Path> = Arc::from(Path::new("/"));
    let request = Request {
        output_schema: Some(Arc::new(json!({
            "type": "object", "properties": {"score": {"type": "number"}},
            "required": ["score"], "additionalProperties": false,
        }))),
        ..Request::of_text("How good?", folder, Duration::from_secs(60))
    };
    provider.answer(&request, &CancellationToken::new()).await
}

#[tokio::test]
async fn a_schema_is_passed_on_as_structured_output() {
    for (kind, place) in [
        ("openai", "/response_format/json_schema/schema"),
        ("anthropic", "/output_config/format/schema"),
    ] {
        // What is sent is the same whatever comes back.
        let server = Server::start(Reply::json(500, &[], &json!({}))).await;
        let fields = json!({"model": "m", "api_key": KEY, "base_url": server.url});
        let provider = made(kind, fields, &[]).unwrap();
        let _ = ask_for_json(provider.as_ref()).await;
        let sent = server.received().remove(0).body;
        let schema = sent.pointer(place);
        let score = schema.and_then(|schema| schema.pointer("/properties/score/type"));
        assert_eq!(score, Some(&json!("number")), "{kind}: {sent}");
    }
}

#[tokio::test]
async fn a_vendor_that_refuses_a_schema_is_asked_plainly_from_then_on() {
    let refusal = Reply::json(400, &[], &json!({"error": {"message": "no such field"}}));
    let answer = Reply::json(200, &[], &chat_answer());
    let server = Server::start_with(vec![refusal], answer).await;
    let fields = json!({"model": "gpt-4o", "api_key": KEY, "base_url": server.url});
    let provider = made("openai", fields, &[]).unwrap();
    for _ in 0..2 {
        let transcript = ask_for_json(provider.as_ref()).await.unwrap();
        assert_eq!(transcript.answer(), "6");
    }
    let held: Vec<bool> = server
        .received()
        .iter()
        .map(|sent| sent.body.get("response_format").is_some())
        .collect();
    assert_eq!(held, [true, false, false]);
}

#[tokio::test]
async fn a_request_that_is_refused_without_a_schema_too_is_an_error() {
    let refusal = Reply::json(400, &[], &json!({"error": {"message": "too long"}}));
    let server = Server::start(refusal).await;
    let fields = json!({"model": "gpt-4o", "api_key": KEY, "base_url": server.url});
    let provider = made("openai", fields, &[]).unwrap();
    let error = ask_for_json(provider.as_ref()).await.unwrap_err();
    assert!(error.message.contains("too long"), "{error}");
    assert_eq!(error.cause, Cause::Status(400));
}
