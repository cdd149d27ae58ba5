//! Exchanges without an answer, in words for the user.

use agentv_core::{Cause, ProviderError};
use reqwest::StatusCode;
use reqwest::header::HeaderMap;
use serde_json::Value;

use super::asked_model::AskedModel;
use super::vendor_error::VendorError;
use crate::answer::DEEPEST;
use crate::network::{network_error, retry_after, status_error};
use crate::wire::{ExchangeError, LARGEST};

/// Returns the error of an attempt.
pub(super) fn failure(asked: &AskedModel, error: ExchangeError) -> ProviderError {
    let error = match error {
        ExchangeError::Network(error) => network_error(&error, &asked.address()),
        ExchangeError::Status {
            status,
            headers,
            body,
        } => refused(asked, status, &headers, &asked.words_of(&body)),
        ExchangeError::NotJson { content_type, body } => {
            let found = asked.excerpt(&content_type);
            let said = asked.words_of(&body).message;
            unreadable(asked, &format!("expected JSON, found `{found}`: {said}"))
        }
        ExchangeError::InvalidJson { error, body } => {
            let start = asked.excerpt(&body);
            unreadable(asked, &format!("invalid JSON ({error}): {start}"))
        }
        ExchangeError::Reported(body) => reported(asked, &body),
        // A stream that breaks off says nothing about the question, unless the vendor says so.
        ExchangeError::BrokenOff(body) => match reported(asked, &body) {
            error if error.cause == Cause::Answer => ProviderError {
                cause: Cause::Network,
                ..error
            },
            error => error,
        },
        ExchangeError::NoMessage(body) => no_message(asked, &body),
        ExchangeError::TooLarge => {
            let message = format!("the answer is larger than {} MiB", LARGEST >> 20);
            ProviderError::new(Cause::Answer, message)
        }
        ExchangeError::Idle(idle) => {
            let message = format!(
                "{} sent nothing for {} s in the middle of its answer; to wait longer, set \
                 `idle_seconds` of the target",
                asked.vendor.name,
                idle.as_secs_f64()
            );
            ProviderError::new(Cause::Timeout, message)
        }
        ExchangeError::Cut => {
            let message = format!(
                "the stream from {} ended in the middle of its answer",
                asked.vendor.name
            );
            ProviderError::new(Cause::Network, message)
        }
        ExchangeError::Damaged => {
            let message = format!("the stream from {} is damaged", asked.vendor.name);
            ProviderError::new(Cause::Network, message)
        }
        ExchangeError::Compressed(error) => unreadable(asked, &error.to_string()),
        ExchangeError::TooDeep => {
            let why =
                format!("the arguments of a tool call are nested more than {DEEPEST} levels deep");
            unreadable(asked, &why)
        }
    };
    ProviderError {
        message: asked.secrets.redact(&error.message).into_owned(),
        ..error
    }
}

/// Returns the error that a vendor reports in place of an answer, or within it.
fn reported(asked: &AskedModel, body: &Value) -> ProviderError {
    if let Some(words) = asked.words_in(body) {
        return refused_in_body(asked, &words);
    }
    let said = asked.excerpt(&body.to_string());
    let message = format!("{} reported an error: {said}", asked.vendor.name);
    ProviderError::new(Cause::Answer, message)
}

/// Returns the error of an answer in which nothing was said.
fn no_message(asked: &AskedModel, body: &Value) -> ProviderError {
    if let Some(words) = asked.words_in(body) {
        return refused_in_body(asked, &words);
    }
    let fields = body
        .as_object()
        .into_iter()
        .flat_map(|fields| fields.keys());
    let fields: Vec<&str> = fields.take(8).map(String::as_str).collect();
    let why = match fields.as_slice() {
        [] => "it has no message".to_owned(),
        fields => {
            let found = asked.excerpt(&fields.join("`, `"));
            format!("it has no message, only `{found}`")
        }
    };
    unreadable(asked, &why)
}

/// Returns the error of a status that is no success.
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

/// Returns the error in an answer that is a success by its status, as gateways and streams give it.
fn refused_in_body(asked: &AskedModel, words: &VendorError) -> ProviderError {
    let status = words.status.filter(|code| (400..600).contains(code));
    match status.or_else(|| words.meant_status()) {
        Some(code) => of_status(asked, code, words).retry_after(words.retry_after),
        None => {
            let name = asked.vendor.name;
            let said = said(words);
            ProviderError::new(Cause::Answer, format!("{name} reported an error{said}"))
        }
    }
}

/// Returns the error of a status: what happened, the vendor's own words, and what to do.
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

/// Returns the error of an answer that is a success by its status and cannot be used.
fn unreadable(asked: &AskedModel, why: &str) -> ProviderError {
    let message = format!("cannot read the answer from {}: {why}", asked.vendor.name);
    ProviderError::new(Cause::Answer, message)
}
