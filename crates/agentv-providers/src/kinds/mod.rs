//! One file for each kind of provider, and the list of them.

mod agent;
mod model;

use agentv_syntax::Kind;

use crate::agent::AgentKind;

pub(crate) use crate::kind::{Facts, ProviderKind};

/// Declares the module of each kind and lists its `PROVIDER`, and the `AGENT` of those that are agents.
macro_rules! kinds {
    ($($kind:ident,)*; $($agent:ident,)*) => {
        $(pub(crate) mod $kind;)*
        $(pub(crate) mod $agent;)*

        /// Every kind of provider, in the order of the reference page.
        pub(crate) const PROVIDERS: &[&ProviderKind] =
            &[$(&$kind::PROVIDER,)* $(&$agent::PROVIDER,)*];

        /// Every agent.
        pub(crate) const AGENTS: &[&AgentKind] = &[$(&$agent::AGENT,)*];
    };
}

// To add a provider, write its file in this folder and add its name here. `CONTRIBUTING.md` has the
// other steps.
kinds! {
    mock,
    echo,
    replay,
    openai,
    azure,
    anthropic,
    gemini,
    ollama,
    vllm,
    llama_cpp,
    lm_studio,
    openrouter,
    groq,
    mistral,
    deepseek,
    bedrock,
    xai,
    together,
    fireworks,
    cli,
    http,
    alias,
    ;
    // Agents.
    claude_code,
    codex,
    gemini_cli,
    copilot,
    opencode,
    pi,
    qwen_code,
    acp,
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

/// Returns the facts about the targets of a provider, or `None` if no provider has that name.
pub fn facts(provider: &str) -> Option<&'static Facts> {
    named(provider).map(|provider| provider.facts)
}

/// Returns the example of a provider: a list of targets, as YAML.
pub fn example(provider: &str) -> Option<&'static str> {
    named(provider).map(|provider| provider.example)
}

/// Returns the kind with this name or alias.
pub(crate) fn named(name: &str) -> Option<&'static ProviderKind> {
    let mut providers = PROVIDERS.iter().copied();
    providers.find(|provider| provider.kind.answers_to(name))
}
