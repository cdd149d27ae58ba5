//! Requests of Anthropic's messages.

use serde::Serialize;
use serde_json::Value;

use super::NAME;
use crate::wire::turns::{Assistant, instructions_alone, is_blank, late_instructions};
use crate::wire::{
    Ask, Call, Format, Input, Media, MediaKind, MediaSource, Part, Tool, ToolChoice, ToolResult,
    Turn, Unsendable,
};

#[derive(Serialize)]
struct Body<'a> {
    model: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    system: Option<Content<'a>>,
    messages: Vec<Message<'a>>,
    #[serde(skip_serializing_if = "<[_]>::is_empty")]
    tools: Vec<Function<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    tool_choice: Option<Choice<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    output_config: Option<OutputConfig<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    thinking: Option<Thinking>,
    #[serde(skip_serializing_if = "Option::is_none")]
    temperature: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    top_p: Option<f64>,
    #[serde(skip_serializing_if = "<[_]>::is_empty")]
    stop_sequences: &'a [String],
    max_tokens: u64,
    stream: bool,
}

#[derive(Serialize)]
struct Message<'a> {
    role: &'static str,
    content: Content<'a>,
}

#[derive(Serialize)]
#[serde(untagged)]
enum Content<'a> {
    Text(&'a str),
    Blocks(Vec<Block<'a>>),
}

#[derive(Serialize)]
#[serde(untagged)]
enum Block<'a> {
    Own(OwnBlock<'a>),
    /// A block of an earlier answer, as it came.
    Carried(&'a Value),
}

#[derive(Serialize)]
#[serde(tag = "type", rename_all = "snake_case")]
enum OwnBlock<'a> {
    Text {
        text: &'a str,
    },
    Image {
        source: Source<'a>,
    },
    Document {
        source: Source<'a>,
        #[serde(skip_serializing_if = "Option::is_none")]
        title: Option<&'a str>,
    },
    ToolUse {
        id: &'a str,
        name: &'a str,
        input: Input<'a>,
    },
    ToolResult {
        tool_use_id: &'a str,
        content: Content<'a>,
        #[serde(skip_serializing_if = "std::ops::Not::not")]
        is_error: bool,
    },
}

#[derive(Serialize)]
#[serde(tag = "type", rename_all = "snake_case")]
enum Source<'a> {
    Base64 { media_type: &'a str, data: &'a str },
    Url { url: &'a str },
}

#[derive(Serialize)]
struct Function<'a> {
    name: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    description: Option<&'a str>,
    input_schema: &'a Value,
}

#[derive(Serialize)]
#[serde(tag = "type", rename_all = "snake_case")]
enum Choice<'a> {
    Auto,
    None,
    Any,
    Tool { name: &'a str },
}

#[derive(Serialize)]
struct OutputConfig<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    effort: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    format: Option<OutputFormat<'a>>,
}

#[derive(Serialize)]
struct OutputFormat<'a> {
    r#type: &'static str,
    schema: &'a Value,
}

#[derive(Serialize)]
struct Thinking {
    r#type: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    budget_tokens: Option<u64>,
}

pub(super) fn write(ask: &Ask<'_>) -> Result<Vec<u8>, Unsendable> {
    let parameters = ask.parameters;
    let budget = parameters.thinking_budget.filter(|budget| *budget > 0);
    let body = Body {
        model: ask.model,
        system: (!ask.conversation.system.is_empty())
            .then(|| texts(ask.conversation.system_blocks())),
        messages: messages(ask)?,
        tools: ask.tools.iter().map(function).collect(),
        tool_choice: parameters.tool_choice.as_ref().map(choice),
        output_config: output_config(ask),
        thinking: parameters.thinking_budget.map(|_| Thinking {
            r#type: budget.map_or("disabled", |_| "enabled"),
            budget_tokens: budget,
        }),
        temperature: parameters.temperature,
        top_p: parameters.top_p,
        stop_sequences: &parameters.stop,
        max_tokens: parameters
            .max_output_tokens
            .unwrap_or_else(|| usual_limit(ask.model, budget)),
        stream: ask.stream,
    };
    // Writing to memory does not fail.
    Ok(serde_json::to_vec(&body).unwrap_or_default())
}

/// Returns the limit of an answer for users who set none, since the protocol requires one: the most that
/// a model can write, and more than the budget for its thinking.
fn usual_limit(model: &str, budget: Option<u64>) -> u64 {
    const SMALLER: &[(&str, u64)] = &[
        ("claude-3-5", 8_192),
        ("claude-3-opus", 4_096),
        ("claude-3-sonnet", 4_096),
        ("claude-3-haiku", 4_096),
        ("claude-opus-4-0", 32_000),
        ("claude-opus-4-1", 32_000),
        ("claude-opus-4-2025", 32_000),
    ];
    let known = SMALLER.iter().find(|(name, _)| model.contains(name));
    let limit = known.map_or(64_000, |(_, limit)| *limit);
    match budget {
        Some(budget) if budget >= limit => budget.saturating_add(limit),
        _ => limit,
    }
}

fn output_config<'a>(ask: &Ask<'a>) -> Option<OutputConfig<'a>> {
    let effort = ask.parameters.reasoning_effort.as_deref();
    let format = match ask.format {
        Some(Format::JsonSchema { schema, .. }) => Some(OutputFormat {
            r#type: "json_schema",
            schema,
        }),
        Some(Format::Text | Format::JsonObject) | None => None,
    };
    (effort.is_some() || format.is_some()).then_some(OutputConfig { effort, format })
}

