//! Every vendor is asked and read by its own protocol.

use agentv_core::TokenUsage;
use serde_json::{Value, json};

use super::{GUIDELINES, KEY, SYSTEM, ask, chat_answer, exchange, made};
use crate::model::server::{Reply, Server};

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
            "model": "gpt-4o", "stream": true, "stream_options": {"include_usage": true},
            "temperature": 0.2, "max_tokens": 50,
            "messages": [
                {"role": "system", "content": SYSTEM},
                {"role": "system", "content": GUIDELINES},
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
        reasoning: None,
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
    assert_eq!(sent.body.get("instructions"), None);
    assert_eq!(sent.body["max_output_tokens"], 9);
    assert_eq!(sent.body["store"], false);
    assert_eq!(sent.body.get("reasoning"), None);
    let input = sent.body["input"].as_array().unwrap();
    assert_eq!(input.len(), 5);
    assert_eq!(input[0], json!({"role": "system", "content": SYSTEM}));
    assert_eq!(input[1], json!({"role": "system", "content": GUIDELINES}));
    assert_eq!(
        (&input[2]["role"], &input[3]["role"]),
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
        reasoning: Some(20),
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
    assert_eq!(
        sent.body["system"],
        json!([{"type": "text", "text": SYSTEM}, {"type": "text", "text": GUIDELINES}])
    );
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
        reasoning: None,
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
        "POST /v1beta/models/gemini-2.5-flash:streamGenerateContent?alt=sse"
    );
    assert_eq!(sent.headers["x-goog-api-key"], KEY);
    assert_eq!(
        sent.body["systemInstruction"],
        json!({"parts": [{"text": SYSTEM}, {"text": GUIDELINES}]})
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
    assert_eq!(transcript.finish_reason.as_deref(), Some("STOP"));
    let usage = TokenUsage {
        input: 20,
        output: 10,
        cached: Some(8),
        reasoning: Some(7),
    };
    assert_eq!(transcript.token_usage, Some(usage));
    assert!(transcript.cost_usd.unwrap() > 0.0);
}

#[tokio::test]
async fn ollama_is_asked_without_a_key_and_costs_nothing_known() {
    let answer = json!({
        "model": "llama3", "choices": [{"index": 0, "finish_reason": "length",
            "message": {"role": "assistant", "content": "6", "reasoning": "Add."}}],
        "usage": {"prompt_tokens": 20, "completion_tokens": 3, "total_tokens": 23}
    });
    let fields = json!({"model": "llama3", "max_output_tokens": 3});
    let (sent, transcript) = exchange("ollama", fields, Reply::json(200, &[], &answer)).await;
    assert_eq!(sent.line, "POST /v1/chat/completions");
    assert_eq!(sent.headers.get("authorization"), None);
    assert_eq!(
        sent.body["messages"][0],
        json!({"role": "system", "content": SYSTEM})
    );
    assert_eq!(sent.body["max_tokens"], 3);
    assert_eq!(transcript.trace, Some(json!({"reasoning": "Add."})));
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
    assert_eq!(
        sent.line,
        "POST /model/amazon.nova-pro-v1%3A0/converse-stream"
    );
    assert_eq!(sent.headers["authorization"], format!("Bearer {KEY}"));
    assert_eq!(
        sent.body["system"],
        json!([{"text": SYSTEM}, {"text": GUIDELINES}])
    );
    assert_eq!(transcript.answer(), "6");
    assert_eq!(transcript.finish_reason.as_deref(), Some("end_turn"));
    let usage = TokenUsage {
        input: 30,
        output: 3,
        cached: Some(10),
        reasoning: None,
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
