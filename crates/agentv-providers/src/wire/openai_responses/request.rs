//! Requests of OpenAI's responses.

use std::borrow::Cow;

use serde::Serialize;
use serde_json::Value;

use super::NAME;
use crate::wire::turns::Assistant;
use crate::wire::{
    Ask, Format, Media, MediaKind, MediaSource, Part, Tool, ToolChoice, Turn, Unsendable,
};

#[derive(Serialize)]
struct Body<'a> {
    model: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    instructions: Option<&'a str>,
    input: Vec<Item<'a>>,
    #[serde(skip_serializing_if = "<[_]>::is_empty")]
    tools: Vec<Function<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    tool_choice: Option<Choice<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    text: Option<TextOptions<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    reasoning: Option<Reasoning<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    temperature: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    top_p: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    max_output_tokens: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    top_logprobs: Option<u64>,
    #[serde(skip_serializing_if = "<[_]>::is_empty")]
    include: Vec<&'static str>,
    store: bool,
    stream: bool,
}

#[derive(Serialize)]
#[serde(untagged)]
enum Item<'a> {
    Message {
        role: &'static str,
        content: Content<'a>,
    },
    Call {
        r#type: &'static str,
        call_id: &'a str,
        name: &'a str,
        arguments: Cow<'a, str>,
    },
    Result {
        r#type: &'static str,
        call_id: &'a str,
        output: Content<'a>,
    },
    /// An item of an earlier answer, as it came.
    Carried(&'a Value),
}

#[derive(Serialize)]
#[serde(untagged)]
enum Content<'a> {
    Text(&'a str),
    Parts(Vec<Piece<'a>>),
}

#[derive(Serialize)]
#[serde(tag = "type")]
enum Piece<'a> {
    #[serde(rename = "input_text")]
    Text { text: &'a str },
    /// A text of the model.
    #[serde(rename = "output_text")]
    Said { text: &'a str },
    #[serde(rename = "input_image")]
    Image {
        image_url: Cow<'a, str>,
        #[serde(skip_serializing_if = "Option::is_none")]
        detail: Option<&'a str>,
    },
    #[serde(rename = "input_file")]
    File {
        #[serde(skip_serializing_if = "Option::is_none")]
        filename: Option<&'a str>,
        #[serde(skip_serializing_if = "Option::is_none")]
        file_data: Option<Cow<'a, str>>,
        #[serde(skip_serializing_if = "Option::is_none")]
        file_url: Option<&'a str>,
    },
}

#[derive(Serialize)]
struct Function<'a> {
    r#type: &'static str,
    name: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    description: Option<&'a str>,
    parameters: &'a Value,
    strict: bool,
}

#[derive(Serialize)]
#[serde(untagged)]
enum Choice<'a> {
    Word(&'static str),
    Function { r#type: &'static str, name: &'a str },
}

#[derive(Serialize)]
struct TextOptions<'a> {
    format: TextFormat<'a>,
}

#[derive(Serialize)]
#[serde(tag = "type", rename_all = "snake_case")]
enum TextFormat<'a> {
    Text,
    JsonObject,
    JsonSchema {
        name: &'a str,
        #[serde(skip_serializing_if = "Option::is_none")]
        strict: Option<bool>,
        schema: &'a Value,
    },
}

#[derive(Serialize)]
struct Reasoning<'a> {
    effort: &'a str,
}

pub(super) fn write(ask: &Ask<'_>) -> Result<Vec<u8>, Unsendable> {
    let parameters = ask.parameters;
    let effort = parameters.reasoning_effort.as_deref();
    let turns = items(ask)?;
    let (instructions, input) = match ask.conversation.system.as_slice() {
        [] => (None, turns),
        // Instructions are one text, and the protocol requires an input.
        [message] if message.len() == 1 && !turns.is_empty() => (message.first(), turns),
        messages => (
            None,
            messages.iter().map(instruction).chain(turns).collect(),
        ),
    };
    let body = Body {
        model: ask.model,
        instructions: instructions.map(|text| &**text),
        input,
        tools: ask.tools.iter().map(function).collect(),
        tool_choice: parameters.tool_choice.as_ref().map(choice),
        text: ask.format.map(|format| TextOptions {
            format: text_format(format),
        }),
        reasoning: effort.map(|effort| Reasoning { effort }),
        temperature: parameters.temperature,
        top_p: parameters.top_p,
        max_output_tokens: parameters.max_output_tokens,
        top_logprobs: parameters.logprobs.filter(|count| *count > 0),
        include: include(ask),
        // Nothing stays at the vendor: a run must not depend on it.
        store: false,
        stream: ask.stream,
    };
    // Writing to memory does not fail.
    Ok(serde_json::to_vec(&body).unwrap_or_default())
}

/// Returns a system message with its text blocks.
fn instruction<'a>(blocks: &'a Vec<Cow<'a, str>>) -> Item<'a> {
    Item::Message {
        role: "system",
        content: texts(blocks.iter().map(|text| &**text), |text| Piece::Text {
            text,
        }),
    }
}

