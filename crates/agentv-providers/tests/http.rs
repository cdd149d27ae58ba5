//! Endpoints as targets.

use std::time::Duration;

use agentv_core::{Cause, ProviderError, Transcript};
use libtest_mimic::Trial;
use serde_json::{Value, json};
use tokio_util::sync::CancellationToken;

use crate::project::{Project, block_on};
use crate::server::{Server, answer};

pub(crate) fn trials() -> Vec<Trial> {
    trials![
        the_prompt_is_sent_and_the_answer_taken_from_its_path,
        without_a_path_the_response_is_the_answer,
        method_headers_and_body_are_the_users,
        a_case_can_be_filled_into_the_address,
        a_status_that_is_not_success_is_explained,
        network_failures_are_reported_clearly,
        an_unusable_answer_is_reported_clearly,
        a_key_is_not_sent_to_another_server,
        a_cancelled_request_is_given_up,
        settings_that_make_no_sense_are_refused,
    ]
}

fn ask(server: &Server, mut fields: Value) -> Result<Transcript, ProviderError> {
    fields["provider"] = "http".into();
    if fields.get("url").is_none() {
        fields["url"] = server.url("/answer?key=not-to-be-told").into();
    }
    let project = Project::of(fields);
    project.ask("What is \"2+2\"?\n")
}

fn given(response: Vec<u8>) -> Result<Transcript, ProviderError> {
    ask(&Server::start(vec![response]), json!({}))
}

fn the_prompt_is_sent_and_the_answer_taken_from_its_path() {
    let response = r#"{"choices": [{"message": {"content": "4"}}]}"#;
    let server = Server::start(vec![answer("200 OK", "", response)]);
    let fields = json!({"response_path": "choices[0].message.content"});
    assert_eq!(ask(&server, fields).unwrap().answer(), "4");
    let received = server.received();
    assert!(
        received
            .head
            .starts_with("post /answer?key=not-to-be-told "),
        "{received:?}"
    );
    assert!(
        received.head.contains("content-type: application/json\r\n"),
        "{received:?}"
    );
    let body: Value = serde_json::from_str(&received.body).unwrap();
    assert_eq!(body, json!({"prompt": "What is \"2+2\"?\n"}));
}

fn without_a_path_the_response_is_the_answer() {
    for (response, expected) in [
        ("four\n", "four"),
        ("{\"answer\": 4}", "{\"answer\": 4}"),
        ("\u{feff}{\"text\": \"4\", \"cost_usd\": 1}", "4"),
        ("", ""),
    ] {
        let transcript = given(answer("200 OK", "", response)).unwrap();
        assert_eq!(transcript.answer(), expected);
    }
}

fn method_headers_and_body_are_the_users() {
    let server = Server::start(vec![answer("200 OK", "", "ok")]);
    let fields = json!({
        "method": "PUT",
        "headers": {"Authorization": "Bearer abcdefgh", "Content-Type": "application/vnd.x+json"},
        "body": {"q": "{{ question }}", "id": "{{ eval_id }}", "history": "{{ messages }}"},
    });
    ask(&server, fields).unwrap();
    let received = server.received();
    assert!(received.head.starts_with("put "), "{received:?}");
    assert!(
        received.head.contains("authorization: bearer abcdefgh\r\n"),
        "{received:?}"
    );
    assert!(
        received
            .head
            .contains("content-type: application/vnd.x+json\r\n"),
        "{received:?}"
    );
    let body: Value = serde_json::from_str(&received.body).unwrap();
    let question = "What is \"2+2\"?\n";
    let history = json!([{"role": "user", "content": question}]);
    assert_eq!(
        body,
        json!({"q": question, "id": "case", "history": history})
    );
}

fn a_case_can_be_filled_into_the_address() {
    let server = Server::start(vec![answer("200 OK", "", "ok")]);
    let url = server.url("/ask?q={{ question | urlencode }}");
    ask(&server, json!({"method": "GET", "url": url})).unwrap();
    let received = server.received();
    assert!(
        received
            .head
            .starts_with("get /ask?q=what%20is%20%222%2b2%22%3f%0a "),
        "{received:?}"
    );
    assert_eq!(received.body, "");
}

fn a_status_that_is_not_success_is_explained() {
    let body = r#"{"error": {"message": "slow down"}}"#;
    let error = given(answer("429 Too Many", "retry-after: 7\r\n", body)).unwrap_err();
    assert_eq!(error.cause, Cause::Status(429));
    assert_eq!(error.retry_after, Some(Duration::from_secs(7)));
    assert!(
        error
            .message
            .ends_with("(HTTP 429 Too Many Requests): slow down"),
        "{error}"
    );
    let error = given(answer("401 No", "", "x".repeat(1 << 20))).unwrap_err();
    assert!(
        error.message.contains("key is missing or was refused"),
        "{error}"
    );
    assert!(error.message.len() < 1_000, "{error}");
}

/// Returns the error of a request to a wrong address.
fn told(url: &str) -> ProviderError {
    let project = Project::of(json!({"provider": "http", "url": url}));
    let error = project.ask("Hi").unwrap_err();
    assert!(!error.message.contains("not-to-be-told"), "{error}");
    error
}

