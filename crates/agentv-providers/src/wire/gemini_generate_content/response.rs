//! Answers of Google's `generateContent`. An event of a stream has the types of a whole answer.

use serde::Deserialize;
use serde_json::value::RawValue;
use serde_json::{Value, json};

use crate::wire::count::Count;
use crate::wire::draft::{Draft, DraftCall, DraftPart};
use crate::wire::text::{Chars, Kept, kept};
use crate::wire::{Assemble, Progress, Reply, Usage, WireError};

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Response<'a> {
    #[serde(borrow, default)]
    candidates: Option<Vec<Candidate<'a>>>,
    #[serde(default)]
    prompt_feedback: Option<Feedback>,
    #[serde(default)]
    usage_metadata: Option<Tokens>,
    #[serde(default)]
    model_version: Option<String>,
    #[serde(default)]
    response_id: Option<String>,
    #[serde(borrow, default)]
    error: Option<&'a RawValue>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Candidate<'a> {
    #[serde(default)]
    index: Count,
    #[serde(borrow, default)]
    content: Option<Content<'a>>,
    #[serde(default)]
    finish_reason: Option<String>,
    #[serde(default)]
    logprobs_result: Option<Kept>,
    /// The sources of the answer.
    #[serde(default)]
    grounding_metadata: Option<Kept>,
    #[serde(default)]
    citation_metadata: Option<Kept>,
    #[serde(default)]
    url_context_metadata: Option<Kept>,
}

#[derive(Deserialize)]
struct Content<'a> {
    #[serde(borrow, default)]
    parts: Option<Vec<&'a RawValue>>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Part<'a> {
    #[serde(borrow, default)]
    text: Option<Chars<'a>>,
    #[serde(default)]
    thought: Option<bool>,
    #[serde(default)]
    #[serde(borrow)]
    function_call: Option<FunctionCall<'a>>,
    #[serde(default)]
    thought_signature: Option<String>,
}

#[derive(Deserialize)]
struct FunctionCall<'a> {
    #[serde(default)]
    id: Option<String>,
    #[serde(default)]
    name: Option<String>,
    #[serde(borrow, default)]
    args: Option<&'a RawValue>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Feedback {
    #[serde(default)]
    block_reason: Option<String>,
}

#[derive(Deserialize, Clone, Copy, Default)]
#[serde(rename_all = "camelCase")]
struct Tokens {
    #[serde(default)]
    prompt_token_count: Count,
    #[serde(default)]
    candidates_token_count: Count,
    #[serde(default)]
    thoughts_token_count: Count,
    #[serde(default)]
    cached_content_token_count: Count,
    #[serde(default)]
    tool_use_prompt_token_count: Count,
}

pub(super) fn read(body: &str) -> Result<Reply, WireError> {
    let mut draft = Draft::default();
    add(&mut draft, serde_json::from_str(body)?)?;
    draft.keep_turn(part_of);
    draft.finish()
}

/// Puts the events of a stream together.
#[derive(Default)]
pub(super) struct Assembler {
    draft: Draft,
}

impl Assemble for Assembler {
    fn event(&mut self, _: &str, data: &str) -> Result<Progress, WireError> {
        add(&mut self.draft, serde_json::from_str(data)?)
    }

    fn finish(mut self: Box<Self>) -> Result<Reply, WireError> {
        self.draft.keep_turn(part_of);
        match self.draft.finish_reason {
            Some(_) => self.draft.finish(),
            None => Err(WireError::Cut),
        }
    }
}

