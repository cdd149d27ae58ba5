//! An answer while it is being read, at once or event by event.

use std::borrow::Cow;

use agentv_core::{Extra, ToolCall};
use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use serde_json::{Value, json};

use super::text::{Chars, text_of, with_halves};
use super::{Progress, Reply, Usage, WireError};
use crate::answer::DEEPEST;

/// An answer while it is being read.
#[derive(Debug, Default)]
pub(crate) struct Draft {
    text: Vec<u8>,
    reasoning: Vec<u8>,
    refusal: Vec<u8>,
    calls: Vec<DraftCall>,
    /// The parts in the order in which they came.
    order: Vec<Placed>,
    /// True if the next text begins a part of its own.
    is_part_ended: bool,
    pub(crate) finish_reason: Option<String>,
    pub(crate) model: Option<String>,
    pub(crate) id: Option<String>,
    pub(crate) usage: Usage,
    pub(crate) cost: Option<f64>,
    pub(crate) logprobs: Option<Value>,
    pub(crate) carried: Option<Value>,
    /// The field in which the vendor gives the reasoning, and takes it back.
    pub(crate) reasoning_field: Option<&'static str>,
    reasoning_details: Vec<Value>,
    /// Further fields of the message that must come back, of OpenAI chat.
    carried_fields: Extra,
    /// The vendor's signatures of texts, by the places of these in `order`.
    signatures: Vec<(usize, String)>,
    /// The sources that texts cite, by the places of these in `order`.
    citations: Vec<(usize, Vec<Value>)>,
    /// The parts that are not text, reasoning or calls, as they came.
    other: Vec<Value>,
}

/// A part of an answer in its place.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Placed {
    /// The text between two offsets.
    Text(usize, usize),
    /// A call, by its number.
    Call(usize),
    /// A block that must come back, by its number.
    Carried(usize),
}

