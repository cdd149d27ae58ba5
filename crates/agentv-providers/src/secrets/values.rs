//! The secret values of a target.

use std::borrow::Cow;
use std::collections::BTreeSet;

use agentv_core::{Extra, Secrets};
use serde_json::Value;

use super::address::passwords;
use super::parts::secret_parts;
use crate::Environment;
use crate::environment::{Piece, pieces};

/// The fields whose keys are case ids or parts of an answer, and not names of settings.
const ANSWERS: &[&str] = &["response", "responses"];

/// The field that names variables. Its own values are not secret.
const PASSED: &str = "pass_env";

/// The variables that every command gets, and whose addresses may hold passwords.
const PROXIES: &[&str] = &[
    "HTTP_PROXY",
    "HTTPS_PROXY",
    "ALL_PROXY",
    "http_proxy",
    "https_proxy",
    "all_proxy",
];

/// A value that is not hidden, because it is short or reads like a word, a path or an address.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct OpenValue {
    /// The name that the user knows it by, in backticks.
    pub name: String,
    /// The value.
    pub value: String,
}

impl OpenValue {
    /// Returns true if a secret is a part of the value after all, such as the secret of another target.
    pub fn is_hidden_by(&self, secrets: &Secrets) -> bool {
        matches!(secrets.redact(&self.value), Cow::Owned(_))
    }
}

/// The secret values of a target, from all places that may hold them.
#[derive(Default)]
pub(crate) struct SecretValues {
    /// All secrets.
    pub(crate) secrets: Secrets,
    /// Those that are keys and passwords by their names. Another key does not change an answer, so
    /// they are no part of a target's identity.
    keys: Secrets,
    /// Every value that was looked at.
    seen: Vec<OpenValue>,
}

impl SecretValues {
    /// Starts with the values of the environment's `.env` file, and the passwords of its proxies.
    pub(crate) fn of_environment(environment: &Environment) -> SecretValues {
        let mut values = SecretValues::default();
        for (name, value) in environment.dotenv_values() {
            values.add_variable(name, value);
        }
        let proxies = PROXIES.iter().filter_map(|name| environment.get(name));
        for password in proxies.flat_map(passwords) {
            values.secrets.add(&password);
        }
        values
    }

    /// Adds the values of fields and headers of a target with secret names.
    pub(crate) fn add_fields(&mut self, target: &str, fields: &Extra) {
        for (name, value) in fields {
            if !ANSWERS.contains(&name.as_str()) && name != PASSED {
                self.add_field(target, name, value);
            }
        }
    }

    /// Adds the values of the variables that a target passes on to its command, if they are secret by name
    /// or look so.
    pub(crate) fn add_passed(&mut self, fields: &Extra, environment: &Environment) {
        let names = fields.get(PASSED).and_then(Value::as_array);
        for name in names.into_iter().flatten().filter_map(Value::as_str) {
            if let Some(value) = environment.get(name)
                && (Secrets::is_secret_name(name) || Secrets::looks_secret(value))
            {
                self.add_variable(name, value);
            }
        }
    }

    /// Adds the values of variables.
    pub(crate) fn add_variables<'v>(
        &mut self,
        names: impl IntoIterator<Item = &'v String>,
        environment: &Environment,
    ) {
        for name in names {
            if let Some(value) = environment.get(name) {
                self.add_variable(name, value);
            }
        }
    }

    fn add_variable(&mut self, name: &str, value: &str) {
        self.add(name, value);
        let whole = Secrets::looks_secret(value).then(|| value.to_owned());
        for secret in secret_parts(value).into_iter().chain(whole) {
            self.secrets.add(&secret);
        }
        self.seen.push(OpenValue {
            name: format!("`{name}`"),
            value: value.to_owned(),
        });
    }

    fn add_field(&mut self, target: &str, name: &str, value: &Value) {
        match value {
            Value::Object(fields) => fields
                .iter()
                .for_each(|(name, value)| self.add_field(target, name, value)),
            Value::Array(items) => items
                .iter()
                .for_each(|item| self.add_field(target, name, item)),
            Value::String(text) => {
                self.add(name, text);
                if Secrets::is_secret_name(name) {
                    // The X of `Bearer X` is secret, too.
                    let words = text.split_whitespace().skip(1);
                    words.for_each(|word| self.add(name, word));
                    self.seen.push(OpenValue {
                        name: format!("`{name}` of target `{target}`"),
                        value: text.clone(),
                    });
                }
            }
            Value::Null | Value::Bool(_) | Value::Number(_) => {}
        }
    }

    /// Adds a value whose name says that it is secret, and the passwords in any value.
    fn add(&mut self, name: &str, value: &str) {
        let whole = Secrets::is_secret_name(name).then(|| value.to_owned());
        let keys = passwords(value).into_iter().chain(whole);
        for key in keys.filter(|key| Secrets::can_be_secret(key)) {
            self.secrets.add(&key);
            self.keys.add(&key);
        }
    }

    /// Returns the values that no secret is a part of, sorted.
    pub(crate) fn not_hidden(&self) -> Vec<OpenValue> {
        let seen = self.seen.iter().filter(|seen| !seen.value.is_empty());
        let open = seen.filter(|seen| !seen.is_hidden_by(&self.secrets));
        let open: BTreeSet<&OpenValue> = open.collect();
        open.into_iter().cloned().collect()
    }

    /// Returns fields as the user wrote them, for records: with references, without secrets.
    pub(crate) fn recorded(&self, written: &Extra) -> Extra {
        map_texts(written, &|name, text| {
            let is_secret = Secrets::is_secret_name(name);
            let pieces = pieces(text);
            // The text before a key in a header, such as `Bearer `, is not a secret.
            let is_short = |text: &str| pieces.len() > 1 && text.trim().len() < Secrets::SHORTEST;
            let parts = pieces.iter().map(|piece| match piece {
                Piece::Variable(variable) => format!("${{{{ {variable} }}}}"),
                Piece::Text(text) if is_secret && !is_short(text) => {
                    Secrets::REPLACEMENT.to_owned()
                }
                Piece::Text(text) => self.secrets.redact(text).into_owned(),
            });
            parts.collect()
        })
    }

    /// Returns filled fields without keys and passwords, for the identity of a target.
    pub(crate) fn identifying(&self, filled: &Extra) -> Extra {
        map_texts(filled, &|name, text| {
            if Secrets::is_secret_name(name) {
                Secrets::REPLACEMENT.to_owned()
            } else {
                self.keys.redact(text).into_owned()
            }
        })
    }
}

