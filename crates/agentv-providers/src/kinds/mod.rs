//! One file for each kind of provider, and the list of them.

mod anthropic;
mod azure;
mod bedrock;
mod cli;
mod deepseek;
mod echo;
mod gemini;
mod groq;
mod http;
mod mistral;
mod mock;
mod model;
mod ollama;
mod openai;
mod openrouter;
mod replay;

use agentv_syntax::Kind;

/// Every kind of provider, in the order of the reference page.
pub const ALL: &[&Kind] = &[
    &mock::KIND,
    &echo::KIND,
    &replay::KIND,
    &openai::KIND,
    &azure::KIND,
    &anthropic::KIND,
    &gemini::KIND,
    &ollama::KIND,
    &openrouter::KIND,
    &groq::KIND,
    &mistral::KIND,
    &deepseek::KIND,
    &bedrock::KIND,
    &cli::KIND,
    &http::KIND,
];
