//! Answers of OpenAI's chat completions. An event of a stream has the types of a whole answer.

use serde::Deserialize;
use serde_json::Value;
use serde_json::value::RawValue;

use crate::wire::count::Count;
use crate::wire::draft::{Draft, DraftCall};
use crate::wire::text::{Chars, Kept, kept};
use crate::wire::{Assemble, Progress, Reply, Usage, WireError};

#[derive(Deserialize)]
struct Completion<'a> {
    #[serde(default)]
    id: Option<String>,
    #[serde(default)]
    model: Option<String>,
    #[serde(borrow, default)]
    choices: Option<Vec<Choice<'a>>>,
    #[serde(default)]
    usage: Option<Tokens>,
    #[serde(borrow, default)]
    error: Option<&'a RawValue>,
    /// `error`, if an error came in place of an event.
    #[serde(borrow, default)]
    object: Option<&'a RawValue>,
}

#[derive(Deserialize)]
struct Choice<'a> {
    #[serde(default)]
    index: Count,
    /// The message of an answer that is not streamed.
    #[serde(borrow, default)]
    message: Option<Message<'a>>,
    /// The part of a message that an event adds.
    #[serde(borrow, default)]
    delta: Option<Message<'a>>,
    #[serde(default)]
    finish_reason: Option<String>,
    #[serde(default)]
    logprobs: Option<Kept>,
    /// OpenRouter's error of a model that failed in the middle of its answer.
    #[serde(borrow, default)]
    error: Option<&'a RawValue>,
}

#[derive(Deserialize)]
struct Message<'a> {
    #[serde(borrow, default)]
    content: Option<&'a RawValue>,
    #[serde(borrow, default)]
    refusal: Option<&'a RawValue>,
    #[serde(borrow, default)]
    reasoning_content: Option<&'a RawValue>,
    #[serde(borrow, default)]
    reasoning: Option<&'a RawValue>,
    /// OpenRouter's form of reasoning, which must come back unchanged.
    #[serde(borrow, default)]
    reasoning_details: Option<&'a RawValue>,
    #[serde(borrow, default)]
    tool_calls: Option<Vec<ToolCall<'a>>>,
    /// Data of Google, LiteLLM and GitHub that must come back unchanged.
    #[serde(borrow, default)]
    extra_content: Option<&'a RawValue>,
    #[serde(borrow, default)]
    thinking_blocks: Option<&'a RawValue>,
    #[serde(borrow, default)]
    reasoning_opaque: Option<&'a RawValue>,
    /// The images that the model drew.
    #[serde(borrow, default)]
    images: Option<&'a RawValue>,
    /// The sources that the model cites.
    #[serde(borrow, default)]
    annotations: Option<&'a RawValue>,
    /// The speech of the model. An event adds to its texts.
    #[serde(borrow, default)]
    audio: Option<&'a RawValue>,
}

#[derive(Deserialize)]
struct ToolCall<'a> {
    #[serde(default)]
    index: Count,
    #[serde(default)]
    id: Option<String>,
    #[serde(borrow, default)]
    function: Option<Function<'a>>,
    /// Data of Google, without which it refuses the result of the call.
    #[serde(borrow, default)]
    extra_content: Option<&'a RawValue>,
}

#[derive(Deserialize)]
struct Function<'a> {
    #[serde(default)]
    name: Option<String>,
    #[serde(borrow, default)]
    arguments: Option<&'a RawValue>,
}

/// A piece of content, where a vendor writes content as pieces.
#[derive(Deserialize)]
struct Piece<'a> {
    #[serde(borrow, default)]
    text: Option<&'a RawValue>,
    #[serde(borrow, default)]
    thinking: Option<&'a RawValue>,
}

#[derive(Deserialize)]
struct Tokens {
    #[serde(default)]
    prompt_tokens: Count,
    #[serde(default)]
    completion_tokens: Count,
    #[serde(default)]
    total_tokens: Count,
    #[serde(default)]
    prompt_tokens_details: Option<PromptDetails>,
    #[serde(default)]
    completion_tokens_details: Option<CompletionDetails>,
    /// DeepSeek's name for cached tokens.
    #[serde(default)]
    prompt_cache_hit_tokens: Count,
    /// OpenRouter's cost.
    #[serde(default)]
    cost: Option<Kept>,
}

#[derive(Deserialize)]
struct PromptDetails {
    #[serde(default)]
    cached_tokens: Count,
}

#[derive(Deserialize)]
struct CompletionDetails {
    #[serde(default)]
    reasoning_tokens: Count,
}

pub(super) fn read(body: &str) -> Result<Reply, WireError> {
    let mut draft = Draft::default();
    add(&mut draft, body)?;
    draft.finish()
}

/// Puts the events of a stream together.
#[derive(Default)]
pub(super) struct Assembler {
    draft: Draft,
    is_done: bool,
}

