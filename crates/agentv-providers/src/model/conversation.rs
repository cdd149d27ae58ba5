//! A prompt as a chat request of the client crate.

use agentv_core::{Prompt, Role};
use genai::chat::{ChatMessage, ChatRequest};

/// Converts a prompt to a chat. The leading system messages and the guidelines become the system
/// prompt. The other messages follow in order.
///
/// If there are no other messages, the system prompt is sent as a user message, because no API accepts a
/// system prompt alone. The result of a tool is sent as a user message, too: the APIs refuse it without
/// the tool call, which a prompt does not contain.
pub(super) fn chat_of(prompt: &Prompt) -> ChatRequest {
    let is_system = |(role, _): &&(Role, String)| *role == Role::System;
    let leading = prompt.messages.iter().take_while(is_system).count();
    let (instructions, rest) = prompt.messages.split_at(leading);
    let system = system_prompt(instructions, prompt.guidelines_block());
    if rest.is_empty() {
        let text = system.unwrap_or_else(|| prompt.question.clone());
        return ChatRequest::new(vec![ChatMessage::user(text)]);
    }
    let messages = rest.iter().map(message).collect();
    ChatRequest {
        system,
        ..ChatRequest::new(messages)
    }
}

fn system_prompt(instructions: &[(Role, String)], guidelines: Option<String>) -> Option<String> {
    let texts = instructions.iter().map(|(_, text)| text.as_str());
    let texts: Vec<&str> = texts.chain(guidelines.as_deref()).collect();
    (!texts.is_empty()).then(|| texts.join("\n\n"))
}

fn message((role, text): &(Role, String)) -> ChatMessage {
    match role {
        Role::System => ChatMessage::system(text.as_str()),
        Role::User => ChatMessage::user(text.as_str()),
        Role::Assistant => ChatMessage::assistant(text.as_str()),
        Role::Tool => ChatMessage::user(format!("@[Tool]:\n{text}")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn prompt(guidelines: &str, messages: &[(Role, &str)]) -> Prompt {
        Prompt {
            question: "the question".to_owned(),
            guidelines: guidelines.to_owned(),
            messages: messages
                .iter()
                .map(|(role, text)| (*role, (*text).to_owned()))
                .collect(),
        }
    }

    /// Returns the system prompt, then the messages with their roles.
    fn said(prompt: &Prompt) -> Vec<String> {
        let chat = chat_of(prompt);
        let system = chat.system.map(|text| format!("system prompt: {text}"));
        let messages = chat.messages.iter().map(|message| {
            let text = message.content.first_text().unwrap_or_default();
            format!("{}: {text}", message.role)
        });
        system.into_iter().chain(messages).collect()
    }

    #[test]
    fn guidelines_follow_the_leading_system_messages() {
        let asked = prompt(
            "Be kind.",
            &[
                (Role::System, "A"),
                (Role::System, "B"),
                (Role::User, "C"),
                (Role::Assistant, "D"),
                (Role::System, "E"),
                (Role::Tool, "F"),
            ],
        );
        assert_eq!(
            said(&asked),
            [
                "system prompt: A\n\nB\n\n[[ ## Guidelines ## ]]\n\nBe kind.",
                "User: C",
                "Assistant: D",
                "System: E",
                "User: @[Tool]:\nF",
            ]
        );
    }

    #[test]
    fn guidelines_alone_are_a_system_prompt() {
        let asked = prompt("Be kind.", &[(Role::User, "Hi")]);
        let expected = [
            "system prompt: [[ ## Guidelines ## ]]\n\nBe kind.",
            "User: Hi",
        ];
        assert_eq!(said(&asked), expected);
        assert_eq!(said(&prompt("", &[(Role::User, "Hi")])), ["User: Hi"]);
    }

    #[test]
    fn instructions_alone_become_a_user_message() {
        assert_eq!(said(&prompt("", &[(Role::System, "A")])), ["User: A"]);
        assert_eq!(said(&prompt("", &[])), ["User: the question"]);
    }
}
