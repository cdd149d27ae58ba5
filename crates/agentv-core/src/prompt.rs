//! Prompts: cases rendered for targets.

use std::borrow::Cow;
use std::path::Path;

use crate::{Block, Content, EvalCase, Extra, FileBlock, Message, Role};

/// A case rendered for a target: its guidelines, and the rest as messages and as one text.
///
/// ```
/// use agentv_core::{EvalCase, Prompt};
///
/// let case: EvalCase = serde_json::from_str(r#"{
///     "id": "sum", "dataset": "math",
///     "input_messages": [
///         {"role": "system", "content": "You are a calculator"},
///         {"role": "user", "content": "What is 2+2?"}
///     ]
/// }"#).unwrap();
/// let prompt = Prompt::of(&case);
/// assert_eq!(prompt.question, "@[System]:\nYou are a calculator\n\n@[User]:\nWhat is 2+2?");
/// ```
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Prompt {
    /// The text for targets that take one text, and for judges.
    pub question: String,
    /// The guidelines; empty if the case has none.
    pub guidelines: String,
    /// The messages without guidelines, for targets that take messages. Text and files are text here;
    /// blocks of other types are kept. Messages that became empty are omitted.
    pub messages: Vec<Message>,
}

impl Prompt {
    /// Makes a prompt that consists of a text.
    pub fn of_text(text: impl Into<String>) -> Prompt {
        let question = text.into();
        Prompt {
            messages: vec![Message::new(Role::User, question.as_str())],
            question,
            guidelines: String::new(),
        }
    }

    /// Renders a case for a language model: files are embedded, guidelines are moved out of the
    /// messages.
    pub fn of(case: &EvalCase) -> Prompt {
        Prompt::with_files(case, &embedded)
    }

    /// Renders a case for a target that reads files itself: a file that is not a guideline is
    /// replaced by its path under `root`.
    pub fn by_path(case: &EvalCase, root: &Path) -> Prompt {
        Prompt::with_files(case, &|file| Rendered::Embedded(named(file, root)))
    }

    fn with_files<'c>(case: &'c EvalCase, shown: &dyn Fn(&'c FileBlock) -> Rendered<'c>) -> Prompt {
        let is_guideline = |file: &FileBlock| {
            let path = file.path.as_ref();
            path.is_some_and(|path| case.guideline_files.contains(path))
        };
        let mut guidelines: Vec<(&str, &str)> = Vec::new();
        let mut rendered = Vec::with_capacity(case.input_messages.len());
        for message in &case.input_messages {
            let mut turn = Turn::of(message);
            for piece in pieces_of(message) {
                match piece {
                    Piece::File(file) if is_guideline(file) => {
                        let path = file.path.as_deref().unwrap_or(&file.value);
                        let text = file.text.as_deref().unwrap_or_default();
                        if !guidelines.iter().any(|(known, _)| *known == path) {
                            guidelines.push((path, text));
                        }
                        turn.pieces
                            .push(Rendered::Embedded(format!("<Attached: {path}>")));
                    }
                    Piece::File(file) => {
                        turn.visible = true;
                        turn.pieces.push(shown(file));
                    }
                    Piece::Text(text) => {
                        turn.visible |= !text.trim().is_empty();
                        turn.pieces.push(Rendered::Text(text));
                    }
                    Piece::Other(fields) => {
                        turn.visible = true;
                        turn.pieces.push(Rendered::Other(Cow::Borrowed(fields)));
                    }
                }
            }
            rendered.push(turn);
        }
        Prompt {
            question: question(&rendered),
            guidelines: in_one_block(&guidelines),
            messages: rendered.into_iter().filter_map(Turn::message).collect(),
        }
    }

    /// Returns the guidelines under their heading; `None` if there are none.
    pub fn guidelines_block(&self) -> Option<String> {
        (!self.guidelines.is_empty())
            .then(|| format!("[[ ## Guidelines ## ]]\n\n{}", self.guidelines))
    }

    /// Returns the text for a target that takes one text: the guidelines, then the question.
    pub fn text(&self) -> String {
        match self.guidelines_block() {
            Some(block) => format!("{block}\n\n[[ ## Question ## ]]\n\n{}", self.question),
            None => self.question.clone(),
        }
    }
}

