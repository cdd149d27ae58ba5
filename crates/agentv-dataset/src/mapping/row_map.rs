//! The mapping of the fields of a row to those of a case.

use std::sync::Arc;

use agentv_syntax::{
    Code, Missing, Node, NodeKind, Placed, PlacedField, PlacedValue, Problem, Template,
};

use crate::case::RowPrompt;

/// The mapping of the fields of a row to those of a case.
#[derive(Debug)]
pub(crate) struct RowMap {
    fields: Vec<(String, Mapped)>,
    /// A template over the fields of a row, for its input.
    prompt: Option<Arc<RowPrompt>>,
}

/// The source of one field of a case.
#[derive(Debug)]
enum Mapped {
    /// A field of the row; a dot leads into an object.
    Field(String),
    /// A template over the fields of the row.
    Template(Box<Template>),
    /// The same text for every row.
    Constant(String),
}

impl RowMap {
    /// Reads the mapping of a sidecar; `None` if it has none. Templates that cannot be parsed are added
    /// to `problems`.
    pub(crate) fn read(
        sidecar: Node<'_>,
        prompt: Option<Arc<RowPrompt>>,
        problems: &mut Vec<Problem>,
    ) -> Option<RowMap> {
        let written = sidecar.given("fields");
        if written.is_none() && prompt.is_none() {
            return None;
        }
        let written = written.into_iter().flat_map(Node::fields);
        let fields = written.filter_map(|(key, value)| {
            let text = value.as_str()?;
            match Mapped::parse(&text) {
                Ok(mapped) => Some((key.text().into_owned(), mapped)),
                Err(reason) => {
                    let message = format!("not a valid template: {reason}");
                    let problem = Problem::error(Code::InvalidTemplate, value.span(), message);
                    problems.push(problem.at(format!("fields.{}", key.text())));
                    None
                }
            }
        });
        Some(RowMap {
            fields: fields.collect(),
            prompt,
        })
    }

    /// Returns the case that a row is; `None` if the row is one as it is.
    pub(crate) fn apply(&self, row: Node<'_>, problems: &mut Vec<Problem>) -> Option<Placed> {
        let own_input = row.given("input").map(Node::kind);
        // An AgentMark row fills its prompt with the keys of its input.
        if row.kind() != NodeKind::Object
            || self.fields.is_empty() && own_input == Some(NodeKind::Object)
        {
            return None;
        }
        agentv_syntax::check_keys(row, problems);
        let mut case = Placed::map(row.span());
        let mut renamed = Vec::new();
        for (name, mapped) in &self.fields {
            if name == "input" && self.prompt.is_some() {
                continue;
            }
            let Some(field) = mapped.of(row, name, problems) else {
                continue;
            };
            if let Mapped::Field(from) = mapped {
                renamed.push(from.as_str());
            }
            case.put_as(name.clone(), field);
        }
        if let Some(prompt) = &self.prompt {
            match prompt.fill_row(row) {
                Ok(text) => case.put("input", row.span(), Placed::text(row.span(), text)),
                Err(reason) => {
                    let message = format!("the dataset's `prompt` cannot be filled: {reason}");
                    let start = row.span().start;
                    let span = start..start + 1;
                    problems.push(Problem::error(Code::InvalidTemplate, span, message));
                }
            }
        }
        for (key, value) in row.fields() {
            let name = key.text();
            if !renamed.contains(&name.as_ref()) && case.given(&name).is_none() {
                case.put(name, key.span(), Placed::from(value));
            }
        }
        Some(case)
    }
}

impl Mapped {
    fn parse(text: &str) -> Result<Mapped, String> {
        if text.contains("{{") || text.contains("{%") {
            let template = Template::parse(text, Missing::Refused);
            return template
                .map(|template| Mapped::Template(Box::new(template)))
                .map_err(|error| error.reason);
        }
        Ok(if text.contains(char::is_whitespace) {
            Mapped::Constant(text.to_owned())
        } else {
            Mapped::Field(text.to_owned())
        })
    }

    /// Returns the field `name` of a case.
    fn of(&self, row: Node<'_>, name: &str, problems: &mut Vec<Problem>) -> Option<PlacedField> {
        let start = row.span().start;
        let place = start..start + 1;
        let field = |span: std::ops::Range<usize>, value| PlacedField {
            name: name.to_owned(),
            span,
            value,
        };
        match self {
            Mapped::Field(from) => match found(row, from) {
                Some(value) => Some(field(value.span(), as_text(name, value))),
                // A case without an id gets one.
                None if name == "id" => None,
                None => {
                    let message = format!("missing {from}, which the sidecar makes the `{name}`");
                    problems.push(Problem::error(Code::MissingField, place, message).at(from));
                    None
                }
            },
            Mapped::Constant(text) => Some(field(place.clone(), Placed::text(place, text))),
            Mapped::Template(template) => match template.fill(row.to_value()) {
                Ok(text) => Some(field(place.clone(), Placed::text(place, text))),
                Err(error) => {
                    let message = format!("cannot fill in `fields.{name}`: {}", error.reason);
                    problems.push(Problem::error(Code::InvalidTemplate, place, message));
                    None
                }
            },
        }
    }
}

/// Returns the value of a field, by its whole name or along its dots.
fn found<'t>(row: Node<'t>, name: &str) -> Option<Node<'t>> {
    let whole = row.given(name);
    whole.or_else(|| {
        let mut parts = name.split('.');
        parts.try_fold(row, |value, part| value.given(part))
    })
}

/// Returns a value for a field of a case. Numbers and booleans are texts there.
fn as_text(name: &str, value: Node<'_>) -> Placed {
    let is_scalar = matches!(value.kind(), NodeKind::Number | NodeKind::Bool);
    let is_text = matches!(
        name,
        "id" | "input" | "expected_output" | "expected_outcome" | "conversation_id"
    );
    let mut placed = Placed::from(value);
    if is_scalar && is_text {
        placed.value = PlacedValue::Text(value.text().into_owned());
    }
    placed
}
