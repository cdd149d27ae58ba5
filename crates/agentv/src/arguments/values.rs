//! Values of options, read from their texts.

use std::path::PathBuf;
use std::str::FromStr;
use std::time::Duration;

use agentv_core::PassThreshold;
use agentv_report::{FORMATS, ReportFormat};
use agentv_syntax::nearest;
use globset::Glob;

use super::ReportTarget;

/// A text that is not a value of its option.
#[derive(Debug, thiserror::Error)]
pub(super) enum InvalidValue {
    /// The text is something else.
    #[error("expected {0}")]
    Expected(&'static str),
    /// The number is larger than any that the option takes.
    #[error("the number is too large")]
    TooLarge,
    /// The text is not a format and a file.
    #[error("expected FORMAT=FILE, where FORMAT is one of {known}")]
    NotAReport { known: String },
    /// No report has this format.
    #[error("unknown format `{name}`, expected one of {known}{hint}")]
    UnknownFormat {
        name: String,
        known: String,
        hint: String,
    },
    /// The text is not a glob.
    #[error("{0}")]
    Glob(globset::ErrorKind),
}

/// Reads a whole number.
pub(super) fn whole<N: FromStr>(text: &str) -> Result<N, InvalidValue> {
    text.parse().map_err(|_| {
        if is_whole(text) {
            InvalidValue::TooLarge
        } else {
            InvalidValue::Expected("a whole number such as `3`")
        }
    })
}

/// Reads a whole number that is at least 1.
pub(super) fn from_one<N: FromStr + PartialOrd + From<u8>>(text: &str) -> Result<N, InvalidValue> {
    match text.parse() {
        Ok(number) if number >= N::from(1) => Ok(number),
        Err(_) if is_whole(text) => Err(InvalidValue::TooLarge),
        _ => Err(InvalidValue::Expected("a whole number of at least 1")),
    }
}

/// Checks if a text is a whole number of any size.
fn is_whole(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit())
}

/// Reads a number from 0 to 1.
pub(super) fn share(text: &str) -> Result<f64, InvalidValue> {
    let number = text.parse::<f64>().ok();
    let number = number.filter(|number| (0.0..=1.0).contains(number));
    number.ok_or(InvalidValue::Expected("a number from 0 to 1 such as `0.8`"))
}

/// Reads the lowest score that passes.
pub(super) fn pass_threshold(text: &str) -> Result<PassThreshold, InvalidValue> {
    let threshold = share(text).ok().and_then(PassThreshold::new);
    threshold.ok_or(InvalidValue::Expected("a number from 0 to 1 such as `0.8`"))
}

/// Reads a tag: a text on one line that is not blank.
pub(super) fn tag(text: &str) -> Result<String, InvalidValue> {
    let tag = text.trim();
    if tag.is_empty() || tag.chars().any(char::is_control) {
        return Err(InvalidValue::Expected(
            "a name on one line such as `nightly`",
        ));
    }
    Ok(tag.to_owned())
}

/// Reads a number from -1 to 1.
pub(super) fn kappa(text: &str) -> Result<f64, InvalidValue> {
    let number = text.parse::<f64>().ok();
    let number = number.filter(|number| (-1.0..=1.0).contains(number));
    number.ok_or(InvalidValue::Expected("a number from -1 to 1"))
}

/// Reads a duration in units, or a number of seconds.
pub(super) fn duration(text: &str) -> Result<Duration, InvalidValue> {
    let seconds = text.parse::<f64>().ok().map(Duration::try_from_secs_f64);
    let friendly = || text.parse::<jiff::SignedDuration>().ok()?.try_into().ok();
    let duration = seconds.and_then(Result::ok).or_else(friendly);
    let expected = InvalidValue::Expected("a time such as `90s`, `15m` or `1h30m`");
    duration
        .filter(|duration: &Duration| !duration.is_zero())
        .ok_or(expected)
}

/// Reads a duration in units, or a number of milliseconds. Returns milliseconds.
pub(super) fn milliseconds(text: &str) -> Result<u64, InvalidValue> {
    if is_whole(text) {
        return text.parse().map_err(|_| InvalidValue::TooLarge);
    }
    let expected = || InvalidValue::Expected("a time such as `250ms` or `2s`");
    let friendly = text
        .parse::<jiff::SignedDuration>()
        .map_err(|_| expected())?;
    u64::try_from(friendly.as_millis()).map_err(|_| expected())
}

/// Reads an amount of money.
pub(super) fn amount(text: &str) -> Result<f64, InvalidValue> {
    let amount = text.trim_start_matches('$').parse::<f64>().ok();
    let amount = amount.filter(|amount| amount.is_finite() && *amount >= 0.0);
    amount.ok_or(InvalidValue::Expected(
        "an amount in US dollars such as `2.50`",
    ))
}

/// Reads a glob.
pub(super) fn glob(text: &str) -> Result<Glob, InvalidValue> {
    Glob::new(text).map_err(|error| InvalidValue::Glob(error.kind().clone()))
}

/// Reads the format and the file of a report.
pub(super) fn report(text: &str) -> Result<ReportTarget, InvalidValue> {
    let names = || FORMATS.iter().map(|format| format.name);
    let known = || names().collect::<Vec<&str>>().join(", ");
    let (name, path) = match text.split_once('=') {
        Some((name, path)) if !path.is_empty() => (name, Some(PathBuf::from(path))),
        None if text == ReportFormat::ANNOTATIONS => (text, None),
        Some(_) | None => return Err(InvalidValue::NotAReport { known: known() }),
    };
    let Some(format) = ReportFormat::named(name) else {
        let near = nearest(name, names());
        return Err(InvalidValue::UnknownFormat {
            name: name.to_owned(),
            known: known(),
            hint: near.map_or_else(String::new, |near| format!("; did you mean `{near}`?")),
        });
    };
    Ok(ReportTarget { format, path })
}
