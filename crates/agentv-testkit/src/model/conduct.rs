//! What a server does with one request.

use std::time::Duration;

use jiff::Timestamp;
use jiff::fmt::rfc2822::DateTimePrinter;

/// What a server does with one request: a step, and what goes with it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Conduct {
    /// What is done.
    pub step: Step,
    /// The header `Retry-After`.
    pub retry_after: Option<RetryAfter>,
    /// How much later than usual it is done.
    pub delay: Duration,
    /// How many calls of a case it is done with; the later ones are answered.
    pub first: Option<u64>,
}

impl Conduct {
    /// The same with the header `Retry-After: value`, whatever that is.
    pub fn retry_after(self, value: impl Into<String>) -> Conduct {
        let retry_after = Some(RetryAfter::Value(value.into()));
        Conduct {
            retry_after,
            ..self
        }
    }

    /// The same with a date so far from now in the header `Retry-After`.
    pub fn retry_date(self, from_now: Duration) -> Conduct {
        let retry_after = Some(RetryAfter::Date(from_now));
        Conduct {
            retry_after,
            ..self
        }
    }

    /// The same, so much later.
    pub fn delay(self, delay: Duration) -> Conduct {
        Conduct { delay, ..self }
    }

    /// The same, for the first `calls` calls of a case only.
    pub fn first(self, calls: u64) -> Conduct {
        let first = Some(calls);
        Conduct { first, ..self }
    }
}

impl From<Step> for Conduct {
    fn from(step: Step) -> Conduct {
        Conduct {
            step,
            ..Conduct::default()
        }
    }
}

/// What the header `Retry-After` says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum RetryAfter {
    /// This text.
    Value(String),
    /// The date so far from now.
    Date(Duration),
}

impl RetryAfter {
    /// The value of the header.
    pub(crate) fn header(&self) -> String {
        match self {
            RetryAfter::Value(value) => value.clone(),
            RetryAfter::Date(from_now) => {
                let date = Timestamp::now().checked_add(*from_now).unwrap_or_default();
                let printer = DateTimePrinter::new();
                printer
                    .timestamp_to_rfc9110_string(&date)
                    .unwrap_or_default()
            }
        }
    }
}

/// What a server may do with a request. What is said of an answer holds for all protocols.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub enum Step {
    /// Answers properly.
    #[default]
    Answer,
    /// Calls a tool of this name in place of saying something.
    Tool(String),
    /// Says that the answer was cut off at its longest length.
    Length,
    /// Answers without anything said: no choices, no content, no candidates.
    NoChoices,
    /// Answers with nothing that tells the tokens.
    NoUsage,
    /// Answers with this status and the vendor's kind of error.
    Status(u16),
    /// Says in the vendor's way that there is no money left.
    Quota,
    /// Says the vendor's kind of error, and the request's key in it, with the status of a success.
    ErrorInSuccess,
    /// Says the request's key inside an error of this status; inside the answer, if that is 200.
    EchoKey(u16),
    /// Sends on to a place that sends on to itself.
    Redirect,
    /// Answers properly, promises to keep the connection, and closes it.
    Close,
    /// Answers properly by HTTP/1.0: no length, the end of the connection is that of the body.
    Http10,
    /// Answers properly, the body a byte at a time with this pause between.
    Slow(Duration),
    /// Calls a proper answer plain text.
    WrongType,
    /// Answers properly, with a text of so many bytes.
    Huge(u64),
    /// Breaks the connection within the body.
    Reset,
    /// Breaks the connection before a word is said.
    ResetEarly,
    /// Ends the connection within the body, whose length was said.
    Truncate,
    /// Ends the connection within a chunked body.
    ChunkedCut,
    /// Sends a chunked body that never ends.
    Endless,
    /// Says nothing until the client goes.
    Hang,
    /// Says nothing more, within the body, until the client goes.
    HangBody,
    /// Answers with what is no HTTP.
    Garbage,
    /// Answers with a body of no bytes.
    Empty,
    /// Answers with a text that is no JSON.
    NotJson,
    /// Answers with JSON that stops in the middle.
    CutJson,
    /// Answers with JSON of another shape: a number.
    WrongShape,
    /// Answers with arrays within arrays, 100,000 deep.
    Deep,
    /// Answers with a page of HTML and the status of a success.
    Html,
    /// Answers properly but for bytes that are no UTF-8 in what is said.
    BadUtf8,
}
