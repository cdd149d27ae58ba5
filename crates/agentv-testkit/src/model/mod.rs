//! A real HTTP server that speaks the protocols of the model vendors and misbehaves on request.
//!
//! Four nouns:
//!
//! - a [`Behaviour`] defines the server's reaction to all requests: its answers, their speed, its
//!   limits;
//! - a [`Conduct`] is its reaction to one request: a [`Step`] such as "reset the connection", and
//!   its details. It comes from a script, from [`WORDS`] in the last user message, or from a rule
//!   such as "fail the first two calls of each case";
//! - a [`ModelServer`] is a running server;
//! - [`Calls`] and [`Received`] are its observations of its clients.
//!
//! The path of a request determines the protocol: `…/chat/completions` and `…/responses` are
//! OpenAI's, `…/messages` is Anthropic's, `…:generateContent` is Gemini's, `…/converse` is Amazon's.
//! Any other path is a plain JSON endpoint that answers `{"answer": …}`. A client that asks for a
//! stream gets one. With a [`Play`], the server acts as the model of an agent and calls tools. A `GET` of `/-/stats` returns the [`Calls`] as
//! JSON, and does not count as a call.

mod behaviour;
mod bodies;
mod conduct;
mod connection;
mod content;
mod delivery;
mod http;
mod log;
mod observed;
mod play;
mod protocol;
mod server;
mod tls;
mod wire;
mod words;

pub use behaviour::{Answer, Behaviour, Tls, Usage};
pub use conduct::{Conduct, RetryAfter, Step};
pub use observed::{Calls, Received};
pub use play::{Play, PlayError};
pub use server::ModelServer;
pub use words::{UnknownWord, WORDS, script};
