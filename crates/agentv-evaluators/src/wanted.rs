//! The text that an answer is compared with: a fixed one, a template over the case, or the reference
//! answer.

use std::borrow::Cow;

use agentv_core::{Content, EvaluatorError, Extra, Subject};
use agentv_syntax::{Form, Missing, Node, Problem, Shape, Template, TemplateError, Text};
use serde_json::{Value, json};
use thiserror::Error;

use crate::error::BuildError;
use crate::memo::Memo;
use crate::options::Options;

/// A text that is not empty, or a template of one.
pub(crate) static FILLED_WANTED: Shape = Shape {
    expected: "a string that is not empty",
    forms: &[Form::Checked {
        form: &Form::Text(Text::Filled),
        check: template_problem,
    }],
};

/// A text, or a template of one.
pub(crate) static ANY_WANTED: Shape = Shape {
    expected: "a string",
    forms: &[Form::Checked {
        form: &Form::Text(Text::Any),
        check: template_problem,
    }],
};

/// Texts that are not empty, or templates of them.
pub(crate) static FILLED_TEXTS_WANTED: Shape = Shape {
    expected: "an array of at least one string",
    forms: &[Form::List {
        items: &FILLED_WANTED,
        at_least: 1,
    }],
};

/// The text that an answer is compared with.
#[derive(Debug)]
pub(crate) enum WantedText {
    /// The reference answer of the case.
    Reference,
    /// The same text for every case.
    Fixed(String),
    /// A text with variables of the case.
    Template(Template),
    /// A variable of the case alone: a text as it is, and another value as JSON. The template reports that it
    /// is missing.
    Variable(String, Template),
}

/// The reason why there is no text to compare with.
#[derive(Debug, Error)]
enum NoText {
    #[error("nothing to compare with: give the evaluator a `value` or the case an expected answer")]
    NoReference,
    #[error("cannot fill in the text to compare with: {0}")]
    Template(TemplateError),
    #[error("the text to compare with is empty, so every answer would match")]
    Empty,
}

impl WantedText {
    /// Reads the option `value`.
    pub(crate) fn read(options: &Options<'_>) -> Result<WantedText, BuildError> {
        let Some(value) = options.text("value")? else {
            return Ok(WantedText::Reference);
        };
        WantedText::written(value).map_err(|problem| options.invalid("value", problem))
    }

    /// Reads a text, which may be a template.
    ///
    /// # Errors
    /// Fails if it is a template that cannot be used.
    pub(crate) fn written(value: &str) -> Result<WantedText, TemplateError> {
        if !is_template(value) {
            return Ok(WantedText::Fixed(value.to_owned()));
        }
        let template = parse(value)?;
        Ok(match variable_alone(value) {
            Some(name) => WantedText::Variable(name.to_owned(), template),
            None => WantedText::Template(template),
        })
    }

    /// Returns the text for a case.
    ///
    /// # Errors
    /// Fails if the case has no reference answer, or lacks a variable of the template.
    pub(crate) fn of<'a>(&'a self, subject: &Subject<'_>) -> Result<Cow<'a, str>, EvaluatorError> {
        self.resolve(subject).map_err(crate::error::could_not_judge)
    }

