//! Answers of Anthropic's messages, at once or as a stream of blocks.

use serde::Deserialize;
use serde_json::value::RawValue;
use serde_json::{Value, json};

use crate::wire::count::Count;
use crate::wire::draft::{Draft, DraftCall, DraftPart};
use crate::wire::text::{Chars, Kept, kept};
use crate::wire::thoughts::Thought;
use crate::wire::{Assemble, Progress, Reply, Usage, WireError};

#[derive(Deserialize)]
struct Message<'a> {
    #[serde(default)]
    id: Option<String>,
    #[serde(default)]
    model: Option<String>,
    #[serde(borrow, default)]
    content: Option<Vec<&'a RawValue>>,
    #[serde(default)]
    stop_reason: Option<String>,
    #[serde(default)]
    usage: Option<Tokens>,
    #[serde(borrow, default)]
    error: Option<&'a RawValue>,
}

#[derive(Deserialize)]
struct Block<'a> {
    #[serde(rename = "type", default)]
    kind: Option<String>,
    #[serde(borrow, default)]
    text: Option<Chars<'a>>,
    #[serde(borrow, default)]
    thinking: Option<Chars<'a>>,
    #[serde(default)]
    signature: Option<String>,
    #[serde(default)]
    data: Option<String>,
    #[serde(default)]
    id: Option<String>,
    #[serde(default)]
    name: Option<String>,
    #[serde(borrow, default)]
    input: Option<&'a RawValue>,
    #[serde(default)]
    citations: Option<Vec<Kept>>,
}

#[derive(Deserialize)]
struct Event<'a> {
    #[serde(rename = "type", default)]
    kind: Option<String>,
    #[serde(borrow, default)]
    message: Option<Message<'a>>,
    #[serde(borrow, default)]
    content_block: Option<&'a RawValue>,
    #[serde(borrow, default)]
    delta: Option<Delta<'a>>,
    #[serde(default)]
    usage: Option<Tokens>,
}

#[derive(Deserialize)]
struct Delta<'a> {
    #[serde(borrow, default)]
    text: Option<Chars<'a>>,
    #[serde(borrow, default)]
    thinking: Option<Chars<'a>>,
    #[serde(default)]
    signature: Option<String>,
    #[serde(borrow, default)]
    partial_json: Option<Chars<'a>>,
    #[serde(default)]
    citation: Option<Kept>,
    #[serde(default)]
    stop_reason: Option<String>,
}

#[derive(Deserialize, Clone, Copy, Default)]
struct Tokens {
    #[serde(default)]
    input_tokens: Count,
    #[serde(default)]
    output_tokens: Count,
    #[serde(default)]
    cache_read_input_tokens: Count,
    #[serde(default)]
    cache_creation_input_tokens: Count,
}

impl Tokens {
    /// Returns the later figures, and the earlier ones where there are no later ones.
    fn or(self, earlier: Tokens) -> Tokens {
        Tokens {
            input_tokens: self.input_tokens.or(earlier.input_tokens),
            output_tokens: self.output_tokens.or(earlier.output_tokens),
            cache_read_input_tokens: self
                .cache_read_input_tokens
                .or(earlier.cache_read_input_tokens),
            cache_creation_input_tokens: self
                .cache_creation_input_tokens
                .or(earlier.cache_creation_input_tokens),
        }
    }

    /// Returns the usage. Cached tokens are counted beside the input.
    fn usage(self) -> Usage {
        let cached = self.cache_read_input_tokens.some();
        let written = self.cache_creation_input_tokens.some();
        let apart = cached.unwrap_or(0).saturating_add(written.unwrap_or(0));
        Usage {
            input: self.input_tokens.0.map(|input| input.saturating_add(apart)),
            output: self.output_tokens.0,
            cached,
            cache_written: written,
            reasoning: None,
        }
    }
}

pub(super) fn read(body: &str) -> Result<Reply, WireError> {
    let message: Message<'_> = serde_json::from_str(body)?;
    if message.error.is_some_and(|error| error.get() != "null") {
        return Err(WireError::Reported(body.to_owned()));
    }
    let mut draft = Draft::default();
    draft.name(message.id, message.model);
    draft.finish_reason = message.stop_reason;
    draft.usage = message.usage.unwrap_or_default().usage();
    let mut open = OpenBlock::default();
    for block in message.content.unwrap_or_default() {
        begin(&mut draft, &mut open, block)?;
        end(&mut draft, &mut open);
    }
    draft.keep_order(block_of);
    draft.finish()
}

/// The block that is being read.
#[derive(Default)]
struct OpenBlock {
    thought: Thought,
    /// A block that is not text, thinking or a call of a tool of ours.
    other: Option<Value>,
    /// The input of that block, which comes in pieces.
    input: Vec<u8>,
    /// The sources that the text cites.
    citations: Vec<Value>,
}

/// Puts the events of a stream together.
#[derive(Default)]
pub(super) struct Assembler {
    draft: Draft,
    tokens: Tokens,
    open: OpenBlock,
    is_done: bool,
}

