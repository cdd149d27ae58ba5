//! The limits of a target, from its common fields.

use std::borrow::Cow;
use std::time::Duration;

use agentv_core::{Limits, Retry};
use serde_json::Value;

use super::settings::{SettingError, Settings};

/// Returns the limits that the fields set. `usual` has those of the kind for the others.
///
/// # Errors
/// If a field holds a wrong value.
pub(crate) fn limits(settings: &Settings, usual: &Limits) -> Result<Limits, SettingError> {
    let workers = settings.count("workers")?;
    let timeout = duration(settings, "timeout_seconds", 1.0)?;
    Ok(Limits {
        workers: workers.map_or(usual.workers, |count| {
            usize::try_from(count).unwrap_or(usize::MAX)
        }),
        has_own_workers: workers.is_some(),
        timeout: timeout.unwrap_or(usual.timeout),
        requests_per_minute: settings.count("requests_per_minute")?.map(in_u32),
        tokens_per_minute: settings.count("tokens_per_minute")?.map(in_u32),
        sharers: usual.sharers,
        retry: retry(settings, &usual.retry)?,
    })
}

fn retry(settings: &Settings, usual: &Retry) -> Result<Retry, SettingError> {
    let initial = duration(settings, "retry_initial_delay_ms", 1000.0)?;
    let longest = duration(settings, "retry_max_delay_ms", 1000.0)?;
    let factor = settings.number("retry_backoff_factor")?;
    Ok(Retry {
        max_retries: settings
            .count("max_retries")?
            .map_or(usual.max_retries, in_u32),
        initial_delay: initial.unwrap_or(usual.initial_delay),
        max_delay: longest.unwrap_or(usual.max_delay),
        backoff_factor: factor.map_or(usual.backoff_factor, |factor| (factor as f32).min(f32::MAX)),
        status_codes: status_codes(settings)
            .map(Cow::Owned)
            .or_else(|| usual.status_codes.clone()),
    })
}

/// Converts a count. One that is too large becomes the largest, which limits nothing.
fn in_u32(count: u64) -> u32 {
    u32::try_from(count).unwrap_or(u32::MAX)
}

/// Reads a time. One that is too long becomes the longest that the types can hold.
fn duration(
    settings: &Settings,
    field: &str,
    in_a_second: f64,
) -> Result<Option<Duration>, SettingError> {
    const LONGEST: f64 = 1e9;
    let number = settings.number(field)?;
    let seconds = number.map(|number| (number / in_a_second).clamp(0.0, LONGEST));
    Ok(seconds.map(Duration::from_secs_f64))
}

fn status_codes(settings: &Settings) -> Option<Vec<u16>> {
    let codes = settings.value("retry_status_codes")?.as_array()?;
    let codes = codes.iter().filter_map(Value::as_u64);
    Some(codes.filter_map(|code| u16::try_from(code).ok()).collect())
}
