//! Answers of Amazon's `converse`, at once or as a stream of blocks.

use serde::Deserialize;
use serde_json::value::RawValue;
use serde_json::{Value, json};

use crate::wire::count::Count;
use crate::wire::draft::{Draft, DraftCall, DraftPart};
use crate::wire::event_stream::EXCEPTION;
use crate::wire::text::{Chars, Kept, kept};
use crate::wire::thoughts::Thought;
use crate::wire::{Assemble, Progress, Reply, Usage, WireError};

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Response<'a> {
    #[serde(borrow, default)]
    output: Option<Output<'a>>,
    #[serde(default)]
    stop_reason: Option<String>,
    #[serde(default)]
    usage: Option<Tokens>,
}

#[derive(Deserialize)]
struct Output<'a> {
    #[serde(borrow, default)]
    message: Option<Message<'a>>,
}

#[derive(Deserialize)]
struct Message<'a> {
    #[serde(borrow, default)]
    content: Option<Vec<&'a RawValue>>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Block<'a> {
    #[serde(borrow, default)]
    text: Option<Chars<'a>>,
    #[serde(borrow, default)]
    tool_use: Option<ToolUse<'a>>,
    #[serde(borrow, default)]
    reasoning_content: Option<ReasoningBlock<'a>>,
    #[serde(borrow, default)]
    citations_content: Option<CitedText<'a>>,
}

impl Block<'_> {
    /// Returns true if the block is none of those that an answer is made of.
    fn is_other(&self) -> bool {
        let call = self.tool_use.as_ref();
        let is_plain = self.text.is_some()
            || self.reasoning_content.is_some()
            || self.citations_content.is_some();
        !is_plain && call.is_none_or(ToolUse::is_of_vendor)
    }
}

/// A text that cites sources.
#[derive(Deserialize)]
struct CitedText<'a> {
    #[serde(borrow, default)]
    content: Option<Vec<CitedPiece<'a>>>,
    #[serde(default)]
    citations: Option<Vec<Kept>>,
}

#[derive(Deserialize)]
struct CitedPiece<'a> {
    #[serde(borrow, default)]
    text: Option<Chars<'a>>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct ReasoningBlock<'a> {
    #[serde(borrow, default)]
    reasoning_text: Option<ReasoningText<'a>>,
    #[serde(default)]
    redacted_content: Option<String>,
}

impl<'a> ReasoningBlock<'a> {
    /// Returns the text in the form that an event has.
    fn text(self) -> ReasoningText<'a> {
        ReasoningText {
            redacted_content: self.redacted_content,
            ..self.reasoning_text.unwrap_or_default()
        }
    }
}

#[derive(Deserialize, Default)]
#[serde(rename_all = "camelCase")]
struct ReasoningText<'a> {
    #[serde(borrow, default)]
    text: Option<Chars<'a>>,
    #[serde(default)]
    signature: Option<String>,
    /// Reasoning that the vendor encrypted.
    #[serde(default)]
    redacted_content: Option<String>,
}

/// The payload of any event.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Event<'a> {
    #[serde(borrow, default)]
    start: Option<&'a RawValue>,
    #[serde(borrow, default)]
    delta: Option<Delta<'a>>,
    #[serde(default)]
    stop_reason: Option<String>,
    #[serde(default)]
    usage: Option<Tokens>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Start<'a> {
    #[serde(borrow, default)]
    tool_use: Option<ToolUse<'a>>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct ToolUse<'a> {
    #[serde(default)]
    tool_use_id: Option<String>,
    #[serde(default)]
    name: Option<String>,
    /// `server_tool_use` for a tool that Amazon runs.
    #[serde(rename = "type", default)]
    kind: Option<String>,
    /// The arguments; in a delta, a piece of them.
    #[serde(borrow, default)]
    input: Option<&'a RawValue>,
}

impl ToolUse<'_> {
    /// Returns true if the vendor runs the tool itself.
    fn is_of_vendor(&self) -> bool {
        self.kind.is_some()
    }
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Delta<'a> {
    #[serde(borrow, default)]
    text: Option<Chars<'a>>,
    #[serde(borrow, default)]
    tool_use: Option<ToolUse<'a>>,
    #[serde(borrow, default)]
    reasoning_content: Option<ReasoningText<'a>>,
    #[serde(default)]
    citation: Option<Kept>,
    #[serde(default)]
    tool_result: Option<Vec<Kept>>,
}

