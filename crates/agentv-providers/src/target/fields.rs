//! The fields of a target, in one spelling and with the environment filled in.

use agentv_core::{Extra, Secrets};
use agentv_syntax::{Draft, Field, Form, Kind, Shape, Text};
use serde_json::{Number, Value};

use super::aliases::canonical;
use super::common::COMMON;
use super::settings::SettingError;
use crate::Environment;
use crate::environment::{Piece, pieces};

/// The fields of a target, ready for its provider.
#[derive(Debug, Default)]
pub(crate) struct Fields {
    /// The values, in the order of the fields' definitions.
    pub(crate) values: Extra,
    /// The same fields with their references as the user wrote them.
    pub(crate) written: Extra,
    /// The objects among `values` whose numbers are spelled otherwise, with the numbers as written.
    pub(crate) exact: Vec<(String, Draft)>,
    /// The variables that were filled in, each once.
    pub(crate) variables: Vec<String>,
}

/// A field that cannot be filled in.
#[derive(Debug, thiserror::Error)]
pub(crate) enum FieldError {
    /// A field needs a variable that is not set.
    #[error("the variable `{variable}` is not set")]
    Missing { field: String, variable: String },
    /// The value of a variable does not fit the field.
    #[error(transparent)]
    Wrong(#[from] SettingError),
}

/// Fills in the environment and spells names in snake_case. `written` has passed the checks of the
/// file, and `exact` has those of its fields whose numbers are spelled otherwise.
///
/// # Errors
/// If a variable is not set, or its value does not fit the field.
pub(crate) fn fill(
    kind: &Kind,
    written: &Extra,
    exact: &[(String, Draft)],
    environment: &Environment,
) -> Result<Fields, FieldError> {
    let mut filling = Filling {
        environment: Some(environment),
        field: "",
        variables: Vec::new(),
    };
    let mut keeping = Filling {
        environment: None,
        field: "",
        variables: Vec::new(),
    };
    let (mut values, mut kept) = (Extra::new(), Extra::new());
    let mut filled_exact = Vec::new();
    for field in COMMON.fields.iter().chain(kind.options.fields) {
        let called = |name: fn(&str) -> &str| {
            let mut given = written.iter().filter(|(_, value)| !value.is_null());
            given.find(|(key, _)| name(&snake_case(key)) == field.name)
        };
        // Today's name wins over an older one.
        let given = called(|name| name).or_else(|| called(canonical));
        let Some((key, value)) = given else {
            continue;
        };
        filling.field = field.name;
        let exact = exact.iter().find(|(name, _)| name == key);
        let draft = exact.map_or_else(|| Draft::from(value), |(_, draft)| draft.clone());
        let name = field.name.to_owned();
        let recorded = keeping.value(&draft, field.shape)?.to_recorded();
        kept.insert(name.clone(), recorded);
        let filled = filling.value(&draft, field.shape)?;
        if exact.is_some() {
            filled_exact.push((name.clone(), filled.clone()));
        }
        values.insert(name, filled.into_value());
    }
    Ok(Fields {
        values,
        written: kept,
        exact: filled_exact,
        variables: filling.variables,
    })
}

/// Spells a name in snake_case: `judgeTarget` becomes `judge_target`.
pub(crate) fn snake_case(name: &str) -> String {
    let mut snake = String::with_capacity(name.len() + 4);
    for letter in name.chars() {
        if letter.is_ascii_uppercase() {
            snake.push('_');
        }
        snake.push(letter.to_ascii_lowercase());
    }
    snake
}

struct Filling<'a> {
    /// The variables; `None` to keep references as they are.
    environment: Option<&'a Environment>,
    /// The field of the target that is being filled.
    field: &'a str,
    variables: Vec<String>,
}

