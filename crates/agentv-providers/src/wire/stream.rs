//! An answer that comes as a stream: bytes in, events together.

use super::event_stream::{Damaged, FrameReader};
use super::sse::SseReader;
use super::{Assemble, Progress, Reply, Wire, WireError};

/// A stream while it is being read.
pub(crate) struct Incoming {
    framing: Framing,
    events: Events,
}

/// The framing of events in a body.
enum Framing {
    Sse(SseReader),
    Frames(FrameReader),
}

/// The events so far.
struct Events {
    assembler: Box<dyn Assemble>,
    has_begun: bool,
    is_done: bool,
}

/// A stream that gives no answer.
#[derive(Debug, thiserror::Error)]
pub(crate) enum StreamError {
    /// An event cannot be used. The text is its data.
    #[error("{0}")]
    Event(#[source] WireError, String),
    /// The bytes are not the frames that they should be.
    #[error(transparent)]
    Damaged(#[from] Damaged),
}

impl Incoming {
    /// Starts to read a stream of this content type, if it is one of a stream.
    pub(crate) fn of(content_type: &str, wire: &dyn Wire) -> Option<Incoming> {
        let name = content_type.split(';').next().unwrap_or_default().trim();
        let framing = if name.eq_ignore_ascii_case("text/event-stream") {
            Framing::Sse(SseReader::default())
        } else if name.eq_ignore_ascii_case("application/vnd.amazon.eventstream") {
            Framing::Frames(FrameReader::default())
        } else {
            return None;
        };
        Some(Incoming {
            framing,
            events: Events {
                assembler: wire.assembler(),
                has_begun: false,
                is_done: false,
            },
        })
    }

    /// Takes the next bytes.
    ///
    /// # Errors
    /// If an event cannot be used.
    pub(crate) fn push(&mut self, chunk: &[u8]) -> Result<(), StreamError> {
        let events = &mut self.events;
        let mut each = |name: &str, data: &str| events.take(name, data);
        match &mut self.framing {
            Framing::Sse(reader) => reader.push(chunk, &mut each),
            Framing::Frames(reader) => reader.push(chunk, &mut each),
        }
    }

    /// Returns true once the model has said anything.
    pub(crate) fn has_begun(&self) -> bool {
        self.events.has_begun
    }

    /// Returns true once no further event belongs to the answer.
    pub(crate) fn is_done(&self) -> bool {
        self.events.is_done
    }

    /// Takes the end of the stream, and returns the answer.
    ///
    /// # Errors
    /// If the stream ended before the answer did.
    pub(crate) fn finish(mut self) -> Result<Reply, StreamError> {
        let cut = || StreamError::Event(WireError::Cut, String::new());
        let events = &mut self.events;
        let mut each = |name: &str, data: &str| {
            // An event that the end cuts means that the answer is cut.
            events.take(name, data).map_err(|error| match error {
                StreamError::Event(WireError::Json(_), _) => cut(),
                other => other,
            })
        };
        match &mut self.framing {
            Framing::Sse(reader) => reader.end(&mut each)?,
            Framing::Frames(reader) if reader.is_complete() => {}
            Framing::Frames(_) => return Err(cut()),
        }
        let reply = self.events.assembler.finish();
        reply.map_err(|error| StreamError::Event(error, String::new()))
    }
}

impl Events {
    fn take(&mut self, name: &str, data: &str) -> Result<(), StreamError> {
        let error = |error| StreamError::Event(error, data.to_owned());
        if name == "error" {
            return Err(error(WireError::Reported(data.to_owned())));
        }
        match self.assembler.event(name, data).map_err(error)? {
            Progress::Nothing => {}
            Progress::Token => self.has_begun = true,
            Progress::Last => self.is_done = true,
        }
        Ok(())
    }
}
