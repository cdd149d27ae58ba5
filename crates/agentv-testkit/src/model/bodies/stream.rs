//! Answers as streams of events.

use std::io::Write;

use super::{Said, anthropic, chat, converse, error, gemini, responses};
use crate::model::protocol::Protocol;

/// One event of a stream.
pub(crate) struct Event {
    name: &'static str,
    data: String,
    /// True if the answer may end with the event.
    ends: bool,
}

impl Event {
    /// Returns an event after which the answer continues.
    pub(crate) fn part(data: String) -> Event {
        Event {
            name: "",
            data,
            ends: false,
        }
    }

    /// Returns an event that belongs to the end of the answer.
    pub(crate) fn end(data: String) -> Event {
        Event {
            ends: true,
            ..Event::part(data)
        }
    }

    /// Makes the event one that belongs to the end of the answer.
    pub(crate) fn that_ends(self) -> Event {
        Event { ends: true, ..self }
    }

    /// Gives the event a name.
    pub(crate) fn named(self, name: &'static str) -> Event {
        Event { name, ..self }
    }
}

/// The end of a stream.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum End<'a> {
    /// The end of the answer.
    Whole,
    /// The middle of the answer.
    Cut,
    /// An error with this message in the middle of the answer.
    Error(&'a str),
}

/// Returns an answer as a stream with its content type, if the protocol has streams.
pub(crate) fn stream(
    protocol: Protocol,
    said: &Said<'_>,
    end: End<'_>,
) -> Option<(&'static str, Vec<u8>)> {
    let mut events = match protocol {
        Protocol::OpenAiChat => chat::events(said),
        Protocol::OpenAiResponses => responses::events(said),
        Protocol::Anthropic => anthropic::events(said),
        Protocol::Gemini => gemini::events(said),
        Protocol::Converse => converse::events(said),
        Protocol::Plain => return None,
    };
    if end != End::Whole {
        events.retain(|event| !event.ends);
    }
    if let End::Error(message) = end {
        events.push(broken(protocol, message));
    }
    let mut bytes = Vec::new();
    for event in &events {
        match protocol {
            Protocol::Converse => frame(&mut bytes, event),
            _ => sse(&mut bytes, protocol, event),
        }
    }
    let kind = match protocol {
        Protocol::Converse => "application/vnd.amazon.eventstream",
        _ => "text/event-stream",
    };
    Some((kind, bytes))
}

fn broken(protocol: Protocol, message: &str) -> Event {
    let event = Event::part(error(protocol, 500, message));
    match protocol {
        Protocol::Anthropic | Protocol::OpenAiResponses => event.named("error"),
        Protocol::Converse => event.named(EXCEPTION),
        Protocol::OpenAiChat | Protocol::Gemini | Protocol::Plain => event,
    }
}

const EXCEPTION: &str = "modelStreamErrorException";

fn sse(bytes: &mut Vec<u8>, protocol: Protocol, event: &Event) {
    // As the vendors write it.
    let line_end = match protocol {
        Protocol::Gemini => "\r\n",
        _ => "\n",
    };
    // Writing to memory cannot fail.
    if !event.name.is_empty() {
        let _ = write!(bytes, "event: {}{line_end}", event.name);
    }
    let _ = write!(bytes, "data: {}{line_end}{line_end}", event.data);
}

/// Writes a frame: two lengths and their checksum, the headers, the payload, the checksum of all.
fn frame(bytes: &mut Vec<u8>, event: &Event) {
    let (kind, name) = match event.name {
        EXCEPTION => ("exception", ":exception-type"),
        _ => ("event", ":event-type"),
    };
    let mut headers = Vec::new();
    let texts = [
        (":message-type", kind),
        (name, event.name),
        (":content-type", "application/json"),
    ];
    for (name, value) in texts {
        headers.push(name.len() as u8);
        headers.extend_from_slice(name.as_bytes());
        headers.push(7);
        headers.extend_from_slice(&(value.len() as u16).to_be_bytes());
        headers.extend_from_slice(value.as_bytes());
    }
    let length = 12 + headers.len() + event.data.len() + 4;
    let mut frame = Vec::with_capacity(length);
    frame.extend_from_slice(&(length as u32).to_be_bytes());
    frame.extend_from_slice(&(headers.len() as u32).to_be_bytes());
    frame.extend_from_slice(&crc32fast::hash(&frame).to_be_bytes());
    frame.extend_from_slice(&headers);
    frame.extend_from_slice(event.data.as_bytes());
    frame.extend_from_slice(&crc32fast::hash(&frame).to_be_bytes());
    bytes.extend_from_slice(&frame);
}