/// A part of an answer, for the blocks of a protocol.
pub(crate) enum DraftPart<'d> {
    Text(TextPart<'d>),
    Call(&'d DraftCall),
    Carried(&'d Value),
}

/// A text of an answer, for the blocks of a protocol.
pub(crate) struct TextPart<'d> {
    pub(crate) text: String,
    /// The vendor's signature of the text.
    pub(crate) signature: Option<&'d str>,
    /// The sources that the text cites, as they came.
    pub(crate) citations: &'d [Value],
}

/// A call while it is being read.
#[derive(Debug, Default)]
pub(crate) struct DraftCall {
    /// The place that the vendor gave it.
    pub(crate) index: Option<u64>,
    pub(crate) id: Option<String>,
    pub(crate) name: String,
    pub(crate) signature: Option<String>,
    /// Further fields of the call that must come back.
    pub(crate) carried: Extra,
    /// JSON, or whatever the model wrote in its place.
    arguments: Vec<u8>,
    /// True if the protocol has the arguments as a value, so that white space between its parts says
    /// nothing.
    is_value: bool,
}

impl Draft {
    /// Adds text.
    pub(crate) fn say(&mut self, text: &Chars<'_>) -> Progress {
        let from = self.text.len();
        let progress = add(&mut self.text, text);
        let end = self.text.len();
        let is_ended = std::mem::take(&mut self.is_part_ended);
        match self.order.last_mut() {
            Some(Placed::Text(_, to)) if !is_ended => *to = end,
            _ => self.order.push(Placed::Text(from, end)),
        }
        progress
    }

    /// Ends a part: the next text is another one.
    pub(crate) fn end_part(&mut self) {
        self.is_part_ended = true;
    }

    /// Adds a text that the vendor has signed, as a part of its own.
    pub(crate) fn say_signed(&mut self, text: &Chars<'_>, signature: String) -> Progress {
        self.end_part();
        let progress = self.say(text);
        self.end_part();
        self.signatures.push((self.order.len() - 1, signature));
        progress
    }

    /// Ends a text that cites sources, and keeps them.
    pub(crate) fn cite(&mut self, citations: Vec<Value>) {
        if citations.is_empty() {
            return;
        }
        for citation in &citations {
            self.keep(json!({"type": "citation", "citation": citation}));
        }
        if let Some(Placed::Text(..)) = self.order.last() {
            self.citations.push((self.order.len() - 1, citations));
        }
        self.end_part();
    }

    /// Keeps a field of the message that must come back with it.
    pub(crate) fn carry_field(&mut self, name: &str, value: Value) {
        match (self.carried_fields.get_mut(name), value) {
            (Some(Value::String(text)), Value::String(more)) => text.push_str(&more),
            (Some(Value::Array(list)), Value::Array(more)) => list.extend(more),
            (_, value) => {
                self.carried_fields.insert(name.to_owned(), value);
            }
        }
    }

    /// Returns true if the model has called a tool.
    pub(crate) fn has_calls(&self) -> bool {
        !self.calls.is_empty()
    }

    /// Keeps a part that is not text, reasoning or a call.
    pub(crate) fn keep(&mut self, part: Value) {
        self.other.push(part);
    }

    /// Keeps a part, unless it is the last one again: events may repeat it.
    pub(crate) fn keep_once(&mut self, part: Value) {
        if self.other.last() != Some(&part) {
            self.keep(part);
        }
    }

    /// Keeps speech, or adds to the speech of earlier events: the audio and its transcript come in pieces.
    pub(crate) fn keep_audio(&mut self, audio: Value) {
        const AUDIO: &str = "audio";
        let mut known = self.other.iter_mut().filter_map(|part| part.get_mut(AUDIO));
        let (Some(Value::Object(known)), Value::Object(more)) = (known.next_back(), &audio) else {
            self.other.push(json!({"type": AUDIO, AUDIO: audio}));
            return;
        };
        for (name, value) in more {
            match (known.get_mut(name), value) {
                (Some(Value::String(data)), Value::String(more)) if name == "data" => {
                    *data = joined_base64(data, more);
                }
                (Some(Value::String(text)), Value::String(more)) if name == "transcript" => {
                    text.push_str(more);
                }
                (Some(_), Value::Null) => {}
                (_, value) => {
                    known.insert(name.clone(), value.clone());
                }
            }
        }
    }

    /// Adds a block that must come back with the answer.
    pub(crate) fn carry(&mut self, block: Value) {
        let blocks = self.carried.get_or_insert_with(|| Value::Array(Vec::new()));
        if let Value::Array(blocks) = blocks {
            self.order.push(Placed::Carried(blocks.len()));
            blocks.push(block);
        }
    }

    /// Keeps all parts as blocks of the protocol, if they came in another order than that in which they
    /// would be sent: first the blocks that must come back, then one text, then the calls. A text with
    /// citations must come back with them. A call without an id has none that its result could name.
    pub(crate) fn keep_order(&mut self, block: impl Fn(DraftPart<'_>) -> Value) {
        let has_ids = self.calls.iter().all(|call| call.id.is_some());
        if has_ids && (!self.is_in_order() || !self.citations.is_empty()) {
            self.keep_parts(block);
        }
    }

    /// Checks if the parts came in the order in which they would be sent.
    fn is_in_order(&self) -> bool {
        let rank = |placed: &Placed| match placed {
            Placed::Carried(_) => Some(0),
            Placed::Text(from, to) => (from != to).then_some(1),
            Placed::Call(_) => Some(2),
        };
        let ranks = self.order.iter().filter_map(rank);
        let texts = ranks.clone().filter(|rank| *rank == 1).count();
        ranks.is_sorted() && texts <= 1
    }

    /// Keeps all parts as blocks of the protocol if there are calls, and parts that must come back or an
    /// order that does. The protocol tells calls without ids apart.
    pub(crate) fn keep_turn(&mut self, block: impl Fn(DraftPart<'_>) -> Value) {
        if self.carried.is_some() || !self.signatures.is_empty() || !self.is_in_order() {
            self.keep_parts(block);
        }
    }

    /// Keeps all parts of an answer with calls as blocks of the protocol.
    fn keep_parts(&mut self, block: impl Fn(DraftPart<'_>) -> Value) {
        if self.calls.is_empty() {
            return;
        }
        let carried = self.carried.as_ref().and_then(Value::as_array);
        let signature_of = |place: usize| {
            let mut signatures = self.signatures.iter();
            let found = signatures.find(|(signed, _)| *signed == place);
            found.map(|(_, signature)| signature.as_str())
        };
        let citations_of = |place: usize| {
            let mut citations = self.citations.iter();
            let found = citations.find(|(citing, _)| *citing == place);
            found.map_or(&[][..], |(_, citations)| citations)
        };
        let order = self.order.iter().enumerate();
        let parts = order.filter_map(|(place, placed)| match placed {
            Placed::Text(from, to) => {
                let signature = signature_of(place);
                let text = self.text.get(*from..*to)?;
                let is_kept = from != to || signature.is_some();
                is_kept.then(|| {
                    DraftPart::Text(TextPart {
                        text: text_of(text.to_vec()),
                        signature,
                        citations: citations_of(place),
                    })
                })
            }
            Placed::Call(number) => self.calls.get(*number).map(DraftPart::Call),
            Placed::Carried(number) => carried?.get(*number).map(DraftPart::Carried),
        });
        let blocks: Vec<Value> = parts.map(block).collect();
        self.carried = Some(Value::Array(blocks));
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
        self.order.push(Placed::Call(last));
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

    /// Adds a piece of reasoning in OpenRouter's form. The pieces of one entry have the same place.
    pub(crate) fn add_reasoning_detail(&mut self, detail: Value) {
        let name = |entry: &Value| (entry.get("index").cloned(), entry.get("type").cloned());
        let last = self.reasoning_details.last_mut();
        match (last, detail) {
            (Some(Value::Object(entry)), Value::Object(more))
                if more.get("index").is_some_and(|index| !index.is_null())
                    && name(&Value::Object(entry.clone()))
                        == name(&Value::Object(more.clone())) =>
            {
                for (field, value) in more {
                    let is_piece = matches!(field.as_str(), "text" | "summary" | "data");
                    match (entry.get_mut(&field), value) {
                        (Some(Value::String(text)), Value::String(more)) if is_piece => {
                            text.push_str(&more);
                        }
                        (_, Value::Null) => {}
                        (_, value) => {
                            entry.insert(field, value);
                        }
                    }
                }
            }
            (_, detail) => self.reasoning_details.push(detail),
        }
    }

    /// Returns the data that must come back with the answer: blocks, or the fields of its reasoning.
    fn take_carried(&mut self) -> Option<Value> {
        let mut fields = std::mem::take(&mut self.carried_fields);
        if let Some(name) = self.reasoning_field {
            let text = text_of(self.reasoning.clone());
            fields.insert(name.to_owned(), Value::String(text));
        }
        if !self.reasoning_details.is_empty() {
            let details = std::mem::take(&mut self.reasoning_details);
            fields.insert("reasoning_details".to_owned(), Value::Array(details));
        }
        if fields.is_empty() {
            self.carried.take()
        } else {
            Some(Value::Object(fields))
        }
    }

    /// Returns the answer.
    ///
    /// # Errors
    /// If nothing was said, and no reason for the end was given.
    pub(crate) fn finish(mut self) -> Result<Reply, WireError> {
        let carried = self.take_carried();
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
            carried,
            other: self.other,
        };
        if reply.text.is_empty() && reply.calls.is_empty() && reply.finish_reason.is_none() {
            return Err(WireError::NoMessage);
        }
        Ok(reply)
    }
}

/// Joins two texts in base64. A text that ends with padding cannot be continued as it is.
fn joined_base64(first: &str, second: &str) -> String {
    let decoded = [first, second].map(|text| BASE64_STANDARD.decode(text));
    match decoded {
        [Ok(mut bytes), Ok(more)] if first.ends_with('=') => {
            bytes.extend(more);
            BASE64_STANDARD.encode(bytes)
        }
        _ => format!("{first}{second}"),
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

    /// Makes a call of a protocol that has the arguments as a value.
    pub(crate) fn of_value(id: Option<String>, name: Option<String>) -> DraftCall {
        DraftCall {
            is_value: true,
            ..DraftCall::new(id, name)
        }
    }

    /// Adds a piece of the arguments.
    pub(crate) fn argue(&mut self, text: &[u8]) {
        self.arguments.extend_from_slice(text);
    }

    /// Returns true if no arguments have come.
    fn has_no_arguments(&self) -> bool {
        self.arguments.is_empty()
    }

    /// Returns the arguments as a value.
    pub(crate) fn input(&self) -> Value {
        input_of(self.text()).map_or(Value::Null, |(input, _)| input)
    }

    /// Returns the arguments as text.
    pub(crate) fn text(&self) -> String {
        text_of(self.arguments.clone())
    }

    fn finish(self) -> Result<ToolCall, WireError> {
        let (input, written) = input_of(text_of(self.arguments))?;
        let written = match written {
            Some(text) if self.is_value => {
                let usual = input.to_string();
                // Half of a surrogate pair can be sent in a text, but not in a value.
                let is_json = |text: &String| serde_json::from_str::<Value>(text).is_ok();
                let written = Some(without_space(&text));
                written.filter(|text| *text != usual && is_json(text))
            }
            written => written,
        };
        let mut extra = Extra::new();
        if let Some(written) = written {
            extra.insert(WRITTEN.to_owned(), Value::String(written));
        }
        if let Some(signature) = self.signature {
            extra.insert(SIGNATURE.to_owned(), Value::from(signature));
        }
        if !self.carried.is_empty() {
            extra.insert(CARRIED.to_owned(), Value::Object(self.carried));
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

/// The field of a message or a call that holds data of the vendor, which must come back with it.
pub(crate) const CARRIED: &str = "provider_data";

/// The field of a call that holds the vendor's signature.
pub(crate) const SIGNATURE: &str = "signature";

/// Returns JSON without the white space between its parts.
fn without_space(json: &str) -> String {
    let (mut in_string, mut after_backslash) = (false, false);
    let kept = json.chars().filter(|letter| {
        let is_kept = in_string || !matches!(letter, ' ' | '\t' | '\n' | '\r');
        if *letter == '"' && !after_backslash {
            in_string = !in_string;
        }
        after_backslash = in_string && *letter == '\\' && !after_backslash;
        is_kept
    });
    kept.collect()
}

/// The field of a call that holds the arguments as the model wrote them.
pub(crate) const WRITTEN: &str = "arguments";

/// Reads arguments. Anything that is not JSON is kept as a string: it is what the model said. Returns the
/// text too, if the value would be written in another way.
fn input_of(text: String) -> Result<(Value, Option<String>), WireError> {
    // Many servers write nothing for a call without arguments.
    if text.trim().is_empty() {
        return Ok((Value::Object(Extra::new()), None));
    }
    match serde_json::from_str::<Value>(&text) {
        Ok(value) => {
            let usual = value.to_string();
            Ok((value, Some(text).filter(|text| *text != usual)))
        }
        Err(error) if is_too_deep(&error) => Err(WireError::TooDeep),
        Err(_) => Ok(match with_halves(&text) {
            Some(value) => (value, Some(text)),
            None => (Value::String(text), None),
        }),
    }
}

/// Checks for the error of JSON that is nested too deep to be read, and so for a record.
fn is_too_deep(error: &serde_json::Error) -> bool {
    const { assert!(DEEPEST < 128, "the parser reads 128 levels") };
    error.to_string().starts_with("recursion limit exceeded")
}
