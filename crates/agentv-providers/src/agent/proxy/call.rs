//! The meaning of a request from an agent.

use hyper::Uri;
use hyper::header::HeaderMap;
use serde_json::Value;

use crate::wire::Protocol;

/// A call of a model.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct ModelCall {
    pub(super) protocol: Protocol,
    /// The model that is asked.
    pub(super) model: String,
    /// True if tools are offered, as in each turn of the agent's own work.
    pub(super) is_turn: bool,
}

impl ModelCall {
    /// Returns the call that a request makes; `None` if it asks for something else, such as a list of
    /// models.
    pub(super) fn of(path: &str, body: &[u8]) -> Option<ModelCall> {
        let protocol = protocol_of(path)?;
        let body: Value = serde_json::from_slice(body).unwrap_or_default();
        let in_path = path
            .rsplit('/')
            .next()
            .and_then(|last| last.split(':').next());
        let model = match protocol {
            Protocol::Generate => in_path.unwrap_or_default(),
            _ => body["model"].as_str().unwrap_or_default(),
        };
        let is_filled = |tools: &Value| tools.as_array().is_some_and(|tools| !tools.is_empty());
        // Codex offers tools to some models as a part of the conversation.
        let mut input = body["input"].as_array().into_iter().flatten();
        let in_input =
            |item: &Value| item["type"] == "additional_tools" && is_filled(&item["tools"]);
        Some(ModelCall {
            protocol,
            model: model.to_owned(),
            is_turn: is_filled(&body["tools"]) || input.any(in_input),
        })
    }
}

fn protocol_of(path: &str) -> Option<Protocol> {
    const ENDS: &[(&str, Protocol)] = &[
        ("/messages", Protocol::Messages),
        ("/chat/completions", Protocol::Chat),
        ("/responses", Protocol::Responses),
        (":streamGenerateContent", Protocol::Generate),
        (":generateContent", Protocol::Generate),
    ];
    let found = ENDS.iter().find(|(end, _)| path.ends_with(end));
    found.map(|(_, protocol)| *protocol)
}

/// The headers in which agents send keys.
pub(super) const KEY_HEADERS: &[&str] =
    &["authorization", "x-api-key", "x-goog-api-key", "api-key"];

/// Checks that a request presents this key, in a header or in the query.
pub(super) fn presents(key: &str, headers: &HeaderMap, uri: &Uri) -> bool {
    let in_headers = KEY_HEADERS
        .iter()
        .filter_map(|name| headers.get(*name)?.to_str().ok());
    let mut in_headers = in_headers.map(|value| value.strip_prefix("Bearer ").unwrap_or(value));
    let query = uri.query().unwrap_or_default();
    let mut in_query = query
        .split('&')
        .filter_map(|pair| pair.strip_prefix("key="));
    in_headers.any(|found| found == key) || in_query.any(|found| found == key)
}

/// Returns the path and query of a request without a key in the query.
pub(super) fn path_and_query(uri: &Uri) -> String {
    let pairs = uri.query().unwrap_or_default().split('&');
    let kept: Vec<&str> = pairs
        .filter(|pair| !pair.is_empty() && !pair.starts_with("key="))
        .collect();
    if kept.is_empty() {
        uri.path().to_owned()
    } else {
        format!("{}?{}", uri.path(), kept.join("&"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_call_is_known_by_its_path_and_a_turn_by_its_tools() {
        let call = |path: &str, body: &str| ModelCall::of(path, body.as_bytes());
        let turn = call("/v1/messages", r#"{"model":"m","tools":[{}]}"#).unwrap();
        assert_eq!((turn.protocol, turn.is_turn), (Protocol::Messages, true));
        let title = call("/chat/completions", r#"{"model":"m","tools":[]}"#).unwrap();
        assert_eq!((title.model.as_str(), title.is_turn), ("m", false));
        let input = r#"{"model":"m","input":[{"type":"additional_tools","tools":[{}]}]}"#;
        assert!(call("/responses", input).unwrap().is_turn);
        let gemini = call("/v1beta/models/g:streamGenerateContent", "{}").unwrap();
        assert_eq!(gemini.model, "g");
        assert_eq!(call("/v1/models", ""), None);
        assert_eq!(call("/v1/messages/count_tokens", "{}"), None);
    }

    #[test]
    fn a_key_in_the_query_is_checked_and_not_passed_on() {
        let uri: Uri = "/v1beta/models/g:generateContent?alt=sse&key=abc"
            .parse()
            .unwrap();
        assert!(presents("abc", &HeaderMap::new(), &uri));
        assert!(!presents("ab", &HeaderMap::new(), &uri));
        assert_eq!(
            path_and_query(&uri),
            "/v1beta/models/g:generateContent?alt=sse"
        );
    }
}
