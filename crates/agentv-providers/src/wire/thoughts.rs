//! The signed pieces of a model's reasoning, which must come back with the result of a call.

use serde_json::Value;

use super::text::{Chars, text_of};

/// The signed pieces of reasoning, as blocks of the protocol.
#[derive(Debug, Default)]
pub(crate) struct Thoughts {
    blocks: Vec<Value>,
    text: Vec<u8>,
    signature: Option<String>,
    has_begun: bool,
}

impl Thoughts {
    /// Adds text to the present piece. Returns true if the piece begins with it.
    pub(crate) fn add(&mut self, text: &Chars<'_>) -> bool {
        self.text.extend_from_slice(&text.0);
        !std::mem::replace(&mut self.has_begun, true)
    }

    /// Signs the present piece, unless the signature is empty.
    pub(crate) fn sign(&mut self, signature: Option<String>) {
        let signature = signature.filter(|signature| !signature.is_empty());
        self.signature = signature.or(self.signature.take());
    }

    /// Ends the present piece. One without a signature is not kept: no vendor takes it back.
    pub(crate) fn end(&mut self, block: impl FnOnce(String, String) -> Value) {
        let text = std::mem::take(&mut self.text);
        let signature = self.signature.take();
        if std::mem::take(&mut self.has_begun)
            && let Some(signature) = signature
        {
            self.blocks.push(block(text_of(text), signature));
        }
    }

    /// Adds a block as it came.
    pub(crate) fn keep(&mut self, block: Value) {
        self.blocks.push(block);
    }

    /// Returns the blocks, if there are any.
    pub(crate) fn carried(self) -> Option<Value> {
        (!self.blocks.is_empty()).then_some(Value::Array(self.blocks))
    }
}
