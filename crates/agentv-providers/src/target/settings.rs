//! The fields of one target, as its provider reads them.

use std::cell::RefCell;
use std::path::{Path, PathBuf};
use std::time::Duration;

use agentv_core::Extra;
use agentv_syntax::Draft;
use serde_json::Value;

use crate::secrets::SecretValues;
use crate::{Environment, Surroundings};

/// The fields of one target: names in snake_case, every `${{ NAME }}` replaced.
///
/// A number or flag from the environment is text here. [`number`](Self::number) and its siblings read
/// both.
pub(crate) struct Settings {
    pub(crate) name: String,
    pub(crate) fields: Extra,
    /// The objects among the fields with numbers that `fields` spells otherwise, as they are written.
    pub(crate) exact: Vec<(String, Draft)>,
    pub(crate) environment: Environment,
    /// The folder of the targets file, or the project root for a built-in target.
    pub(crate) folder: PathBuf,
    pub(crate) surroundings: Surroundings,
    pub(crate) timeout: Duration,
    /// The variables that were read. Their values may be secret.
    pub(crate) taken: RefCell<Vec<String>>,
}

impl Settings {
    /// Returns the name of the target.
    pub(crate) fn name(&self) -> &str {
        &self.name
    }

    /// Returns a field that holds text, or `None` if it is absent.
    pub(crate) fn text(&self, field: &str) -> Option<&str> {
        self.value(field).and_then(Value::as_str)
    }

    /// Returns a field that holds a number.
    ///
    /// # Errors
    /// If the field holds something else.
    pub(crate) fn number(&self, field: &str) -> Result<Option<f64>, SettingError> {
        let Some(value) = self.value(field) else {
            return Ok(None);
        };
        let number = match value {
            Value::Number(number) => number.as_f64(),
            Value::String(text) => text.trim().parse().ok(),
            Value::Null | Value::Bool(_) | Value::Array(_) | Value::Object(_) => None,
        };
        match number.filter(|number| number.is_finite()) {
            Some(number) => Ok(Some(number)),
            None => Err(self.wrong(field, "a number")),
        }
    }

    /// Returns a field that holds a whole number that is 0 or more.
    ///
    /// # Errors
    /// If the field holds something else.
    pub(crate) fn count(&self, field: &str) -> Result<Option<u64>, SettingError> {
        const LARGEST: f64 = 9_007_199_254_740_991.0;
        let Some(number) = self.number(field)? else {
            return Ok(None);
        };
        if number.fract() != 0.0 || !(0.0..=LARGEST).contains(&number) {
            return Err(self.wrong(field, "a whole number that is 0 or more"));
        }
        Ok(Some(number as u64))
    }

    /// Returns a field that holds `true` or `false`.
    ///
    /// # Errors
    /// If the field holds something else.
    pub(crate) fn flag(&self, field: &str) -> Result<Option<bool>, SettingError> {
        match self.value(field) {
            None => Ok(None),
            Some(Value::Bool(flag)) => Ok(Some(*flag)),
            Some(Value::String(text)) => match text.trim() {
                "true" | "1" => Ok(Some(true)),
                "false" | "0" => Ok(Some(false)),
                _ => Err(self.wrong(field, "true or false")),
            },
            Some(_) => Err(self.wrong(field, "true or false")),
        }
    }

    /// Returns a field as it is. `null` is the same as absent.
    pub(crate) fn value(&self, field: &str) -> Option<&Value> {
        self.fields.get(field).filter(|value| !value.is_null())
    }

    /// Returns a field with its numbers as they are written. `null` is the same as absent.
    pub(crate) fn as_written(&self, field: &str) -> Option<Draft> {
        let value = self.value(field)?;
        let exact = self.exact.iter().find(|(name, _)| name == field);
        Some(exact.map_or_else(|| Draft::from(value), |(_, draft)| draft.clone()))
    }

    /// Returns the field `headers`, in the order of the file.
    pub(crate) fn headers(&self) -> Vec<(String, String)> {
        let headers = self.value("headers").and_then(Value::as_object);
        let pairs = headers.into_iter().flatten();
        pairs
            .filter_map(|(name, value)| Some((name.clone(), value.as_str()?.to_owned())))
            .collect()
    }

