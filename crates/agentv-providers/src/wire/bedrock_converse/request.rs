//! Requests of Amazon's `converse`.

use serde::Serialize;
use serde_json::Value;

use super::NAME;
use crate::wire::turns::{Assistant, instructions_alone, is_blank, late_instructions};
use crate::wire::{
    Ask, Call, Format, Input, Media, MediaKind, MediaSource, Part, Tool, ToolChoice, ToolResult,
    Turn, Unsendable,
};

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Body<'a> {
    #[serde(skip_serializing_if = "<[_]>::is_empty")]
    system: Vec<Text<'a>>,
    messages: Vec<Message<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    inference_config: Option<InferenceConfig<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    tool_config: Option<ToolConfig<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    output_config: Option<OutputConfig<'a>>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct OutputConfig<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    effort: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    text_format: Option<TextFormat<'a>>,
}

#[derive(Serialize)]
struct TextFormat<'a> {
    r#type: &'static str,
    structure: Structure<'a>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Structure<'a> {
    json_schema: SchemaText<'a>,
}

#[derive(Serialize)]
struct SchemaText<'a> {
    name: &'a str,
    /// The schema as text, as Amazon takes it.
    schema: String,
}

#[derive(Serialize)]
struct Text<'a> {
    text: &'a str,
}

#[derive(Serialize)]
struct Message<'a> {
    role: &'static str,
    content: Vec<Block<'a>>,
}

#[derive(Serialize)]
#[serde(untagged)]
enum Block<'a> {
    Own(OwnBlock<'a>),
    /// A block of an earlier answer, as it came.
    Carried(&'a Value),
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
enum OwnBlock<'a> {
    Text(&'a str),
    Image(Image<'a>),
    Document(Document<'a>),
    Audio(Audio<'a>),
    ToolUse(ToolUse<'a>),
    ToolResult(ResultBlock<'a>),
}

#[derive(Serialize)]
struct Image<'a> {
    format: &'a str,
    source: Bytes<'a>,
}

#[derive(Serialize)]
struct Audio<'a> {
    format: &'a str,
    source: Bytes<'a>,
}

#[derive(Serialize)]
struct Document<'a> {
    format: &'a str,
    name: String,
    source: Bytes<'a>,
}

#[derive(Serialize)]
struct Bytes<'a> {
    bytes: &'a str,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct ToolUse<'a> {
    tool_use_id: &'a str,
    name: &'a str,
    input: Input<'a>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct ResultBlock<'a> {
    tool_use_id: &'a str,
    content: Vec<OwnBlock<'a>>,
    status: &'static str,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct InferenceConfig<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    max_tokens: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    temperature: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    top_p: Option<f64>,
    #[serde(skip_serializing_if = "<[_]>::is_empty")]
    stop_sequences: &'a [String],
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct ToolConfig<'a> {
    tools: Vec<ToolEntry<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    tool_choice: Option<Choice<'a>>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct ToolEntry<'a> {
    tool_spec: ToolSpec<'a>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct ToolSpec<'a> {
    name: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    description: Option<&'a str>,
    input_schema: InputSchema<'a>,
}

#[derive(Serialize)]
struct InputSchema<'a> {
    json: &'a Value,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
enum Choice<'a> {
    Auto {},
    Any {},
    Tool { name: &'a str },
}

pub(super) fn write(ask: &Ask<'_>) -> Result<Vec<u8>, Unsendable> {
    let system = ask.conversation.system_blocks();
    let body = Body {
        system: system.map(|text| Text { text }).collect(),
        messages: messages(ask)?,
        inference_config: inference_config(ask),
        tool_config: tool_config(ask),
        output_config: output_config(ask),
    };
    // Writing to memory does not fail.
    Ok(serde_json::to_vec(&body).unwrap_or_default())
}

fn inference_config<'a>(ask: &Ask<'a>) -> Option<InferenceConfig<'a>> {
    let parameters = ask.parameters;
    let is_set = parameters.max_output_tokens.is_some()
        || parameters.temperature.is_some()
        || parameters.top_p.is_some()
        || !parameters.stop.is_empty();
    is_set.then_some(InferenceConfig {
        max_tokens: parameters.max_output_tokens,
        temperature: parameters.temperature,
        top_p: parameters.top_p,
        stop_sequences: &parameters.stop,
    })
}

fn output_config<'a>(ask: &Ask<'a>) -> Option<OutputConfig<'a>> {
    let effort = ask.parameters.reasoning_effort.as_deref();
    let text_format = match ask.format {
        Some(Format::JsonSchema { name, schema, .. }) => Some(TextFormat {
            r#type: "json_schema",
            structure: Structure {
                json_schema: SchemaText {
                    name,
                    schema: schema.to_string(),
                },
            },
        }),
        Some(Format::Text | Format::JsonObject) | None => None,
    };
    let is_set = effort.is_some() || text_format.is_some();
    is_set.then_some(OutputConfig {
        effort,
        text_format,
    })
}

fn tool_config<'a>(ask: &Ask<'a>) -> Option<ToolConfig<'a>> {
    let tools = ask.tools;
    let choice = match &ask.parameters.tool_choice {
        None | Some(ToolChoice::None) => None,
        Some(ToolChoice::Auto) => Some(Choice::Auto {}),
        Some(ToolChoice::Required) => Some(Choice::Any {}),
        Some(ToolChoice::Named(name)) => Some(Choice::Tool { name }),
    };
    (!tools.is_empty()).then(|| ToolConfig {
        tools: tools.iter().map(entry).collect(),
        tool_choice: choice,
    })
}

fn entry(tool: &Tool) -> ToolEntry<'_> {
    ToolEntry {
        tool_spec: ToolSpec {
            name: &tool.name,
            description: tool.description.as_deref(),
            input_schema: InputSchema {
                json: &tool.parameters,
            },
        },
    }
}

