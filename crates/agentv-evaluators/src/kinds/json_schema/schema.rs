//! Compiling JSON Schemas.

use jsonschema::Validator;
use serde_json::Value;
use thiserror::Error;

use super::expansion::{self, ExpansionError};
use crate::words::cut;

/// The maximum length of the schema library's messages, which quote the answer.
pub(super) const LONGEST_WORDS: usize = 200;

/// The reason why a schema cannot be used.
#[derive(Debug, Error)]
pub(super) enum SchemaError {
    #[error("not a usable JSON Schema: {0}")]
    Expands(#[from] ExpansionError),
    #[error("not a valid JSON Schema{place}: {reason}")]
    Invalid { place: String, reason: String },
}

/// Compiles a schema. References outside the schema are refused: no files or network are read.
pub(super) fn compile(schema: &Value) -> Result<Validator, SchemaError> {
    expansion::check(schema)?;
    jsonschema::validator_for(schema).map_err(|error| SchemaError::Invalid {
        place: match error.instance_path().as_str() {
            "" => String::new(),
            path => format!(" at `{path}`"),
        },
        reason: cut(&error.to_string(), LONGEST_WORDS).into_owned(),
    })
}