impl Filling<'_> {
    fn value(&mut self, value: &Draft, shape: &Shape) -> Result<Draft, FieldError> {
        match value {
            Draft::String(text) => self.text(text, shape),
            Draft::Array(items) => {
                let shape = list_of(shape);
                let items = items.iter().map(|item| self.value(item, shape));
                items.collect::<Result<Vec<_>, _>>().map(Draft::Array)
            }
            Draft::Object(fields) => self.object(fields, shape).map(Draft::Object),
            Draft::Null | Draft::Bool(_) | Draft::Number(_) => Ok(value.clone()),
        }
    }

    fn object(
        &mut self,
        fields: &[(String, Draft)],
        shape: &Shape,
    ) -> Result<Vec<(String, Draft)>, FieldError> {
        let mut filled = Vec::with_capacity(fields.len());
        for (key, value) in fields {
            // We define the keys of a record, and the user those of a map.
            let (key, shape) = match form_of_object(shape) {
                Some(ObjectForm::Record(known)) => {
                    let key = snake_case(key);
                    let field = known.iter().find(|field| field.name == key);
                    (
                        key,
                        field.map_or(&agentv_syntax::shape::ANY, |field| field.shape),
                    )
                }
                Some(ObjectForm::Map(values)) => (key.clone(), values),
                None => (key.clone(), &agentv_syntax::shape::ANY),
            };
            filled.push((key, self.value(value, shape)?));
        }
        Ok(filled)
    }

    fn text(&mut self, text: &str, shape: &Shape) -> Result<Draft, FieldError> {
        let Some(environment) = self.environment else {
            return Ok(Draft::text(text));
        };
        let pieces = pieces(text);
        let mut filled = String::with_capacity(text.len());
        let mut last = None;
        for piece in &pieces {
            match piece {
                Piece::Text(text) => filled.push_str(text),
                Piece::Variable(name) => {
                    filled.push_str(self.variable(name, environment)?);
                    last = Some(*name);
                }
            }
        }
        match last {
            None => Ok(Draft::String(filled)),
            Some(variable) => {
                let typed = self.typed(filled, variable, shape)?;
                Ok(Draft::from(&typed))
            }
        }
    }

    fn variable<'e>(
        &mut self,
        name: &str,
        environment: &'e Environment,
    ) -> Result<&'e str, FieldError> {
        if environment.is_not_text(name) {
            let message = format!("the variable `{name}` is not valid UTF-8");
            let wrong = SettingError::of(self.field, message);
            return Err(FieldError::Wrong(wrong));
        }
        let Some(value) = environment.get(name) else {
            return Err(FieldError::Missing {
                field: self.field.to_owned(),
                variable: name.to_owned(),
            });
        };
        if !self.variables.iter().any(|known| known == name) {
            self.variables.push(name.to_owned());
        }
        Ok(value)
    }

    /// Converts a text from the environment to the type of the field: a number, a flag, or one of some
    /// words.
    fn typed(&self, text: String, variable: &str, shape: &Shape) -> Result<Value, FieldError> {
        for form in shape.forms {
            let fits = match form.written() {
                Form::Number { min, max, integer } => number(&text, *min, *max, *integer),
                Form::Bool => flag(&text),
                Form::Text(Text::Reference(words)) => words
                    .contains(&text.as_str())
                    .then(|| Value::from(text.as_str())),
                Form::Text(Text::Filled | Text::Folder) if text.is_empty() => None,
                Form::Text(_) | Form::Any => Some(Value::from(text.as_str())),
                Form::List { .. }
                | Form::Record(_)
                | Form::Map(_)
                | Form::Evaluator
                | Form::Target
                | Form::Refused { .. }
                | Form::Checked { .. } => None,
            };
            if let Some(value) = fits {
                return Ok(value);
            }
        }
        let expected = shape
            .expected
            .trim_end_matches(", or a `${{ NAME }}` reference");
        let found = if text.is_empty() {
            "an empty value".to_owned()
        } else if Secrets::is_secret_name(variable) || Secrets::looks_secret(&text) {
            "another value".to_owned()
        } else {
            format!("`{}`", text.chars().take(60).collect::<String>())
        };
        let message = format!("expected {expected}, found {found} in the variable `{variable}`");
        Err(FieldError::Wrong(SettingError::of(self.field, message)))
    }
}

enum ObjectForm {
    Record(&'static [Field]),
    Map(&'static Shape),
}

fn form_of_object(shape: &Shape) -> Option<ObjectForm> {
    shape.forms.iter().find_map(|form| match form {
        Form::Record(record) => Some(ObjectForm::Record(record.fields)),
        Form::Map(values) => Some(ObjectForm::Map(values)),
        _ => None,
    })
}

fn list_of(shape: &Shape) -> &'static Shape {
    let items = shape.forms.iter().find_map(|form| match form {
        Form::List { items, .. } => Some(*items),
        _ => None,
    });
    items.unwrap_or(&agentv_syntax::shape::ANY)
}

fn number(text: &str, min: f64, max: f64, integer: bool) -> Option<Value> {
    let number: f64 = text.trim().parse().ok()?;
    if !(min..=max).contains(&number) || (integer && number.fract() != 0.0) {
        return None;
    }
    if integer {
        return Some(Value::from(number as u64));
    }
    Number::from_f64(number).map(Value::Number)
}

fn flag(text: &str) -> Option<Value> {
    match text.trim() {
        "true" | "1" => Some(Value::Bool(true)),
        "false" | "0" => Some(Value::Bool(false)),
        _ => None,
    }
}