fn include(ask: &Ask<'_>) -> Vec<&'static str> {
    let mut include = Vec::new();
    if ask.parameters.logprobs.is_some() {
        include.push("message.output_text.logprobs");
    }
    // Without it, the reasoning before a call could not come back with the result of the call.
    if !ask.tools.is_empty() {
        include.push("reasoning.encrypted_content");
    }
    include
}

fn items<'a>(ask: &Ask<'a>) -> Result<Vec<Item<'a>>, Unsendable> {
    let mut items = Vec::with_capacity(ask.conversation.turns.len());
    for turn in &ask.conversation.turns {
        match turn {
            Turn::System(blocks) => items.push(instruction(blocks)),
            Turn::User(user) => items.push(Item::Message {
                role: "user",
                content: content(&user.parts)?,
            }),
            Turn::Assistant(turn) => add_assistant(&mut items, turn),
            Turn::Tool(result) => items.push(Item::Result {
                r#type: "function_call_output",
                call_id: &result.id,
                output: content(&result.parts)?,
            }),
        }
    }
    Ok(items)
}

fn add_assistant<'a>(items: &mut Vec<Item<'a>>, turn: &'a Assistant<'a>) {
    let carried = turn.carried.and_then(Value::as_array);
    let is_call = |item: &Value| item.get("type").is_some_and(|kind| kind == "function_call");
    if let Some(carried) = carried.filter(|carried| carried.iter().any(is_call)) {
        // All items, in their order.
        items.extend(carried.iter().map(Item::Carried));
        return;
    }
    items.extend(carried.into_iter().flatten().map(Item::Carried));
    let mut sent = turn.sent_texts().peekable();
    if sent.peek().is_some() {
        items.push(Item::Message {
            role: "assistant",
            content: texts(sent, |text| Piece::Said { text }),
        });
    }
    items.extend(turn.calls.iter().map(|call| Item::Call {
        r#type: "function_call",
        call_id: &call.id,
        name: call.name,
        arguments: call.arguments(),
    }));
}

/// Returns texts as they are written: one alone, or parts.
fn texts<'a>(texts: impl Iterator<Item = &'a str>, part: fn(&'a str) -> Piece<'a>) -> Content<'a> {
    let texts: Vec<&str> = texts.collect();
    match texts.as_slice() {
        [] => Content::Text(""),
        [text] => Content::Text(text),
        _ => Content::Parts(texts.into_iter().map(part).collect()),
    }
}

fn content<'a>(parts: &'a [Part<'a>]) -> Result<Content<'a>, Unsendable> {
    match parts {
        [] => Ok(Content::Text("")),
        [Part::Text(text)] => Ok(Content::Text(text)),
        parts => {
            let pieces: Result<_, _> = parts
                .iter()
                .map(|part| match part {
                    Part::Text(text) => Ok(Piece::Text { text }),
                    Part::Media(media) => piece(media),
                })
                .collect();
            pieces.map(Content::Parts)
        }
    }
}

/// Returns true if the result of a tool may hold the media.
pub(super) fn shows_in_result(media: &Media<'_>) -> bool {
    piece(media).is_ok()
}

fn piece<'a>(media: &'a Media<'a>) -> Result<Piece<'a>, Unsendable> {
    match (media.kind, &media.source) {
        (MediaKind::Image, _) => Ok(Piece::Image {
            image_url: media.url(),
            detail: media.detail,
        }),
        (MediaKind::Document, MediaSource::Base64(_)) => Ok(Piece::File {
            filename: Some(media.name.as_deref().unwrap_or("document.pdf")),
            file_data: Some(media.url()),
            file_url: None,
        }),
        (MediaKind::Document, MediaSource::Url(url)) => Ok(Piece::File {
            filename: None,
            file_data: None,
            file_url: Some(url),
        }),
        (MediaKind::Audio, _) => Err(media.unsendable(NAME)),
    }
}

fn function(tool: &Tool) -> Function<'_> {
    Function {
        r#type: "function",
        name: &tool.name,
        description: tool.description.as_deref(),
        parameters: &tool.parameters,
        // The default would change the schema.
        strict: false,
    }
}

fn choice(choice: &ToolChoice) -> Choice<'_> {
    match choice {
        ToolChoice::Auto => Choice::Word("auto"),
        ToolChoice::None => Choice::Word("none"),
        ToolChoice::Required => Choice::Word("required"),
        ToolChoice::Named(name) => Choice::Function {
            r#type: "function",
            name,
        },
    }
}

fn text_format(format: &Format) -> TextFormat<'_> {
    match format {
        Format::Text => TextFormat::Text,
        Format::JsonObject => TextFormat::JsonObject,
        Format::JsonSchema {
            name,
            schema,
            strict,
        } => TextFormat::JsonSchema {
            name,
            strict: *strict,
            schema,
        },
    }
}