impl Assemble for Assembler {
    fn event(&mut self, _: &str, data: &str) -> Result<Progress, WireError> {
        if data.trim() == "[DONE]" {
            self.is_done = true;
            return Ok(Progress::Last);
        }
        add(&mut self.draft, data)
    }

    fn finish(self: Box<Self>) -> Result<Reply, WireError> {
        // Some servers send no `[DONE]`.
        if !self.is_done && self.draft.finish_reason.is_none() {
            return Err(WireError::Cut);
        }
        self.draft.finish()
    }
}

/// Adds an answer, or an event of one.
fn add(draft: &mut Draft, text: &str) -> Result<Progress, WireError> {
    let completion: Completion<'_> = serde_json::from_str(text)?;
    if completion.error.is_some_and(is_set) {
        return Err(reported(completion.error));
    }
    if completion
        .object
        .is_some_and(|object| object.get() == "\"error\"")
    {
        return Err(WireError::Reported(text.to_owned()));
    }
    draft.name(completion.id, completion.model);
    if let Some(tokens) = completion.usage {
        draft.cost = cost(&tokens).or(draft.cost);
        draft.usage = usage(&tokens);
    }
    let mut progress = Progress::Nothing;
    for choice in completion.choices.unwrap_or_default() {
        // The others are alternatives, which only `n` in `params` asks for.
        if choice.index.0.unwrap_or(0) > 0 {
            continue;
        }
        let reason = choice.finish_reason.as_deref();
        if choice.error.is_some_and(is_set) || matches!(reason, Some("error" | "abort")) {
            return Err(reported(choice.error));
        }
        for message in [choice.message, choice.delta].into_iter().flatten() {
            if add_message(draft, message)? {
                progress = Progress::Token;
            }
        }
        if let Some(probabilities) = choice
            .logprobs
            .map(|kept| kept.0)
            .filter(|value| !value.is_null())
        {
            add_logprobs(draft, probabilities);
        }
        draft.finish_reason = choice.finish_reason.or(draft.finish_reason.take());
    }
    Ok(progress)
}

fn is_set(value: &RawValue) -> bool {
    value.get() != "null"
}

/// Returns the error of a model that failed, in the vendor's words if there are any.
fn reported(error: Option<&RawValue>) -> WireError {
    let error = error.filter(|error| is_set(error)).map(RawValue::get);
    let usual = r#"{"message":"the model failed in the middle of its answer","code":502}"#;
    let error = error.unwrap_or(usual);
    WireError::Reported(format!("{{\"error\":{error}}}"))
}

/// Adds a message or a part of one. Returns true if it says anything.
fn add_message(draft: &mut Draft, message: Message<'_>) -> Result<bool, WireError> {
    let mut says = false;
    let named = [
        ("reasoning_content", message.reasoning_content),
        ("reasoning", message.reasoning),
    ];
    let mut named = named.into_iter();
    let reasoning = named.find_map(|(name, text)| Some((name, text.filter(is_text)?)));
    if let Some((name, reasoning)) = reasoning {
        let reasoning: Chars<'_> = serde_json::from_str(reasoning.get())?;
        if draft.reason(&reasoning) == Progress::Token {
            says = true;
            draft.reasoning_field = Some(name);
        }
    }
    if let Some(details) = message.reasoning_details {
        // Details with half of a surrogate pair are no value, and cannot come back.
        let details: Vec<Value> = serde_json::from_str(details.get()).unwrap_or_default();
        details
            .into_iter()
            .for_each(|detail| draft.add_reasoning_detail(detail));
    }
    let carried = [
        ("extra_content", message.extra_content),
        ("thinking_blocks", message.thinking_blocks),
        ("reasoning_opaque", message.reasoning_opaque),
    ];
    for (name, written) in carried {
        if let Some(value) = written.filter(|value| is_set(value)).and_then(value) {
            draft.carry_field(name, value);
        }
    }
    if let Some(content) = message.content {
        says |= add_content(draft, content)?;
    }
    if let Some(refusal) = message.refusal.filter(is_text) {
        let refusal: Chars<'_> = serde_json::from_str(refusal.get())?;
        says |= draft.refuse(&refusal) == Progress::Token;
    }
    for call in message.tool_calls.unwrap_or_default() {
        says = true;
        add_call(draft, call)?;
    }
    let parts = [message.images, message.annotations];
    for part in parts.into_iter().flatten().flat_map(values) {
        says = true;
        draft.keep(part);
    }
    if let Some(audio) = message.audio.and_then(kept)
        && audio.is_object()
    {
        says = true;
        draft.keep_audio(audio);
    }
    Ok(says)
}

/// Returns a value that is kept as it came; `None` if it is no value, as with half of a surrogate pair.
fn value(written: &RawValue) -> Option<Value> {
    serde_json::from_str(written.get()).ok()
}

fn values(list: &RawValue) -> Vec<Value> {
    let list: Vec<Kept> = serde_json::from_str(list.get()).unwrap_or_default();
    list.into_iter().map(|kept| kept.0).collect()
}

fn is_text(value: &&RawValue) -> bool {
    value.get().starts_with('"')
}

