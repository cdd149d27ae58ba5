//! Counting the tokens of an answer while it passes.

use std::sync::Arc;

use super::call::ModelCall;
use super::ledger::Ledger;
use crate::wire::{IncomingStream, LARGEST, Wire};

/// A reader of an answer that passes. If it is dropped before the end, the answer counts as unread.
pub(super) struct Meter {
    ledger: Arc<Ledger>,
    model: String,
    wire: &'static dyn Wire,
    reading: Reading,
}

enum Reading {
    Stream(IncomingStream),
    Whole(Vec<u8>),
    /// The answer cannot be read.
    Lost,
    /// The answer has been counted.
    Done,
}

impl Meter {
    pub(super) fn new(ledger: Arc<Ledger>, call: &ModelCall, content_type: &str) -> Meter {
        let wire = call.protocol.wire();
        let reading = match IncomingStream::of(content_type, wire) {
            Some(stream) => Reading::Stream(stream),
            None => Reading::Whole(Vec::new()),
        };
        Meter {
            ledger,
            model: call.model.clone(),
            wire,
            reading,
        }
    }

    /// Takes the next bytes.
    pub(super) fn push(&mut self, chunk: &[u8]) {
        let is_lost = match &mut self.reading {
            Reading::Stream(stream) => stream.push(chunk).is_err(),
            Reading::Whole(bytes) if bytes.len() + chunk.len() <= LARGEST => {
                bytes.extend_from_slice(chunk);
                false
            }
            Reading::Whole(_) => true,
            Reading::Lost | Reading::Done => false,
        };
        if is_lost {
            self.reading = Reading::Lost;
        }
    }

    /// Takes the end of the answer.
    pub(super) fn end(&mut self) {
        let reply = match std::mem::replace(&mut self.reading, Reading::Done) {
            Reading::Done => return,
            Reading::Stream(stream) => stream.finish().ok(),
            Reading::Whole(bytes) => self.wire.read(&String::from_utf8_lossy(&bytes)).ok(),
            Reading::Lost => None,
        };
        match reply {
            Some(reply) => self.ledger.answered(&reply, &self.model),
            None => self.ledger.unread(),
        }
    }
}

impl Drop for Meter {
    fn drop(&mut self) {
        self.end();
    }
}
