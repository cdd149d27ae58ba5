//! Answers of OpenAI's responses. The last event of a stream holds the whole answer.

use serde::Deserialize;
use serde_json::value::RawValue;
use serde_json::{Value, json};

use crate::wire::count::Count;
use crate::wire::draft::{Draft, DraftCall, DraftPart};
use crate::wire::text::{Chars, Kept, kept};
use crate::wire::{Assemble, Progress, Reply, Usage, WireError};

#[derive(Deserialize)]
struct Response<'a> {
    #[serde(default)]
    id: Option<String>,
    #[serde(default)]
    model: Option<String>,
    #[serde(default)]
    status: Option<String>,
    #[serde(default)]
    incomplete_details: Option<Incomplete>,
    #[serde(borrow, default)]
    error: Option<&'a RawValue>,
    #[serde(borrow, default)]
    output: Option<Vec<&'a RawValue>>,
    #[serde(default)]
    usage: Option<Tokens>,
}

#[derive(Deserialize)]
struct Incomplete {
    #[serde(default)]
    reason: Option<String>,
}

#[derive(Deserialize)]
struct Item<'a> {
    #[serde(rename = "type", default)]
    kind: Option<String>,
    #[serde(borrow, default)]
    content: Option<Vec<Piece<'a>>>,
    #[serde(borrow, default)]
    summary: Option<Vec<Piece<'a>>>,
    #[serde(default)]
    call_id: Option<String>,
    #[serde(default)]
    name: Option<String>,
    #[serde(borrow, default)]
    arguments: Option<&'a RawValue>,
}

#[derive(Deserialize)]
struct Piece<'a> {
    #[serde(borrow, default)]
    text: Option<Chars<'a>>,
    #[serde(borrow, default)]
    refusal: Option<Chars<'a>>,
    #[serde(default)]
    logprobs: Option<Vec<Kept>>,
    /// The sources that the text cites.
    #[serde(default)]
    annotations: Option<Vec<Kept>>,
}

#[derive(Deserialize)]
struct Tokens {
    #[serde(default)]
    input_tokens: Count,
    #[serde(default)]
    output_tokens: Count,
    #[serde(default)]
    input_tokens_details: Option<InputDetails>,
    #[serde(default)]
    output_tokens_details: Option<OutputDetails>,
}

#[derive(Deserialize)]
struct InputDetails {
    #[serde(default)]
    cached_tokens: Count,
}

#[derive(Deserialize)]
struct OutputDetails {
    #[serde(default)]
    reasoning_tokens: Count,
}

#[derive(Deserialize)]
struct Event<'a> {
    #[serde(rename = "type", default)]
    kind: Option<String>,
    #[serde(borrow, default)]
    response: Option<&'a RawValue>,
    #[serde(borrow, default)]
    item: Option<&'a RawValue>,
    #[serde(borrow, default)]
    delta: Option<&'a RawValue>,
}

pub(super) fn read(body: &str) -> Result<Reply, WireError> {
    reply(body, &[], &[])
}

/// Puts the events of a stream together.
#[derive(Default)]
pub(super) struct Assembler {
    /// The items that are complete, for servers whose last event does not repeat them.
    items: Vec<Box<RawValue>>,
    /// The text so far, for servers that give it nowhere else.
    said: Vec<u8>,
    whole: Option<Box<RawValue>>,
}

impl Assemble for Assembler {
    fn event(&mut self, _: &str, data: &str) -> Result<Progress, WireError> {
        if data.trim() == "[DONE]" {
            return Ok(Progress::Nothing);
        }
        let event: Event<'_> = serde_json::from_str(data)?;
        match event.kind.as_deref().unwrap_or_default() {
            "response.completed" | "response.incomplete" | "response.failed" => {
                self.whole = event.response.map(ToOwned::to_owned);
                Ok(Progress::Last)
            }
            "response.output_item.done" => {
                self.items.extend(event.item.map(ToOwned::to_owned));
                Ok(Progress::Nothing)
            }
            "error" => Err(WireError::Reported(data.to_owned())),
            kind if kind.ends_with(".delta") => {
                let text = event.delta.filter(|_| kind == "response.output_text.delta");
                if let Some(text) = text.map(Chars::of).transpose()?.flatten() {
                    self.said.extend_from_slice(&text.0);
                }
                Ok(Progress::Token)
            }
            _ => Ok(Progress::Nothing),
        }
    }

    fn finish(self: Box<Self>) -> Result<Reply, WireError> {
        match self.whole {
            Some(whole) => reply(whole.get(), &self.items, &self.said),
            None => Err(WireError::Cut),
        }
    }
}

