//! The error in the body of a vendor's answer.

use std::time::Duration;

use serde_json::Value;

use crate::excerpt::excerpt;

/// An error that a vendor reports.
#[derive(Debug, Default, PartialEq)]
pub(super) struct VendorError {
    /// The message for people, bounded.
    pub(super) message: String,
    /// The vendor's codes for it, such as `insufficient_quota`.
    pub(super) codes: Vec<String>,
    /// The HTTP status that matches an error in a successful answer.
    pub(super) status: Option<u16>,
    /// The wait that the vendor asks for.
    pub(super) retry_after: Option<Duration>,
}

impl VendorError {
    /// Returns the error in a body of JSON, HTML or plain text.
    pub(super) fn of_text(body: &str) -> VendorError {
        let parsed = serde_json::from_str::<Value>(body).ok();
        let known = parsed.as_ref().and_then(VendorError::of_json);
        known.unwrap_or_else(|| VendorError {
            message: excerpt(title(body).unwrap_or(body)),
            ..VendorError::default()
        })
    }

    /// Returns the error in a JSON body, if it is one.
    pub(super) fn of_json(body: &Value) -> Option<VendorError> {
        // Google sometimes wraps an error in an array.
        let body = body.get(0).unwrap_or(body);
        let error = ["error", "errors", "detail", "message", "Message"]
            .iter()
            .find_map(|name| body.get(name).filter(|value| !value.is_null()))?;
        let message = match place(error) {
            Some(place) => format!("{place}: {}", message(error)?),
            None => message(error)?.to_owned(),
        };
        let codes = [error, body].into_iter().flat_map(|object| {
            let texts = ["code", "type", "status"].map(|name| object.get(name)?.as_str());
            texts.into_iter().flatten().map(str::to_owned)
        });
        let status = [error, body]
            .into_iter()
            .find_map(|object| object.get("code")?.as_u64());
        Some(VendorError {
            message: excerpt(&message),
            codes: codes.collect(),
            status: status.and_then(|code| u16::try_from(code).ok()),
            retry_after: retry_delay(error),
        })
    }

    /// Returns the status that the vendor's code stands for.
    pub(super) fn meant_status(&self) -> Option<u16> {
        let status = |code: &String| match code.as_str() {
            "rate_limit_exceeded" | "rate_limit_error" => Some(429),
            "overloaded_error" => Some(529),
            "server_error" | "internal_server_error" | "api_error" => Some(500),
            "timeout_error" => Some(504),
            "invalid_request_error"
            | "invalid_prompt"
            | "context_length_exceeded"
            | "content_filter"
            | "content_policy_violation" => Some(400),
            "authentication_error" | "invalid_api_key" => Some(401),
            "permission_error" => Some(403),
            "not_found_error" | "model_not_found" => Some(404),
            "insufficient_quota" => Some(429),
            _ => None,
        };
        self.codes.iter().find_map(status)
    }

    /// Checks whether the account's quota is used up, so that waiting does not help.
    pub(super) fn is_quota_used_up(&self) -> bool {
        let used_up = |code: &String| {
            matches!(
                code.as_str(),
                "insufficient_quota" | "billing_hard_limit_reached" | "billing_not_active"
            )
        };
        self.codes.iter().any(used_up)
    }
}

/// Returns the first readable text in the value of a message field.
fn message(error: &Value) -> Option<&str> {
    match error {
        Value::String(text) => Some(text),
        Value::Array(items) => items.first().and_then(message),
        Value::Object(fields) => ["message", "msg", "detail", "error"]
            .iter()
            .find_map(|name| fields.get(*name).and_then(message)),
        Value::Null | Value::Bool(_) | Value::Number(_) => None,
    }
}

/// Returns the field that FastAPI refuses: the last word of `loc`.
fn place(error: &Value) -> Option<String> {
    let place = error.get(0)?.get("loc")?.as_array()?;
    // The first word says where: `body`, `query` or `header`.
    let words = place.iter().skip(1).map(|word| match word {
        Value::String(word) => word.clone(),
        other => other.to_string(),
    });
    let words: Vec<String> = words.collect();
    (!words.is_empty()).then(|| format!("`{}`", words.join(".")))
}

/// Returns the delay that Google writes as `{"retryDelay": "34s"}` in the details.
fn retry_delay(error: &Value) -> Option<Duration> {
    let mut details = error.get("details")?.as_array()?.iter();
    let delay = details.find_map(|detail| detail.get("retryDelay")?.as_str())?;
    let seconds = delay.strip_suffix('s')?.parse().ok()?;
    Duration::try_from_secs_f64(seconds).ok()
}

/// Returns the title of an HTML page.
fn title(body: &str) -> Option<&str> {
    let (_, rest) = body.split_once("<title>")?;
    let (title, _) = rest.split_once("</title>")?;
    (!title.trim().is_empty()).then_some(title)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn message_of(body: &str) -> String {
        VendorError::of_text(body).message
    }

    #[test]
    fn the_message_is_found_in_the_form_of_every_vendor() {
        for body in [
            r#"{"error": {"message": "No such thing", "type": "invalid_request_error", "code": null}}"#,
            r#"{"type": "error", "error": {"type": "overloaded_error", "message": "No such thing"}}"#,
            r#"[{"error": {"code": 429, "message": "No such thing", "status": "RESOURCE_EXHAUSTED"}}]"#,
            r#"{"error": "No such thing"}"#,
            r#"{"message": "No such thing"}"#,
            r#"{"object": "error", "message": {"detail": [{"msg": "No such thing"}]}}"#,
            r#"{"detail": [{"loc": ["body"], "msg": "No such thing"}]}"#,
            "No such\n  thing ",
            "<html><head><title>No such thing</title></head><body>…</body></html>",
        ] {
            assert_eq!(message_of(body), "No such thing", "{body}");
        }
    }

    #[test]
    fn a_body_that_says_nothing_gives_no_message() {
        assert_eq!(message_of(""), "");
        assert_eq!(message_of("{}"), "{}");
        assert_eq!(
            VendorError::of_json(&serde_json::json!({"choices": []})),
            None
        );
        assert_eq!(
            VendorError::of_json(&serde_json::json!({"error": null})),
            None
        );
    }

    #[test]
    fn codes_status_and_wait_are_read() {
        let quota = VendorError::of_text(
            r#"{"error": {"message": "m", "type": "insufficient_quota", "code": "insufficient_quota"}}"#,
        );
        assert!(quota.is_quota_used_up());
        let google = VendorError::of_text(
            r#"{"error": {"code": 429, "message": "m", "status": "RESOURCE_EXHAUSTED",
                "details": [{"@type": "x"}, {"@type": "RetryInfo", "retryDelay": "34.5s"}]}}"#,
        );
        assert_eq!(google.status, Some(429));
        assert_eq!(google.retry_after, Some(Duration::from_millis(34_500)));
        assert!(!google.is_quota_used_up());
    }
}
