//! Requests of Google's `generateContent`.

use serde::Serialize;
use serde_json::{Map, Value};

use super::NAME;
use crate::wire::turns::{Assistant, instructions_alone, late_instructions};
use crate::wire::{
    Ask, Format, Input, Media, MediaKind, MediaSource, Part, Tool, ToolChoice, ToolResult, Turn,
    Unsendable,
};

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Body<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    system_instruction: Option<Instruction<'a>>,
    contents: Vec<Content<'a>>,
    #[serde(skip_serializing_if = "<[_]>::is_empty")]
    tools: Vec<Tools<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    tool_config: Option<ToolConfig<'a>>,
    #[serde(skip_serializing_if = "GenerationConfig::is_empty")]
    generation_config: GenerationConfig<'a>,
}

#[derive(Serialize)]
struct Instruction<'a> {
    parts: Vec<Piece<'a>>,
}

#[derive(Serialize)]
struct Content<'a> {
    role: &'static str,
    parts: Vec<Piece<'a>>,
}

#[derive(Serialize)]
#[serde(untagged)]
enum Piece<'a> {
    Text {
        text: &'a str,
    },
    #[serde(rename_all = "camelCase")]
    Inline {
        inline_data: InlineData<'a>,
    },
    #[serde(rename_all = "camelCase")]
    File {
        file_data: FileData<'a>,
    },
    #[serde(rename_all = "camelCase")]
    Call {
        function_call: FunctionCall<'a>,
        #[serde(skip_serializing_if = "Option::is_none")]
        thought_signature: Option<&'a str>,
    },
    #[serde(rename_all = "camelCase")]
    Result {
        function_response: FunctionResponse<'a>,
    },
    /// A part of the model as it came.
    Carried(&'a Value),
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct InlineData<'a> {
    mime_type: &'a str,
    data: &'a str,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct FileData<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    mime_type: Option<&'a str>,
    file_uri: &'a str,
}

#[derive(Serialize)]
struct FunctionCall<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    id: Option<&'a str>,
    name: &'a str,
    args: Input<'a>,
}

#[derive(Serialize)]
struct FunctionResponse<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    id: Option<&'a str>,
    name: &'a str,
    response: Map<String, Value>,
    /// The media of the result.
    #[serde(skip_serializing_if = "<[_]>::is_empty")]
    parts: Vec<Piece<'a>>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Tools<'a> {
    function_declarations: Vec<Declaration<'a>>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Declaration<'a> {
    name: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    description: Option<&'a str>,
    parameters_json_schema: &'a Value,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct ToolConfig<'a> {
    function_calling_config: CallingConfig<'a>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct CallingConfig<'a> {
    mode: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    allowed_function_names: Option<[&'a str; 1]>,
}

#[derive(Serialize, Default)]
#[serde(rename_all = "camelCase")]
struct GenerationConfig<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    temperature: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    top_p: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    max_output_tokens: Option<u64>,
    #[serde(skip_serializing_if = "<[_]>::is_empty")]
    stop_sequences: &'a [String],
    #[serde(skip_serializing_if = "Option::is_none")]
    seed: Option<i64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    response_mime_type: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    response_json_schema: Option<&'a Value>,
    #[serde(skip_serializing_if = "Option::is_none")]
    response_logprobs: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    logprobs: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    thinking_config: Option<ThinkingConfig<'a>>,
}

impl GenerationConfig<'_> {
    fn is_empty(&self) -> bool {
        let GenerationConfig {
            temperature,
            top_p,
            max_output_tokens,
            stop_sequences,
            seed,
            response_mime_type,
            response_json_schema,
            response_logprobs,
            logprobs,
            thinking_config,
        } = self;
        temperature.is_none()
            && top_p.is_none()
            && max_output_tokens.is_none()
            && stop_sequences.is_empty()
            && seed.is_none()
            && response_mime_type.is_none()
            && response_json_schema.is_none()
            && response_logprobs.is_none()
            && logprobs.is_none()
            && thinking_config.is_none()
    }
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct ThinkingConfig<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    thinking_budget: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    thinking_level: Option<&'a str>,
}

pub(super) fn write(ask: &Ask<'_>) -> Result<Vec<u8>, Unsendable> {
    let parameters = ask.parameters;
    let system = ask.conversation.system_blocks();
    let system: Vec<Piece<'_>> = system.map(|text| Piece::Text { text }).collect();
    let tools: Vec<_> = ask.tools.iter().map(declaration).collect();
    let body = Body {
        system_instruction: (!system.is_empty()).then_some(Instruction { parts: system }),
        contents: contents(ask)?,
        tools: if tools.is_empty() {
            Vec::new()
        } else {
            vec![Tools {
                function_declarations: tools,
            }]
        },
        tool_config: parameters.tool_choice.as_ref().map(tool_config),
        generation_config: generation_config(ask),
    };
    // Writing to memory does not fail.
    Ok(serde_json::to_vec(&body).unwrap_or_default())
}

fn generation_config<'a>(ask: &Ask<'a>) -> GenerationConfig<'a> {
    let parameters = ask.parameters;
    let (budget, effort) = (
        parameters.thinking_budget,
        parameters.reasoning_effort.as_deref(),
    );
    let (response_mime_type, response_json_schema) = match ask.format {
        None => (None, None),
        Some(Format::Text) => (Some("text/plain"), None),
        Some(Format::JsonObject) => (Some("application/json"), None),
        Some(Format::JsonSchema { schema, .. }) => (Some("application/json"), Some(&**schema)),
    };
    GenerationConfig {
        temperature: parameters.temperature,
        top_p: parameters.top_p,
        max_output_tokens: parameters.max_output_tokens,
        stop_sequences: &parameters.stop,
        seed: parameters.seed,
        response_mime_type,
        response_json_schema,
        response_logprobs: parameters.logprobs.map(|_| true),
        logprobs: parameters.logprobs.filter(|count| *count > 0),
        thinking_config: (budget.is_some() || effort.is_some()).then_some(ThinkingConfig {
            thinking_budget: budget,
            thinking_level: effort,
        }),
    }
}

