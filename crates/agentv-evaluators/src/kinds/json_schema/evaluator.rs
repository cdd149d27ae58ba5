//! The evaluator that validates an answer.

use std::sync::Arc;

use agentv_core::{Evaluation, Evaluator, EvaluatorError, Score, Subject};
use jsonschema::{ValidationError, Validator};
use serde_json::Value;
use thiserror::Error;

use super::kind::SCHEMA;
use super::schema::{LONGEST_WORDS, SchemaError, compile};
use crate::builder::{BuildContext, Builder};
use crate::check::{Check, evaluator};
use crate::error::BuildError;
use crate::files::{self, FileError};
use crate::json::JsonAnswer;
use crate::options::Options;
use crate::words::{Findings, cut, shown};

pub(super) fn build(
    options: &Options<'_>,
    builder: &Builder,
) -> Result<Arc<dyn Evaluator>, BuildError> {
    Ok(evaluator(FitsSchema(schema_of(options, builder)?)))
}

/// Compiles the schema of the option `schema`.
pub(in crate::kinds) fn schema_of(
    options: &Options<'_>,
    builder: &Builder,
) -> Result<Arc<Validator>, BuildError> {
    let written = options.required("schema")?;
    let compiled = builder.schemas.get_or_make(written, || {
        let schema = match written {
            Value::String(path) => of_file(path, builder.context())?,
            Value::Object(_) => compile(written)?,
            _ => return Err(Unusable::Shape),
        };
        Ok(Arc::new(schema))
    });
    compiled.map_err(|problem| options.invalid("schema", problem))
}

/// The reason why the value of `schema` cannot be used.
#[derive(Debug, Error)]
enum Unusable {
    #[error("expected {}", SCHEMA.expected)]
    Shape,
    #[error(transparent)]
    File(#[from] FileError),
    #[error("`{path}` is not JSON: {source}")]
    NotJson {
        path: String,
        source: serde_json::Error,
    },
    #[error(transparent)]
    Schema(#[from] SchemaError),
    #[error("`{path}` is {source}")]
    SchemaInFile { path: String, source: SchemaError },
}

/// Compiles the schema in a file that a resolved case names: a path from the root, or one outside
/// of it.
fn of_file(path: &str, context: &BuildContext) -> Result<Validator, Unusable> {
    let text = files::read_text(path, context)?;
    let schema = serde_json::from_str(&text).map_err(|source| Unusable::NotJson {
        path: path.to_owned(),
        source,
    })?;
    compile(&schema).map_err(|source| Unusable::SchemaInFile {
        path: path.to_owned(),
        source,
    })
}

struct FitsSchema(Arc<Validator>);

impl Check for FitsSchema {
    fn check(&self, subject: &Subject<'_>) -> Result<Evaluation, EvaluatorError> {
        Ok(match JsonAnswer::without_fence(subject.answer) {
            Ok(answer) => Evaluation {
                reasoning: answer.remark(),
                ..self.validated(&answer.value())
            },
            Err(reason) => Evaluation::check(false, reason.to_string()),
        })
    }
}

impl FitsSchema {
    fn validated(&self, answer: &Value) -> Evaluation {
        if self.0.is_valid(answer) {
            return Evaluation::check(true, "the answer matches the schema");
        }
        let mut misses = Findings::default();
        for error in self.0.iter_errors(answer) {
            misses.add(false, || in_words(&error));
        }
        misses.evaluation(Score::ZERO)
    }
}

fn in_words(error: &ValidationError<'_>) -> String {
    // The message would quote the value, however long it is.
    let words = error.masked_with(shown(error.instance())).to_string();
    let words = cut(&words, LONGEST_WORDS);
    match error.instance_path().as_str() {
        "" => words.into_owned(),
        path => format!("`{}`: {words}", cut(path, LONGEST_WORDS)),
    }
}
