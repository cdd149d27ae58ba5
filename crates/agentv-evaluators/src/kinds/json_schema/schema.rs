//! Compiling JSON Schemas.

use jsonschema::Validator;
use serde_json::Value;

use super::expansion;
use crate::words::cut;

/// The longest that words of the schema library may be, which quote the answer.
pub(super) const LONGEST_WORDS: usize = 200;

/// The compiled schema. It refers to nothing outside itself: neither files nor the network are read.
pub(super) fn compile(schema: &Value) -> Result<Validator, String> {
    expansion::check(schema).map_err(|reason| format!("not a usable JSON Schema: {reason}"))?;
    jsonschema::validator_for(schema).map_err(|error| {
        let place = match error.instance_path().as_str() {
            "" => String::new(),
            path => format!(" at `{path}`"),
        };
        let words = error.to_string();
        format!("not a JSON Schema{place}: {}", cut(&words, LONGEST_WORDS))
    })
}
