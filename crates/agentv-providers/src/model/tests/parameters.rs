//! The parameters of a target reach the vendor in its own words, or are refused before anything is asked.

use serde_json::{Value, json};

use super::{KEY, ask, made};
use crate::model::server::{Reply, Server};

/// Returns the body of the request for a target with these fields, whatever comes back.
async fn sent(kind: &str, fields: Value) -> Value {
    let server = Server::start(Reply::json(500, &[], &json!({}))).await;
    let mut all = json!({"model": "m", "api_key": KEY, "base_url": server.url});
    for (name, value) in fields.as_object().unwrap() {
        all[name] = value.clone();
    }
    let provider = made(kind, all, &[]).unwrap();
    let _ = ask(provider.as_ref()).await;
    server.received().remove(0).body
}

fn many() -> Value {
    json!({
        "temperature": 0.5, "top_p": 0.25, "max_output_tokens": 100, "stop": ["a", "b"],
        "tools": [{"name": "f", "description": "d", "parameters": {"type": "object", "properties": {}}}],
        "tool_choice": "f", "stream": false, "system": "Be brief.", "params": {"extra": [1, null]},
    })
}

fn with(mut fields: Value, more: Value) -> Value {
    for (name, value) in more.as_object().unwrap() {
        fields[name] = value.clone();
    }
    fields
}

/// Checks that a request has these fields.
fn holds(body: &Value, expected: Value) {
    for (name, value) in expected.as_object().unwrap() {
        assert_eq!(&body[name], value, "`{name}` of {body}");
    }
}

#[tokio::test]
async fn every_protocol_has_its_own_words_for_a_parameter() {
    let schema = json!({"type": "object", "properties": {"a": {"type": "string"}}});
    let chat = with(
        many(),
        json!({"seed": 7, "reasoning_effort": "low", "logprobs": 3, "json_schema": schema}),
    );
    holds(
        &sent("openai", chat).await,
        json!({
            "temperature": 0.5, "top_p": 0.25, "max_tokens": 100, "stop": ["a", "b"], "seed": 7,
            "reasoning_effort": "low", "logprobs": true, "top_logprobs": 3, "extra": [1, null],
            "response_format": {"type": "json_schema",
                "json_schema": {"name": "answer", "schema": schema}},
            "tools": [{"type": "function", "function":
                {"name": "f", "description": "d", "parameters": {"type": "object", "properties": {}}}}],
            "tool_choice": {"type": "function", "function": {"name": "f"}}, "stream": false,
        }),
    );
    let mut responses = with(
        many(),
        json!({"api": "responses", "reasoning_effort": "low", "logprobs": true,
            "response_format": {"type": "json_schema",
                "json_schema": {"name": "n", "strict": true, "schema": schema}}}),
    );
    responses["stop"] = Value::Null;
    holds(
        &sent("openai", responses).await,
        json!({
            "temperature": 0.5, "top_p": 0.25, "max_output_tokens": 100, "extra": [1, null],
            "reasoning": {"effort": "low"}, "store": false, "stream": false,
            "text": {"format": {"type": "json_schema", "name": "n", "strict": true,
                "schema": schema}},
            "include": ["message.output_text.logprobs", "reasoning.encrypted_content"],
            "tools": [{"type": "function", "name": "f", "description": "d",
                "parameters": {"type": "object", "properties": {}}, "strict": false}],
            "tool_choice": {"type": "function", "name": "f"},
        }),
    );
    let anthropic = with(
        many(),
        json!({"reasoning_effort": "low", "thinking_budget": 50, "json_schema": schema}),
    );
    holds(
        &sent("anthropic", anthropic).await,
        json!({
            "temperature": 0.5, "top_p": 0.25, "max_tokens": 100, "stop_sequences": ["a", "b"],
            "thinking": {"type": "enabled", "budget_tokens": 50}, "extra": [1, null],
            "output_config": {"effort": "low", "format": {"type": "json_schema", "schema": schema}},
            "tools": [{"name": "f", "description": "d", "input_schema": {"type": "object", "properties": {}}}],
            "tool_choice": {"type": "tool", "name": "f"}, "stream": false,
        }),
    );
    let gemini = with(
        many(),
        json!({"seed": 7, "thinking_budget": 50, "logprobs": 3, "json_schema": schema}),
    );
    holds(
        &sent("gemini", gemini).await,
        json!({
            "generationConfig": {
                "temperature": 0.5, "topP": 0.25, "maxOutputTokens": 100,
                "stopSequences": ["a", "b"], "seed": 7, "responseMimeType": "application/json",
                "responseJsonSchema": schema, "responseLogprobs": true, "logprobs": 3,
                "thinkingConfig": {"thinkingBudget": 50},
            },
            "tools": [{"functionDeclarations": [{"name": "f", "description": "d",
                "parametersJsonSchema": {"type": "object", "properties": {}}}]}],
            "toolConfig": {"functionCallingConfig":
                {"mode": "ANY", "allowedFunctionNames": ["f"]}},
            "extra": [1, null],
        }),
    );
    let bedrock = with(
        many(),
        json!({"reasoning_effort": "low", "json_schema": schema}),
    );
    holds(
        &sent("bedrock", bedrock).await,
        json!({
            "outputConfig": {"effort": "low", "textFormat": {"type": "json_schema", "structure":
                {"jsonSchema": {"name": "answer", "schema": schema.to_string()}}}},
            "inferenceConfig": {"temperature": 0.5, "topP": 0.25, "maxTokens": 100,
                "stopSequences": ["a", "b"]},
            "toolConfig": {
                "tools": [{"toolSpec": {"name": "f", "description": "d",
                    "inputSchema": {"json": {"type": "object", "properties": {}}}}}],
                "toolChoice": {"tool": {"name": "f"}},
            },
            "extra": [1, null],
        }),
    );
}