/// Reads an answer. Its items are `known` if it has none of its own, and `said` is its text if it has no
/// item at all.
fn reply(body: &str, known: &[Box<RawValue>], said: &[u8]) -> Result<Reply, WireError> {
    let response: Response<'_> = serde_json::from_str(body)?;
    let error = response.error.filter(|error| error.get() != "null");
    if response.status.as_deref() == Some("failed")
        || (error.is_some() && response.output.is_none())
    {
        return Err(WireError::Reported(body.to_owned()));
    }
    if let Some(status @ ("queued" | "in_progress" | "cancelled")) = response.status.as_deref() {
        let message = format!("the response is not complete: its status is `{status}`");
        let error = json!({"error": {"message": message}});
        return Err(WireError::Reported(error.to_string()));
    }
    let mut draft = Draft::default();
    draft.name(response.id, response.model);
    let mut items = response.output.unwrap_or_default();
    if items.is_empty() {
        items = known.iter().map(|item| &**item).collect();
    }
    for item in &items {
        add(&mut draft, item)?;
    }
    if items.is_empty() {
        draft.say(&Chars(said.into()));
    }
    match whole_turn(&items).filter(|_| draft.has_calls()) {
        Some(turn) => draft.carried = Some(turn),
        None => draft.keep_order(item_of),
    }
    let incomplete = response
        .incomplete_details
        .and_then(|details| details.reason);
    draft.finish_reason = incomplete.or(response.status);
    draft.usage = response.usage.as_ref().map(usage).unwrap_or_default();
    draft.finish()
}

fn add(draft: &mut Draft, item: &RawValue) -> Result<(), WireError> {
    let read: Item<'_> = serde_json::from_str(item.get())?;
    match read.kind.as_deref().unwrap_or_default() {
        "message" => {
            add_message(draft, read.content.unwrap_or_default());
            draft.end_part();
        }
        "reasoning" => {
            let pieces = [read.summary, read.content].into_iter().flatten().flatten();
            for text in pieces.filter_map(|piece| piece.text) {
                draft.break_reasoning();
                draft.reason(&text);
            }
            // An item with half of a surrogate pair is no value, and cannot come back.
            let item = serde_json::from_str::<Value>(item.get()).ok();
            let is_kept =
                |item: &Value| item.get("encrypted_content").is_some_and(Value::is_string);
            if let Some(item) = item.filter(is_kept) {
                draft.carry(item);
            }
        }
        "function_call" => {
            let call = draft.call(DraftCall::new(read.call_id, read.name));
            if let Some(arguments) = read.arguments {
                match Chars::of(arguments)? {
                    Some(text) => call.argue(&text.0),
                    None => call.argue(arguments.get().as_bytes()),
                }
            }
        }
        _ => {
            // A call of the vendor's own tools, or an image.
            kept(item).into_iter().for_each(|item| draft.keep(item));
        }
    }
    Ok(())
}

/// Returns all items as they come back, if one of them has more than we would write: the phase of a
/// message, or an item of another kind. `None` also if an item is no value.
fn whole_turn(items: &[&RawValue]) -> Option<Value> {
    let items = items.iter().map(|item| serde_json::from_str(item.get()));
    let mut items: Vec<Value> = items.collect::<Result<_, _>>().ok()?;
    let kind = |item: &Value| item["type"].as_str().unwrap_or_default().to_owned();
    let is_more = |item: &Value| match kind(item).as_str() {
        "message" => item.get("phase").is_some_and(Value::is_string),
        "reasoning" | "function_call" => false,
        _ => true,
    };
    if !items.iter().any(is_more) {
        return None;
    }
    // Without its encrypted content, reasoning is not known to the vendor, which stores nothing.
    items.retain(|item| kind(item) != "reasoning" || item["encrypted_content"].is_string());
    for item in &mut items {
        if matches!(kind(item).as_str(), "message" | "function_call")
            && let Value::Object(fields) = item
        {
            fields.retain(|name, _| name != "id" && name != "status");
        }
    }
    Some(Value::Array(items))
}

/// Returns a part of an answer as the item that comes back.
fn item_of(part: DraftPart<'_>) -> Value {
    match part {
        DraftPart::Text(part) => json!({"role": "assistant", "content": part.text}),
        DraftPart::Call(call) => json!({
            "type": "function_call", "call_id": call.id, "name": call.name,
            "arguments": call.text(),
        }),
        DraftPart::Carried(item) => item.clone(),
    }
}

fn add_message(draft: &mut Draft, pieces: Vec<Piece<'_>>) {
    for piece in pieces {
        if let Some(text) = piece.text {
            draft.say(&text);
        }
        if let Some(refusal) = piece.refusal {
            draft.refuse(&refusal);
        }
        let annotations = piece.annotations.into_iter().flatten();
        annotations.for_each(|kept| draft.keep(kept.0));
        if let Some(more) = piece.logprobs.filter(|tokens| !tokens.is_empty()) {
            let more = more.into_iter().map(|kept| kept.0);
            match &mut draft.logprobs {
                Some(Value::Array(tokens)) => tokens.extend(more),
                _ => draft.logprobs = Some(more.collect()),
            }
        }
    }
}

fn usage(tokens: &Tokens) -> Usage {
    let read = tokens.input_tokens_details.as_ref();
    let written = tokens.output_tokens_details.as_ref();
    Usage {
        input: tokens.input_tokens.0,
        output: tokens.output_tokens.0,
        cached: read.and_then(|details| details.cached_tokens.some()),
        cache_written: None,
        reasoning: written.and_then(|details| details.reasoning_tokens.some()),
    }
}
