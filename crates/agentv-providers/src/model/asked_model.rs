//! The model that a target calls, as errors and transcripts show it.

use std::sync::OnceLock;

use agentv_core::{Secrets, TokenPrice};
use reqwest::Url;
use serde_json::Value;

use super::price::Price;
use super::vendor::Vendor;
use super::vendor_error::VendorError;
use crate::excerpt::excerpt;

/// The model that a target calls.
pub(super) struct AskedModel {
    pub(super) vendor: &'static Vendor,
    /// The model as the user names it.
    pub(super) model: String,
    pub(super) url: Url,
    /// The price that the user gave.
    pub(super) price: Option<Price>,
    /// The values that an error must not repeat.
    pub(super) secrets: Secrets,
    /// The first model that answered, and its price. Usually no other model answers.
    answered: OnceLock<(String, Option<Price>)>,
}

impl AskedModel {
    pub(super) fn new(
        vendor: &'static Vendor,
        model: &str,
        url: Url,
        price: Option<Price>,
        secrets: Secrets,
    ) -> AskedModel {
        AskedModel {
            vendor,
            model: model.to_owned(),
            url,
            price,
            secrets,
            answered: OnceLock::new(),
        }
    }

    /// Returns the address for errors: without user name, password and query, which may contain a
    /// key.
    pub(super) fn address(&self) -> String {
        let mut url = self.url.clone();
        url.set_query(None);
        // These fail only for addresses without a host, which are refused earlier.
        let _ = url.set_username("");
        let _ = url.set_password(None);
        url.into()
    }

    /// Returns the error in a body, without secrets. They are removed before the text is cut, since half
    /// of a key would not be recognised.
    pub(super) fn words_of(&self, body: &str) -> VendorError {
        VendorError::of_text(&self.secrets.redact(body))
    }

    /// Returns the error in a JSON body, if it is one.
    pub(super) fn words_in(&self, body: &Value) -> Option<VendorError> {
        let words = VendorError::of_json(body)?;
        let mut json = body.to_string().into_bytes();
        if !self.secrets.redact_json(&mut json) {
            return Some(words);
        }
        VendorError::of_json(&serde_json::from_slice(&json).ok()?)
    }

    /// Returns the beginning of a text, without secrets.
    pub(super) fn excerpt(&self, text: &str) -> String {
        excerpt(&self.secrets.redact(text))
    }

    /// Returns the price that answers of the asked model will have, if it is known.
    pub(super) fn quote(&self) -> Option<TokenPrice> {
        let listed = || Price::known(self.vendor.prices, &self.model);
        let price = self.price.or_else(listed)?;
        Some(price.quote(self.price.is_some()))
    }

    /// Returns true if the asked model takes images, and false if it takes none, if that is known.
    pub(super) fn takes_images(&self) -> Option<bool> {
        Price::known(self.vendor.prices, &self.model)?.images
    }

    /// Returns the price of a million tokens, if it is known: from the user, for the model that
    /// answered, or for the one that was asked.
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
