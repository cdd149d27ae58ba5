//! The vendor and the content of a request.

use serde_json::Value;

use crate::model::http::Request;

/// The protocol of a request and its answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Protocol {
    OpenAiChat,
    OpenAiResponses,
    Anthropic,
    Gemini,
    Converse,
    /// `{"answer": …}`, a plain JSON endpoint.
    Plain,
}

impl Protocol {
    pub(crate) fn of(request: &Request<'_>) -> Protocol {
        let path = request.path();
        if path.ends_with("/chat/completions") {
            Protocol::OpenAiChat
        } else if path.ends_with("/responses") {
            Protocol::OpenAiResponses
        } else if path.ends_with("/messages") {
            Protocol::Anthropic
        } else if path.ends_with(":generateContent") || path.ends_with(GEMINI_STREAM) {
            Protocol::Gemini
        } else if path.ends_with("/converse") || path.ends_with(CONVERSE_STREAM) {
            Protocol::Converse
        } else {
            Protocol::Plain
        }
    }
}

const GEMINI_STREAM: &str = ":streamGenerateContent";
const CONVERSE_STREAM: &str = "/converse-stream";

/// The content of a request.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct ModelRequest {
    /// The last user message, or the whole body if that cannot be found.
    pub(crate) message: String,
    pub(crate) model: String,
    /// True if the client wants a stream of events.
    pub(crate) streamed: bool,
}

impl ModelRequest {
    pub(crate) fn of(protocol: Protocol, request: &Request<'_>) -> ModelRequest {
        let body: Value = serde_json::from_slice(request.body).unwrap_or_default();
        let message = match protocol {
            Protocol::OpenAiChat | Protocol::Anthropic | Protocol::Converse => {
                last_of_user(&body["messages"], "content")
            }
            Protocol::OpenAiResponses => {
                text_of(&body["input"]).or_else(|| last_of_user(&body["input"], "content"))
            }
            Protocol::Gemini => last_of_user(&body["contents"], "parts"),
            Protocol::Plain => plain_message(&body),
        };
        let whole = || String::from_utf8_lossy(request.body).into_owned();
        ModelRequest {
            message: message.unwrap_or_else(whole),
            model: model(protocol, request, &body).to_owned(),
            streamed: is_streamed(protocol, request, &body),
        }
    }
}

fn is_streamed(protocol: Protocol, request: &Request<'_>, body: &Value) -> bool {
    match protocol {
        Protocol::Gemini => request.path().ends_with(GEMINI_STREAM),
        Protocol::Converse => request.path().ends_with(CONVERSE_STREAM),
        Protocol::OpenAiChat
        | Protocol::OpenAiResponses
        | Protocol::Anthropic
        | Protocol::Plain => body["stream"] == true,
    }
}

fn model<'a>(protocol: Protocol, request: &'a Request<'_>, body: &'a Value) -> &'a str {
    match protocol {
        Protocol::Gemini => {
            let last = request.path().rsplit('/').next().unwrap_or_default();
            last.split(':').next().unwrap_or_default()
        }
        Protocol::Converse => request.path().rsplit('/').nth(1).unwrap_or_default(),
        _ => body["model"].as_str().unwrap_or("model"),
    }
}

fn plain_message(body: &Value) -> Option<String> {
    let names = ["message", "question", "prompt", "input", "text"];
    let mut texts = names.iter().filter_map(|name| text_of(&body[*name]));
    texts
        .next()
        .or_else(|| last_of_user(&body["messages"], "content"))
}

fn last_of_user(messages: &Value, content: &str) -> Option<String> {
    let messages = messages.as_array()?.iter().rev();
    let mut of_user =
        messages.filter(|message| matches!(message["role"].as_str(), Some("user") | None));
    // The results of tools are not text.
    of_user.find_map(|message| text_of(&message[content]))
}

/// Returns a text, or the texts of the parts of a message.
fn text_of(content: &Value) -> Option<String> {
    if let Some(text) = content.as_str() {
        return Some(text.to_owned());
    }
    let parts = content.as_array()?.iter();
    let texts: Vec<&str> = parts.filter_map(|part| part["text"].as_str()).collect();
    (!texts.is_empty()).then(|| texts.join("\n"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn asked(target: &str, body: &str) -> (Protocol, ModelRequest) {
        let request = Request {
            method: "POST",
            target,
            headers: &[],
            keep_alive: true,
            body: body.as_bytes(),
        };
        let protocol = Protocol::of(&request);
        (protocol, ModelRequest::of(protocol, &request))
    }

    #[test]
    fn the_last_user_message_and_the_model_are_found_in_every_protocol() {
        let chat = r#"{"model": "m", "messages": [{"role": "user", "content": "a"},
            {"role": "user", "content": "hi"}, {"role": "assistant", "content": "b"}]}"#;
        let responses = r#"{"model": "m", "input": [{"role": "user", "content":
            [{"type": "input_text", "text": "hi"}]}]}"#;
        let gemini = r#"{"contents": [{"role": "user", "parts": [{"text": "hi"}]}]}"#;
        for (target, body, protocol) in [
            ("/v1/chat/completions?v=1", chat, Protocol::OpenAiChat),
            ("/v1/messages", chat, Protocol::Anthropic),
            ("/v1/responses", responses, Protocol::OpenAiResponses),
            (
                "/v1/responses",
                r#"{"model": "m", "input": "hi"}"#,
                Protocol::OpenAiResponses,
            ),
            ("/v1beta/models/m:generateContent", gemini, Protocol::Gemini),
            (
                "/ask",
                r#"{"question": "hi", "model": "m"}"#,
                Protocol::Plain,
            ),
            ("/ask", chat, Protocol::Plain),
        ] {
            let expected = ModelRequest {
                message: "hi".to_owned(),
                model: "m".to_owned(),
                streamed: false,
            };
            assert_eq!(asked(target, body), (protocol, expected), "{target}");
        }
    }

    #[test]
    fn a_body_that_cannot_be_read_is_the_message() {
        assert_eq!(asked("/v1/messages", "hello").1.message, "hello");
    }
}