enum Piece<'c> {
    Text(String),
    File(&'c FileBlock),
    Other(&'c Extra),
}

/// A message whose files are rendered.
struct Turn<'c> {
    message: &'c Message,
    pieces: Vec<Rendered<'c>>,
    /// True if the message holds more than guidelines.
    visible: bool,
}

enum Rendered<'c> {
    /// Text that the user wrote.
    Text(String),
    /// A file as text.
    Embedded(String),
    /// A block that is not text: an image, audio, a document, or a type that we do not know.
    Other(Cow<'c, Extra>),
}

impl<'c> Turn<'c> {
    fn of(message: &'c Message) -> Turn<'c> {
        Turn {
            message,
            pieces: Vec::new(),
            visible: !message.tool_calls.is_empty(),
        }
    }

    /// Returns the message as one text. An image, audio or document is named there, and a block of an
    /// unknown type is shown as JSON.
    fn text(&self) -> String {
        let texts: Vec<_> = self
            .pieces
            .iter()
            .map(|piece| match piece {
                Rendered::Text(text) | Rendered::Embedded(text) => Cow::Borrowed(text.as_str()),
                Rendered::Other(fields) => Cow::Owned(named_media(fields)),
            })
            .collect();
        texts.join("\n")
    }

    /// Returns the message for targets that take messages; `None` if it became empty.
    fn message(self) -> Option<Message> {
        if !self.visible {
            return None;
        }
        Some(Message {
            content: content(self.pieces),
            ..self.message.clone_without_content()
        })
    }
}

/// Returns the content of a message. Texts that the user wrote as separate blocks stay separate. A file
/// that is embedded as text is joined with the texts around it by line breaks.
fn content(pieces: Vec<Rendered<'_>>) -> Option<Content> {
    let mut blocks: Vec<Block> = Vec::new();
    // The text so far, and true if the user wrote its end.
    let mut text: Option<(String, bool)> = None;
    for piece in pieces {
        let (more, is_written) = match piece {
            Rendered::Text(more) => (more, true),
            Rendered::Embedded(more) => (more, false),
            Rendered::Other(fields) => {
                blocks.extend(text.take().map(|(text, _)| Block::of_text(text)));
                blocks.push(Block::Other(fields.into_owned()));
                continue;
            }
        };
        text = match text {
            Some((mut text, was_written)) if !(was_written && is_written) => {
                text.push('\n');
                text.push_str(&more);
                Some((text, is_written))
            }
            before => {
                blocks.extend(before.map(|(text, _)| Block::of_text(text)));
                Some((more, is_written))
            }
        };
    }
    let text = text.map(|(text, _)| text);
    if blocks.is_empty() {
        return text.map(Content::Text);
    }
    blocks.extend(text.map(Block::of_text));
    Some(Content::Blocks(blocks))
}

fn named_media(fields: &Extra) -> String {
    let text = |name: &str| fields.get(name).and_then(serde_json::Value::as_str);
    let kind = text("type").unwrap_or_default();
    if !Block::MEDIA.contains(&kind) {
        return serde_json::Value::Object(fields.clone()).to_string();
    }
    let url = text("value")
        .or(text("url"))
        .filter(|url| !url.starts_with("data:"));
    match (text("path"), url) {
        (Some(path), _) => format!("<{kind} path=\"{path}\"/>"),
        (None, Some(url)) => format!("<{kind} url=\"{url}\"/>"),
        (None, None) => format!("<{kind}/>"),
    }
}

fn pieces_of(message: &Message) -> Vec<Piece<'_>> {
    match &message.content {
        None => Vec::new(),
        Some(Content::Text(text)) => vec![Piece::Text(text.clone())],
        Some(Content::Structured(value)) => vec![Piece::Text(value.to_string())],
        Some(Content::Blocks(blocks)) => blocks
            .iter()
            .map(|block| match block {
                Block::Text(block) => Piece::Text(block.value.clone()),
                Block::File(file) => Piece::File(file),
                Block::Other(fields) => Piece::Other(fields),
            })
            .collect(),
    }
}