/// Adds an answer, or an event of one.
fn add(draft: &mut Draft, response: Response<'_>) -> Result<Progress, WireError> {
    if let Some(error) = response.error.filter(|error| error.get() != "null") {
        return Err(WireError::Reported(format!("{{\"error\":{error}}}")));
    }
    draft.name(response.response_id, response.model_version);
    if let Some(tokens) = response.usage_metadata {
        draft.usage = usage(tokens);
    }
    // A prompt that was not passed on to the model has an empty answer.
    if let Some(reason) = response
        .prompt_feedback
        .and_then(|feedback| feedback.block_reason)
    {
        draft.finish_reason = Some(reason);
    }
    let mut progress = Progress::Nothing;
    for candidate in response.candidates.unwrap_or_default() {
        // The others are alternatives, which only `candidateCount` in `params` asks for.
        if candidate.index.0.unwrap_or(0) > 0 {
            continue;
        }
        let parts = candidate.content.and_then(|content| content.parts);
        for written in parts.unwrap_or_default() {
            let part: Part<'_> = serde_json::from_str(written.get())?;
            if part.text.is_none() && part.function_call.is_none() {
                keep_other(draft, written);
            }
            if add_part(draft, part) {
                progress = Progress::Token;
            }
        }
        if let Some(Kept(more)) = candidate.logprobs_result {
            add_logprobs(draft, more);
        }
        let sources = [
            ("groundingMetadata", candidate.grounding_metadata),
            ("citationMetadata", candidate.citation_metadata),
            ("urlContextMetadata", candidate.url_context_metadata),
        ];
        for (name, value) in sources {
            if let Some(Kept(value)) = value {
                draft.keep_once(json!({name: value}));
            }
        }
        draft.finish_reason = candidate.finish_reason.or(draft.finish_reason.take());
    }
    Ok(progress)
}

/// Keeps a part of another kind: an image, code, or the result of code.
fn keep_other(draft: &mut Draft, part: &RawValue) {
    let part = kept(part);
    let says = |part: &Value| {
        let fields = part.as_object().into_iter().flatten();
        let mut fields = fields.map(|(name, _)| name.as_str());
        fields.any(|name| !matches!(name, "thought" | "thoughtSignature"))
    };
    if let Some(part) = part.filter(says) {
        draft.keep(part.clone());
        draft.carry(part);
    }
}

/// Adds a part. Returns true if it says anything.
fn add_part(draft: &mut Draft, part: Part<'_>) -> bool {
    let mut says = false;
    if let Some(text) = part.text {
        let signature = part.thought_signature.clone();
        let said = match (part.thought, signature) {
            (Some(true), _) => draft.reason(&text),
            (Some(false) | None, Some(signature)) if part.function_call.is_none() => {
                draft.say_signed(&text, signature)
            }
            (Some(false) | None, _) => draft.say(&text),
        };
        says |= said == Progress::Token;
    }
    if let Some(call) = part.function_call {
        says = true;
        let mut begun = DraftCall::of_value(call.id, call.name);
        begun.signature = part.thought_signature;
        let arguments = call.args.map(RawValue::get);
        let arguments = arguments.filter(|arguments| *arguments != "null");
        begun.argue(arguments.unwrap_or("{}").as_bytes());
        draft.call(begun);
    }
    says
}

/// Returns a part of an answer as it comes back.
fn part_of(part: DraftPart<'_>) -> Value {
    match part {
        DraftPart::Text(part) => match part.signature {
            None => json!({"text": part.text}),
            Some(signature) => json!({"text": part.text, "thoughtSignature": signature}),
        },
        DraftPart::Call(call) => {
            let mut written = json!({"name": call.name, "args": call.input()});
            if let Some(id) = &call.id {
                written["id"] = json!(id);
            }
            let mut part = json!({"functionCall": written});
            if let Some(signature) = &call.signature {
                part["thoughtSignature"] = json!(signature);
            }
            part
        }
        DraftPart::Carried(part) => part.clone(),
    }
}

/// Appends the lists of tokens of an event to those of earlier ones.
fn add_logprobs(draft: &mut Draft, more: Value) {
    let Some(Value::Object(known)) = &mut draft.logprobs else {
        draft.logprobs = Some(more);
        return;
    };
    let Value::Object(fields) = more else {
        return;
    };
    for (name, value) in fields {
        match (known.get_mut(&name), value) {
            (Some(Value::Array(list)), Value::Array(more)) => list.extend(more),
            (_, value) => {
                known.insert(name, value);
            }
        }
    }
}

/// Returns the usage. Google counts thoughts beside the answer.
fn usage(tokens: Tokens) -> Usage {
    let thoughts = tokens.thoughts_token_count.some();
    let (said, used) = (
        tokens.candidates_token_count.0,
        tokens.tool_use_prompt_token_count.some(),
    );
    let output = match (said, thoughts) {
        (Some(said), Some(thoughts)) => Some(said.saturating_add(thoughts)),
        (said, thoughts) => said.or(thoughts),
    };
    let input = tokens.prompt_token_count.0;
    Usage {
        input: input.map(|input| input.saturating_add(used.unwrap_or(0))),
        output,
        cached: tokens.cached_content_token_count.some(),
        cache_written: None,
        reasoning: thoughts,
    }
}
