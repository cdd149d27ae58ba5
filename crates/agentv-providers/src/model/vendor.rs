//! A vendor's API as data: its protocol, its address and its key.

use crate::wire::{Dialect, Protocol};

/// The API of one vendor.
pub(crate) struct Vendor {
    /// The vendor's name, for messages.
    pub(crate) name: &'static str,
    /// The protocol that it speaks.
    pub(crate) protocol: Protocol,
    /// The vendor's own ways within the protocol.
    pub(crate) dialect: Dialect,
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
        base_url: &'static str,
        key_variables: &'static [&'static str],
        prices: &'static str,
    ) -> Vendor {
        Vendor {
            name,
            protocol: Protocol::Chat,
            dialect: Dialect::USUAL,
            base_url,
            auth: Auth::Bearer,
            key_variables,
            keyless: Keyless::Never,
            prices,
        }
    }

    /// A server of one's own that speaks OpenAI's chat protocol, usually without a key.
    pub(crate) const fn on_this_machine(
        name: &'static str,
        base_url: &'static str,
        key_variables: &'static [&'static str],
        prices: &'static str,
    ) -> Vendor {
        Vendor {
            keyless: Keyless::Always,
            ..Vendor::like_openai(name, base_url, key_variables, prices)
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
    pub(crate) fn header(self) -> &'static str {
        match self {
            Auth::Bearer => "authorization",
            Auth::Header(name) => name,
        }
    }

    /// Returns the header's value.
    pub(crate) fn value(self, key: &str) -> String {
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
