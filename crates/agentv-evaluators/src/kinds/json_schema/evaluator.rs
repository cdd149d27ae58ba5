//! The evaluator that validates an answer.

use std::sync::Arc;

use agentv_core::{Evaluation, Evaluator, EvaluatorError, Score, Subject};
use jsonschema::{ValidationError, Validator};
use serde_json::Value;

use super::kind::SCHEMA;
use super::schema::{LONGEST_WORDS, compile};
use crate::builder::{BuildContext, Builder};
use crate::check::{Check, evaluator};
use crate::error::BuildError;
use crate::files;
use crate::json;
use crate::options::Options;
use crate::words::{Findings, cut, shown};

pub(super) fn build(
    options: &Options<'_>,
    builder: &Builder,
) -> Result<Arc<dyn Evaluator>, BuildError> {
    let written = options.required("schema")?;
    let compiled = builder.schemas.get_or_make(written, || {
        let schema = match written {
            Value::String(path) => compile(&read(path, builder.context())?)
                .map_err(|problem| format!("`{path}` is {problem}")),
            Value::Object(_) => compile(written),
            _ => Err(format!("expected {}", SCHEMA.expected)),
        };
        schema.map(Arc::new)
    });
    match compiled {
        Ok(schema) => Ok(evaluator(FitsSchema(schema))),
        Err(problem) => Err(options.invalid("schema", problem)),
    }
}

/// The JSON of a file that a resolved case names: a path from the root, or one outside of it.
fn read(path: &str, context: &BuildContext) -> Result<Value, String> {
    let text = files::read_text(path, context)?;
    serde_json::from_str(&text).map_err(|error| format!("`{path}` is not JSON: {error}"))
}

struct FitsSchema(Arc<Validator>);

impl Check for FitsSchema {
    fn check(&self, subject: &Subject<'_>) -> Result<Evaluation, EvaluatorError> {
        let answer = match json::parse(subject.answer) {
            Ok(answer) => answer,
            Err(reason) => return Ok(Evaluation::check(false, reason)),
        };
        if self.0.is_valid(&answer) {
            return Ok(Evaluation::check(
                true,
                "the answer is what the schema allows",
            ));
        }
        let mut misses = Findings::default();
        for error in self.0.iter_errors(&answer) {
            misses.add(false, || in_words(&error));
        }
        Ok(misses.evaluation(Score::ZERO))
    }
}

fn in_words(error: &ValidationError<'_>) -> String {
    // The words would quote the value however long it is.
    let words = error.masked_with(shown(error.instance())).to_string();
    let words = cut(&words, LONGEST_WORDS);
    match error.instance_path().as_str() {
        "" => words.into_owned(),
        path => format!("`{}`: {words}", cut(path, LONGEST_WORDS)),
    }
}