impl Assemble for Assembler {
    fn event(&mut self, _: &str, data: &str) -> Result<Progress, WireError> {
        let event: Event<'_> = serde_json::from_str(data)?;
        self.tokens = event.usage.unwrap_or_default().or(self.tokens);
        match event.kind.as_deref().unwrap_or_default() {
            "message_start" => {
                if let Some(message) = event.message {
                    self.draft.name(message.id, message.model);
                    self.tokens = message.usage.unwrap_or_default().or(self.tokens);
                }
                Ok(Progress::Nothing)
            }
            "content_block_start" => match event.content_block {
                Some(block) => begin(&mut self.draft, &mut self.open, block),
                None => Ok(Progress::Nothing),
            },
            "content_block_delta" => {
                let delta = event.delta;
                Ok(delta.map_or(Progress::Nothing, |delta| self.add(delta)))
            }
            "content_block_stop" => {
                end(&mut self.draft, &mut self.open);
                Ok(Progress::Nothing)
            }
            "message_delta" => {
                let reason = event.delta.and_then(|delta| delta.stop_reason);
                self.draft.finish_reason = reason.or(self.draft.finish_reason.take());
                Ok(Progress::Nothing)
            }
            "message_stop" => {
                self.is_done = true;
                Ok(Progress::Last)
            }
            "error" => Err(WireError::Reported(data.to_owned())),
            _ => Ok(Progress::Nothing),
        }
    }

    fn finish(mut self: Box<Self>) -> Result<Reply, WireError> {
        if !self.is_done {
            return Err(WireError::Cut);
        }
        self.draft.usage = self.tokens.usage();
        self.draft.keep_order(block_of);
        self.draft.finish()
    }
}

impl Assembler {
    fn add(&mut self, delta: Delta<'_>) -> Progress {
        if let Some(text) = delta.text {
            return self.draft.say(&text);
        }
        if let Some(thinking) = delta.thinking {
            self.open.thought.add(&thinking);
            return self.draft.reason(&thinking);
        }
        self.open
            .citations
            .extend(delta.citation.map(|kept| kept.0));
        self.open.thought.sign(delta.signature);
        if let (Some(input), true) = (&delta.partial_json, self.open.other.is_some()) {
            self.open.input.extend_from_slice(&input.0);
            return Progress::Nothing;
        }
        if let Some(arguments) = delta.partial_json
            && let Some(call) = self.draft.last_call()
        {
            call.argue(&arguments.0);
            return Progress::Token;
        }
        Progress::Nothing
    }
}

/// Begins a block. One that came at once is complete.
fn begin(
    draft: &mut Draft,
    open: &mut OpenBlock,
    written: &RawValue,
) -> Result<Progress, WireError> {
    let block: Block<'_> = serde_json::from_str(written.get())?;
    match block.kind.as_deref().unwrap_or_default() {
        "text" => {
            let text = block.text.unwrap_or_default();
            let citations = block.citations.into_iter().flatten();
            open.citations.extend(citations.map(|kept| kept.0));
            Ok(draft.say(&text))
        }
        "thinking" => {
            let thinking = block.thinking.unwrap_or_default();
            draft.break_reasoning();
            open.thought.add(&thinking);
            open.thought.sign(block.signature);
            Ok(draft.reason(&thinking))
        }
        "redacted_thinking" => {
            let data = block.data.unwrap_or_default();
            draft.carry(json!({"type": "redacted_thinking", "data": data}));
            Ok(Progress::Nothing)
        }
        "tool_use" => {
            let call = draft.call(DraftCall::of_value(block.id, block.name));
            // In a stream, the input is empty at first.
            if let Some(input) = block.input.filter(|input| input.get() != "{}") {
                call.argue(input.get().as_bytes());
            }
            Ok(Progress::Token)
        }
        _ => {
            open.other = kept(written);
            Ok(Progress::Nothing)
        }
    }
}

/// Ends a block.
fn end(draft: &mut Draft, open: &mut OpenBlock) {
    let input = std::mem::take(&mut open.input);
    if let Some(mut other) = open.other.take() {
        if let Ok(input) = serde_json::from_slice::<Value>(&input) {
            other["input"] = input;
        }
        draft.keep(other.clone());
        // The vendor expects its own blocks back, in their order.
        draft.carry(other);
        draft.end_part();
        return;
    }
    let ended = open.thought.end(
        |text, signature| json!({"type": "thinking", "thinking": text, "signature": signature}),
    );
    if let Some(block) = ended {
        draft.carry(block);
    }
    draft.cite(std::mem::take(&mut open.citations));
    draft.end_call();
    draft.end_part();
}

/// Returns a part of an answer as the block that comes back.
fn block_of(part: DraftPart<'_>) -> Value {
    match part {
        DraftPart::Text(part) if part.citations.is_empty() => {
            json!({"type": "text", "text": part.text})
        }
        DraftPart::Text(part) => {
            json!({"type": "text", "text": part.text, "citations": part.citations})
        }
        DraftPart::Call(call) => json!({
            "type": "tool_use", "id": call.id, "name": call.name, "input": call.input(),
        }),
        DraftPart::Carried(block) => block.clone(),
    }
}