fn network_failures_are_reported_clearly() {
    let unused = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let nobody = unused.local_addr().unwrap();
    drop(unused);
    let error = told(&format!("http://{nobody}/x?key=not-to-be-told"));
    assert_eq!(error.cause, Cause::Network);
    let expected =
        format!("`{nobody}` refused the connection: is the server running, and is this its port?");
    assert_eq!(error.message, expected);

    let error = told("http://user:not-to-be-told@no-such-host.invalid/x");
    assert_eq!(error.cause, Cause::Network);
    let start = "host `no-such-host.invalid` not found: ";
    assert!(error.message.starts_with(start), "{error}");

    let server = Server::start(vec![answer("200 OK", "", "")]);
    let error = told(&server.url("/").replace("http", "https"));
    let expected = format!(
        "cannot connect securely to `{}`: it does not speak TLS; should the URL start with `http://`?",
        server.address
    );
    assert_eq!((error.cause, error.message), (Cause::Network, expected));

    let error = given(Vec::new()).unwrap_err();
    assert_eq!(error.cause, Cause::Network);
    assert!(
        error
            .message
            .ends_with("closed the connection before it answered"),
        "{error}"
    );

    let cut = b"HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\nonly this".to_vec();
    let error = given(cut).unwrap_err();
    assert_eq!(error.cause, Cause::Network);
    assert!(
        error
            .message
            .ends_with("was lost in the middle of its answer"),
        "{error}"
    );
}

fn an_unusable_answer_is_reported_clearly() {
    let server = |body: &[u8]| Server::start(vec![answer("200 OK", "", body)]);
    let by_path = json!({"response_path": "a.b"});
    for (body, expected) in [
        (
            &b"<html>no"[..],
            "the response is not JSON (expected value at line 1 column 1): `<html>no`",
        ),
        (
            b"{\"a\": {\"c\": 1}}",
            "`a` in the response has no `b`; it has c",
        ),
        (
            b"{\"a\": \"\xff\"}",
            "the response is not valid UTF-8 at byte 7",
        ),
    ] {
        let error = ask(&server(body), by_path.clone()).unwrap_err();
        assert_eq!(
            (error.cause, error.message.as_str()),
            (Cause::Answer, expected)
        );
    }
    let mut large = b"HTTP/1.1 200 OK\r\nconnection: close\r\n\r\n".to_vec();
    large.resize(large.len() + (64 << 20) + 1, b'x');
    let error = given(large).unwrap_err();
    assert_eq!(error.message, "the response is larger than 64 MiB");
}

fn a_key_is_not_sent_to_another_server() {
    let other = Server::start(vec![answer("200 OK", "", "stolen")]);
    let elsewhere = format!("location: {}\r\n", other.url("/x?key=not-to-be-told"));
    let server = Server::start(vec![answer("307 Moved", &elsewhere, "")]);
    let error = ask(&server, json!({"headers": {"x-api-key": "abcdefgh"}})).unwrap_err();
    assert_eq!(error.cause, Cause::Status(307));
    assert!(error.message.contains(&other.url("/x")), "{error}");
    assert!(!error.message.contains("not-to-be-told"), "{error}");
    let server = Server::start(vec![
        answer("307 Moved", "location: /new\r\n", ""),
        answer("200 OK", "", "same"),
    ]);
    assert_eq!(ask(&server, json!({})).unwrap().answer(), "same");
}

fn a_cancelled_request_is_given_up() {
    // Nobody takes the connection from the listener, so no answer ever comes.
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}/", listener.local_addr().unwrap());
    let project = Project::of(json!({"provider": "http", "url": url}));
    let provider = project.provider();
    let request = project.request("case", "Hi");
    let cancel = CancellationToken::new();
    let error = block_on(async {
        let asking = provider.answer(&request, &cancel);
        let cancelling = async { cancel.cancel() };
        tokio::join!(asking, cancelling).0.unwrap_err()
    });
    assert_eq!(error, ProviderError::cancelled());
}

fn settings_that_make_no_sense_are_refused() {
    for (fields, expected) in [
        (
            json!({"url": "localhost:80"}),
            "`url`: expected a URL that starts with `http://`",
        ),
        (json!({"url": "//x"}), "`url`: not a URL: "),
        (
            json!({"url": "http://x/{{ nobody }}"}),
            "`url`: unknown variable `nobody`",
        ),
        (
            json!({"url": "http://x", "response_path": "a["}),
            "`response_path`: expected a path such as `a.b[0].c`, found `a[`",
        ),
        (
            json!({"url": "http://x", "headers": {"a b": "c"}}),
            "`headers`: `a b` is not a valid header name",
        ),
        (
            json!({"url": "http://x", "headers": {"a": "c\nd"}}),
            "`headers`: `a` has a value with a character",
        ),
        (
            json!({"url": "http://x", "body": "{{ a"}),
            "`body`: not a valid template: ",
        ),
    ] {
        let mut fields = fields;
        fields["provider"] = "http".into();
        let error = Project::of(fields).resolve("t", &[]).unwrap_err();
        assert!(error.message.contains(expected), "{error}");
    }
}