    /// Returns a variable of the environment, such as `OPENAI_API_KEY`. An empty one counts as absent.
    pub(crate) fn variable(&self, name: &str) -> Option<String> {
        let value = self.environment.get(name)?;
        if value.is_empty() {
            return None;
        }
        self.taken.borrow_mut().push(name.to_owned());
        Some(value.to_owned())
    }

    /// Returns the folder that relative paths of the settings start from.
    pub(crate) fn folder(&self) -> &Path {
        &self.folder
    }

    /// Returns the folders around the eval file that needs the target.
    pub(crate) fn surroundings(&self) -> &Surroundings {
        &self.surroundings
    }

    /// Returns the environment, for commands that inherit it.
    pub(crate) fn environment(&self) -> &Environment {
        &self.environment
    }

    /// Returns the secret values of the target that are known so far.
    pub(crate) fn secret_values(&self) -> SecretValues {
        let mut secret = SecretValues::of_environment(&self.environment);
        secret.add_fields(&self.name, &self.fields);
        secret.add_passed(&self.fields, &self.environment);
        secret.add_variables(self.taken.borrow().iter(), &self.environment);
        secret
    }

    /// Removes the secrets of the target from an error, which may repeat the value of a field.
    pub(crate) fn without_secrets(&self, error: SettingError) -> SettingError {
        let secrets = self.secret_values().secrets;
        let hidden = |text: String| secrets.redact(&text).into_owned();
        SettingError {
            field: error.field,
            message: hidden(error.message),
            hint: error.hint.map(hidden),
        }
    }

    /// Returns the time that one attempt may take.
    pub(crate) fn timeout(&self) -> Duration {
        self.timeout
    }

    /// Describes a value that the field does not take. The value itself may be secret and is omitted.
    fn wrong(&self, field: &str, expected: &str) -> SettingError {
        let found = match self.value(field) {
            None => "nothing",
            Some(Value::String(text)) if text.trim().is_empty() => "an empty string",
            Some(Value::String(_)) => "another string",
            Some(Value::Number(_)) => "another number",
            Some(Value::Bool(_)) => "a boolean",
            Some(Value::Array(_)) => "an array",
            Some(Value::Object(_)) => "an object",
            Some(Value::Null) => "null",
        };
        SettingError::of(field, format!("expected {expected}, found {found}"))
    }
}

/// A target that cannot be built from its fields.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[error("{}{message}{}", field_prefix(field.as_deref()), hint_suffix(hint.as_deref()))]
pub(crate) struct SettingError {
    /// The field that is wrong, if it is one field.
    pub(crate) field: Option<String>,
    /// The problem, without the name of the field.
    pub(crate) message: String,
    /// Advice for the user.
    pub(crate) hint: Option<String>,
}

impl SettingError {
    /// Creates an error of the target as a whole.
    pub(crate) fn new(message: impl Into<String>) -> SettingError {
        SettingError {
            field: None,
            message: message.into(),
            hint: None,
        }
    }

    /// Creates an error of one field.
    pub(crate) fn of(field: &str, message: impl Into<String>) -> SettingError {
        SettingError {
            field: Some(field.to_owned()),
            ..SettingError::new(message)
        }
    }

    /// Adds advice for the user.
    pub(crate) fn hint(self, hint: impl Into<String>) -> SettingError {
        SettingError {
            hint: Some(hint.into()),
            ..self
        }
    }
}

fn field_prefix(field: Option<&str>) -> String {
    field.map_or_else(String::new, |field| format!("`{field}`: "))
}

fn hint_suffix(hint: Option<&str>) -> String {
    hint.map_or_else(String::new, |hint| format!("; {hint}"))
}

#[cfg(test)]
impl Settings {
    /// Creates the settings of a target called `test`, in the system's folder for temporary files.
    pub(crate) fn of_test(fields: Value, environment: Environment) -> Settings {
        let Value::Object(fields) = fields else {
            unreachable!("fields are an object");
        };
        let folder = std::env::temp_dir();
        Settings {
            name: "test".to_owned(),
            fields,
            exact: Vec::new(),
            environment,
            folder: folder.clone(),
            surroundings: Surroundings {
                folder: folder.clone(),
                root: folder.clone(),
                working_dir: folder,
            },
            timeout: Duration::from_secs(60),
            taken: RefCell::default(),
        }
    }
}
