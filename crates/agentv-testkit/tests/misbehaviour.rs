//! Every misbehaviour, as it appears on the wire.

use std::io::{ErrorKind, Read, Write};
use std::time::{Duration, Instant};

use agentv_testkit::model::{Behaviour, ModelServer, WORDS};

use crate::client::{CHAT, Reply, ask, chat_body, connect, request, said, send, start};

const KEY: &str = "sk-very-secret-0123456789";

fn echo() -> ModelServer {
    start(Behaviour::echo())
}

#[test]
fn a_status_comes_with_the_error_of_the_vendor() {
    let server = echo();
    let chat = |status: u16| {
        let reply = ask(&server, &format!("!status={status}!"));
        assert_eq!(reply.status(), status);
        assert!(reply.is_whole(), "{reply:?}");
        assert_eq!(reply.header("retry-after"), None);
        reply.json()["error"].clone()
    };
    assert_eq!(chat(429)["code"], "rate_limit_exceeded");
    assert_eq!(chat(401)["code"], "invalid_api_key");
    assert_eq!(chat(404)["code"], "model_not_found");
    for status in [403, 500, 502, 503, 504, 529] {
        assert!(chat(status)["message"].is_string());
    }
    let claude = send(&server, "/v1/messages", "", &chat_body("!status=529!"));
    assert_eq!(claude.json()["error"]["type"], "overloaded_error");
    let body = chat_body("!status=429!").replace("messages", "contents");
    let body = body.replace(
        r#""content":"!status=429!""#,
        r#""parts":[{"text":"!status=429!"}]"#,
    );
    let gemini = send(&server, "/v1beta/models/m:generateContent", "", &body);
    assert_eq!(gemini.json()["error"]["status"], "RESOURCE_EXHAUSTED");
    let plain = send(&server, "/ask", "", r#"{"question": "!status=500!"}"#);
    assert!(plain.json()["error"].is_string());
}

#[test]
fn retry_after_is_what_was_asked_for() {
    let server = echo();
    let reply = ask(&server, "!status=429! !retry-after=2!");
    assert_eq!(reply.header("retry-after"), Some("2"));
    let reply = ask(&server, "!status=503! !retry-after=soon, I hope!");
    assert_eq!(reply.header("retry-after"), Some("soon, I hope"));
    let reply = ask(&server, "!status=429! !retry-date=90!");
    let date = reply.header("retry-after").unwrap();
    let parsed = jiff::fmt::rfc2822::parse(date).unwrap();
    let wait = parsed.timestamp().duration_since(jiff::Timestamp::now());
    assert!((30..=90).contains(&wait.as_secs()), "{date}");
    assert!(date.ends_with(" GMT"), "{date}");
}

#[test]
fn no_money_left_is_said_as_the_vendor_says_it() {
    let server = echo();
    let reply = ask(&server, "!quota!");
    assert_eq!(reply.status(), 429);
    assert_eq!(reply.json()["error"]["code"], "insufficient_quota");
    let claude = send(&server, "/v1/messages", "", &chat_body("!quota!"));
    assert_eq!(claude.status(), 400);
}

#[test]
fn a_reset_breaks_the_connection_within_the_body() {
    let reply = ask(&echo(), "!reset!");
    assert_eq!(reply.end.unwrap_err().kind(), ErrorKind::ConnectionReset);
    let reply = ask(&echo(), "!reset-early!");
    assert_eq!(reply.end.unwrap_err().kind(), ErrorKind::ConnectionReset);
    assert_eq!(reply.bytes, b"");
}

#[test]
fn a_truncated_body_is_shorter_than_its_length() {
    let reply = ask(&echo(), "!truncate!");
    assert_eq!(reply.status(), 200);
    assert!(reply.end.is_ok() && !reply.is_whole() && !reply.body().is_empty());
}

#[test]
fn a_slow_body_comes_byte_by_byte() {
    let server = echo();
    let start = Instant::now();
    let reply = ask(&server, "!slow=2!");
    assert!(reply.is_whole(), "{reply:?}");
    let fastest = Duration::from_millis(2) * reply.body().len() as u32;
    assert!(start.elapsed() >= fastest, "{:?}", start.elapsed());
}

#[test]
fn a_chunked_body_may_have_no_last_chunk() {
    let reply = ask(&echo(), "!chunked-cut!");
    assert!(reply.end.is_ok());
    assert_eq!(reply.header("transfer-encoding"), Some("chunked"));
    assert!(!reply.body().ends_with(b"0\r\n\r\n"));
}

#[test]
fn an_endless_body_continues() {
    let server = echo();
    let mut stream = connect(&server);
    stream
        .write_all(request(CHAT, "", &chat_body("!endless!")).as_bytes())
        .unwrap();
    let mut bytes = [0; 1_000];
    stream.read_exact(&mut bytes).unwrap();
    assert!(bytes.starts_with(b"HTTP/1.1 200 OK"));
    assert!(bytes.ends_with(b"10\r\n") || bytes.iter().rev().take(20).any(|&byte| byte == b' '));
    drop(stream);
    wait_until_idle(&server);
}

/// Waits until no call is in flight.
fn wait_until_idle(server: &ModelServer) {
    let until = Instant::now() + crate::client::PATIENCE;
    while server.calls().in_flight > 0 {
        assert!(Instant::now() < until, "{:?}", server.calls());
        std::thread::yield_now();
    }
}

#[test]
fn a_server_that_hangs_says_nothing_until_the_client_goes() {
    let server = echo();
    for (word, said) in [("!hang!", false), ("!hang-body!", true)] {
        let mut stream = connect(&server);
        // Counted first: the server may note the call before `write_all` returns.
        let calls = server.calls().total + 1;
        stream
            .write_all(request(CHAT, "", &chat_body(word)).as_bytes())
            .unwrap();
        assert!(server.wait_for_calls(calls, crate::client::PATIENCE));
        stream
            .set_read_timeout(Some(Duration::from_millis(200)))
            .unwrap();
        let mut bytes = Vec::new();
        let error = stream.read_to_end(&mut bytes).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::WouldBlock);
        assert_eq!(bytes.starts_with(b"HTTP/1.1 200 OK"), said, "{word}");
        assert_eq!(server.calls().in_flight, 1);
        drop(stream);
        wait_until_idle(&server);
    }
}

