//! A vendor's API as data: which protocol it speaks, where, and with whose key.

use genai::adapter::AdapterKind;
use genai::chat::ReasoningEffort;

/// The API of one vendor.
pub(crate) struct Vendor {
    /// The vendor's name as people write it.
    pub(crate) name: &'static str,
    /// What the client crate calls its dialect.
    pub(crate) adapter: AdapterKind,
    /// The protocol of that dialect.
    pub(crate) protocol: Protocol,
    /// Where the API is unless the user says.
    pub(crate) base_url: &'static str,
    /// The header that carries the key.
    pub(crate) auth: Auth,
    /// The variables that usually hold the key, the first that is set wins.
    pub(crate) key_variables: &'static [&'static str],
    /// When the API is asked without a key.
    pub(crate) keyless: Keyless,
    /// What the vendor is called in the table of prices.
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
    /// What is said of reasoning where the user says nothing. Without it the client crate takes the
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

    /// Whether calls of tools may come without an id; the client crate makes one up then.
    pub(super) fn may_leave_ids_out(self) -> bool {
        match self {
            Protocol::Generate | Protocol::Ollama => true,
            Protocol::Chat | Protocol::Responses | Protocol::Messages | Protocol::Converse => false,
        }
    }

    /// Whether cached tokens are counted beside the input rather than within it.
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

/// How a key is sent.
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

/// When an API is asked without a key.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Keyless {
    /// Never: a missing key is an error before anything is asked.
    Never,
    /// Where the user gave the address: servers of one's own need none.
    AtOwnAddress,
    /// Always.
    Always,
}
