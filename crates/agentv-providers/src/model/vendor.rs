//! A vendor's API as data: its protocol, its address and its key.

use genai::adapter::AdapterKind;
use genai::chat::ReasoningEffort;

/// The API of one vendor.
pub(crate) struct Vendor {
    /// The vendor's name, for messages.
    pub(crate) name: &'static str,
    /// The client crate's name of the dialect.
    pub(crate) adapter: AdapterKind,
    /// The protocol of that dialect.
    pub(crate) protocol: Protocol,
    /// The default address of the API.
    pub(crate) base_url: &'static str,
    /// The header that carries the key.
    pub(crate) auth: Auth,
    /// The default variables of the key. The first one that is set is used.
    pub(crate) key_variables: &'static [&'static str],
    /// The condition under which no key is needed.
    pub(crate) keyless: Keyless,
    /// The vendor's name in the table of prices.
    pub(crate) prices: &'static str,
}

impl Vendor {
    /// Returns a vendor with OpenAI's chat protocol, and its key as a bearer token.
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
    /// Returns the default reasoning effort. Without one, the client crate treats the end of a model's
    /// name (`-high`, `-max`) as the effort, and removes it from the name.
    ///
    /// The default is not sent to the vendor. The exception is Anthropic: models that think by default
    /// are asked not to.
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
    /// Returns the header's name in lower case.
    pub(super) fn header(self) -> &'static str {
        match self {
            Auth::Bearer => "authorization",
            Auth::Header(name) => name,
        }
    }

    /// Returns the header's value.
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
    /// Never: a missing key is an error before anything is called.
    Never,
    /// If the user set the address: the user's own servers need no key.
    AtOwnAddress,
    /// Always.
    Always,
}
