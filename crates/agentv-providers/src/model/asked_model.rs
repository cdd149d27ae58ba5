//! Who is asked: what errors and transcripts say of it.

use std::sync::OnceLock;

use agentv_core::Secrets;
use reqwest::Url;
use serde_json::Value;

use super::price::Price;
use super::vendor::Vendor;
use super::words::Words;
use crate::excerpt::excerpt;

/// The model that a target stands for.
pub(super) struct Asked {
    pub(super) vendor: &'static Vendor,
    /// The model as the user names it.
    pub(super) model: String,
    pub(super) url: Url,
    /// The price that the user gave.
    pub(super) price: Option<Price>,
    /// What an error must not repeat.
    pub(super) secrets: Secrets,
    /// The first model that answered, and its price: usually there is no other.
    answered: OnceLock<(String, Option<Price>)>,
}

impl Asked {
    pub(super) fn new(
        vendor: &'static Vendor,
        model: &str,
        url: Url,
        price: Option<Price>,
        secrets: Secrets,
    ) -> Asked {
        Asked {
            vendor,
            model: model.to_owned(),
            url,
            price,
            secrets,
            answered: OnceLock::new(),
        }
    }

    /// The address as an error shows it: without a user's name or a password, and without its
    /// query, which may hold a key.
    pub(super) fn address(&self) -> String {
        let mut url = self.url.clone();
        url.set_query(None);
        // These fail for addresses without a host only, which are refused earlier.
        let _ = url.set_username("");
        let _ = url.set_password(None);
        url.into()
    }

    /// What the vendor says in a body, without secrets. They go before anything is cut: the half of
    /// a key would not be known as one.
    pub(super) fn words_of(&self, body: &str) -> Words {
        Words::of_text(&self.secrets.redact(body))
    }

    /// The same for JSON, where it is an error.
    pub(super) fn words_in(&self, body: &Value) -> Option<Words> {
        let words = Words::of_json(body)?;
        let mut json = body.to_string().into_bytes();
        if !self.secrets.redact_json(&mut json) {
            return Some(words);
        }
        Words::of_json(&serde_json::from_slice(&json).ok()?)
    }

    /// The start of a text, without secrets.
    pub(super) fn excerpt(&self, text: &str) -> String {
        excerpt(&self.secrets.redact(text))
    }

    /// What a million tokens cost, where known: by the user, by the model that answered, or by the
    /// one that was asked for.
    pub(super) fn price(&self, answered_by: &str) -> Option<Price> {
        let known = |model: &str| Price::known(self.vendor.prices, model);
        let find = || known(answered_by).or_else(|| known(&self.model));
        self.price.or_else(|| {
            let first = || (answered_by.to_owned(), find());
            let (name, price) = self.answered.get_or_init(first);
            if name == answered_by { *price } else { find() }
        })
    }
}
