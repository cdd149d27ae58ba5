//! A vendor's API as data: which protocol it speaks, where, and with whose key.

use genai::adapter::AdapterKind;
use genai::chat::ReasoningEffort;

/// The API of one vendor.
pub(crate) struct Vendor {
    /// The vendor's name as people write it.
    pub(crate) name: &'static str,
    /// The client crate's name of the dialect.
    pub(crate) adapter: AdapterKind,
    /// The protocol of that dialect.
    pub(crate) protocol: Protocol,
    /// The default address of the API.
    pub(crate) base_url: &'static str,
    /// The header that carries the key.
    pub(crate) auth: Auth,
    /// The variables that usually hold the key, the first that is set wins.
    pub(crate) key_variables: &'static [&'static str],
    /// The condition under which no key is needed.
    pub(crate) keyless: Keyless,
    /// The vendor's name in the table of prices.
    pub(crate) prices: &'static str,
}

impl Vendor {
    /// A vendor that speaks OpenAI's chat protocol, with its key as a bearer token.
    pub(crate) const fn like_openai(
        name: &'static str,
        adapter: AdapterKind,
        base_url: &'static str,
        key_variables: &'static [&'static str],
        prices: &'static str,
    ) -> Vendor {
        Vendor {
            name,
            adapter,
            protocol: Protocol::Chat,
            base_url,
            auth: Auth::Bearer,
            key_variables,
            keyless: Keyless::Never,
            prices,
        }
    }
}

/// The protocols that vendors speak.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Protocol {
    /// OpenAI's chat completions.
    Chat,
    /// OpenAI's responses.
    Responses,
    /// Anthropic's messages.
    Messages,
    /// Google's `generateContent`.
    Generate,
    /// Ollama's own.
    Ollama,
    /// Amazon's `converse`.
    Converse,
}

impl Protocol {
    /// The default reasoning effort. Without it the client crate takes the
    /// end of a model's name (`-high`, `-max`) for a wish of the user, and cuts it off.
    ///
    /// Nothing of it reaches the vendor, except that Anthropic's models are told not to think where
    /// they would by themselves.
    pub(super) fn usual_effort(self) -> Option<ReasoningEffort> {
        match self {
            Protocol::Chat | Protocol::Responses => Some(ReasoningEffort::Budget(0)),
            Protocol::Messages | Protocol::Generate => Some(ReasoningEffort::Zero),
            Protocol::Ollama | Protocol::Converse => None,
        }
    }

    /// True if tool calls may come without an id. The client crate then makes one up.
    pub(super) fn may_leave_ids_out(self) -> bool {
        match self {
            Protocol::Generate | Protocol::Ollama => true,
            Protocol::Chat | Protocol::Responses | Protocol::Messages | Protocol::Converse => false,
        }
    }

    /// True if cached tokens are counted beside the input rather than within it.
    pub(super) fn counts_cached_apart(self) -> bool {
        match self {
            Protocol::Converse => true,
            Protocol::Chat
            | Protocol::Responses
            | Protocol::Messages
            | Protocol::Generate
            | Protocol::Ollama => false,
        }
    }
}

/// The way in which a key is sent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Auth {
    /// `Authorization: Bearer KEY`.
    Bearer,
    /// The key alone, in a header of this name.
    Header(&'static str),
}

impl Auth {
    /// The header's name in lower case.
    pub(super) fn header(self) -> &'static str {
        match self {
            Auth::Bearer => "authorization",
            Auth::Header(name) => name,
        }
    }

    /// The header's value.
    pub(super) fn value(self, key: &str) -> String {
        match self {
            Auth::Bearer => format!("Bearer {key}"),
            Auth::Header(_) => key.to_owned(),
        }
    }
}

/// The condition under which an API needs no key.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Keyless {
    /// Never: a missing key is an error before anything is asked.
    Never,
    /// If the user gave the address: one's own servers need no key.
    AtOwnAddress,
    /// Always.
    Always,
}