#[test]
fn a_body_may_contain_no_answer() {
    let server = echo();
    let not_json = [
        "!not-json!",
        "!cut-json!",
        "!html!",
        "!empty!",
        "!bad-utf8!",
        "!deep!",
    ];
    for word in not_json {
        let reply = ask(&server, word);
        assert_eq!(reply.status(), 200, "{word}");
        assert!(reply.is_whole(), "{word}");
        let read = serde_json::from_slice::<serde_json::Value>(reply.body());
        assert!(read.is_err(), "{word}: {read:?}");
    }
    assert_eq!(ask(&server, "!empty!").body(), b"");
    assert_eq!(
        ask(&server, "!html!").header("content-type"),
        Some("text/html")
    );
    assert!(str::from_utf8(ask(&server, "!bad-utf8!").body()).is_err());
    assert_eq!(ask(&server, "!wrong-shape!").json(), 42);
    let reply = ask(&server, "!garbage!");
    assert!(reply.end.is_ok() && !reply.bytes.starts_with(b"HTTP"));
}

#[test]
fn an_answer_may_lack_parts_of_it() {
    let server = echo();
    let nothing = ask(&server, "!no-choices!").json();
    assert_eq!(nothing["choices"].as_array().unwrap().len(), 0);
    assert!(ask(&server, "!no-usage!").json()["usage"].is_null());
    let cut = ask(&server, "!length!").json();
    assert_eq!(cut["choices"][0]["finish_reason"], "length");
    let failed = ask(&server, "!error-in-success!");
    assert_eq!(failed.status(), 200);
    assert!(failed.json()["error"]["message"].is_string());
    let plain = ask(&server, "!wrong-type!");
    assert_eq!(plain.header("content-type"), Some("text/plain"));
    assert_eq!(said(&plain), "!wrong-type!");
}