fn messages<'a>(ask: &Ask<'a>) -> Result<Vec<Message<'a>>, Unsendable> {
    if ask.conversation.turns.is_empty() {
        return Err(instructions_alone(NAME));
    }
    let mut messages: Vec<Message<'a>> = Vec::with_capacity(ask.conversation.turns.len());
    let mut after_result = false;
    for turn in &ask.conversation.turns {
        let is_result = matches!(turn, Turn::Tool(_));
        match turn {
            Turn::System(_) => return Err(late_instructions(NAME)),
            Turn::User(user) => messages.push(Message {
                role: "user",
                content: content(&user.parts)?,
            }),
            Turn::Assistant(turn) => messages.push(Message {
                role: "assistant",
                content: assistant(turn),
            }),
            Turn::Tool(result) => {
                // All results of one turn belong in one message.
                match messages.last_mut().map(|message| &mut message.content) {
                    Some(Content::Blocks(blocks)) if after_result => {
                        blocks.push(tool_result(result)?)
                    }
                    _ => messages.push(Message {
                        role: "user",
                        content: Content::Blocks(vec![tool_result(result)?]),
                    }),
                }
            }
        }
        after_result = is_result;
    }
    Ok(messages)
}

/// Returns texts as they are written: one alone, or blocks.
fn texts<'a>(texts: impl Iterator<Item = &'a str>) -> Content<'a> {
    let texts: Vec<&str> = texts.collect();
    match texts.as_slice() {
        [] => Content::Text(""),
        [text] => Content::Text(text),
        _ => {
            let blocks = texts.into_iter().map(|text| OwnBlock::Text { text });
            Content::Blocks(blocks.map(Block::Own).collect())
        }
    }
}

fn content<'a>(parts: &'a [Part<'a>]) -> Result<Content<'a>, Unsendable> {
    match parts {
        [] => Ok(Content::Text("")),
        [Part::Text(text)] => Ok(Content::Text(text)),
        parts => {
            let blocks: Result<_, _> = parts
                .iter()
                .map(|part| match part {
                    Part::Text(text) => Ok(Block::Own(OwnBlock::Text { text })),
                    Part::Media(media) => block(media).map(Block::Own),
                })
                .collect();
            blocks.map(Content::Blocks)
        }
    }
}

/// Returns true if the result of a tool may hold the media.
pub(super) fn shows_in_result(media: &Media<'_>) -> bool {
    block(media).is_ok()
}

fn block<'a>(media: &'a Media<'a>) -> Result<OwnBlock<'a>, Unsendable> {
    let source = match &media.source {
        MediaSource::Url(url) => Source::Url { url },
        MediaSource::Base64(data) => Source::Base64 {
            media_type: &media.media_type,
            data,
        },
    };
    let is_url = matches!(media.source, MediaSource::Url(_));
    match media.kind {
        MediaKind::Image if is_url || IMAGES.contains(&media.subtype()) => {
            Ok(OwnBlock::Image { source })
        }
        MediaKind::Document if is_url || media.subtype() == "pdf" => Ok(OwnBlock::Document {
            source,
            title: media.name.as_deref(),
        }),
        MediaKind::Image | MediaKind::Document | MediaKind::Audio => Err(media.unsendable(NAME)),
    }
}

/// The types of images that Anthropic takes as bytes.
const IMAGES: &[&str] = &["jpeg", "png", "gif", "webp"];

fn assistant<'a>(turn: &'a Assistant<'a>) -> Content<'a> {
    let carried = turn.carried.and_then(Value::as_array);
    if turn.calls.is_empty() && carried.is_none() {
        return texts(turn.sent_texts());
    }
    let is_call = |block: &Value| block.get("type").is_some_and(|kind| kind == "tool_use");
    if let Some(blocks) = carried.filter(|blocks| blocks.iter().any(is_call)) {
        // All blocks, in their order.
        let is_blank = |block: &&Value| block["text"].as_str().is_some_and(is_blank);
        let blocks = blocks.iter().filter(|block| !is_blank(block));
        return Content::Blocks(blocks.map(Block::Carried).collect());
    }
    let carried = carried.into_iter().flatten().map(Block::Carried);
    let texts = turn.visible_texts();
    let texts = texts.map(|text| OwnBlock::Text { text });
    let calls = turn.calls.iter().map(tool_use);
    let own = texts.chain(calls).map(Block::Own);
    Content::Blocks(carried.chain(own).collect())
}

fn tool_use<'a>(call: &'a Call<'a>) -> OwnBlock<'a> {
    OwnBlock::ToolUse {
        id: &call.id,
        name: call.name,
        input: call.object(),
    }
}

fn tool_result<'a>(result: &'a ToolResult<'a>) -> Result<Block<'a>, Unsendable> {
    Ok(Block::Own(OwnBlock::ToolResult {
        tool_use_id: &result.id,
        content: content(&result.parts)?,
        is_error: result.is_error,
    }))
}

fn function(tool: &Tool) -> Function<'_> {
    Function {
        name: &tool.name,
        description: tool.description.as_deref(),
        input_schema: &tool.parameters,
    }
}

fn choice(choice: &ToolChoice) -> Choice<'_> {
    match choice {
        ToolChoice::Auto => Choice::Auto,
        ToolChoice::None => Choice::None,
        ToolChoice::Required => Choice::Any,
        ToolChoice::Named(name) => Choice::Tool { name },
    }
}
