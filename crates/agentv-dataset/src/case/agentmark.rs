//! AgentMark rows: cases whose `input` is an object.

use agentv_core::{Content, Message, Role};
use agentv_syntax::{Code, Missing, Node, NodeKind, Problem, Template, TemplateError};
use thiserror::Error;

use super::Context;
use super::read::Fields;
use crate::defaults::Prompt;
use crate::options::Rules;

/// The `prompt` of a sidecar: a template over the keys of `input`.
#[derive(Debug)]
pub(crate) struct RowPrompt(Template);

impl RowPrompt {
    /// Parses the template.
    ///
    /// # Errors
    /// Fails with the reason and the line within the template.
    pub(crate) fn parse(source: &str) -> Result<RowPrompt, TemplateError> {
        Template::parse(source, Missing::Refused).map(RowPrompt)
    }

    /// Fills in the prompt with the fields of a row.
    pub(crate) fn fill_row(&self, row: Node<'_>) -> Result<String, RowPromptError> {
        self.fill(row).map_err(|error| match error {
            RowPromptError::Missing(names) => RowPromptError::MissingInRow(names),
            other => other,
        })
    }

    fn fill(&self, input: Node<'_>) -> Result<String, RowPromptError> {
        self.0.fill(input.to_value()).map_err(|error| {
            let variables = self.0.variables().iter();
            let missing: Vec<String> = variables
                .filter(|name| input.get(name).is_none())
                .cloned()
                .collect();
            if missing.is_empty() {
                RowPromptError::Template(error)
            } else {
                RowPromptError::Missing(missing)
            }
        })
    }
}

/// The reason why a prompt cannot be filled for a row.
#[derive(Debug, Error)]
pub(crate) enum RowPromptError {
    #[error("{}", .0.reason)]
    Template(TemplateError),
    #[error("no `{}` in `input`", .0.join("`, `"))]
    Missing(Vec<String>),
    #[error("the row has no `{}`", .0.join("`, `"))]
    MissingInRow(Vec<String>),
}

/// Checks that `run` can use a row, and warns if AgentMark itself would refuse it.
pub(super) fn check_row(
    fields: &Fields<'_>,
    input: Node<'_>,
    context: &Context,
    problems: &mut Vec<Problem>,
) {
    // The strict rules have reported the same already.
    let is_strict = context.rules == Rules::AgentMark;
    match &context.defaults.prompt {
        Prompt::Template(prompt) => {
            if let Err(error) = prompt.fill(input) {
                let message = format!("the dataset's `prompt` cannot be filled: {error}");
                let problem = Problem::error(Code::InvalidTemplate, input.span(), message);
                problems.push(problem.at("input"));
            }
        }
        Prompt::Absent if !is_strict => {
            problems.extend(user_message_problem(input, Code::NoUserMessage));
        }
        Prompt::Absent | Prompt::Unusable => {}
    }
    let is_structured =
        |expected: &Node<'_>| matches!(expected.kind(), NodeKind::Object | NodeKind::Array);
    let expected = fields.expected_output.filter(is_structured);
    if let Some(expected) = expected.filter(|_| !is_strict) {
        let message =
            "AgentMark's own rules require a string here; structured data is used as it is";
        let problem = Problem::warning(Code::AgentMarkAdvice, expected.span(), message);
        problems.push(problem.at("expected_output"));
    }
}

fn user_message_problem(input: Node<'_>, code: Code) -> Option<Problem> {
    let start = input.span().start;
    match input.get("userMessage") {
        Some(message) if message.kind() == NodeKind::String => None,
        Some(message) => {
            let found = message.kind().described();
            let problem = Problem {
                expected: Some("a string".to_owned()),
                found: Some(found.to_owned()),
                ..Problem::error(
                    code,
                    message.span(),
                    format!("expected a string, found {found}"),
                )
            };
            Some(problem.at("input.userMessage"))
        }
        None => {
            let problem = Problem {
                expected: Some("a field `userMessage`".to_owned()),
                found: Some("nothing".to_owned()),
                ..Problem::error(code, start..start + 1, "missing userMessage")
            };
            let hint = match code {
                Code::NoUserMessage => {
                    "write the question as `userMessage`, or add a `prompt` to the sidecar that uses the keys of `input`"
                }
                _ => "write the question as `userMessage`",
            };
            Some(problem.at("input.userMessage").hint(hint))
        }
    }
}

/// Checks a row by AgentMark's rules to the letter.
pub(super) fn check_strictly(node: Node<'_>, problems: &mut Vec<Problem>) {
    let start = node.span().start;
    match node.get("input") {
        None => {
            let problem = Problem {
                expected: Some("a field `input`".to_owned()),
                found: Some("nothing".to_owned()),
                ..Problem::error(Code::AgentMarkRule, start..start + 1, "missing input")
            };
            problems.push(problem.at("input"));
        }
        Some(input) if input.kind() == NodeKind::Object => {
            problems.extend(user_message_problem(input, Code::AgentMarkRule));
        }
        Some(input) => problems.push(wrong(
            input,
            "input",
            "an object with a string `userMessage`",
        )),
    }
    if let Some(expected) = node.get("expected_output")
        && expected.kind() != NodeKind::String
    {
        problems.push(wrong(expected, "expected_output", "a string"));
    }
    for (key, _) in node.fields() {
        if !key.is_text("input") && !key.is_text("expected_output") {
            let message = format!("AgentMark has no field `{}`", key.text());
            problems.push(Problem::warning(Code::AgentMarkAdvice, key.span(), message));
        }
    }
}

fn wrong(node: Node<'_>, path: &str, expected: &str) -> Problem {
    let found = node.kind().described();
    let problem = Problem {
        expected: Some(expected.to_owned()),
        found: Some(found.to_owned()),
        ..Problem::error(
            Code::AgentMarkRule,
            node.span(),
            format!("expected {expected}, found {found}"),
        )
    };
    problem.at(path)
}

/// Returns the one user message of a checked row.
pub(super) fn build_message(input: Node<'_>, context: &Context) -> Message {
    let user_message = || {
        input
            .get("userMessage")
            .map(|text| text.text().into_owned())
    };
    let filled = match &context.defaults.prompt {
        Prompt::Template(prompt) => prompt.fill(input).ok(),
        Prompt::Absent | Prompt::Unusable => None,
    };
    let text = filled.or_else(user_message).unwrap_or_default();
    Message::new(Role::User, Content::Text(text))
}
