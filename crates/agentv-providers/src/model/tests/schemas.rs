//! A schema for the answer reaches the vendors that take one.

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use agentv_core::{Cause, Provider, ProviderError, Request, Transcript};
use serde_json::json;
use tokio_util::sync::CancellationToken;

use super::{KEY, chat_answer, made};
use crate::model::server::{Reply, Server};

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
        // The request is the same whatever comes back.
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
async fn a_vendor_that_refuses_a_schema_is_called_without_one_from_then_on() {
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
