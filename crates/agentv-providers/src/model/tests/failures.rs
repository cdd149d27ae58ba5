//! Failures at a vendor or on the way to it.

use std::time::Duration;

use agentv_core::Cause;
use serde_json::json;

use super::{KEY, ask, chat_answer, failure, made};
use crate::model::server::Reply;

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
            "(404): The model `gpt-9` does not exist; check `model` and the URL",
        ),
        (
            429,
            openai("Rate limit reached", "rate_limit_exceeded"),
            Cause::Status(429),
            "too many requests to OpenAI (429): Rate limit reached",
        ),
        (
            429,
            openai("You exceeded your current quota.", "insufficient_quota"),
            Cause::Setup,
            "the quota at OpenAI is used up (429): You exceeded your current quota; a retry does not help",
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
async fn the_delay_that_a_vendor_requests_is_passed_on() {
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
async fn an_unusable_answer_is_a_clear_error() {
    let json = "application/json";
    for (reply, words) in [
        (
            Reply::text(200, json, &[], "{\"choices\": "),
            "invalid JSON",
        ),
        (Reply::text(200, json, &[], ""), "invalid JSON"),
        (
            Reply::bytes(200, json, &[], b"\xff\xfe\x00"),
            "invalid JSON",
        ),
        (
            Reply::text(200, "text/html", &[], "<title>Login</title>"),
            "expected JSON, found `text/html`: Login",
        ),
        (Reply::text(200, json, &[], "{}"), "it has no message"),
        (
            Reply::text(200, json, &[], r#"{"id": "1", "choices": []}"#),
            "it has no message, only `id`, `choices`",
        ),
        (Reply::text(200, json, &[], "[1, 2]"), "it has no message"),
        (
            Reply::text(200, json, &[], r#"{"error": {"message": "No backend"}}"#),
            "OpenAI reported an error: No backend",
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
    let words = "cannot read the answer from Gemini: it has no message, only";
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
    assert_eq!(error.message, "OpenAI failed (500): It broke");
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
