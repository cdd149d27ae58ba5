//! Requests of OpenAI's chat completions.

use std::borrow::Cow;

use agentv_core::{Digest, Extra};
use serde::Serialize;
use serde_json::Value;

use super::NAME;
use crate::wire::turns::Assistant;
use crate::wire::{
    Ask, Call, Dialect, Format, Media, MediaKind, MediaSource, Part, Tool, ToolChoice, Turn,
    Unsendable,
};

#[derive(Serialize)]
struct Body<'a> {
    model: &'a str,
    messages: Vec<Message<'a>>,
    #[serde(skip_serializing_if = "<[_]>::is_empty")]
    tools: Vec<Function<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    tool_choice: Option<Choice<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    response_format: Option<ResponseFormat<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    temperature: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    top_p: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    max_tokens: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    max_completion_tokens: Option<u64>,
    #[serde(skip_serializing_if = "<[_]>::is_empty")]
    stop: &'a [String],
    #[serde(skip_serializing_if = "Option::is_none")]
    seed: Option<i64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    random_seed: Option<i64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    reasoning_effort: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    logprobs: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    top_logprobs: Option<u64>,
    stream: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    stream_options: Option<StreamOptions>,
}

#[derive(Serialize)]
struct StreamOptions {
    include_usage: bool,
}

#[derive(Serialize)]
#[serde(tag = "role", rename_all = "lowercase")]
enum Message<'a> {
    System {
        content: Content<'a>,
    },
    User {
        #[serde(skip_serializing_if = "Option::is_none")]
        name: Option<&'a str>,
        content: Content<'a>,
    },
    Assistant {
        #[serde(skip_serializing_if = "Option::is_none")]
        name: Option<&'a str>,
        content: Option<Content<'a>>,
        /// The vendor's fields for the reasoning of the turn, as they came.
        #[serde(flatten, skip_serializing_if = "Option::is_none")]
        carried: Option<&'a Extra>,
        #[serde(skip_serializing_if = "<[_]>::is_empty")]
        tool_calls: Vec<ToolCall<'a>>,
    },
    Tool {
        tool_call_id: Cow<'a, str>,
        content: Content<'a>,
    },
}

#[derive(Serialize)]
#[serde(untagged)]
enum Content<'a> {
    Text(&'a str),
    Parts(Vec<Piece<'a>>),
}

#[derive(Serialize)]
#[serde(tag = "type", rename_all = "snake_case")]
enum Piece<'a> {
    Text { text: &'a str },
    ImageUrl { image_url: ImageUrl<'a> },
    InputAudio { input_audio: InputAudio<'a> },
    File { file: InputFile<'a> },
}

#[derive(Serialize)]
struct ImageUrl<'a> {
    url: Cow<'a, str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    detail: Option<&'a str>,
}

#[derive(Serialize)]
struct InputAudio<'a> {
    data: &'a str,
    format: &'a str,
}

#[derive(Serialize)]
struct InputFile<'a> {
    filename: &'a str,
    file_data: Cow<'a, str>,
}

#[derive(Serialize)]
struct ToolCall<'a> {
    id: Cow<'a, str>,
    r#type: &'static str,
    function: CalledFunction<'a>,
    /// The vendor's fields of the call, as they came.
    #[serde(flatten, skip_serializing_if = "Option::is_none")]
    carried: Option<&'a Extra>,
}

#[derive(Serialize)]
struct CalledFunction<'a> {
    name: &'a str,
    arguments: Cow<'a, str>,
}

#[derive(Serialize)]
struct Function<'a> {
    r#type: &'static str,
    function: FunctionSpec<'a>,
}

#[derive(Serialize)]
struct FunctionSpec<'a> {
    name: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    description: Option<&'a str>,
    parameters: &'a Value,
}

#[derive(Serialize)]
#[serde(untagged)]
enum Choice<'a> {
    Word(&'static str),
    Function {
        r#type: &'static str,
        function: FunctionName<'a>,
    },
}

#[derive(Serialize)]
struct FunctionName<'a> {
    name: &'a str,
}

#[derive(Serialize)]
#[serde(tag = "type", rename_all = "snake_case")]
enum ResponseFormat<'a> {
    Text,
    JsonObject,
    JsonSchema { json_schema: JsonSchema<'a> },
}

#[derive(Serialize)]
struct JsonSchema<'a> {
    name: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    strict: Option<bool>,
    schema: &'a Value,
}