/// Returns the messages. The roles must alternate, so turns of the same role are one message.
fn messages<'a>(ask: &Ask<'a>) -> Result<Vec<Message<'a>>, Unsendable> {
    let turns = &ask.conversation.turns;
    if turns.is_empty() {
        return Err(instructions_alone(NAME));
    }
    if ask.tools.is_empty() && turns.iter().any(has_tools) {
        return Err(Unsendable {
            protocol: NAME,
            what: "tool calls of a case without `tools` of the target".to_owned(),
        });
    }
    let mut messages: Vec<Message<'a>> = Vec::with_capacity(turns.len());
    for turn in turns {
        let (role, blocks) = match turn {
            Turn::System(_) => return Err(late_instructions(NAME)),
            Turn::User(user) => ("user", own(blocks(&user.parts)?)),
            Turn::Assistant(turn) => ("assistant", assistant(turn)),
            Turn::Tool(result) => ("user", own(vec![tool_result(result)?])),
        };
        match messages.last_mut() {
            Some(last) if last.role == role => last.content.extend(blocks),
            _ => messages.push(Message {
                role,
                content: blocks,
            }),
        }
    }
    Ok(messages)
}

/// Returns true if a turn calls tools, or is the result of a call.
fn has_tools(turn: &Turn<'_>) -> bool {
    match turn {
        Turn::Assistant(turn) => !turn.calls.is_empty(),
        Turn::Tool(_) => true,
        Turn::System(_) | Turn::User(_) => false,
    }
}

