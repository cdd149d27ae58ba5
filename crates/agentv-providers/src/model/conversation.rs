//! A prompt as a conversation.

use std::borrow::Cow;

use agentv_core::{Block, Content, Extra, Message, Request, Role, ToolCall};
use serde_json::Value;

use super::media::{MediaFiles, media_of, named_media, type_of};
use crate::wire::{
    Assistant, CARRIED, Call, Conversation, Media, Part, SIGNATURE, ToolResult, Turn, User, WRITTEN,
};

/// A message that cannot be part of a conversation.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("message {number}: {problem}")]
pub(super) struct ConversationError {
    /// The place of the message, from 1.
    number: usize,
    problem: String,
}

/// Returns the messages of a prompt as a conversation. The system prompt of the target, leading system
/// messages and then the guidelines make the system prompt, as messages of their own; the rest is sent in
/// its order.
///
/// A prompt without messages is sent as what the user says. `shows` decides which media a result of a tool
/// of ours may have; others are named.
///
/// # Errors
/// If a message holds a block that no protocol has, or answers a call that was not made.
pub(super) fn conversation_of<'a>(
    request: &'a Request,
    system: Option<&'a str>,
    files: &'a MediaFiles,
    shows: &'a dyn Fn(&Media<'_>) -> bool,
) -> Result<Conversation<'a>, ConversationError> {
    let prompt = &request.prompt;
    let is_system = |message: &&Message| message.role == Role::System;
    let leading = prompt.messages.iter().take_while(is_system).count();
    let (instructions, rest) = prompt.messages.split_at(leading);
    let mut texts: Vec<Vec<Cow<'a, str>>> = Vec::with_capacity(instructions.len() + 2);
    for (index, message) in instructions.iter().enumerate() {
        let blocks = texts_alone(message, index + 1)?;
        texts.extend((!blocks.is_empty()).then_some(blocks));
    }
    texts.extend(prompt.guidelines_block().map(|text| vec![Cow::Owned(text)]));
    if prompt.messages.is_empty() {
        let text = texts.into_iter().flatten().next();
        let text = text.unwrap_or(Cow::Borrowed(&prompt.question));
        let mut turns = Turns::new(request, files, shows);
        turns.turns.push(Turn::User(User {
            parts: vec![Part::Text(text)],
            name: None,
        }));
        for message in &request.further {
            turns.add(message, leading + 1)?;
        }
        return Ok(Conversation {
            system: system
                .map(|text| vec![Cow::Borrowed(text)])
                .into_iter()
                .collect(),
            turns: turns.finish(),
        });
    }
    if let Some(system) = system {
        texts.insert(0, vec![Cow::Borrowed(system)]);
    }
    let mut turns = Turns::new(request, files, shows);
    for (index, message) in rest.iter().chain(&request.further).enumerate() {
        turns.add(message, leading + index + 1)?;
    }
    Ok(Conversation {
        system: texts,
        turns: turns.finish(),
    })
}

/// The turns so far, and the calls that no result has answered.
struct Turns<'a> {
    files: &'a MediaFiles,
    shows: &'a dyn Fn(&Media<'_>) -> bool,
    turns: Vec<Turn<'a>>,
    open: Vec<OpenCall<'a>>,
    calls: usize,
    /// The ids that calls have.
    given: Vec<&'a str>,
}

struct OpenCall<'a> {
    id: Cow<'a, str>,
    name: &'a str,
    call: &'a ToolCall,
}

