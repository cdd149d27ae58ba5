//! An answer while it is being read, at once or event by event.

use std::borrow::Cow;

use agentv_core::{Extra, ToolCall};
use serde_json::Value;

use super::text::{Chars, text_of};
use super::{Progress, Reply, Usage, WireError};
use crate::answer::DEEPEST;

/// An answer while it is being read.
#[derive(Debug, Default)]
pub(crate) struct Draft {
    text: Vec<u8>,
    reasoning: Vec<u8>,
    refusal: Vec<u8>,
    calls: Vec<DraftCall>,
    pub(crate) finish_reason: Option<String>,
    pub(crate) model: Option<String>,
    pub(crate) id: Option<String>,
    pub(crate) usage: Usage,
    pub(crate) cost: Option<f64>,
    pub(crate) logprobs: Option<Value>,
    pub(crate) carried: Option<Value>,
}

/// A call while it is being read.
#[derive(Debug, Default)]
pub(crate) struct DraftCall {
    /// The place that the vendor gave it.
    pub(crate) index: Option<u64>,
    pub(crate) id: Option<String>,
    pub(crate) name: String,
    pub(crate) signature: Option<String>,
    arguments: Arguments,
}

#[derive(Debug)]
enum Arguments {
    /// JSON, or whatever the model wrote in its place.
    Text(Vec<u8>),
    Value(Value),
}

impl Default for Arguments {
    fn default() -> Arguments {
        Arguments::Text(Vec::new())
    }
}

impl Draft {
    /// Adds text.
    pub(crate) fn say(&mut self, text: &Chars<'_>) -> Progress {
        add(&mut self.text, text)
    }

    /// Adds reasoning text.
    pub(crate) fn reason(&mut self, text: &Chars<'_>) -> Progress {
        add(&mut self.reasoning, text)
    }

    /// Separates two pieces of reasoning.
    pub(crate) fn break_reasoning(&mut self) {
        if !self.reasoning.is_empty() {
            self.reasoning.push(b'\n');
        }
    }

    /// Adds the words of a refusal, which are the answer if there is no other text.
    pub(crate) fn refuse(&mut self, text: &Chars<'_>) -> Progress {
        add(&mut self.refusal, text)
    }

    /// Adds a call.
    pub(crate) fn call(&mut self, call: DraftCall) -> &mut DraftCall {
        self.calls.push(call);
        let last = self.calls.len() - 1;
        &mut self.calls[last]
    }

    /// Ends the last call: without arguments it has an empty object of them.
    pub(crate) fn end_call(&mut self) {
        if let Some(call) = self.calls.last_mut()
            && call.has_no_arguments()
        {
            call.argue(b"{}");
        }
    }

    /// Returns the last call.
    pub(crate) fn last_call(&mut self) -> Option<&mut DraftCall> {
        self.calls.last_mut()
    }

    /// Returns the last call at a place.
    pub(crate) fn call_at(&mut self, index: u64) -> Option<&mut DraftCall> {
        let mut calls = self.calls.iter_mut().rev();
        calls.find(|call| call.index == Some(index))
    }

    /// Keeps the first value that a stream gives.
    pub(crate) fn name(&mut self, id: Option<String>, model: Option<String>) {
        self.id = self.id.take().or(id.filter(|id| !id.is_empty()));
        self.model = self.model.take().or(model.filter(|name| !name.is_empty()));
    }

    /// Returns the answer.
    ///
    /// # Errors
    /// If nothing was said, and no reason for the end was given.
    pub(crate) fn finish(self) -> Result<Reply, WireError> {
        let calls: Result<Vec<ToolCall>, WireError> =
            self.calls.into_iter().map(DraftCall::finish).collect();
        let said = if self.text.is_empty() {
            self.refusal
        } else {
            self.text
        };
        let reply = Reply {
            text: text_of(said),
            reasoning: text_of(self.reasoning),
            calls: calls?,
            finish_reason: self.finish_reason.filter(|reason| !reason.is_empty()),
            usage: self.usage,
            model: self.model,
            id: self.id,
            cost: self.cost,
            logprobs: self.logprobs,
            carried: self.carried,
        };
        if reply.text.is_empty() && reply.calls.is_empty() && reply.finish_reason.is_none() {
            return Err(WireError::NoMessage);
        }
        Ok(reply)
    }
}

fn add(place: &mut Vec<u8>, text: &Chars<'_>) -> Progress {
    if text.0.is_empty() {
        return Progress::Nothing;
    }
    match &text.0 {
        Cow::Owned(bytes) if place.is_empty() && bytes.len() > COPIED => place.clone_from(bytes),
        bytes => place.extend_from_slice(bytes),
    }
    Progress::Token
}

/// A text of this size is copied without room for more.
const COPIED: usize = 4 << 10;

impl DraftCall {
    /// Makes a call without arguments.
    pub(crate) fn new(id: Option<String>, name: Option<String>) -> DraftCall {
        DraftCall {
            id,
            name: name.unwrap_or_default(),
            ..DraftCall::default()
        }
    }

    /// Adds a piece of the arguments.
    pub(crate) fn argue(&mut self, text: &[u8]) {
        match &mut self.arguments {
            Arguments::Text(bytes) => bytes.extend_from_slice(text),
            Arguments::Value(_) => self.arguments = Arguments::Text(text.to_vec()),
        }
    }

    /// Sets the arguments.
    pub(crate) fn with(self, arguments: Value) -> DraftCall {
        DraftCall {
            arguments: Arguments::Value(arguments),
            ..self
        }
    }

    /// Returns true if no arguments have come.
    fn has_no_arguments(&self) -> bool {
        matches!(&self.arguments, Arguments::Text(bytes) if bytes.is_empty())
    }

    fn finish(self) -> Result<ToolCall, WireError> {
        let input = match self.arguments {
            Arguments::Value(value) => value,
            Arguments::Text(bytes) => input_of(text_of(bytes))?,
        };
        let mut extra = Extra::new();
        if let Some(signature) = self.signature {
            extra.insert(SIGNATURE.to_owned(), Value::from(signature));
        }
        Ok(ToolCall {
            tool: self.name,
            input: Some(input),
            output: None,
            id: self.id.filter(|id| !id.is_empty()),
            timestamp: None,
            duration_ms: None,
            extra,
        })
    }
}

/// The field of a call that holds the vendor's signature.
pub(crate) const SIGNATURE: &str = "signature";

/// Reads arguments. Anything that is not JSON is kept as a string: it is what the model said.
fn input_of(text: String) -> Result<Value, WireError> {
    match serde_json::from_str(&text) {
        Ok(value) => Ok(value),
        Err(error) if is_too_deep(&error) => Err(WireError::TooDeep),
        Err(_) => Ok(Value::String(text)),
    }
}

/// Checks for the error of JSON that is nested too deep to be read, and so for a record.
fn is_too_deep(error: &serde_json::Error) -> bool {
    const { assert!(DEEPEST < 128, "the parser reads 128 levels") };
    error.to_string().starts_with("recursion limit exceeded")
}
