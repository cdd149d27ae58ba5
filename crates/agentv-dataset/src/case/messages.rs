//! Messages as written, and the files in them.

use agentv_core::{Block, Content, FileBlock, Message, Role, TextBlock, ToolCall};
use agentv_syntax::{Code, Node, NodeKind, Problem, nearest};

use super::Context;
use crate::files::FileProblem;

/// Checks if an object is a message: a known `role`, and `content` or `tool_calls`.
pub(crate) fn is_message(node: Node<'_>) -> bool {
    let role = node.get("role").and_then(Node::as_str);
    role.is_some_and(|role| Role::named(&role).is_some())
        && (node.get("content").is_some() || node.get("tool_calls").is_some())
}

/// Warns of structured data that would be messages except for a mistyped role.
pub(super) fn warn_of_near_messages(list: Node<'_>, problems: &mut Vec<Problem>) {
    for (index, item) in list.items().enumerate() {
        let (Some(role), Some(_)) = (item.get("role"), item.get("content")) else {
            continue;
        };
        let Some(meant) = nearest(&role.text(), Role::NAMES.iter().copied()) else {
            continue;
        };
        let message = format!(
            "unknown role `{}`, so the whole array is read as structured data",
            role.text()
        );
        problems.push(
            Problem::warning(Code::UnknownNear, role.span(), message)
                .at(format!("expected_output[{index}].role"))
                .hint(format!("did you mean `{meant}`?")),
        );
    }
}

/// A check of the blocks of messages, and of the files that they refer to.
pub(super) struct Files<'c, 'p, 't> {
    case: Node<'t>,
    context: &'c Context,
    problems: &'p mut Vec<Problem>,
}

impl<'c, 'p, 't> Files<'c, 'p, 't> {
    pub(super) fn new(
        case: Node<'t>,
        context: &'c Context,
        problems: &'p mut Vec<Problem>,
    ) -> Self {
        Files {
            case,
            context,
            problems,
        }
    }

    pub(super) fn check_all(&mut self, messages: Node<'t>) {
        for message in messages.items() {
            self.check_message(message);
        }
    }

    pub(super) fn check_message(&mut self, message: Node<'t>) {
        if let Some(content) = message.get("content") {
            self.check_blocks(content);
        }
    }

    /// Checks structured data, which is blocks if all of its elements are.
    pub(super) fn check_content(&mut self, content: Node<'t>) {
        if content.items().all(is_block) {
            self.check_blocks(content);
        }
    }

    fn check_blocks(&mut self, content: Node<'t>) {
        for block in content.items() {
            let kind = block.get("type").and_then(Node::as_str);
            let Some(kind @ ("text" | "file" | "image" | "audio")) = kind.as_deref() else {
                continue;
            };
            if block.get("value").is_none() && block.get("url").is_some() {
                continue;
            }
            match block.get("value") {
                Some(value) => self.check_value(kind, value),
                None => {
                    let start = block.span().start;
                    let problem = Problem {
                        expected: Some("a field `value`".to_owned()),
                        found: Some("nothing".to_owned()),
                        ..Problem::error(Code::MissingField, start..start + 1, "missing value")
                    };
                    let path = format!("{}.value", self.case.path_to(block));
                    self.problems.push(problem.at(path));
                }
            }
        }
    }

    fn check_value(&mut self, kind: &str, value: Node<'t>) {
        let Some(text) = value.as_str() else {
            let expected = if kind != "text" {
                "a string (the path of a file)"
            } else {
                "a string"
            };
            let found = value.kind().described();
            let problem = Problem {
                expected: Some(expected.to_owned()),
                found: Some(found.to_owned()),
                ..Problem::error(
                    Code::WrongType,
                    value.span(),
                    format!("expected {expected}, found {found}"),
                )
            };
            self.problems.push(problem.at(self.case.path_to(value)));
            return;
        };
        let files = &self.context.files;
        let found = match kind {
            "text" => Ok(()),
            _ if is_url(&text) => Ok(()),
            "file" if !is_document(&text) => files.find(&text).map(|_| ()),
            _ => files.find_bytes(&text).map(|_| ()),
        };
        if let Err(refused) = found {
            let path = self.case.path_to(value);
            self.problems.push(refused.at(value, path));
        }
    }
}

/// Returns the messages of a checked array.
pub(super) fn build_all(list: Node<'_>, context: &Context) -> Result<Vec<Message>, FileProblem> {
    list.items().map(|item| build(item, context)).collect()
}

