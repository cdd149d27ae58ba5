//! A real HTTP server that speaks the protocols of the model vendors and misbehaves on request.
//!
//! Four nouns:
//!
//! - a [`Behaviour`] is what a server does with all requests: what it answers, how fast, to how many;
//! - a [`Conduct`] is what it does with one of them: a [`Step`] such as "reset the connection", and
//!   what goes with it. It comes from a script, from [`WORDS`] within the last user message, or from
//!   a rule such as "fail the first two calls of each case";
//! - a [`ModelServer`] is one that runs;
//! - what it saw of its clients is [`Calls`] and [`Received`].
//!
//! The protocol follows from the path of a request: `…/chat/completions` and `…/responses` are
//! OpenAI's, `…/messages` is Anthropic's, `…:generateContent` is Gemini's. Any other path is a plain
//! JSON endpoint that answers `{"answer": …}`. A `GET` of `/-/stats` tells the [`Calls`] as JSON, and
//! is none itself.

mod behaviour;
mod bodies;
mod conduct;
mod connection;
mod content;
mod delivery;
mod http;
mod log;
mod observed;
mod protocol;
mod server;
mod tls;
mod wire;
mod words;

pub use behaviour::{Answer, Behaviour, Tls, Usage};
pub use conduct::{Conduct, RetryAfter, Step};
pub use observed::{Calls, Received};
pub use server::ModelServer;
pub use words::{UnknownWord, WORDS, script};
