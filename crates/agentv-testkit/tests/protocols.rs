//! Proper answers, in every protocol.

use std::io::{Read, Write};

use agentv_testkit::model::{Answer, Behaviour, ModelServer, Usage};
use serde_json::{Value, json};

use crate::client::{CHAT, ask, chat_body, connect, request, said, send, start};

fn counted() -> ModelServer {
    start(Behaviour::echo().usage(Usage {
        input: 10,
        output: 5,
        cached: 4,
    }))
}

fn contents(message: &str) -> String {
    json!({"contents": [{"role": "user", "parts": [{"text": message}]}]}).to_string()
}

#[test]
fn every_protocol_says_the_text_the_model_the_reason_and_the_tokens() {
    let server = counted();
    let get = |path: &str, body: &str| send(&server, path, "", body).json();
    let text = "“naïve”\n\u{1F600} \\ \"quoted\"";

    let chat = get(CHAT, &chat_body(text));
    assert_eq!(chat["choices"][0]["message"]["content"], text);
    assert_eq!(chat["choices"][0]["finish_reason"], "stop");
    assert_eq!(
        (&chat["model"], &chat["id"]),
        (&json!("m"), &json!("chatcmpl-1"))
    );
    assert_eq!(chat["usage"]["prompt_tokens"], 10);
    assert_eq!(chat["usage"]["completion_tokens"], 5);
    assert_eq!(chat["usage"]["prompt_tokens_details"]["cached_tokens"], 4);

    let responses = get(
        "/v1/responses",
        &json!({"model": "m", "input": text}).to_string(),
    );
    assert_eq!(responses["output"][0]["content"][0]["text"], text);
    assert_eq!(
        (&responses["status"], &responses["model"]),
        (&json!("completed"), &json!("m"))
    );
    assert_eq!(
        responses["usage"]["input_tokens_details"]["cached_tokens"],
        4
    );

    let claude = get("/v1/messages", &chat_body(text));
    assert_eq!(claude["content"], json!([{"type": "text", "text": text}]));
    assert_eq!(
        (&claude["stop_reason"], &claude["model"]),
        (&json!("end_turn"), &json!("m"))
    );
    assert_eq!(claude["usage"]["input_tokens"], 6);
    assert_eq!(claude["usage"]["cache_read_input_tokens"], 4);

    let gemini = get("/v1beta/models/flash:generateContent", &contents(text));
    assert_eq!(gemini["candidates"][0]["content"]["parts"][0]["text"], text);
    assert_eq!(gemini["candidates"][0]["finishReason"], "STOP");
    assert_eq!(gemini["modelVersion"], "flash");
    assert_eq!(gemini["usageMetadata"]["cachedContentTokenCount"], 4);

    let plain = get("/ask", &json!({"question": text}).to_string());
    assert_eq!(plain["answer"], text);
    assert_eq!(
        plain["token_usage"],
        json!({"input": 10, "output": 5, "cached": 4})
    );
}

#[test]
fn a_chat_that_is_asked_for_as_a_stream_is_sent_as_events() {
    let server = counted();
    let text = "two\n\nlines";
    let mut body: Value = serde_json::from_str(&chat_body(text)).unwrap();
    body["stream"] = true.into();
    let reply = send(&server, CHAT, "", &body.to_string());
    assert!(reply.head().contains("content-type: text/event-stream\r\n"));

    let body = str::from_utf8(reply.body()).unwrap();
    let events = body.split_terminator("\n\n");
    let mut events: Vec<&str> = events.map(|event| &event["data: ".len()..]).collect();
    assert_eq!(events.pop(), Some("[DONE]"));
    let events: Vec<Value> = events
        .iter()
        .map(|event| serde_json::from_str(event).unwrap())
        .collect();
    assert_eq!(events[0]["choices"][0]["delta"]["content"], text);
    assert_eq!(events[1]["choices"][0]["finish_reason"], "stop");
    assert_eq!(events[2]["usage"]["completion_tokens"], 5);
}

