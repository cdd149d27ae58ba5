//! The values of `format` in a JSON Schema.

use std::sync::LazyLock;

use jsonschema::{Draft, ValidationOptions, Validator};
use serde_json::{Value, json};
use thiserror::Error;

/// Formats that the schema library checks only with tables of Unicode, and the format in ASCII that they
/// extend. Their other letters count as letters here.
const INTERNATIONAL: [(&str, &LazyLock<Option<Validator>>); 2] =
    [("idn-email", &EMAIL), ("idn-hostname", &HOSTNAME)];

static EMAIL: LazyLock<Option<Validator>> = LazyLock::new(|| of_format("email"));
static HOSTNAME: LazyLock<Option<Validator>> = LazyLock::new(|| of_format("hostname"));

fn of_format(name: &str) -> Option<Validator> {
    let options = jsonschema::options().should_validate_formats(true);
    options.build(&json!({ "format": name })).ok()
}

/// Makes every known `format` an assertion.
pub(super) fn checked(options: ValidationOptions<'_>) -> ValidationOptions<'_> {
    let options = options.should_validate_formats(true);
    let formats = INTERNATIONAL.into_iter();
    formats.fold(options, |options, (name, ascii)| {
        options.with_format(name, move |text: &str| {
            let ascii = ascii.as_ref();
            ascii.is_none_or(|ascii| ascii.is_valid(&Value::String(in_ascii(text))))
        })
    })
}

fn in_ascii(text: &str) -> String {
    let letters = text.chars();
    letters
        .map(|letter| match letter {
            letter if letter.is_alphanumeric() && !letter.is_ascii() => 'a',
            letter => letter,
        })
        .collect()
}

/// A `format` that is not known.
#[derive(Debug, Error)]
#[error("unknown `format` {0} in the JSON Schema; it has no effect")]
pub(super) struct UnknownFormat(Value);

/// Checks that each `format` of a schema is known.
///
/// # Errors
/// Returns the first that is not.
pub(super) fn check_names(schema: &Value) -> Result<(), UnknownFormat> {
    match schema {
        Value::Object(keywords) => keywords.iter().try_for_each(|(keyword, value)| {
            match (keyword.as_str(), value) {
                ("format", Value::String(name)) if !is_known(name) => {
                    Err(UnknownFormat(value.clone()))
                }
                ("enum" | "const" | "default" | "examples", _) => Ok(()),
                // The keys of these are names of the user.
                (
                    "properties" | "patternProperties" | "dependentSchemas" | "dependencies"
                    | "$defs" | "definitions",
                    Value::Object(parts),
                ) => parts.values().try_for_each(check_names),
                _ => check_names(value),
            }
        }),
        Value::Array(parts) => parts.iter().try_for_each(check_names),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => Ok(()),
    }
}

fn is_known(name: &str) -> bool {
    let options = jsonschema::options();
    INTERNATIONAL.iter().any(|(known, _)| *known == name)
        || options.is_known_format(Draft::Draft202012, name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn international_addresses_are_checked() {
        for (format, right, wrong) in [
            ("idn-email", "δοκιμή@παράδειγμα.gr", "nope"),
            ("idn-email", "user@example.com", "a@-.gr"),
            ("idn-hostname", "παράδειγμα.gr", "a b"),
        ] {
            let schema = json!({"type": "string", "format": format});
            let validator = checked(jsonschema::options()).build(&schema).unwrap();
            assert!(validator.is_valid(&json!(right)), "{right}");
            assert!(!validator.is_valid(&json!(wrong)), "{wrong}");
        }
    }

    #[test]
    fn a_misspelt_format_is_found_where_it_is_a_keyword() {
        for (schema, is_right) in [
            (json!({"format": "emial"}), false),
            (json!({"properties": {"a": {"format": "emial"}}}), false),
            (
                json!({"anyOf": [{"format": "email"}, {"format": "x"}]}),
                false,
            ),
            (json!({"format": "date-time"}), true),
            (json!({"format": "idn-email"}), true),
            (json!({"properties": {"format": {"type": "string"}}}), true),
            (json!({"const": {"format": "emial"}}), true),
        ] {
            assert_eq!(check_names(&schema).is_ok(), is_right, "{schema}");
        }
    }
}
