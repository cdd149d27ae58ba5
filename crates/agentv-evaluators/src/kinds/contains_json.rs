//! `contains_json`: somewhere in the answer is JSON.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use agentv_core::{Evaluation, Evaluator, EvaluatorError, Subject};
use agentv_syntax::{Field, Kind, Others, Record};
use jsonschema::Validator;
use serde_json::{Deserializer, Value};

use super::json_schema::{SCHEMA, schema_files, schema_of};
use crate::builder::Builder;
use crate::check::{Check, evaluator};
use crate::error::BuildError;
use crate::kind::{EvaluatorKind, Facts};
use crate::options::Options;

pub(crate) static KIND: EvaluatorKind = EvaluatorKind {
    kind: Kind {
        name: "contains_json",
        aliases: &[],
        doc: "Passes if the answer contains a JSON object or array, with any text around it.",
        options: Record {
            name: "contains_json",
            fields: &[Field {
                name: "schema",
                shape: &SCHEMA,
                doc: "The JSON Schema that the object or array must match, or the path of its file (default: none).",
            }],
            required: &[],
            others: Others::Warn,
        },
        shorthand: Some("schema"),
    },
    example: "\
- {type: contains_json}
- {type: contains_json, schema: {type: object, required: [answer]}}
",
    facts: Facts {
        files,
        ..Facts::CHECK
    },
    build,
};

fn files(options: &Options<'_>, root: &Path) -> Vec<PathBuf> {
    schema_files(options, root)
}

fn build(options: &Options<'_>, builder: &Builder) -> Result<Arc<dyn Evaluator>, BuildError> {
    let schema = match options.get("schema") {
        Some(_) => Some(schema_of(options, builder)?),
        None => None,
    };
    Ok(evaluator(ContainsJson(schema)))
}

struct ContainsJson(Option<Arc<Validator>>);

impl Check for ContainsJson {
    fn check(&self, subject: &Subject<'_>) -> Result<Evaluation, EvaluatorError> {
        let mut values = parts(subject.answer).peekable();
        let has_any = values.peek().is_some();
        let fits = match &self.0 {
            None => has_any,
            Some(schema) => values.any(|value| schema.is_valid(&value)),
        };
        let fact = match (has_any, fits) {
            (true, true) => "the answer contains JSON",
            (true, false) => "no JSON in the answer matches the schema",
            (false, _) => "the answer contains no JSON object or array",
        };
        Ok(Evaluation::check(fits, fact))
    }
}

/// The maximum number of brackets that are tried as the start of a value.
const MOST_STARTS: usize = 10_000;

/// Returns the objects and arrays in a text, the outermost ones, in order.
fn parts(text: &str) -> impl Iterator<Item = Value> {
    let mut at = 0;
    let mut starts = 0;
    std::iter::from_fn(move || {
        while let Some(start) = text[at..].find(['{', '[']).filter(|_| starts < MOST_STARTS) {
            starts += 1;
            at += start;
            let mut values = Deserializer::from_str(&text[at..]).into_iter::<Value>();
            if let Some(Ok(value)) = values.next() {
                at += values.byte_offset();
                return Some(value);
            }
            at += 1;
        }
        None
    })
}

#[cfg(test)]
mod tests {
    use super::parts;
    use serde_json::{Value, json};

    #[test]
    fn the_outermost_values_of_a_text_are_found() {
        let found: Vec<Value> = parts("a {b} [1, {\"c\": 2}] {\"d\": [}] {}").collect();
        assert_eq!(found, [json!([1, {"c": 2}]), json!({})]);
        assert_eq!(parts("none").count(), 0);
    }

    #[test]
    fn many_brackets_take_no_time() {
        assert_eq!(parts(&"[1,".repeat(1_000_000)).count(), 0);
    }
}
