//! Errors of the client crate, as messages for the user.

use agentv_core::{Cause, ProviderError};
use genai::webc;
use reqwest::StatusCode;
use reqwest::header::HeaderMap;

use super::answer::no_message;
use super::asked_model::AskedModel;
use super::vendor_error::VendorError;
use crate::network::{network_error, retry_after, status_error};

/// Converts an error of the client to the error of an attempt.
pub(super) fn failure(asked: &AskedModel, error: genai::Error) -> ProviderError {
    let error = match error {
        genai::Error::WebModelCall { webc_error, .. }
        | genai::Error::WebAdapterCall { webc_error, .. } => no_answer(asked, webc_error),
        genai::Error::ChatResponseGeneration {
            response_body,
            cause,
            ..
        } => match asked.words_in(&response_body) {
            Some(words) => refused_in_body(asked, &words),
            // The client's message is about a stream that was not requested.
            None if cause.starts_with("Error event in stream") => no_message(asked, &response_body),
            None => unreadable(asked, &asked.excerpt(&cause)),
        },
        // The other errors occur before anything is sent.
        other => ProviderError::new(
            Cause::Setup,
            format!(
                "cannot ask {}: {}",
                asked.vendor.name,
                asked.excerpt(&other.to_string())
            ),
        ),
    };
    ProviderError {
        message: asked.secrets.redact(&error.message).into_owned(),
        ..error
    }
}

fn no_answer(asked: &AskedModel, error: webc::Error) -> ProviderError {
    match error {
        webc::Error::ResponseFailedStatus {
            status,
            body,
            headers,
        } => refused(asked, status, &headers, &asked.words_of(&body)),
        webc::Error::ResponseFailedNotJson { content_type, body } => {
            let found = match content_type.as_str() {
                "" => "no content type".to_owned(),
                content_type => format!("`{}`", asked.excerpt(content_type)),
            };
            let said = asked.words_of(&body).message;
            unreadable(asked, &format!("expected JSON, found {found}: {said}"))
        }
        webc::Error::ResponseFailedInvalidJson { body, cause } => {
            let start = asked.excerpt(&body);
            unreadable(asked, &format!("invalid JSON ({cause}): {start}"))
        }
        webc::Error::JsonValueExt(error) => unreadable(asked, &asked.excerpt(&error.to_string())),
        webc::Error::Reqwest(error) => network_error(&error, &asked.address()),
    }
}

/// Describes an answer with a status that is not a success.
fn refused(
    asked: &AskedModel,
    status: StatusCode,
    headers: &HeaderMap,
    words: &VendorError,
) -> ProviderError {
    if status.is_redirection() {
        return status_error(status, headers, &[]);
    }
    let code = status.as_u16();
    let wait = retry_after(headers).or(words.retry_after);
    of_status(asked, code, words).retry_after(wait)
}

/// Describes an error in an answer with a successful status, as some gateways send it.
pub(super) fn refused_in_body(asked: &AskedModel, words: &VendorError) -> ProviderError {
    let status = words.status.filter(|code| (400..600).contains(code));
    let limited = words.codes.iter().any(|code| code == "rate_limit_exceeded");
    match status.or(limited.then_some(429)) {
        Some(code) => of_status(asked, code, words).retry_after(words.retry_after),
        None => {
            let name = asked.vendor.name;
            let said = said(words);
            ProviderError::new(Cause::Answer, format!("{name} reported an error{said}"))
        }
    }
}

/// Formats the message for a status: what happened, the vendor's message, and what to do.
fn of_status(asked: &AskedModel, code: u16, words: &VendorError) -> ProviderError {
    let name = asked.vendor.name;
    let said = said(words);
    if code == 429 && words.is_quota_used_up() {
        let message = format!(
            "the quota at {name} is used up ({code}){said}; a retry does not help: check the \
             account's plan and billing"
        );
        return ProviderError::new(Cause::Setup, message);
    }
    let message = match code {
        401 => format!(
            "{name} refused the key ({code}){said}; {}",
            check_key(asked)
        ),
        403 => format!("{name} refused access ({code}){said}; {}", check_key(asked)),
        404 => format!(
            "{name} did not find the model `{}` at {} ({code}){said}; check `model` and the URL",
            asked.model,
            asked.address(),
        ),
        408 | 504 => format!("{name} took too long ({code}){said}"),
        429 => format!("too many requests to {name} ({code}){said}"),
        503 | 529 => format!("{name} is overloaded or down ({code}){said}"),
        500..=599 => format!("{name} failed ({code}){said}"),
        _ => format!("{name} refused the request ({code}){said}"),
    };
    ProviderError::new(Cause::Status(code), message)
}

fn said(words: &VendorError) -> String {
    match words.message.as_str() {
        "" => String::new(),
        message => format!(": {}", message.trim_end_matches('.')),
    }
}

fn check_key(asked: &AskedModel) -> String {
    match asked.vendor.key_variables.first() {
        Some(variable) => format!("check `api_key` or the variable `{variable}`"),
        None => "check `api_key`".to_owned(),
    }
}

/// Describes an answer with a successful status that cannot be used.
pub(super) fn unreadable(asked: &AskedModel, why: &str) -> ProviderError {
    let message = format!("cannot read the answer from {}: {why}", asked.vendor.name);
    ProviderError::new(Cause::Answer, message)
}
