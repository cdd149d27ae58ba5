//! The effects of a target's fields, and fields that cannot work.

use serde_json::json;

use super::{KEY, chat_answer, exchange, made};
use crate::model::server::Reply;

#[tokio::test]
async fn the_name_of_a_model_reaches_the_vendor_unchanged() {
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
async fn headers_of_the_user_win_and_can_replace_a_key() {
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
async fn a_server_of_your_own_is_called_without_a_key() {
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
fn invalid_fields_are_errors_before_anything_is_called() {
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
