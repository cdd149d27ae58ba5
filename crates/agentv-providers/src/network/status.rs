//! Errors of responses with a status that is not a success.

use agentv_core::{Cause, ProviderError};
use reqwest::StatusCode;
use reqwest::header::{HeaderMap, LOCATION};
use serde_json::Value;

use super::retry_after;
use crate::excerpt::excerpt;

/// The most bytes of a server's message that an error repeats.
const TOLD: usize = 400;

/// Describes such a response: what to do, and the beginning of the server's message. `body_start` may
/// be cut anywhere.
pub(crate) fn status_error(
    status: StatusCode,
    headers: &HeaderMap,
    body_start: &[u8],
) -> ProviderError {
    let mut message = meaning(status, headers);
    let said = said(body_start);
    if !said.is_empty() {
        message.push_str(": ");
        message.push_str(&said);
    }
    ProviderError::new(Cause::Status(status.as_u16()), message).retry_after(retry_after(headers))
}

fn meaning(status: StatusCode, headers: &HeaderMap) -> String {
    let meaning = match status.as_u16() {
        300..400 => return moved(status, headers),
        400 | 422 => "the server refused the request as invalid",
        401 => "the API key is missing or was refused",
        402 => "the account has no credit left",
        403 => "the API key does not allow this",
        404 => "model or path not found",
        405 => "the server does not accept this method here",
        408 => "the server timed out waiting for the request",
        413 => "the request is too large",
        429 => "too many requests, or the quota is used up",
        529 => "the server is overloaded",
        500..600 => "the server failed",
        _ => "the request failed",
    };
    format!("{meaning} ({})", name(status))
}

fn moved(status: StatusCode, headers: &HeaderMap) -> String {
    let location = headers.get(LOCATION).and_then(|value| value.to_str().ok());
    let to = match location {
        Some(location) => {
            let end = location.find(['?', '#']).unwrap_or(location.len());
            format!(" to `{}`", excerpt(&location[..end]))
        }
        None => String::new(),
    };
    format!("the URL has moved{to} ({}); use the new one", name(status))
}

/// Formats a status, such as `HTTP 404 Not Found`.
fn name(status: StatusCode) -> String {
    match status.canonical_reason() {
        Some(reason) => format!("HTTP {} {reason}", status.as_u16()),
        None => format!("HTTP {}", status.as_u16()),
    }
}

/// Returns the message of an error in JSON, or the beginning of the text, on one line.
fn said(body: &[u8]) -> String {
    let parsed = serde_json::from_slice::<Value>(body).ok();
    let message = parsed.as_ref().and_then(error_message);
    let text = match message {
        Some(message) => message.into(),
        None => String::from_utf8_lossy(body),
    };
    let words: Vec<_> = text.split_whitespace().collect();
    let line = words.join(" ");
    if line.len() <= TOLD {
        return line;
    }
    format!("{}…", &line[..line.floor_char_boundary(TOLD)])
}

/// Returns the message from the places where vendors put it: `error.message`, `error`, `message`,
/// `detail`.
fn error_message(body: &Value) -> Option<&str> {
    let body = body
        .as_array()
        .and_then(|list| list.first())
        .unwrap_or(body);
    let error = body.get("error");
    let nested = error.and_then(|error| error.get("message"));
    let places = [nested, error, body.get("message"), body.get("detail")];
    places.into_iter().flatten().find_map(Value::as_str)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

    fn told(status: u16, body: &str) -> String {
        let status = StatusCode::from_u16(status).unwrap();
        status_error(status, &HeaderMap::new(), body.as_bytes()).message
    }

    #[test]
    fn a_status_says_what_to_do_and_what_the_server_said() {
        for (status, body, expected) in [
            (
                401,
                r#"{"error": {"message": "Incorrect API key", "code": 7}}"#,
                "the API key is missing or was refused (HTTP 401 Unauthorized): Incorrect API key",
            ),
            (
                404,
                r#"{"error": "model 'x' not found"}"#,
                "model or path not found (HTTP 404 Not Found): model 'x' not found",
            ),
            (
                429,
                "",
                "too many requests, or the quota is used up (HTTP 429 Too Many Requests)",
            ),
            (
                502,
                "<html>\n  <b>bad</b>\n</html>",
                "the server failed (HTTP 502 Bad Gateway): <html> <b>bad</b> </html>",
            ),
            (529, "{}", "the server is overloaded (HTTP 529): {}"),
        ] {
            assert_eq!(told(status, body), expected);
        }
    }

    #[test]
    fn a_long_body_is_cut_between_letters() {
        let message = told(500, &"é".repeat(5_000));
        assert!(message.len() < 500, "{message}");
        assert!(message.ends_with("é…"), "{message}");
    }

    #[test]
    fn a_redirect_names_the_new_address_without_what_may_be_secret_in_it() {
        let headers =
            HeaderMap::from_iter([(LOCATION, "https://b.test/v2?key=k".parse().unwrap())]);
        let error = status_error(StatusCode::MOVED_PERMANENTLY, &headers, b"");
        assert_eq!(
            error.message,
            "the URL has moved to `https://b.test/v2` (HTTP 301 Moved Permanently); use the new one"
        );
    }

    #[test]
    fn the_delay_that_the_server_requests_is_respected() {
        let headers = HeaderMap::from_iter([(reqwest::header::RETRY_AFTER, "3".parse().unwrap())]);
        let error = status_error(StatusCode::TOO_MANY_REQUESTS, &headers, b"");
        assert_eq!(error.retry_after, Some(Duration::from_secs(3)));
        assert!(error.is_rate_limit());
    }
}