#[test]
fn a_huge_body_is_a_whole_answer() {
    let reply = ask(&echo(), "!huge=3MB!");
    assert!(reply.is_whole());
    assert_eq!(said(&reply).len(), 3_000_000);
}

#[test]
fn a_redirect_leads_to_where_it_never_ends() {
    let server = echo();
    let reply = ask(&server, "!redirect!");
    assert_eq!(
        (reply.status(), reply.header("location")),
        (307, Some("/-/loop"))
    );
    let reply = send(&server, "/-/loop", "", &chat_body("anything"));
    assert_eq!(
        (reply.status(), reply.header("location")),
        (307, Some("/-/loop"))
    );
}

#[test]
fn http_1_0_ends_the_body_with_the_connection() {
    let server = echo();
    let mut stream = connect(&server);
    stream
        .write_all(request(CHAT, "", &chat_body("!http10!")).as_bytes())
        .unwrap();
    let reply = Reply::read(stream);
    assert!(reply.head().starts_with("HTTP/1.0 200 OK"));
    assert_eq!(reply.header("content-length"), None);
    assert_eq!(said(&reply), "!http10!");
}

#[test]
fn a_connection_may_be_closed_after_an_answer_that_promised_to_keep_it() {
    let server = echo();
    let mut stream = connect(&server);
    stream
        .write_all(request(CHAT, "", &chat_body("!close!")).as_bytes())
        .unwrap();
    let reply = Reply::read(stream);
    assert!(reply.is_whole());
    assert_eq!(reply.header("connection"), None);
}

#[test]
fn a_key_is_sent_inside_an_error_and_inside_an_answer() {
    let server = echo();
    let keys = format!("authorization: Bearer {KEY}\r\nx-api-key: {KEY}-2\r\n");
    for (word, status) in [
        ("!echo-key!", 401),
        ("!echo-key=500!", 500),
        ("!echo-key=200!", 200),
    ] {
        let reply = send(
            &server,
            "/v1/chat/completions?key=third",
            &keys,
            &chat_body(word),
        );
        assert_eq!(reply.status(), status);
        let body = str::from_utf8(reply.body()).unwrap();
        assert!(
            body.contains(&format!("Bearer {KEY} {KEY}-2 key=third")),
            "{body}"
        );
    }
}

#[test]
fn a_delay_is_kept() {
    let server = echo();
    let start = Instant::now();
    assert_eq!(ask(&server, "!delay=80!").status(), 200);
    assert!(start.elapsed() >= Duration::from_millis(80));
}

#[test]
fn no_word_breaks_the_server() {
    let server = echo();
    for (word, calls) in WORDS.iter().zip(1..) {
        let mut stream = connect(&server);
        let request = request(
            CHAT,
            "connection: close\r\n",
            &chat_body(&format!("!{word}!")),
        );
        stream.write_all(request.as_bytes()).unwrap();
        assert!(server.wait_for_calls(calls, crate::client::PATIENCE));
    }
    assert_eq!(said(&ask(&server, "still here")), "still here");
    for bytes in [
        "\r\n\r\n",
        "GET\r\n\r\n",
        "POST / HTTP/1.1\r\ncontent-length: x\r\n\r\n",
    ] {
        let mut stream = connect(&server);
        stream.write_all(bytes.as_bytes()).unwrap();
        stream.shutdown(std::net::Shutdown::Write).unwrap();
        Reply::read(stream);
    }
    assert_eq!(said(&ask(&server, "still here")), "still here");
}