fn own(blocks: Vec<OwnBlock<'_>>) -> Vec<Block<'_>> {
    blocks.into_iter().map(Block::Own).collect()
}

fn blocks<'a>(parts: &'a [Part<'a>]) -> Result<Vec<OwnBlock<'a>>, Unsendable> {
    let blocks = parts.iter().enumerate().map(|(place, part)| match part {
        Part::Text(text) => Ok(OwnBlock::Text(text)),
        Part::Media(media) => block(media, place),
    });
    blocks.collect()
}

/// Returns true if the result of a tool may hold the media.
pub(super) fn shows_in_result(media: &Media<'_>) -> bool {
    media.kind != MediaKind::Audio && block(media, 0).is_ok()
}

fn block<'a>(media: &'a Media<'a>, place: usize) -> Result<OwnBlock<'a>, Unsendable> {
    let MediaSource::Base64(bytes) = &media.source else {
        return Err(media.unsendable(NAME));
    };
    let source = Bytes { bytes };
    let unsendable = || media.unsendable(NAME);
    match media.kind {
        MediaKind::Image => Ok(OwnBlock::Image(Image {
            format: image_format(media).ok_or_else(unsendable)?,
            source,
        })),
        MediaKind::Document => Ok(OwnBlock::Document(Document {
            format: document_format(media).ok_or_else(unsendable)?,
            name: document_name(media, place),
            source,
        })),
        MediaKind::Audio => Ok(OwnBlock::Audio(Audio {
            format: audio_format(media).ok_or_else(unsendable)?,
            source,
        })),
    }
}

/// Returns Amazon's word for the format of audio.
fn audio_format(media: &Media<'_>) -> Option<&'static str> {
    match media.subtype() {
        "wav" | "x-wav" | "wave" | "vnd.wave" => Some("wav"),
        "mpeg" | "mp3" => Some("mp3"),
        "ogg" => Some("ogg"),
        "opus" => Some("opus"),
        "flac" | "x-flac" => Some("flac"),
        "aac" => Some("aac"),
        "mp4" => Some("mp4"),
        "m4a" | "x-m4a" => Some("m4a"),
        "webm" => Some("webm"),
        _ => None,
    }
}

/// Returns Amazon's word for the format of an image.
fn image_format(media: &Media<'_>) -> Option<&'static str> {
    match media.subtype() {
        "png" => Some("png"),
        "jpeg" | "jpg" => Some("jpeg"),
        "gif" => Some("gif"),
        "webp" => Some("webp"),
        _ => None,
    }
}

/// Returns Amazon's word for the format of a document.
fn document_format(media: &Media<'_>) -> Option<&'static str> {
    match media.subtype() {
        "pdf" => Some("pdf"),
        "csv" => Some("csv"),
        "html" => Some("html"),
        "plain" => Some("txt"),
        "markdown" => Some("md"),
        "msword" => Some("doc"),
        "vnd.openxmlformats-officedocument.wordprocessingml.document" => Some("docx"),
        "vnd.ms-excel" => Some("xls"),
        "vnd.openxmlformats-officedocument.spreadsheetml.sheet" => Some("xlsx"),
        _ => None,
    }
}

/// Returns the name of a document in the letters that Amazon accepts.
fn document_name(media: &Media<'_>, place: usize) -> String {
    let name = media.name.as_deref().unwrap_or_default();
    let accepted = |letter: char| {
        if letter.is_ascii_alphanumeric() || matches!(letter, '-' | '(' | ')' | '[' | ']') {
            letter
        } else {
            '-'
        }
    };
    match name {
        "" => format!("document-{}", place + 1),
        name => name.chars().take(100).map(accepted).collect(),
    }
}

fn assistant<'a>(turn: &'a Assistant<'a>) -> Vec<Block<'a>> {
    let carried = turn.carried.and_then(Value::as_array);
    let is_call = |block: &Value| block.get("toolUse").is_some();
    if let Some(blocks) = carried.filter(|blocks| blocks.iter().any(is_call)) {
        // All blocks, in their order.
        let is_blank = |block: &&Value| block["text"].as_str().is_some_and(is_blank);
        let blocks = blocks.iter().filter(|block| !is_blank(block));
        return blocks.map(Block::Carried).collect();
    }
    let carried = carried.into_iter().flatten().map(Block::Carried);
    let texts = turn.visible_texts().map(OwnBlock::Text);
    let calls = turn.calls.iter().map(tool_use);
    carried.chain(texts.chain(calls).map(Block::Own)).collect()
}

fn tool_use<'a>(call: &'a Call<'a>) -> OwnBlock<'a> {
    OwnBlock::ToolUse(ToolUse {
        tool_use_id: &call.id,
        name: call.name,
        input: call.object(),
    })
}

fn tool_result<'a>(result: &'a ToolResult<'a>) -> Result<OwnBlock<'a>, Unsendable> {
    let audio = result.parts.iter().find_map(|part| match part {
        Part::Media(media) if media.kind == MediaKind::Audio => Some(media),
        Part::Media(_) | Part::Text(_) => None,
    });
    if let Some(audio) = audio {
        return Err(audio.unsendable(NAME));
    }
    let mut content = blocks(&result.parts)?;
    // Amazon refuses a text without letters, and takes a result without any block.
    content.retain(|block| !matches!(block, OwnBlock::Text(text) if is_blank(text)));
    Ok(OwnBlock::ToolResult(ResultBlock {
        tool_use_id: &result.id,
        content,
        status: if result.is_error { "error" } else { "success" },
    }))
}