    /// Returns the text for a case, which must not be empty: every answer contains an empty text.
    ///
    /// # Errors
    /// Fails as `of` does, and if the text is empty.
    pub(crate) fn filled<'a>(
        &'a self,
        subject: &Subject<'_>,
    ) -> Result<Cow<'a, str>, EvaluatorError> {
        let text = self.resolve(subject);
        let text = text.and_then(|text| match (self, text.is_empty()) {
            // A fixed text was checked with the eval file.
            (WantedText::Fixed(_), _) | (_, false) => Ok(text),
            (WantedText::Reference | WantedText::Template(_) | WantedText::Variable(..), true) => {
                Err(NoText::Empty)
            }
        });
        text.map_err(crate::error::could_not_judge)
    }

    /// Returns `trimmed`, the rest of `text` without white space around it, which must not be empty either.
    ///
    /// # Errors
    /// Fails if nothing is left.
    pub(crate) fn not_blank<'t>(text: &str, trimmed: &'t str) -> Result<&'t str, EvaluatorError> {
        if trimmed.is_empty() && !text.is_empty() {
            return Err(crate::error::could_not_judge(NoText::Empty));
        }
        Ok(trimmed)
    }

    fn resolve(&self, subject: &Subject<'_>) -> Result<Cow<'_, str>, NoText> {
        match self {
            WantedText::Reference => {
                let reference = subject.reference_answer();
                reference.map(Cow::Owned).ok_or(NoText::NoReference)
            }
            WantedText::Fixed(text) => Ok(Cow::Borrowed(text)),
            WantedText::Template(template) => {
                let filled = template.fill(variables(subject));
                filled.map(Cow::Owned).map_err(NoText::Template)
            }
            WantedText::Variable(name, template) => {
                let variables = variables(subject);
                match variables.get(name) {
                    Some(Value::String(text)) => Ok(Cow::Owned(text.clone())),
                    Some(value) => Ok(Cow::Owned(value.to_string())),
                    None => {
                        let filled = template.fill(variables);
                        filled.map(Cow::Owned).map_err(NoText::Template)
                    }
                }
            }
        }
    }
}

/// Returns the variables of a template. Fields of the case itself win over those that every case
/// has, and its variables win over both.
fn variables(subject: &Subject<'_>) -> Extra {
    let case = subject.case;
    let fields = [
        ("id", json!(case.id)),
        ("dataset", json!(case.dataset)),
        ("conversation_id", json!(case.conversation_id)),
        ("question", json!(subject.prompt.question)),
        ("expected_outcome", json!(case.expected_outcome)),
        ("reference_answer", json!(subject.reference_answer())),
        ("expected_output", expected_output(subject)),
        ("variables", Value::Object(case.variables.clone())),
    ];
    let fields = fields
        .into_iter()
        .map(|(name, value)| (name.to_owned(), value));
    let own = case.extra.iter().chain(&case.variables);
    let own = own.map(|(name, value)| (name.clone(), value.clone()));
    // A variable without a value is unknown, which the template reports.
    fields
        .chain(own)
        .filter(|(_, value)| !value.is_null())
        .collect()
}

/// Returns the reference answer: its text, or its value if it is structured.
fn expected_output(subject: &Subject<'_>) -> Value {
    match subject.reference_content() {
        Some(Content::Structured(value)) => value.clone(),
        Some(content) => Value::from(content.text()),
        None => Value::Null,
    }
}

/// Checks for a text with variables.
pub(crate) fn is_template(value: &str) -> bool {
    value.contains("{{")
}

/// Returns the name of the variable that a template consists of.
fn variable_alone(value: &str) -> Option<&str> {
    let inside = value.strip_prefix("{{")?.strip_suffix("}}")?.trim();
    let is_name = |letter: char| letter.is_alphanumeric() || letter == '_';
    let is_alone = !inside.is_empty() && inside != "expected_output" && inside.chars().all(is_name);
    is_alone.then_some(inside)
}

/// Parses a template. `{{ expected_output }}` alone is the reference answer as a text, whatever its
/// structure.
fn parse(value: &str) -> Result<Template, TemplateError> {
    let inside = value
        .strip_prefix("{{")
        .and_then(|rest| rest.strip_suffix("}}"));
    let source = match inside.map(str::trim) {
        Some("expected_output") => "{{ reference_answer }}",
        _ => value,
    };
    Template::parse(source, Missing::Refused)
}

thread_local! {
    static TEMPLATES_SEEN: Memo = Memo::new();
}

pub(crate) fn template_problem(node: Node<'_>) -> Option<Problem> {
    let check = |value: &Value| match value.as_str() {
        Some(text) if is_template(text) => parse(text).map(drop),
        _ => Ok(()),
    };
    TEMPLATES_SEEN.with(|memo| memo.problem(node, check))
}