pub(super) fn write(ask: &Ask<'_>) -> Result<Vec<u8>, Unsendable> {
    let parameters = ask.parameters;
    let limit = parameters.max_output_tokens;
    let completion = counts_completion_tokens(ask.model);
    let dialect = ask.dialect;
    let body = Body {
        model: ask.model,
        messages: messages(ask)?,
        tools: ask.tools.iter().map(function).collect(),
        tool_choice: parameters.tool_choice.as_ref().map(choice),
        response_format: ask.format.map(response_format),
        temperature: parameters.temperature,
        top_p: parameters.top_p,
        max_tokens: limit.filter(|_| !completion),
        max_completion_tokens: limit.filter(|_| completion),
        stop: &parameters.stop,
        seed: parameters.seed.filter(|_| !dialect.random_seed),
        random_seed: parameters.seed.filter(|_| dialect.random_seed),
        reasoning_effort: parameters.reasoning_effort.as_deref(),
        logprobs: parameters.logprobs.map(|_| true),
        top_logprobs: parameters.logprobs.filter(|count| *count > 0),
        stream: ask.stream,
        stream_options: (ask.stream && dialect.asks_for_usage).then_some(StreamOptions {
            include_usage: true,
        }),
    };
    // Writing to memory does not fail.
    Ok(serde_json::to_vec(&body).unwrap_or_default())
}

/// Checks whether OpenAI refuses `max_tokens` for a model.
fn counts_completion_tokens(model: &str) -> bool {
    let name = model.rsplit('/').next().unwrap_or(model);
    let reasons = name.strip_prefix('o').and_then(|rest| rest.chars().next());
    let version = name.strip_prefix("gpt-").and_then(|rest| {
        let digits = rest.find(|letter: char| !letter.is_ascii_digit());
        rest[..digits.unwrap_or(rest.len())].parse::<u32>().ok()
    });
    reasons.is_some_and(|digit| digit.is_ascii_digit())
        || version.is_some_and(|version| (5..100).contains(&version))
}

fn messages<'a>(ask: &Ask<'a>) -> Result<Vec<Message<'a>>, Unsendable> {
    let conversation = ask.conversation;
    let mut messages = Vec::with_capacity(conversation.turns.len() + 1);
    let system = conversation.system.iter();
    messages.extend(system.map(|blocks| Message::System {
        content: texts(blocks.iter().map(|text| &**text)),
    }));
    for turn in &conversation.turns {
        messages.push(match turn {
            Turn::System(blocks) => Message::System {
                content: texts(blocks.iter().map(|text| &**text)),
            },
            Turn::User(user) => Message::User {
                name: user.name,
                content: content(&user.parts)?,
            },
            Turn::Assistant(turn) => assistant(ask.dialect, turn),
            Turn::Tool(result) => Message::Tool {
                tool_call_id: call_id(ask.dialect, &result.id),
                content: texts(result.texts(NAME)?.into_iter()),
            },
        });
    }
    Ok(messages)
}

fn assistant<'a>(dialect: &Dialect, turn: &'a Assistant<'a>) -> Message<'a> {
    let mut sent = turn.sent_texts().peekable();
    let is_silent = sent.peek().is_none();
    Message::Assistant {
        name: turn.name,
        carried: turn.carried.and_then(Value::as_object),
        content: (!is_silent).then(|| texts(sent)),
        tool_calls: turn
            .calls
            .iter()
            .map(|call| tool_call(dialect, call))
            .collect(),
    }
}

fn tool_call<'a>(dialect: &Dialect, call: &'a Call<'a>) -> ToolCall<'a> {
    ToolCall {
        id: call_id(dialect, &call.id),
        r#type: "function",
        function: CalledFunction {
            name: call.name,
            arguments: call.arguments(),
        },
        carried: call.carried,
    }
}

/// Returns the id of a call in the form that the vendor takes.
fn call_id<'a>(dialect: &Dialect, id: &'a str) -> Cow<'a, str> {
    const LENGTH: usize = 9;
    let is_short = id.len() == LENGTH && id.bytes().all(|byte| byte.is_ascii_alphanumeric());
    if !dialect.short_ids || is_short {
        return Cow::Borrowed(id);
    }
    let digest = Digest::of(id.as_bytes()).to_string();
    Cow::Owned(digest.chars().take(LENGTH).collect())
}