impl<'a> Turns<'a> {
    fn new(
        request: &'a Request,
        files: &'a MediaFiles,
        shows: &'a dyn Fn(&Media<'_>) -> bool,
    ) -> Turns<'a> {
        let messages = request.prompt.messages.iter().chain(&request.further);
        let calls = messages.flat_map(|message| &message.tool_calls);
        Turns {
            files,
            shows,
            turns: Vec::new(),
            open: Vec::new(),
            calls: 0,
            given: calls.filter_map(|call| call.id.as_deref()).collect(),
        }
    }

    fn add(&mut self, message: &'a Message, number: usize) -> Result<(), ConversationError> {
        if message.role != Role::Tool {
            self.close();
        }
        let turn = match message.role {
            Role::System => Turn::System(texts_alone(message, number)?),
            Role::User => Turn::User(User {
                parts: parts(message, number, self.files)?,
                name: message.name.as_deref(),
            }),
            Role::Assistant => Turn::Assistant(Assistant {
                name: message.name.as_deref(),
                texts: texts_alone(message, number)?,
                calls: self.open(&message.tool_calls),
                carried: message.extra.get(CARRIED),
            }),
            Role::Tool => Turn::Tool(self.result(message, number)?),
        };
        self.turns.push(turn);
        Ok(())
    }

    fn finish(mut self) -> Vec<Turn<'a>> {
        self.close();
        self.turns
    }

    /// Returns an id that no call of the conversation has.
    fn new_id(&mut self) -> String {
        loop {
            // Mistral's models take nothing but nine letters and digits.
            let id = format!("call{:05}", self.calls);
            if !self.given.contains(&id.as_str()) {
                return id;
            }
            self.calls += 1;
        }
    }

    /// Takes the calls of a message. A call without an id gets one.
    fn open(&mut self, calls: &'a [ToolCall]) -> Vec<Call<'a>> {
        let mut opened = Vec::with_capacity(calls.len());
        for call in calls {
            self.calls += 1;
            let id = match &call.id {
                Some(id) => Cow::Borrowed(id.as_str()),
                None => Cow::Owned(self.new_id()),
            };
            self.open.push(OpenCall {
                id: id.clone(),
                name: &call.tool,
                call,
            });
            opened.push(Call {
                id,
                name: &call.tool,
                input: match &call.input {
                    Some(input) => Cow::Borrowed(input),
                    None => Cow::Owned(Value::Object(Extra::new())),
                },
                signature: call.extra.get(SIGNATURE).and_then(Value::as_str),
                written: call.extra.get(WRITTEN).and_then(Value::as_str),
                carried: call.extra.get(CARRIED).and_then(Value::as_object),
            });
        }
        opened
    }

    /// Returns a message of a tool as the result of the call that it names, else of the first that is
    /// open.
    fn result(
        &mut self,
        message: &'a Message,
        number: usize,
    ) -> Result<ToolResult<'a>, ConversationError> {
        let error = |problem: String| ConversationError { number, problem };
        let named = ["tool_call_id", "call_id", "tool_use_id", "id"];
        let named = named
            .iter()
            .find_map(|name| message.extra.get(*name)?.as_str());
        let place = match named {
            Some(id) => self.open.iter().position(|call| call.id == id),
            None => (!self.open.is_empty()).then_some(0),
        };
        let Some(place) = place else {
            return Err(error(match named {
                Some(id) => format!(
                    "a `tool` message answers the call `{id}`, which no assistant message before it makes"
                ),
                None if self.calls > 0 => {
                    "a `tool` message has no call to answer: all calls before it have their results"
                        .to_owned()
                }
                None => "a `tool` message needs an assistant message with `tool_calls` before it"
                    .to_owned(),
            }));
        };
        let call = self.open.remove(place);
        Ok(ToolResult {
            id: call.id,
            name: call.name,
            parts: parts(message, number, self.files)?,
            is_error: is_error(&message.extra),
        })
    }

    /// Adds the results that calls have with them.
    fn close(&mut self) {
        for open in self.open.drain(..) {
            let Some(output) = &open.call.output else {
                continue;
            };
            let shown = open.call.output_blocks();
            let shown = shown.and_then(|blocks| shown_parts(blocks, self.files, self.shows));
            let named = || {
                vec![Part::Text(match output {
                    Value::String(text) => Cow::Borrowed(text),
                    other => Cow::Owned(other.to_string()),
                })]
            };
            self.turns.push(Turn::Tool(ToolResult {
                id: open.id,
                name: open.name,
                parts: shown.unwrap_or_else(named),
                is_error: is_error(&open.call.extra),
            }));
        }
    }
}