#[derive(Deserialize, Clone, Copy, Default)]
#[serde(rename_all = "camelCase")]
struct Tokens {
    #[serde(default)]
    input_tokens: Count,
    #[serde(default)]
    output_tokens: Count,
    #[serde(default)]
    cache_read_input_tokens: Count,
    #[serde(default)]
    cache_write_input_tokens: Count,
}

impl Tokens {
    /// Returns the usage. Cached tokens are counted beside the input.
    fn usage(self) -> Usage {
        let cached = self.cache_read_input_tokens.some();
        let written = self.cache_write_input_tokens.some();
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
    let response: Response<'_> = serde_json::from_str(body)?;
    let mut draft = Draft::default();
    draft.finish_reason = response.stop_reason;
    draft.usage = response.usage.unwrap_or_default().usage();
    let message = response.output.and_then(|output| output.message);
    let mut open = OpenBlock::default();
    let blocks = message.and_then(|message| message.content);
    for written in blocks.unwrap_or_default() {
        add_block(&mut draft, &mut open, written)?;
    }
    draft.keep_order(block_of);
    draft.finish()
}

/// Adds a block of an answer that came at once.
fn add_block(draft: &mut Draft, open: &mut OpenBlock, written: &RawValue) -> Result<(), WireError> {
    let block: Block<'_> = serde_json::from_str(written.get())?;
    if block.is_other() {
        open.other = kept(written);
        end_block(draft, open);
        return Ok(());
    }
    if let Some(text) = block.text {
        draft.say(&text);
    }
    if let Some(cited) = block.citations_content {
        let pieces = cited.content.into_iter().flatten();
        for text in pieces.filter_map(|piece| piece.text) {
            draft.say(&text);
        }
        let citations = cited.citations.into_iter().flatten();
        open.citations.extend(citations.map(|kept| kept.0));
    }
    if let Some(text) = block.reasoning_content.map(ReasoningBlock::text) {
        think(draft, &mut open.thought, text);
    }
    if let Some(call) = block.tool_use {
        let begun = draft.call(DraftCall::of_value(call.tool_use_id, call.name));
        begun.argue(call.input.map_or("{}", RawValue::get).as_bytes());
    }
    end_block(draft, open);
    Ok(())
}

/// The block that is being read.
#[derive(Default)]
struct OpenBlock {
    thought: Thought,
    /// The sources that the text cites.
    citations: Vec<Value>,
    /// A block that is not text, reasoning or a call of a tool of ours.
    other: Option<Value>,
    /// The input of that block, which comes in pieces.
    input: Vec<u8>,
}

/// Puts the events of a stream together.
#[derive(Default)]
pub(super) struct Assembler {
    draft: Draft,
    open: OpenBlock,
}

impl Assemble for Assembler {
    fn event(&mut self, name: &str, data: &str) -> Result<Progress, WireError> {
        if let Some(exception) = name.strip_prefix(EXCEPTION) {
            return Err(reported(exception, data));
        }
        let event: Event<'_> = serde_json::from_str(data)?;
        match name {
            "contentBlockStart" => match event.start {
                Some(start) => self.begin(start),
                None => Ok(Progress::Nothing),
            },
            "contentBlockDelta" => match event.delta {
                Some(delta) => self.add(delta),
                None => Ok(Progress::Nothing),
            },
            "contentBlockStop" => {
                end_block(&mut self.draft, &mut self.open);
                self.draft.end_call();
                Ok(Progress::Nothing)
            }
            "messageStop" => {
                self.draft.finish_reason = event.stop_reason;
                Ok(Progress::Nothing)
            }
            "metadata" => {
                self.draft.usage = event.usage.unwrap_or_default().usage();
                Ok(Progress::Last)
            }
            _ => Ok(Progress::Nothing),
        }
    }