#[test]
fn every_protocol_calls_tools() {
    let server = counted();
    let get = |path: &str, body: &str| send(&server, path, "", body).json();
    let word = "!tool=find!";
    let arguments = |call: &Value| -> Value {
        serde_json::from_str(call["arguments"].as_str().unwrap()).unwrap()
    };
    let weather = json!({"query": "weather"});

    let chat = get(CHAT, &chat_body(word));
    let call = &chat["choices"][0]["message"]["tool_calls"][0]["function"];
    assert_eq!(
        (&call["name"], arguments(call)),
        (&json!("find"), weather.clone())
    );
    assert_eq!(chat["choices"][0]["finish_reason"], "tool_calls");

    let responses = get("/v1/responses", &json!({"input": word}).to_string());
    let call = &responses["output"][0];
    assert_eq!(
        (&call["type"], arguments(call)),
        (&json!("function_call"), weather.clone())
    );

    let claude = get("/v1/messages", &chat_body(word));
    assert_eq!(claude["content"][0]["input"], weather);
    assert_eq!(claude["stop_reason"], "tool_use");

    let gemini = get("/v1beta/models/m:generateContent", &contents(word));
    let part = &gemini["candidates"][0]["content"]["parts"][0];
    assert_eq!(
        part["functionCall"],
        json!({"name": "find", "args": weather})
    );

    let plain = get("/ask", &json!({"question": word}).to_string());
    assert_eq!(plain["tool_calls"][0]["tool"], "find");
}

#[test]
fn answers_are_fixed_or_found_by_the_message() {
    let server = start(Behaviour::answering("Paris"));
    assert_eq!(said(&ask(&server, "Where?")), "Paris");
    let pairs = [("France", "Paris"), ("Italy", "Rome")];
    let server = start(
        Behaviour::default().answer(Answer::ByMessage {
            answers: pairs
                .map(|(text, answer)| (text.to_owned(), answer.to_owned()))
                .to_vec(),
            otherwise: "no idea".to_owned(),
        }),
    );
    assert_eq!(said(&ask(&server, "The capital of Italy?")), "Rome");
    assert_eq!(said(&ask(&server, "The capital of Spain?")), "no idea");
}

#[test]
fn a_connection_serves_one_request_after_the_other_and_several_at_once() {
    let server = start(Behaviour::answering("ok"));
    let mut stream = connect(&server);
    let one = request(CHAT, "", &chat_body("hi"));
    stream
        .write_all([one.as_str(), &one].concat().as_bytes())
        .unwrap();
    let mut read = Vec::new();
    let mut piece = [0; 4096];
    while read
        .windows(15)
        .filter(|part| *part == b"HTTP/1.1 200 OK")
        .count()
        < 2
    {
        let length = stream.read(&mut piece).unwrap();
        assert_ne!(length, 0);
        read.extend_from_slice(&piece[..length]);
    }
    assert_eq!((server.calls().total, server.calls().connections), (2, 1));
}

#[test]
fn a_client_that_waits_for_leave_to_send_its_body_gets_it() {
    let server = start(Behaviour::answering("ok"));
    let mut stream = connect(&server);
    let whole = request(
        CHAT,
        "expect: 100-continue\r\nconnection: close\r\n",
        &chat_body("hi"),
    );
    let (head, body) = whole.split_once("\r\n\r\n").unwrap();
    stream
        .write_all(format!("{head}\r\n\r\n").as_bytes())
        .unwrap();
    let mut leave = [0; 25];
    stream.read_exact(&mut leave).unwrap();
    assert_eq!(&leave, b"HTTP/1.1 100 Continue\r\n\r\n");
    stream.write_all(body.as_bytes()).unwrap();
    assert_eq!(said(&crate::client::Reply::read(stream)), "ok");
}
