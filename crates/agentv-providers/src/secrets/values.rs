//! The secret values of a target.

use agentv_core::{Extra, Secrets};
use serde_json::Value;

use super::address::secret_parts;
use crate::Environment;
use crate::environment::too_short;

/// The fields whose keys are case ids or parts of an answer, and not names of settings.
const ANSWERS: &[&str] = &["response", "responses"];

/// The secret values of a target, from all places that may hold them.
pub(crate) struct SecretValues<'t> {
    target: &'t str,
    pub(crate) secrets: Secrets,
    pub(crate) warnings: Vec<String>,
    /// The values that are too short to be hidden. Each gets one warning.
    short: Vec<String>,
}

impl<'t> SecretValues<'t> {
    /// Starts with the secrets of the environment's `.env` file.
    pub(crate) fn of(target: &'t str, environment: &Environment) -> SecretValues<'t> {
        let (secrets, warnings) = environment.secrets();
        SecretValues {
            target,
            secrets,
            warnings,
            short: Vec::new(),
        }
    }

    /// Adds the values of fields and headers with secret names.
    pub(crate) fn add_fields(&mut self, fields: &Extra) {
        for (name, value) in fields {
            if !ANSWERS.contains(&name.as_str()) {
                self.add_field(name, value);
            }
        }
    }

    /// Adds the values of variables with secret names, and the secret parts of addresses in the others.
    pub(crate) fn add_variables<'v>(
        &mut self,
        names: impl IntoIterator<Item = &'v String>,
        environment: &Environment,
    ) {
        for name in names {
            let Some(value) = environment.get(name) else {
                continue;
            };
            if is_secret_variable(name) {
                self.add(value, || format!("the variable `{name}`"));
            }
            for part in secret_parts(value) {
                self.add(&part, || format!("the URL in the variable `{name}`"));
            }
        }
    }

    fn add_field(&mut self, name: &str, value: &Value) {
        match value {
            Value::Object(fields) => fields
                .iter()
                .for_each(|(name, value)| self.add_field(name, value)),
            Value::Array(items) => items.iter().for_each(|item| self.add_field(name, item)),
            Value::String(text) if Secrets::is_secret_name(name) => self.add_text(name, text),
            Value::String(text) => self.add_parts_of_address(name, text),
            Value::Null | Value::Bool(_) | Value::Number(_) => {}
        }
    }

    fn add_text(&mut self, name: &str, text: &str) {
        let target = self.target;
        let place = || format!("`{name}` of target `{target}`");
        self.add(text, place);
        // The X of `Bearer X` is secret, too.
        for word in text.split_whitespace().skip(1) {
            self.add(word, place);
        }
    }

    /// Adds the password and the secret parameters of an address.
    fn add_parts_of_address(&mut self, name: &str, text: &str) {
        let target = self.target;
        for part in secret_parts(text) {
            self.add(&part, || {
                format!("the URL in `{name}` of target `{target}`")
            });
        }
    }

    fn add(&mut self, value: &str, place: impl Fn() -> String) {
        let known = || self.short.iter().any(|short| short == value);
        if value.is_empty() || known() || self.secrets.add(value) {
            return;
        }
        self.short.push(value.to_owned());
        self.warnings.push(too_short(&place()));
    }

    /// Returns the fields with every secret replaced.
    pub(crate) fn hidden(&self, fields: &Extra) -> Extra {
        let hidden = fields.iter().map(|(name, value)| {
            let value = match ANSWERS.contains(&name.as_str()) {
                true => self.redacted(value),
                false => self.hide(name, value),
            };
            (name.clone(), value)
        });
        hidden.collect()
    }

    fn hide(&self, name: &str, value: &Value) -> Value {
        match value {
            Value::Object(fields) => {
                let hidden = fields
                    .iter()
                    .map(|(name, value)| (name.clone(), self.hide(name, value)));
                Value::Object(hidden.collect())
            }
            Value::Array(items) => items.iter().map(|item| self.hide(name, item)).collect(),
            Value::String(_) if Secrets::is_secret_name(name) => Value::from(Secrets::REPLACEMENT),
            Value::String(_) | Value::Null | Value::Bool(_) | Value::Number(_) => {
                self.redacted(value)
            }
        }
    }

    fn redacted(&self, value: &Value) -> Value {
        let mut json = value.to_string().into_bytes();
        if !self.secrets.redact_json(&mut json) {
            return value.clone();
        }
        serde_json::from_slice(&json).unwrap_or_else(|_| Value::from(Secrets::REPLACEMENT))
    }
}

/// Checks for the name of a secret. `AWS_BEARER_TOKEN_BEDROCK` is one despite its end.
fn is_secret_variable(name: &str) -> bool {
    name.split('_').any(Secrets::is_secret_name)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn a_password_in_an_address_is_hidden_in_every_form_in_which_it_is_sent() {
        let environment = Environment::new(std::iter::empty());
        let mut values = SecretValues::of("t", &environment);
        let Value::Object(fields) = json!({"base_url": "http://user:pass%2Fword%21@api.test/v1"})
        else {
            unreachable!();
        };
        values.add_fields(&fields);
        for form in ["pass%2Fword%21", "pass/word!", "Basic dXNlcjpwYXNzL3dvcmQh"] {
            let told = values.secrets.redact(form);
            assert!(told.ends_with(Secrets::REPLACEMENT), "{told}");
        }
    }
}