fn add_content(draft: &mut Draft, content: &RawValue) -> Result<bool, WireError> {
    if let Some(text) = Chars::of(content)? {
        return Ok(draft.say(&text) == Progress::Token);
    }
    if !content.get().starts_with('[') {
        return Ok(false);
    }
    let mut says = false;
    let pieces: Vec<&RawValue> = serde_json::from_str(content.get())?;
    for written in pieces {
        let piece: Piece<'_> = serde_json::from_str(written.get())?;
        if let Some(text) = piece.text
            && let Some(text) = Chars::of(text)?
        {
            says |= draft.say(&text) == Progress::Token;
        }
        if let Some(thinking) = piece.thinking {
            says |= add_thinking(draft, thinking)?;
        }
        if piece.text.is_none() && piece.thinking.is_none() {
            kept(written).into_iter().for_each(|part| draft.keep(part));
        }
    }
    Ok(says)
}

/// Adds a piece of reasoning, which Mistral writes as pieces again.
fn add_thinking(draft: &mut Draft, thinking: &RawValue) -> Result<bool, WireError> {
    if let Some(text) = Chars::of(thinking)? {
        return Ok(draft.reason(&text) == Progress::Token);
    }
    let pieces: Vec<Piece<'_>> = serde_json::from_str(thinking.get()).unwrap_or_default();
    let mut says = false;
    for text in pieces.into_iter().filter_map(|piece| piece.text) {
        if let Some(text) = Chars::of(text)? {
            says |= draft.reason(&text) == Progress::Token;
        }
    }
    Ok(says)
}

fn add_call(draft: &mut Draft, call: ToolCall<'_>) -> Result<(), WireError> {
    let (name, arguments) = match call.function {
        Some(function) => (function.name, function.arguments),
        None => (None, None),
    };
    let id = call.id.filter(|id| !id.is_empty());
    let name = name.filter(|name| !name.is_empty());
    let begun = match call.index.0 {
        Some(index) => draft.call_at(index),
        None if id.is_none() && name.is_none() => draft.last_call(),
        None => None,
    };
    // Some servers give every call of a message the same place.
    let is_other = |begun: &&mut DraftCall| id.is_some() && begun.id.is_some() && begun.id != id;
    let entry = match begun {
        Some(begun) if !is_other(&begun) => {
            begun.id = begun.id.take().or(id);
            begun.name.push_str(name.as_deref().unwrap_or_default());
            begun
        }
        _ => {
            let mut begun = DraftCall::new(id, name);
            begun.index = call.index.0;
            draft.call(begun)
        }
    };
    if let Some(value) = call.extra_content.filter(|it| is_set(it)).and_then(value) {
        entry.carried.insert("extra_content".to_owned(), value);
    }
    match arguments {
        None => {}
        Some(arguments) => match Chars::of(arguments)? {
            Some(text) => entry.argue(&text.0),
            None if arguments.get() == "null" => {}
            // Some servers write the arguments as an object.
            None => entry.argue(arguments.get().as_bytes()),
        },
    }
    Ok(())
}

/// Appends the lists of tokens of an event to those of earlier ones.
fn add_logprobs(draft: &mut Draft, probabilities: Value) {
    let Some(Value::Object(known)) = &mut draft.logprobs else {
        draft.logprobs = Some(probabilities);
        return;
    };
    let Value::Object(fields) = probabilities else {
        return;
    };
    for (name, value) in fields {
        match (known.get_mut(&name), value) {
            (Some(Value::Array(list)), Value::Array(more)) => list.extend(more),
            (Some(place @ Value::Null), value) => *place = value,
            (Some(_), _) => {}
            (None, value) => {
                known.insert(name, value);
            }
        }
    }
}

fn usage(tokens: &Tokens) -> Usage {
    let details = tokens.prompt_tokens_details.as_ref();
    let cached = details.map_or(Count(None), |details| details.cached_tokens);
    let details = tokens.completion_tokens_details.as_ref();
    let reasoning = details.and_then(|details| details.reasoning_tokens.some());
    let (input, output) = (tokens.prompt_tokens.0, tokens.completion_tokens.0);
    // Some vendors count reasoning beside the completion: only then is the total larger by it.
    let apart = match (input, output, tokens.total_tokens.0, reasoning) {
        (Some(input), Some(output), Some(total), Some(reasoning)) => {
            total
                .checked_sub(input)
                .and_then(|rest| rest.checked_sub(output))
                == Some(reasoning)
        }
        _ => false,
    };
    Usage {
        input,
        output: match (output, reasoning) {
            (Some(output), Some(reasoning)) if apart => Some(output + reasoning),
            (output, _) => output,
        },
        cached: cached.some().or(tokens.prompt_cache_hit_tokens.some()),
        cache_written: None,
        reasoning,
    }
}

fn cost(tokens: &Tokens) -> Option<f64> {
    let cost = tokens.cost.as_ref()?.0.as_f64()?;
    (cost >= 0.0).then_some(cost)
}
