//! The conduct of a server for one request.

use std::time::Duration;

use jiff::Timestamp;
use jiff::fmt::rfc2822::DateTimePrinter;

/// The conduct of a server for one request: a step and its details.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Conduct {
    /// The step.
    pub step: Step,
    /// The header `Retry-After`.
    pub retry_after: Option<RetryAfter>,
    /// The additional delay.
    pub delay: Duration,
    /// The number of calls of a case that this applies to; later calls are answered.
    pub first: Option<u64>,
}

impl Conduct {
    /// Adds the header `Retry-After: value`, with any value.
    pub fn retry_after(self, value: impl Into<String>) -> Conduct {
        let retry_after = Some(RetryAfter::Value(value.into()));
        Conduct {
            retry_after,
            ..self
        }
    }

    /// Adds a delay.
    pub fn delay(self, delay: Duration) -> Conduct {
        Conduct { delay, ..self }
    }

    /// Applies only to the first `calls` calls of a case.
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

/// The value of the header `Retry-After`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum RetryAfter {
    /// A fixed text.
    Value(String),
    /// The date this far in the future.
    Date(Duration),
}

impl RetryAfter {
    /// Returns the value of the header.
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

/// A reaction to a request, for all protocols.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub enum Step {
    /// Answers properly.
    #[default]
    Answer,
    /// Calls a tool with this name instead of answering with text.
    Tool(String),
    /// Reports that the answer was cut off at the maximum length.
    Length,
    /// Answers with nothing: no choices, no content, no candidates.
    NoChoices,
    /// Answers without token usage.
    NoUsage,
    /// Answers with this status and an error of the vendor's kind.
    Status(u16),
    /// Reports in the vendor's way that the quota is used up.
    Quota,
    /// Answers with an error of the vendor's kind that contains the request's key, and status 200.
    ErrorInSuccess,
    /// Ends a stream after its text and before its end; an answer that is not streamed is truncated
    /// JSON.
    CutStream,
    /// Reports an error in the middle of a stream; an answer that is not streamed is an error with
    /// status 200.
    StreamError,
    /// Repeats the request's key in an error with this status, or in the answer if the status is
    /// 200.
    EchoKey(u16),
    /// Redirects to an address that redirects to itself.
    Redirect,
    /// Answers properly, promises to keep the connection open, and closes it.
    Close,
    /// Answers properly with HTTP/1.0: no length, the body ends with the connection.
    Http10,
    /// Answers properly, but sends the body byte by byte with this pause in between.
    Slow(Duration),
    /// Answers properly with the content type of plain text.
    WrongType,
    /// Answers properly with a text of this many bytes.
    Huge(u64),
    /// Resets the connection within the body.
    Reset,
    /// Resets the connection before the reply.
    ResetEarly,
    /// Closes the connection within a body of known length.
    Truncate,
    /// Closes the connection within a chunked body.
    ChunkedCut,
    /// Sends a chunked body that never ends.
    Endless,
    /// Sends nothing until the client disconnects.
    Hang,
    /// Stops within the body until the client disconnects.
    HangBody,
    /// Sends bytes that are not HTTP.
    Garbage,
    /// Answers with an empty body.
    Empty,
    /// Answers with a text that is not JSON.
    NotJson,
    /// Answers with truncated JSON.
    CutJson,
    /// Answers with JSON of another type: a number.
    WrongShape,
    /// Answers with nested arrays, 100,000 levels deep.
    Deep,
    /// Answers with an HTML page and status 200.
    Html,
    /// Answers properly, but with invalid UTF-8 in the text.
    BadUtf8,
}
