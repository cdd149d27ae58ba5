//! The words that control a server, in a message or on a command line.

use std::fmt;
use std::str::FromStr;
use std::time::Duration;

use crate::model::conduct::{Conduct, RetryAfter, Step};

/// The words for steps, each as an example. In a message they are enclosed in exclamation marks:
/// `!status=429! !retry-after=2!`.
///
/// Details of a step: `retry-after=VALUE`, `retry-date=SECONDS` (a date this far in the future),
/// `delay=MILLISECONDS`, and `first=N` (only the first N calls of the case).
pub const WORDS: &[&str] = &[
    "ok",
    "tool=search",
    "length",
    "no-choices",
    "no-usage",
    "status=500",
    "quota",
    "error-in-success",
    "echo-key=401",
    "redirect",
    "close",
    "http10",
    "slow=1",
    "wrong-type",
    "huge=1MB",
    "reset",
    "reset-early",
    "truncate",
    "chunked-cut",
    "endless",
    "hang",
    "hang-body",
    "garbage",
    "empty",
    "not-json",
    "cut-json",
    "cut-stream",
    "stream-error",
    "wrong-shape",
    "deep",
    "html",
    "bad-utf8",
];

/// A word without a meaning.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UnknownWord(String);

impl fmt::Display for UnknownWord {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "`{}` is none of {}", self.0, WORDS.join(", "))?;
        f.write_str(", retry-after=1, retry-date=1, delay=100, first=2")
    }
}

impl std::error::Error for UnknownWord {}

/// Parses words separated by spaces: `status=429 retry-after=1`.
impl FromStr for Conduct {
    type Err = UnknownWord;

    fn from_str(text: &str) -> Result<Conduct, UnknownWord> {
        let mut conduct = Conduct::default();
        for word in text.split_whitespace() {
            conduct.obey(word)?;
        }
        Ok(conduct)
    }
}

/// Parses conducts separated by commas: `status=429 retry-after=1, status=500, ok`.
///
/// # Errors
/// Fails if a word is unknown.
pub fn script(text: &str) -> Result<Vec<Conduct>, UnknownWord> {
    text.split(',').map(str::parse).collect()
}

impl Conduct {
    /// Parses the words in a message, if there are any. Anything else between exclamation marks is
    /// text.
    pub(crate) fn asked_in(message: &str) -> Option<Conduct> {
        let mut conduct = Conduct::default();
        let mut asked = false;
        let mut rest = message;
        while let Some((_, after)) = rest.split_once('!') {
            rest = after;
            let Some((word, behind)) = after.split_once('!') else {
                break;
            };
            if conduct.obey(word).is_ok() {
                asked = true;
                rest = behind;
            }
        }
        asked.then_some(conduct)
    }

    fn obey(&mut self, word: &str) -> Result<(), UnknownWord> {
        let unknown = || UnknownWord(word.to_owned());
        let (name, value) = match word.split_once('=') {
            Some((name, value)) => (name, Some(value)),
            None => (word, None),
        };
        match (name, value) {
            ("retry-after", Some(value)) => {
                self.retry_after = Some(RetryAfter::Value(value.to_owned()));
            }
            ("retry-date", Some(value)) => {
                let from_now = Duration::from_secs(value.parse().map_err(|_| unknown())?);
                self.retry_after = Some(RetryAfter::Date(from_now));
            }
            ("delay", Some(value)) => {
                self.delay = Duration::from_millis(value.parse().map_err(|_| unknown())?);
            }
            ("first", Some(value)) => self.first = Some(value.parse().map_err(|_| unknown())?),
            (name, value) => self.step = step(name, value).ok_or_else(unknown)?,
        }
        Ok(())
    }
}

fn step(name: &str, value: Option<&str>) -> Option<Step> {
    Some(match (name, value) {
        ("tool", name) => Step::Tool(name.unwrap_or("search").to_owned()),
        ("status", Some(status)) => Step::Status(status_code(status)?),
        ("echo-key", status) => Step::EchoKey(status_code(status.unwrap_or("401"))?),
        ("slow", pause) => Step::Slow(Duration::from_millis(pause.unwrap_or("5").parse().ok()?)),
        ("huge", size) => Step::Huge(crate::size::parse(size.unwrap_or("50MB")).ok()?),
        (name, None) => plain_step(name)?,
        _ => return None,
    })
}

fn plain_step(name: &str) -> Option<Step> {
    Some(match name {
        "ok" => Step::Answer,
        "length" => Step::Length,
        "no-choices" => Step::NoChoices,
        "no-usage" => Step::NoUsage,
        "quota" => Step::Quota,
        "error-in-success" => Step::ErrorInSuccess,
        "redirect" => Step::Redirect,
        "close" => Step::Close,
        "http10" => Step::Http10,
        "wrong-type" => Step::WrongType,
        "reset" => Step::Reset,
        "reset-early" => Step::ResetEarly,
        "truncate" => Step::Truncate,
        "chunked-cut" => Step::ChunkedCut,
        "endless" => Step::Endless,
        "hang" => Step::Hang,
        "hang-body" => Step::HangBody,
        "garbage" => Step::Garbage,
        "empty" => Step::Empty,
        "not-json" => Step::NotJson,
        "cut-json" => Step::CutJson,
        "cut-stream" => Step::CutStream,
        "stream-error" => Step::StreamError,
        "wrong-shape" => Step::WrongShape,
        "deep" => Step::Deep,
        "html" => Step::Html,
        "bad-utf8" => Step::BadUtf8,
        _ => return None,
    })
}

/// Checks that a status ends a request; those below 200 do not.
fn status_code(text: &str) -> Option<u16> {
    let status = text.parse().ok()?;
    (200..600).contains(&status).then_some(status)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_word_is_a_step_of_its_own() {
        let steps: Vec<Step> = WORDS
            .iter()
            .map(|word| word.parse::<Conduct>().unwrap().step)
            .collect();
        for (position, step) in steps.iter().enumerate() {
            assert!(!steps[..position].contains(step), "{step:?}");
        }
    }

    #[test]
    fn words_are_found_between_other_text() {
        let conduct = Conduct::asked_in("Wait! What? !status=429! and!retry-after=2!!").unwrap();
        let expected = Conduct::from(Step::Status(429)).retry_after("2");
        assert_eq!(conduct, expected);
    }

    #[test]
    fn text_without_words_asks_for_nothing() {
        for text in [
            "",
            "!",
            "Hello! How are you!",
            "!status!",
            "!status=99!",
            "!!",
        ] {
            assert_eq!(Conduct::asked_in(text), None, "{text}");
        }
    }

    #[test]
    fn a_script_is_read_in_order() {
        let steps = script("status=429 retry-after=1, reset first=2, ok").unwrap();
        let expected = [
            Conduct::from(Step::Status(429)).retry_after("1"),
            Conduct::from(Step::Reset).first(2),
            Conduct::default(),
        ];
        assert_eq!(steps, expected);
        let error = script("ok, reste").unwrap_err().to_string();
        assert!(error.starts_with("`reste` is none of ok, "), "{error}");
    }
}