fn contents<'a>(ask: &Ask<'a>) -> Result<Vec<Content<'a>>, Unsendable> {
    if ask.conversation.turns.is_empty() {
        return Err(instructions_alone(NAME));
    }
    let mut contents: Vec<Content<'a>> = Vec::with_capacity(ask.conversation.turns.len());
    let mut after_result = false;
    for turn in &ask.conversation.turns {
        let is_result = matches!(turn, Turn::Tool(_));
        let (role, parts) = match turn {
            Turn::System(_) => return Err(late_instructions(NAME)),
            Turn::User(user) => ("user", user.parts.iter().map(piece).collect()),
            Turn::Assistant(turn) => ("model", assistant(turn)),
            Turn::Tool(result) => ("user", vec![tool_result(result)?]),
        };
        match contents.last_mut() {
            // All results of one turn belong in one content.
            Some(last) if is_result && after_result => last.parts.extend(parts),
            _ => contents.push(Content { role, parts }),
        }
        after_result = is_result;
    }
    Ok(contents)
}

fn assistant<'a>(turn: &'a Assistant<'a>) -> Vec<Piece<'a>> {
    if let Some(parts) = turn.carried.and_then(Value::as_array) {
        return parts.iter().map(Piece::Carried).collect();
    }
    let texts = turn.sent_texts().map(|text| Piece::Text { text });
    let calls = turn.calls.iter().map(|call| Piece::Call {
        function_call: FunctionCall {
            id: call.given_id(),
            name: call.name,
            args: call.object(),
        },
        thought_signature: call.signature,
    });
    texts.chain(calls).collect()
}

fn piece<'a>(part: &'a Part<'a>) -> Piece<'a> {
    match part {
        Part::Text(text) => Piece::Text { text },
        Part::Media(media) => media_piece(media),
    }
}

fn media_piece<'a>(media: &'a Media<'a>) -> Piece<'a> {
    match &media.source {
        MediaSource::Base64(data) => Piece::Inline {
            inline_data: InlineData {
                mime_type: &media.media_type,
                data,
            },
        },
        MediaSource::Url(url) => Piece::File {
            file_data: FileData {
                // Google finds out the type of an address without one.
                mime_type: (!media.media_type.contains('*')).then_some(&media.media_type),
                file_uri: url,
            },
        },
    }
}

/// Returns a result as the object that the protocol requires, under the names that it proposes.
fn tool_result<'a>(result: &'a ToolResult<'a>) -> Result<Piece<'a>, Unsendable> {
    let name = if result.is_error { "error" } else { "output" };
    let media = result.parts.iter().filter_map(|part| match part {
        Part::Media(media) => Some(media),
        Part::Text(_) => None,
    });
    let parts: Result<Vec<_>, _> = media.map(result_piece).collect();
    let texts = result.parts.iter().filter_map(|part| match part {
        Part::Text(text) => Some(&**text),
        Part::Media(_) => None,
    });
    let texts: Vec<&str> = texts.collect();
    let value = Value::from(texts.join("\n"));
    Ok(Piece::Result {
        function_response: FunctionResponse {
            id: result.given_id(),
            name: result.name,
            response: Map::from_iter([(name.to_owned(), value)]),
            parts: parts?,
        },
    })
}

/// Returns the media of a result, which must be bytes.
fn result_piece<'a>(media: &'a Media<'a>) -> Result<Piece<'a>, Unsendable> {
    let is_held = matches!(media.source, MediaSource::Base64(_)) && media.kind != MediaKind::Audio;
    if is_held {
        Ok(media_piece(media))
    } else {
        Err(Unsendable {
            protocol: NAME,
            what: format!("{} in the result of a tool", media.described()),
        })
    }
}

/// Returns true if the model takes the media in the result of a tool: models before Gemini 3 take none.
pub(super) fn shows_in_result(model: &str, media: &Media<'_>) -> bool {
    const TYPES: &[&str] = &["png", "jpeg", "webp", "pdf", "plain"];
    let version = model.rsplit('/').next().and_then(|name| {
        let version = name.strip_prefix("gemini-")?;
        version.split(['.', '-']).next()?.parse::<u32>().ok()
    });
    version.is_some_and(|version| version >= 3)
        && TYPES.contains(&media.subtype())
        && result_piece(media).is_ok()
}

fn declaration(tool: &Tool) -> Declaration<'_> {
    Declaration {
        name: &tool.name,
        description: tool.description.as_deref(),
        parameters_json_schema: &tool.parameters,
    }
}

fn tool_config(choice: &ToolChoice) -> ToolConfig<'_> {
    let (mode, allowed) = match choice {
        ToolChoice::Auto => ("AUTO", None),
        ToolChoice::None => ("NONE", None),
        ToolChoice::Required => ("ANY", None),
        ToolChoice::Named(name) => ("ANY", Some([name.as_str()])),
    };
    ToolConfig {
        function_calling_config: CallingConfig {
            mode,
            allowed_function_names: allowed,
        },
    }
}