/// Returns texts as they are written: one alone, or parts.
fn texts<'a>(texts: impl Iterator<Item = &'a str>) -> Content<'a> {
    let texts: Vec<&str> = texts.collect();
    match texts.as_slice() {
        [] => Content::Text(""),
        [text] => Content::Text(text),
        _ => Content::Parts(texts.into_iter().map(|text| Piece::Text { text }).collect()),
    }
}

fn content<'a>(parts: &'a [Part<'a>]) -> Result<Content<'a>, Unsendable> {
    match parts {
        [] => Ok(Content::Text("")),
        [Part::Text(text)] => Ok(Content::Text(text)),
        parts => {
            let pieces: Result<_, _> = parts.iter().map(piece).collect();
            pieces.map(Content::Parts)
        }
    }
}

fn piece<'a>(part: &'a Part<'a>) -> Result<Piece<'a>, Unsendable> {
    let media = match part {
        Part::Text(text) => return Ok(Piece::Text { text }),
        Part::Media(media) => media,
    };
    match (media.kind, &media.source) {
        (MediaKind::Image, _) => Ok(Piece::ImageUrl {
            image_url: ImageUrl {
                url: media.url(),
                detail: media.detail,
            },
        }),
        (MediaKind::Audio, MediaSource::Base64(data)) => Ok(Piece::InputAudio {
            input_audio: InputAudio {
                data,
                format: audio_format(media).ok_or_else(|| media.unsendable(NAME))?,
            },
        }),
        (MediaKind::Document, MediaSource::Base64(_)) => Ok(Piece::File {
            file: InputFile {
                filename: media.name.as_deref().unwrap_or("document.pdf"),
                file_data: media.url(),
            },
        }),
        (MediaKind::Audio | MediaKind::Document, MediaSource::Url(_)) => {
            Err(media.unsendable(NAME))
        }
    }
}

/// Returns OpenAI's word for the encoding of audio.
fn audio_format(media: &Media<'_>) -> Option<&'static str> {
    match media.subtype() {
        "mpeg" | "mp3" => Some("mp3"),
        "wav" | "x-wav" | "wave" | "vnd.wave" => Some("wav"),
        _ => None,
    }
}

fn function(tool: &Tool) -> Function<'_> {
    Function {
        r#type: "function",
        function: FunctionSpec {
            name: &tool.name,
            description: tool.description.as_deref(),
            parameters: &tool.parameters,
        },
    }
}

fn choice(choice: &ToolChoice) -> Choice<'_> {
    match choice {
        ToolChoice::Auto => Choice::Word("auto"),
        ToolChoice::None => Choice::Word("none"),
        ToolChoice::Required => Choice::Word("required"),
        ToolChoice::Named(name) => Choice::Function {
            r#type: "function",
            function: FunctionName { name },
        },
    }
}

fn response_format(format: &Format) -> ResponseFormat<'_> {
    match format {
        Format::Text => ResponseFormat::Text,
        Format::JsonObject => ResponseFormat::JsonObject,
        Format::JsonSchema {
            name,
            schema,
            strict,
        } => ResponseFormat::JsonSchema {
            json_schema: JsonSchema {
                name,
                strict: *strict,
                schema,
            },
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_id_is_changed_only_if_the_vendor_refuses_it() {
        let mistral = Dialect {
            short_ids: true,
            ..Dialect::USUAL
        };
        for id in ["call_1", "toolu_01A09q90qw90lq917835lq9", "", "abc-12345"] {
            assert_eq!(call_id(&Dialect::USUAL, id), id);
            let sent = call_id(&mistral, id);
            assert!(sent.len() == 9 && sent.bytes().all(|byte| byte.is_ascii_alphanumeric()));
            assert_eq!(sent, call_id(&mistral, id));
        }
        assert_eq!(call_id(&mistral, "D681PevKs"), "D681PevKs");
        assert_ne!(call_id(&mistral, "call_1"), call_id(&mistral, "call_2"));
    }

    #[test]
    fn the_limit_is_named_as_the_model_takes_it() {
        for model in [
            "gpt-5",
            "gpt-5-mini",
            "o3",
            "o4-mini",
            "openai/gpt-6.1",
            "gpt-10",
        ] {
            assert!(counts_completion_tokens(model), "{model}");
        }
        for model in [
            "gpt-4o",
            "gpt-4.1",
            "gpt-oss-120b",
            "olmo",
            "llama3",
            "gpt-3.5-turbo",
        ] {
            assert!(!counts_completion_tokens(model), "{model}");
        }
    }
}
