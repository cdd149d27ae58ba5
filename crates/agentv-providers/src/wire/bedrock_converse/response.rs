//! Answers of Amazon's `converse`, at once or as a stream of blocks.

use serde::Deserialize;
use serde_json::value::RawValue;
use serde_json::{Value, json};

use crate::wire::count::Count;
use crate::wire::draft::{Draft, DraftCall, DraftPart};
use crate::wire::event_stream::EXCEPTION;
use crate::wire::text::Chars;
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
    content: Option<Vec<Block<'a>>>,
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
    start: Option<Start<'a>>,
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
    /// The arguments; in a delta, a piece of them.
    #[serde(borrow, default)]
    input: Option<&'a RawValue>,
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
    let mut thought = Thought::default();
    for block in message
        .and_then(|message| message.content)
        .unwrap_or_default()
    {
        if let Some(text) = block.text {
            draft.say(&text);
        }
        if let Some(text) = block.reasoning_content.map(ReasoningBlock::text) {
            think(&mut draft, &mut thought, text);
        }
        if let Some(call) = block.tool_use {
            let begun = draft.call(DraftCall::of_value(call.tool_use_id, call.name));
            begun.argue(call.input.map_or("{}", RawValue::get).as_bytes());
        }
        end_block(&mut draft, &mut thought);
    }
    draft.keep_order(block_of);
    draft.finish()
}

/// Puts the events of a stream together.
#[derive(Default)]
pub(super) struct Assembler {
    draft: Draft,
    thought: Thought,
}

impl Assemble for Assembler {
    fn event(&mut self, name: &str, data: &str) -> Result<Progress, WireError> {
        if let Some(exception) = name.strip_prefix(EXCEPTION) {
            return Err(reported(exception, data));
        }
        let event: Event<'_> = serde_json::from_str(data)?;
        match name {
            "contentBlockStart" => {
                let Some(call) = event.start.and_then(|start| start.tool_use) else {
                    return Ok(Progress::Nothing);
                };
                let call = DraftCall::of_value(call.tool_use_id, call.name);
                self.draft.call(call);
                Ok(Progress::Token)
            }
            "contentBlockDelta" => match event.delta {
                Some(delta) => self.add(delta),
                None => Ok(Progress::Nothing),
            },
            "contentBlockStop" => {
                end_block(&mut self.draft, &mut self.thought);
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
    fn add(&mut self, delta: Delta<'_>) -> Result<Progress, WireError> {
        if let Some(text) = delta.text {
            return Ok(self.draft.say(&text));
        }
        if let Some(thought) = delta.reasoning_content {
            return Ok(think(&mut self.draft, &mut self.thought, thought));
        }
        if let Some(input) = delta.tool_use.and_then(|call| call.input)
            && let Some(call) = self.draft.last_call()
        {
            match Chars::of(input)? {
                Some(text) => call.argue(&text.0),
                None => call.argue(input.get().as_bytes()),
            }
            return Ok(Progress::Token);
        }
        Ok(Progress::Nothing)
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
        draft.carry(json!({"redactedContent": data}));
        return Progress::Nothing;
    }
    if thought.add(&text) {
        draft.break_reasoning();
    }
    draft.reason(&text)
}

/// Ends a block.
fn end_block(draft: &mut Draft, thought: &mut Thought) {
    let ended = thought
        .end(|text, signature| json!({"reasoningText": {"text": text, "signature": signature}}));
    if let Some(block) = ended {
        draft.carry(block);
    }
    draft.end_part();
}

/// Returns a part of an answer as the block that comes back.
fn block_of(part: DraftPart<'_>) -> Value {
    match part {
        DraftPart::Text(text, _) => json!({"text": text}),
        DraftPart::Call(call) => json!({
            "toolUse": {"toolUseId": call.id, "name": call.name, "input": call.input()},
        }),
        DraftPart::Carried(thought) => json!({"reasoningContent": thought}),
    }
}
