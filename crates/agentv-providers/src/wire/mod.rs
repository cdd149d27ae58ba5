//! The protocols of model APIs: one file or folder for each, and what they share.
//!
//! A [`Wire`] turns an [`Ask`] into the bytes of a request, and the bytes of an answer into a [`Reply`],
//! whether it arrives at once or as a stream. Nothing is trimmed, rewritten or dropped on the way.
//! [`exchange`](exchange::Exchange) sends and receives for all of them.

mod anthropic_messages;
mod bedrock_converse;
mod count;
mod draft;
mod event_stream;
mod exchange;
pub(crate) mod fuzzing;
mod gemini_generate_content;
mod inflate;
mod media;
mod merge;
mod openai_chat;
mod openai_responses;
mod parameters;
mod protocol;
mod recording;
mod reply;
mod sse;
mod stream;
mod text;
mod thoughts;
mod turns;

#[cfg(test)]
mod golden;
#[cfg(test)]
mod sources;
#[cfg(test)]
mod tests;

pub(crate) use draft::{CARRIED, SIGNATURE, WRITTEN};
pub(crate) use exchange::{Exchange, ExchangeError, Heard, LARGEST};
pub(crate) use media::{Media, MediaKind, MediaSource};
pub(crate) use merge::merge;
pub(crate) use parameters::{Dialect, Format, Parameter, Parameters, Tool, ToolChoice};
pub(crate) use protocol::{Ask, Assemble, Progress, Protocol, Unsendable, Wire, WireError};
pub(crate) use recording::Recording;
pub(crate) use reply::{Reply, Usage};
pub(crate) use stream::Incoming as IncomingStream;
pub(crate) use text::with_halves;
pub(crate) use turns::{Assistant, Call, Conversation, Input, Part, ToolResult, Turn, User};
