//! Requests and responses as they were sent, for users who want to see them.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};

use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use serde::{Deserialize, Serialize};

use crate::Secrets;

/// One request to a target and its response, as they were sent.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct RawExchange {
    /// The method of the request.
    pub method: String,
    /// The address, without user name and password.
    pub url: String,
    /// The request.
    pub request: RawMessage,
    /// The status of the response; `None` if there was no response.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub status: Option<u16>,
    /// The response, as far as it came.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub response: Option<RawMessage>,
}

impl RawExchange {
    /// Returns true if the body of the response, which is not text, holds a secret.
    pub(crate) fn hides(&self, secrets: &Secrets) -> bool {
        let body = self
            .response
            .as_ref()
            .and_then(|it| it.body_base64.as_ref());
        let bytes = body.and_then(|body| BASE64_STANDARD.decode(body).ok());
        bytes.is_some_and(|mut bytes| secrets.redact_json(&mut bytes))
    }

    /// Removes the body of the response.
    pub(crate) fn hide_body(&mut self) {
        if let Some(response) = &mut self.response {
            response.body = Some(Secrets::REPLACEMENT.to_owned());
            response.body_base64 = None;
        }
    }

    /// Removes the body of a response that came as a stream, because its answer holds a secret in pieces.
    pub(crate) fn hide_stream(&mut self) {
        let response = self.response.iter();
        let mut headers = response.flat_map(|response| &response.headers);
        let is_stream = headers.any(|(name, value)| {
            let value = value.to_ascii_lowercase();
            name.eq_ignore_ascii_case("content-type")
                && (value.contains("event-stream") || value.contains("eventstream"))
        });
        if is_stream {
            self.hide_body();
        }
    }
}

/// The headers and the body of a request or a response.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct RawMessage {
    /// The headers, without secrets.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub headers: BTreeMap<String, String>,
    /// The body, if it is text.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub body: Option<String>,
    /// The body in base64, if it is not text.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub body_base64: Option<String>,
}

/// Collects the exchanges of one trial, including those of failed attempts.
#[derive(Debug, Clone, Default)]
pub struct ExchangeLog(Arc<Mutex<Vec<RawExchange>>>);

impl ExchangeLog {
    /// Adds an exchange.
    pub fn add(&self, exchange: RawExchange) {
        let mut exchanges = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        exchanges.push(exchange);
    }

    /// Takes out the exchanges so far, in the order in which they ended.
    pub fn take(&self) -> Vec<RawExchange> {
        std::mem::take(&mut self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

/// Two logs are equal if they are the same one.
impl PartialEq for ExchangeLog {
    fn eq(&self, other: &ExchangeLog) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_secret_in_a_body_that_is_not_text_is_found() {
        let mut secrets = Secrets::default();
        secrets.add("sk-live-ZZZ-77777-qwerty");
        let raw = |body: &[u8]| RawExchange {
            response: Some(RawMessage {
                body_base64: Some(BASE64_STANDARD.encode(body)),
                ..RawMessage::default()
            }),
            ..RawExchange::default()
        };
        let mut leaking = raw(b"\0\x01{\"message\":\"bad key sk-live-ZZZ-77777-qwerty\"}\xff");
        assert!(leaking.hides(&secrets) && !raw(b"\0\x01nothing\xff").hides(&secrets));
        leaking.hide_body();
        assert_eq!(
            leaking.response.unwrap().body.unwrap(),
            Secrets::REPLACEMENT
        );
    }
}