/// Returns the blocks of a tool's output as parts, with names in place of the media that cannot be shown;
/// `None` if that is all of them.
fn shown_parts<'a>(
    blocks: &'a [Value],
    files: &'a MediaFiles,
    shows: &dyn Fn(&Media<'_>) -> bool,
) -> Option<Vec<Part<'a>>> {
    let mut is_shown = false;
    let mut parts = Vec::with_capacity(blocks.len());
    for block in blocks {
        let value = block.get("value")?.as_str()?;
        let kind = type_of(block.as_object()?);
        if kind == "text" {
            parts.push(Part::Text(Cow::Borrowed(value)));
            continue;
        }
        let media = media_of(block.as_object()?, files).ok();
        if let Some(media) = media.filter(shows) {
            is_shown = true;
            parts.push(Part::Media(media));
            continue;
        }
        let (media_type, data) = value.strip_prefix("data:")?.split_once(";base64,")?;
        parts.push(Part::Text(Cow::Owned(named_media(kind, media_type, data))));
    }
    is_shown.then_some(parts)
}

fn is_error(fields: &Extra) -> bool {
    fields.get("is_error") == Some(&Value::Bool(true))
}

/// Returns the text blocks of a message that can only be text.
fn texts_alone(message: &Message, number: usize) -> Result<Vec<Cow<'_, str>>, ConversationError> {
    let other = |fields: &Extra| ConversationError {
        number,
        problem: format!(
            "cannot send a block of type `{}` in a message of the role `{}`",
            type_of(fields),
            message.role
        ),
    };
    match &message.content {
        None => Ok(Vec::new()),
        Some(Content::Text(text)) => Ok(vec![Cow::Borrowed(text)]),
        Some(content @ Content::Structured(_)) => Ok(vec![Cow::Owned(content.text())]),
        Some(Content::Blocks(blocks)) => {
            let texts = blocks.iter().filter_map(|block| match block {
                Block::Text(text) => Some(Ok(Cow::Borrowed(text.value.as_str()))),
                Block::File(_) => block.text().map(|text| Ok(Cow::Borrowed(text))),
                Block::Other(fields) => Some(Err(other(fields))),
            });
            texts.collect()
        }
    }
}

fn parts<'a>(
    message: &'a Message,
    number: usize,
    files: &'a MediaFiles,
) -> Result<Vec<Part<'a>>, ConversationError> {
    let Some(Content::Blocks(blocks)) = &message.content else {
        return Ok(vec![Part::Text(message.text())]);
    };
    let parts = blocks.iter().filter_map(|block| match block {
        Block::Text(text) => Some(Ok(Part::Text(Cow::Borrowed(text.value.as_str())))),
        Block::File(_) => block.text().map(|text| Ok(Part::Text(Cow::Borrowed(text)))),
        Block::Other(fields) => Some(media_of(fields, files).map(Part::Media)),
    });
    let parts: Result<Vec<_>, _> = parts.collect();
    parts.map_err(|error| ConversationError {
        number,
        problem: error.to_string(),
    })
}

#[cfg(test)]
mod tests {
    use std::path::Path;
    use std::time::Duration;

    use agentv_core::Prompt;
    use serde_json::json;

    use super::*;

    fn prompt(guidelines: &str, messages: Value) -> Request {
        Request {
            prompt: Prompt {
                question: "the question".to_owned(),
                guidelines: guidelines.to_owned(),
                messages: serde_json::from_value(messages).unwrap(),
            },
            ..Request::of_text("", Path::new("/").into(), Duration::MAX)
        }
    }

    /// Returns the system prompt, then the turns.
    fn said(prompt: &Request, system: Option<&str>) -> Vec<String> {
        let files = MediaFiles::default();
        let conversation = conversation_of(prompt, system, &files, &|_| false).unwrap();
        let system = conversation.system.iter();
        let system = system.map(|blocks| format!("system prompt: {}", blocks.join(" | ")));
        let turns = conversation.turns.iter().map(|turn| match turn {
            Turn::System(texts) => format!("system: {}", texts.join(" | ")),
            Turn::User(user) => match &user.parts[..] {
                [Part::Text(text)] => format!("user: {text}"),
                parts => format!("user: {} parts", parts.len()),
            },
            Turn::Assistant(turn) => {
                let calls = turn.calls.iter();
                let calls: Vec<_> = calls
                    .map(|call| format!("{} {}({})", call.id, call.name, call.arguments()))
                    .collect();
                format!("assistant: {}{}", turn.texts.join(" | "), calls.join(" "))
            }
            Turn::Tool(result) => {
                let text = result.texts("any").unwrap().join("\n");
                format!("tool {} {}: {text}", result.id, result.name)
            }
        });
        system.chain(turns).collect()
    }