/// Returns fields with each text replaced. The function gets the name of the field, which is empty in
/// answers.
fn map_texts(fields: &Extra, map: &dyn Fn(&str, &str) -> String) -> Extra {
    let mapped = fields.iter().map(|(name, value)| {
        let is_answer = ANSWERS.contains(&name.as_str());
        let value = map_value(if is_answer { None } else { Some(name) }, value, map);
        (name.clone(), value)
    });
    mapped.collect()
}

fn map_value(name: Option<&str>, value: &Value, map: &dyn Fn(&str, &str) -> String) -> Value {
    match value {
        Value::Object(fields) => {
            let mapped = fields.iter().map(|(key, value)| {
                let name = name.map(|_| key.as_str());
                (key.clone(), map_value(name, value, map))
            });
            Value::Object(mapped.collect())
        }
        Value::Array(items) => items
            .iter()
            .map(|item| map_value(name, item, map))
            .collect(),
        Value::String(text) => Value::from(map(name.unwrap_or_default(), text)),
        Value::Null | Value::Bool(_) | Value::Number(_) => value.clone(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn a_password_in_an_address_is_hidden_in_every_form_in_which_it_is_sent() {
        let mut values = SecretValues::default();
        let Value::Object(fields) = json!({"base_url": "http://user:pass%2Fword%21@api.test/v1"})
        else {
            unreachable!();
        };
        values.add_fields("t", &fields);
        for form in ["pass%2Fword%21", "pass/word!", "Basic dXNlcjpwYXNzL3dvcmQh"] {
            let told = values.secrets.redact(form);
            assert!(told.ends_with(Secrets::REPLACEMENT), "{told}");
        }
    }

    #[test]
    fn a_password_of_a_proxy_is_hidden() {
        let proxy = "http://user:proxypassw0rd99@proxy:8080".to_owned();
        let environment = Environment::new([("HTTPS_PROXY".to_owned(), proxy.clone())]);
        let secrets = SecretValues::of_environment(&environment).secrets;
        let shown = secrets.redact(&proxy);
        assert_eq!(shown, "http://user:[REDACTED]@proxy:8080");
    }

    #[test]
    fn a_record_keeps_references_and_no_value() {
        let values = SecretValues::default();
        let Value::Object(written) = json!({
            "headers": {"X-Auth": "${{ AUTH }}", "Authorization": "Bearer ${{KEY}}",
                        "X-Key": "literal-value", "X-Team": "evals and more"},
            "model": "${{ MODEL }}", "workers": 2,
            "responses": {"the-key": "a visible answer"},
        }) else {
            unreachable!();
        };
        let expected = json!({
            "headers": {"X-Auth": "${{ AUTH }}", "Authorization": "Bearer ${{ KEY }}",
                        "X-Key": "[REDACTED]", "X-Team": "evals and more"},
            "model": "${{ MODEL }}", "workers": 2,
            "responses": {"the-key": "a visible answer"},
        });
        assert_eq!(Value::Object(values.recorded(&written)), expected);
    }

    #[test]
    fn variables_that_are_passed_on_are_hidden_and_their_names_are_not() {
        let fields = serde_json::json!({"pass_env": ["SERVICE_TOKEN", "JAVA_HOME_FOLDER_17"]});
        let fields: Extra = serde_json::from_value(fields).unwrap();
        let token = ("SERVICE_TOKEN".to_owned(), "tok-5b8c1f03aa91".to_owned());
        let folder = ("JAVA_HOME_FOLDER_17".to_owned(), "/opt/java".to_owned());
        let environment = Environment::new([token, folder]);
        let mut values = SecretValues::default();
        values.add_fields("t", &fields);
        values.add_passed(&fields, &environment);
        let text = "SERVICE_TOKEN tok-5b8c1f03aa91 JAVA_HOME_FOLDER_17 /opt/java";
        let shown = values.secrets.redact(text);
        assert!(!shown.contains("tok-5b8c"), "{shown}");
        assert!(shown.contains("SERVICE_TOKEN") && shown.contains("JAVA_HOME_FOLDER_17 /opt/java"));
    }
}