#[tokio::test]
async fn a_system_prompt_of_the_target_comes_first() {
    let body = sent("openai", json!({"system": "Be brief."})).await;
    let messages = body["messages"].as_array().unwrap();
    let expected = [
        json!({"role": "system", "content": "Be brief."}),
        json!({"role": "system", "content": "You are terse."}),
    ];
    assert_eq!(messages[..2], expected);
}

#[tokio::test]
async fn fields_of_params_win_and_extend_objects_of_parameters() {
    let fields = json!({"temperature": 0.5, "top_p": 0.1,
        "params": {"temperature": 0, "top_k": 2, "stream_options": {"x": 1}}});
    let body = sent("openai", fields).await;
    assert_eq!(
        (&body["temperature"], &body["top_k"]),
        (&json!(0), &json!(2))
    );
    assert_eq!(
        body["stream_options"],
        json!({"include_usage": true, "x": 1})
    );
    let fields = json!({"temperature": 0.5, "params": {"generationConfig": {"topK": 4}}});
    let body = sent("gemini", fields).await;
    assert_eq!(
        body["generationConfig"],
        json!({"temperature": 0.5, "topK": 4})
    );
}

#[tokio::test]
async fn mistral_is_asked_in_its_own_dialect() {
    let body = sent("mistral", json!({"seed": 7})).await;
    assert_eq!(body["random_seed"], 7);
    assert_eq!(body.get("seed"), None);
    assert_eq!(body.get("stream_options"), None);
}

#[test]
fn a_parameter_that_a_protocol_lacks_is_an_error_that_names_both() {
    for (kind, field, value, protocol) in [
        ("openai", "thinking_budget", json!(5), "OpenAI chat"),
        ("groq", "thinking_budget", json!(5), "OpenAI chat"),
        ("anthropic", "seed", json!(7), "Anthropic messages"),
        ("anthropic", "logprobs", json!(true), "Anthropic messages"),
        (
            "anthropic",
            "response_format",
            json!("json_object"),
            "Anthropic messages",
        ),
        ("bedrock", "seed", json!(7), "Bedrock Converse"),
        (
            "bedrock",
            "response_format",
            json!("json_object"),
            "Bedrock Converse",
        ),
        ("bedrock", "tool_choice", json!("none"), "Bedrock Converse"),
    ] {
        let mut fields = json!({"model": "m", "api_key": KEY});
        fields[field] = value;
        let error = made(kind, fields, &[]).err().unwrap();
        assert_eq!(error.field.as_deref(), Some(field), "{kind}");
        let start = format!("the {protocol} protocol has no ");
        assert!(error.message.starts_with(&start), "{error}");
    }
    for field in ["stop", "seed"] {
        let mut fields = json!({"model": "m", "api_key": KEY, "api": "responses"});
        fields[field] = if field == "stop" {
            json!("x")
        } else {
            json!(7)
        };
        let error = made("openai", fields, &[]).err().unwrap();
        assert!(error.message.contains("OpenAI responses"), "{error}");
    }
}
