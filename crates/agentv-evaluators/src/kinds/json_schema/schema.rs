//! Compiling JSON Schemas.

use jsonschema::{ReferencingError, ValidationError, Validator};
use serde_json::Value;
use thiserror::Error;

use super::expansion::{self, ExpansionError};
use super::formats;
use crate::words::{cut, shown};

/// The maximum length of the schema library's messages, which quote the answer.
pub(super) const LONGEST_WORDS: usize = 200;

/// The types of values.
const TYPES: &str = "array, boolean, integer, null, number, object or string";

/// The address that the library gives a schema without one.
const OWN_ADDRESS: &str = "json-schema:///";

/// The reason why a schema cannot be used.
#[derive(Debug, Error)]
pub(super) enum SchemaError {
    #[error("not a usable JSON Schema: {0}")]
    Expands(#[from] ExpansionError),
    #[error(
        "the JSON Schema refers to `{0}`, which is another document: copy that into `$defs`, and refer to \
         it as `#/$defs/NAME`"
    )]
    OtherDocument(String),
    #[error(
        "the `$schema` `{0}` is not known: remove it, or name a draft, such as \
         `https://json-schema.org/draft/2020-12/schema`"
    )]
    UnknownDraft(String),
    #[error("not a valid JSON Schema{place}: {reason}")]
    Invalid { place: String, reason: String },
}

/// Compiles a schema. References outside the schema are refused: no files or network are read. `format` is
/// always an assertion, also with a `$schema` for which it is only a remark.
pub(super) fn compile(schema: &Value) -> Result<Validator, SchemaError> {
    expansion::check(schema)?;
    let options = formats::checked(jsonschema::options());
    options.build(schema).map_err(|error| refused(&error))
}

fn refused(error: &ValidationError<'_>) -> SchemaError {
    use jsonschema::error::ValidationErrorKind::Referencing;
    if let Referencing(ReferencingError::Unretrievable { uri, .. }) = error.kind() {
        let written = uri.strip_prefix(OWN_ADDRESS).unwrap_or(uri);
        return SchemaError::OtherDocument(cut(written, LONGEST_WORDS).into_owned());
    }
    if let Referencing(ReferencingError::UnknownSpecification { specification }) = error.kind() {
        return SchemaError::UnknownDraft(cut(specification, LONGEST_WORDS).into_owned());
    }
    SchemaError::Invalid {
        place: match error.instance_path().as_str() {
            "" => String::new(),
            path => format!(" at `{path}`"),
        },
        reason: cut(&reason(error), LONGEST_WORDS).into_owned(),
    }
}

/// Says what is wrong. The library only says of a `type` that no schema accepts it.
fn reason(error: &ValidationError<'_>) -> String {
    use jsonschema::error::ValidationErrorKind::AnyOf;
    let is_type = error.instance_path().as_str().ends_with("/type");
    match error.kind() {
        AnyOf { .. } if is_type => {
            let found = shown(error.instance());
            format!("{found} is not a type; expected {TYPES}, or a list of these")
        }
        _ => error.to_string(),
    }
}
