//! One file for each kind of provider, and the list of them.

mod anthropic;
mod azure;
mod bedrock;
mod cli;
mod deepseek;
mod echo;
mod fireworks;
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
mod together;
mod xai;

use std::sync::Arc;

use agentv_core::{Limits, Provider};
use agentv_syntax::Kind;

use crate::settings::{SettingError, Settings};

/// One kind of provider: what it is called, how it is asked, and how it is made.
#[derive(Debug)]
pub(crate) struct ProviderKind {
    /// Its entry of the registry.
    pub(crate) kind: &'static Kind,
    /// How it may be asked, where the user does not say.
    pub(crate) limits: &'static Limits,
    /// Makes one from the fields of a target.
    pub(crate) build: Build,
}

/// Makes a provider from the fields of a target; asks nobody yet.
pub(crate) type Build = fn(&Settings) -> Result<Arc<dyn Provider>, SettingError>;

/// Every kind of provider, in the order of the reference page.
pub(crate) const PROVIDERS: &[&ProviderKind] = &[
    &mock::PROVIDER,
    &echo::PROVIDER,
    &replay::PROVIDER,
    &openai::PROVIDER,
    &azure::PROVIDER,
    &anthropic::PROVIDER,
    &gemini::PROVIDER,
    &ollama::PROVIDER,
    &openrouter::PROVIDER,
    &groq::PROVIDER,
    &mistral::PROVIDER,
    &deepseek::PROVIDER,
    &bedrock::PROVIDER,
    &xai::PROVIDER,
    &together::PROVIDER,
    &fireworks::PROVIDER,
    &cli::PROVIDER,
    &http::PROVIDER,
];

/// Whether targets of this provider are told where the files of a case are, rather than what is in
/// them.
pub fn reads_files(provider: &str) -> bool {
    cli::KIND.answers_to(provider)
}

/// Whether targets of this provider run commands of the targets file.
pub fn runs_commands(provider: &str) -> bool {
    cli::KIND.answers_to(provider)
}

/// Every kind of provider as the registry has it.
pub const ALL: &[&Kind] = &{
    let mut kinds = [PROVIDERS[0].kind; PROVIDERS.len()];
    let mut at = 0;
    while at < kinds.len() {
        kinds[at] = PROVIDERS[at].kind;
        at += 1;
    }
    kinds
};

/// The kind that users call `name`.
pub(crate) fn named(name: &str) -> Option<&'static ProviderKind> {
    let mut providers = PROVIDERS.iter().copied();
    providers.find(|provider| provider.kind.answers_to(name))
}
