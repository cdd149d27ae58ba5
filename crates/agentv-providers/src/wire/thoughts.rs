//! The signed pieces of a model's reasoning, which must come back with the result of a call.

use serde_json::Value;

use super::text::{Chars, text_of};

/// A piece of reasoning while it is being read.
#[derive(Debug, Default)]
pub(crate) struct Thought {
    text: Vec<u8>,
    signature: Option<String>,
    has_begun: bool,
}

impl Thought {
    /// Adds text. Returns true if the piece begins with it.
    pub(crate) fn add(&mut self, text: &Chars<'_>) -> bool {
        self.text.extend_from_slice(&text.0);
        !std::mem::replace(&mut self.has_begun, true)
    }

    /// Signs the piece, unless the signature is empty.
    pub(crate) fn sign(&mut self, signature: Option<String>) {
        let signature = signature.filter(|signature| !signature.is_empty());
        self.signature = signature.or(self.signature.take());
    }

    /// Ends the piece, and returns it as a block. One without a signature is not kept: no vendor takes it
    /// back.
    pub(crate) fn end(&mut self, block: impl FnOnce(String, String) -> Value) -> Option<Value> {
        let text = std::mem::take(&mut self.text);
        let signature = self.signature.take();
        let has_begun = std::mem::take(&mut self.has_begun);
        let signature = signature.filter(|_| has_begun)?;
        Some(block(text_of(text), signature))
    }
}