/// Returns one message, with its files read.
pub(super) fn build(node: Node<'_>, context: &Context) -> Result<Message, FileProblem> {
    let text = |name: &str| node.given(name).map(|value| value.text().into_owned());
    let role = node.get("role").and_then(Node::as_str);
    let content = node.given("content");
    let calls = node.given("tool_calls");
    Ok(Message {
        role: role
            .and_then(|role| Role::named(&role))
            .unwrap_or(Role::User),
        content: content
            .map(|content| build_content(content, context))
            .transpose()?,
        name: text("name"),
        tool_calls: calls
            .into_iter()
            .flat_map(Node::items)
            .map(build_call)
            .collect(),
        extra: extra(node, &["role", "content", "name", "tool_calls"]),
    })
}

/// Returns the content of a message; a file block gets its path and text.
pub(super) fn build_content(node: Node<'_>, context: &Context) -> Result<Content, FileProblem> {
    match node.kind() {
        NodeKind::Array if node.items().all(is_block) => {
            let blocks = node.items().map(|block| build_block(block, context));
            Ok(Content::Blocks(blocks.collect::<Result<_, _>>()?))
        }
        NodeKind::Array | NodeKind::Object => Ok(Content::Structured(node.to_value())),
        NodeKind::String | NodeKind::Number | NodeKind::Bool | NodeKind::Null => {
            Ok(Content::Text(node.text().into_owned()))
        }
    }
}

/// Checks if a value is a block, by the rule with which [`Content`] reads its own JSON.
pub(crate) fn is_block(node: Node<'_>) -> bool {
    let has_text = || {
        let value = node.get("value");
        value.is_some_and(|value| value.kind() == NodeKind::String)
    };
    match node.get("type").and_then(Node::as_str).as_deref() {
        Some("text" | "file") => has_text(),
        Some(_) => true,
        None => false,
    }
}

fn build_block(node: Node<'_>, context: &Context) -> Result<Block, FileProblem> {
    let kind = node.get("type").map(Node::text).unwrap_or_default();
    let value = node.get("value").map(Node::text).unwrap_or_default();
    match kind.as_ref() {
        "text" => Ok(Block::Text(TextBlock::new(
            value,
            extra(node, &["type", "value"]),
        ))),
        "image" | "audio" | "file" if is_url(&value) => Ok(Block::Other(node.to_map())),
        "image" | "audio" if !value.is_empty() => {
            let (path, digest) = context.files.find_bytes(&value)?;
            let mut fields = node.to_map();
            fields.insert("path".to_owned(), path.into());
            fields.insert("digest".to_owned(), format!("{digest:?}").into());
            Ok(Block::Other(fields))
        }
        "file" if is_document(&value) => {
            let (path, digest) = context.files.find_bytes(&value)?;
            let mut block = FileBlock::new(value);
            block.path = Some(path);
            block.extra = extra(node, &["type", "value", "path", "text", "digest"]);
            let digest = format!("{digest:?}").into();
            block.extra.insert("digest".to_owned(), digest);
            Ok(Block::File(block))
        }
        "file" => {
            let located = context.files.find(&value)?;
            let mut block = FileBlock::new(value);
            block.path = Some(located.path.clone());
            block.text = Some(context.files.text(&located)?);
            block.extra = extra(node, &["type", "value", "path", "text"]);
            Ok(Block::File(block))
        }
        _ => Ok(Block::Other(node.to_map())),
    }
}

/// Checks if the value of a block is an address, and not the path of a file.
fn is_url(value: &str) -> bool {
    let schemes = ["data:", "https://", "http://"];
    schemes.iter().any(|scheme| value.starts_with(scheme))
}

/// Checks if a file is a document that is not text, by its name.
fn is_document(value: &str) -> bool {
    const ENDS: &[&str] = &["pdf", "doc", "docx", "xls", "xlsx", "ppt", "pptx"];
    let end = value.rsplit('.').next().unwrap_or_default();
    ENDS.iter().any(|known| end.eq_ignore_ascii_case(known))
}

fn build_call(node: Node<'_>) -> ToolCall {
    let text = |name: &str| node.given(name).map(|value| value.text().into_owned());
    ToolCall {
        tool: text("tool").unwrap_or_default(),
        input: node.get("input").map(Node::to_value),
        output: node.get("output").map(Node::to_value),
        id: text("id"),
        timestamp: text("timestamp"),
        duration_ms: node.given("duration_ms").and_then(Node::as_f64),
        extra: extra(
            node,
            &["tool", "input", "output", "id", "timestamp", "duration_ms"],
        ),
    }
}

/// Returns the fields of an object beyond the known ones.
pub(super) fn extra(node: Node<'_>, known: &[&str]) -> agentv_core::Extra {
    node.fields()
        .filter(|(key, _)| !known.iter().any(|name| key.is_text(name)))
        .map(|(key, value)| (key.text().into_owned(), value.to_value()))
        .collect()
}