/// Renders a file for a language model: a document that is not text is left to its API.
fn embedded(file: &FileBlock) -> Rendered<'_> {
    let path = file.path.as_deref().unwrap_or(&file.value);
    let text = match &file.text {
        Some(text) => &**text,
        None if file.path.is_some() => return Rendered::Other(Cow::Owned(file.fields())),
        None => "",
    };
    let line_end = if text.ends_with('\n') { "" } else { "\n" };
    Rendered::Embedded(format!("<file path=\"{path}\">\n{text}{line_end}</file>"))
}

fn named(file: &FileBlock, root: &Path) -> String {
    let path = file.path.as_deref().unwrap_or(&file.value);
    format!("<file path=\"{}\"/>", root.join(path).display())
}

/// A single visible message of a user or system is its own text. Anything more is a conversation,
/// with each turn under its role.
fn question(turns: &[Turn<'_>]) -> String {
    let mut with_content: Vec<(Role, String)> = turns
        .iter()
        .map(|turn| (turn.message.role, turn.text()))
        .filter(|(_, text)| !text.is_empty())
        .collect();
    let visible = turns.iter().filter(|turn| turn.visible).count();
    let has_turns = turns
        .iter()
        .any(|turn| matches!(turn.message.role, Role::Assistant | Role::Tool));
    if !has_turns && visible <= 1 {
        if let [(_, text)] = &mut with_content[..] {
            return std::mem::take(text);
        }
        let texts: Vec<_> = with_content.iter().map(|(_, text)| text.as_str()).collect();
        return texts.join("\n\n");
    }
    let turns: Vec<_> = with_content
        .iter()
        .map(|(role, text)| format!("@[{}]:\n{text}", heading(*role)))
        .collect();
    turns.join("\n\n")
}

fn heading(role: Role) -> &'static str {
    match role {
        Role::System => "System",
        Role::User => "User",
        Role::Assistant => "Assistant",
        Role::Tool => "Tool",
    }
}

fn in_one_block(guidelines: &[(&str, &str)]) -> String {
    let blocks: Vec<_> = guidelines
        .iter()
        .map(|(path, text)| format!("=== {path} ===\n{}", text.trim_end()))
        .collect();
    blocks.join("\n\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn case(content: &str, guidelines: &str) -> EvalCase {
        let json = format!(
            r#"{{
                "id": "test", "dataset": "dataset", "expected_outcome": "Follows guidelines",
                "input_messages": [{{"role": "user", "content": {content}}}],
                "guideline_files": {guidelines}
            }}"#
        );
        serde_json::from_str(&json).unwrap()
    }

    const GUIDELINE: &str = r#"{"type": "file", "value": "python.instructions.md",
        "path": "evals/python.instructions.md", "text": "Use type hints.\n"}"#;

    #[test]
    fn a_guideline_precedes_the_question_in_a_separate_block() {
        let content = format!(r#"[{GUIDELINE}, {{"type": "text", "value": "Review this"}}]"#);
        let case = case(&content, r#"["evals/python.instructions.md"]"#);
        let prompt = Prompt::of(&case);
        assert_eq!(
            prompt.text(),
            "[[ ## Guidelines ## ]]\n\n\
             === evals/python.instructions.md ===\nUse type hints.\n\n\
             [[ ## Question ## ]]\n\n\
             <Attached: evals/python.instructions.md>\nReview this"
        );
    }

    #[test]
    fn a_message_with_nothing_but_a_guideline_is_not_sent() {
        let case = case(
            &format!("[{GUIDELINE}]"),
            r#"["evals/python.instructions.md"]"#,
        );
        let prompt = Prompt::of(&case);
        assert_eq!(prompt.messages, []);
        assert!(prompt.guidelines.contains("Use type hints."));
    }

    #[test]
    fn a_file_that_is_not_a_guideline_is_embedded_in_place() {
        let case = case(&format!("[{GUIDELINE}]"), "[]");
        let prompt = Prompt::of(&case);
        assert_eq!(prompt.guidelines_block(), None);
        assert_eq!(
            prompt.text(),
            "<file path=\"evals/python.instructions.md\">\nUse type hints.\n</file>"
        );
    }
}
