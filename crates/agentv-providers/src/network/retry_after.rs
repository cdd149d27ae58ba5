//! The wait that a server asks for.

use std::time::Duration;

use jiff::Timestamp;
use jiff::fmt::rfc2822;
use reqwest::header::{HeaderMap, RETRY_AFTER};

/// Returns the wait of `Retry-After`, in seconds or until a date, or of `retry-after-ms`, which some
/// vendors send. Returns `None` if there is no such header or it cannot be parsed.
pub(crate) fn retry_after(headers: &HeaderMap) -> Option<Duration> {
    wait_at(headers, Timestamp::now())
}

fn wait_at(headers: &HeaderMap, now: Timestamp) -> Option<Duration> {
    let text = |name: &str| headers.get(name)?.to_str().ok().map(str::trim);
    let exact = text("retry-after-ms").and_then(|text| seconds(text, 1000.0));
    exact.or_else(|| {
        let text = text(RETRY_AFTER.as_str())?;
        seconds(text, 1.0).or_else(|| until(text, now))
    })
}

fn seconds(text: &str, in_a_second: f64) -> Option<Duration> {
    let number: f64 = text.parse().ok()?;
    Duration::try_from_secs_f64(number / in_a_second).ok()
}

/// Returns the time until a date, or zero if the date has passed.
fn until(date: &str, now: Timestamp) -> Option<Duration> {
    let date = rfc2822::DateTimeParser::new().parse_timestamp(date).ok()?;
    Some(Duration::try_from(date.duration_since(now)).unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn wait(name: &'static str, value: &str) -> Option<Duration> {
        let headers = HeaderMap::from_iter([(name.parse().unwrap(), value.parse().unwrap())]);
        wait_at(&headers, "2026-11-15T10:43:07Z".parse().unwrap())
    }

    #[test]
    fn seconds_milliseconds_and_dates_are_read() {
        for (name, value, expected) in [
            ("retry-after", "7", Some(7_000)),
            ("retry-after", " 0.5 ", Some(500)),
            ("retry-after", "Sun, 15 Nov 2026 10:43:17 GMT", Some(10_000)),
            ("retry-after", "Sun, 15 Nov 2026 10:43:00 GMT", Some(0)),
            ("retry-after-ms", "1500", Some(1_500)),
            ("retry-after", "-7", None),
            ("retry-after", "NaN", None),
            ("retry-after", "1e300", None),
            ("retry-after", "soon", None),
            ("x-other", "7", None),
        ] {
            let expected = expected.map(Duration::from_millis);
            assert_eq!(wait(name, value), expected, "{name}: {value}");
        }
    }
}