    #[test]
    fn guidelines_follow_the_leading_system_messages() {
        let asked = prompt(
            "Be kind.",
            json!([
                {"role": "system", "content": "A"},
                {"role": "system", "content": "B"},
                {"role": "user", "content": " C\n"},
                {"role": "assistant", "content": "D"},
                {"role": "system", "content": "E"},
            ]),
        );
        let expected = [
            "system prompt: T",
            "system prompt: A",
            "system prompt: B",
            "system prompt: [[ ## Guidelines ## ]]\n\nBe kind.",
            "user:  C\n",
            "assistant: D",
            "system: E",
        ];
        assert_eq!(said(&asked, Some("T")), expected);
    }

    #[test]
    fn the_text_blocks_of_a_message_stay_apart() {
        let blocks = json!([{"type": "text", "value": "a "}, {"type": "text", "value": "b"}]);
        let asked = prompt(
            "",
            json!([
                {"role": "system", "content": "S"},
                {"role": "system", "content": blocks},
                {"role": "user", "content": "?"},
                {"role": "assistant", "content": blocks},
                {"role": "system", "content": blocks},
            ]),
        );
        let expected = [
            "system prompt: S",
            "system prompt: a  | b",
            "user: ?",
            "assistant: a  | b",
            "system: a  | b",
        ];
        assert_eq!(said(&asked, None), expected);
    }

    #[test]
    fn guidelines_alone_are_a_system_prompt() {
        let hi = json!([{"role": "user", "content": "Hi"}]);
        let expected = [
            "system prompt: [[ ## Guidelines ## ]]\n\nBe kind.",
            "user: Hi",
        ];
        assert_eq!(said(&prompt("Be kind.", hi.clone()), None), expected);
        assert_eq!(said(&prompt("", hi), None), ["user: Hi"]);
    }

    #[test]
    fn instructions_alone_stay_instructions() {
        let system = json!([{"role": "system", "content": "A"}]);
        assert_eq!(said(&prompt("", system), None), ["system prompt: A"]);
        assert_eq!(said(&prompt("", json!([])), None), ["user: the question"]);
        let expected = ["system prompt: T", "user: the question"];
        assert_eq!(said(&prompt("", json!([])), Some("T")), expected);
    }

    #[test]
    fn results_are_matched_by_id_and_else_by_order() {
        let asked = prompt(
            "",
            json!([
                {"role": "user", "content": "?"},
                {"role": "assistant", "tool_calls": [
                    {"tool": "a", "input": {"x": 1}}, {"tool": "b", "id": "B", "input": "{x"},
                    {"tool": "c", "output": {"y": 2}}
                ]},
                {"role": "tool", "tool_call_id": "B", "content": "of b"},
                {"role": "tool", "content": "of a"},
                {"role": "user", "content": "!"},
            ]),
        );
        let expected = [
            "user: ?",
            "assistant: call00001 a({\"x\":1}) B b({x) call00003 c({})",
            "tool B b: of b",
            "tool call00001 a: of a",
            "tool call00003 c: {\"y\":2}",
            "user: !",
        ];
        assert_eq!(said(&asked, None), expected);
    }

    #[test]
    fn a_message_that_no_protocol_carries_is_an_error_that_names_it() {
        let wrong = |message: Value| {
            let messages = json!([{"role": "user", "content": "?"}, message]);
            let prompt = prompt("", messages);
            let files = MediaFiles::default();
            let error = conversation_of(&prompt, None, &files, &|_| false).unwrap_err();
            error.to_string()
        };
        assert_eq!(
            wrong(json!({"role": "tool", "content": "x"})),
            "message 2: a `tool` message needs an assistant message with `tool_calls` before it"
        );
        assert_eq!(
            wrong(json!({"role": "user", "content": [{"type": "video", "value": "a.mp4"}]})),
            "message 2: cannot send a block of type `video` to a model; known types: `text`, `file`, `image`, `image_url`, `audio`"
        );
        let image = json!([{"type": "image", "value": "https://h/a.png"}]);
        assert_eq!(
            wrong(json!({"role": "assistant", "content": image})),
            "message 2: cannot send a block of type `image` in a message of the role `assistant`"
        );
    }
}