    fn finish(mut self: Box<Self>) -> Result<Reply, WireError> {
        if self.draft.finish_reason.is_none() {
            return Err(WireError::Cut);
        }
        self.draft.keep_order(block_of);
        self.draft.finish()
    }
}

impl Assembler {
    fn begin(&mut self, written: &RawValue) -> Result<Progress, WireError> {
        let start: Start<'_> = serde_json::from_str(written.get())?;
        match start.tool_use {
            Some(call) if !call.is_of_vendor() => {
                let call = DraftCall::of_value(call.tool_use_id, call.name);
                self.draft.call(call);
                Ok(Progress::Token)
            }
            _ => {
                let is_filled = |start: &Value| start.as_object().is_some_and(|it| !it.is_empty());
                self.open.other = kept(written).filter(is_filled);
                Ok(Progress::Nothing)
            }
        }
    }

    fn add(&mut self, delta: Delta<'_>) -> Result<Progress, WireError> {
        self.open
            .citations
            .extend(delta.citation.map(|kept| kept.0));
        if let (Some(more), Some(other)) = (delta.tool_result, &mut self.open.other) {
            let more = more.into_iter().map(|kept| kept.0);
            match &mut other["toolResult"]["content"] {
                Value::Array(content) => content.extend(more),
                content => *content = more.collect(),
            }
            return Ok(Progress::Nothing);
        }
        if let Some(text) = delta.text {
            return Ok(self.draft.say(&text));
        }
        if let Some(thought) = delta.reasoning_content {
            return Ok(think(&mut self.draft, &mut self.open.thought, thought));
        }
        let Some(input) = delta.tool_use.and_then(|call| call.input) else {
            return Ok(Progress::Nothing);
        };
        let text = Chars::of(input)?;
        let piece = text.as_ref().map_or(input.get().as_bytes(), |text| &text.0);
        if self.open.other.is_some() {
            self.open.input.extend_from_slice(piece);
            return Ok(Progress::Nothing);
        }
        match self.draft.last_call() {
            Some(call) => {
                call.argue(piece);
                Ok(Progress::Token)
            }
            None => Ok(Progress::Nothing),
        }
    }
}

/// Returns the error of an exception, with the status that it would have without a stream.
fn reported(exception: &str, data: &str) -> WireError {
    let status = match exception {
        "throttlingException" => 429,
        "serviceUnavailableException" => 503,
        "validationException" => 400,
        "modelTimeoutException" => 408,
        "accessDeniedException" => 403,
        _ => 500,
    };
    let payload: Value = serde_json::from_str(data).unwrap_or_default();
    let message = payload.get("message").and_then(Value::as_str);
    let message = message.unwrap_or(exception);
    let error = json!({"error": {"message": message, "type": exception, "code": status}});
    WireError::Reported(error.to_string())
}

/// Adds a piece of reasoning, or a part of one.
fn think(draft: &mut Draft, thought: &mut Thought, added: ReasoningText<'_>) -> Progress {
    let text = added.text.unwrap_or_default();
    thought.sign(added.signature);
    if let Some(data) = added.redacted_content {
        draft.carry(json!({"reasoningContent": {"redactedContent": data}}));
        return Progress::Nothing;
    }
    if thought.add(&text) {
        draft.break_reasoning();
    }
    draft.reason(&text)
}

/// Ends a block.
fn end_block(draft: &mut Draft, open: &mut OpenBlock) {
    let input = std::mem::take(&mut open.input);
    if let Some(mut other) = open.other.take() {
        if let Ok(input) = serde_json::from_slice::<Value>(&input) {
            other["toolUse"]["input"] = input;
        }
        draft.keep(other.clone());
        // The vendor expects its own blocks back, in their order.
        draft.carry(other);
        draft.end_part();
        return;
    }
    let ended = open.thought.end(|text, signature| {
        json!({"reasoningContent": {"reasoningText": {"text": text, "signature": signature}}})
    });
    if let Some(block) = ended {
        draft.carry(block);
    }
    draft.cite(std::mem::take(&mut open.citations));
    draft.end_part();
}

/// Returns a part of an answer as the block that comes back.
fn block_of(part: DraftPart<'_>) -> Value {
    match part {
        DraftPart::Text(part) if part.citations.is_empty() => json!({"text": part.text}),
        DraftPart::Text(part) => json!({
            "citationsContent": {"content": [{"text": part.text}], "citations": part.citations},
        }),
        DraftPart::Call(call) => json!({
            "toolUse": {"toolUseId": call.id, "name": call.name, "input": call.input()},
        }),
        DraftPart::Carried(block) => block.clone(),
    }
}
