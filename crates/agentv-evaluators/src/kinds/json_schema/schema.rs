//! Compiling JSON Schemas.

use jsonschema::{ReferencingError, ValidationError, Validator};
use serde_json::Value;
use thiserror::Error;

use super::expansion::{self, ExpansionError};
use crate::words::cut;

/// The maximum length of the schema library's messages, which quote the answer.
pub(super) const LONGEST_WORDS: usize = 200;

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
    #[error("not a valid JSON Schema{place}: {reason}")]
    Invalid { place: String, reason: String },
}

/// Compiles a schema. References outside the schema are refused: no files or network are read. `format` is
/// always an assertion, also with a `$schema` for which it is only a remark.
pub(super) fn compile(schema: &Value) -> Result<Validator, SchemaError> {
    expansion::check(schema)?;
    let options = jsonschema::options().should_validate_formats(true);
    options.build(schema).map_err(|error| refused(&error))
}

fn refused(error: &ValidationError<'_>) -> SchemaError {
    use jsonschema::error::ValidationErrorKind::Referencing;
    if let Referencing(ReferencingError::Unretrievable { uri, .. }) = error.kind() {
        let written = uri.strip_prefix(OWN_ADDRESS).unwrap_or(uri);
        return SchemaError::OtherDocument(cut(written, LONGEST_WORDS).into_owned());
    }
    SchemaError::Invalid {
        place: match error.instance_path().as_str() {
            "" => String::new(),
            path => format!(" at `{path}`"),
        },
        reason: cut(&error.to_string(), LONGEST_WORDS).into_owned(),
    }
}
