//! `json_schema`: the answer is JSON that a schema allows.

use std::sync::Arc;

use agentv_core::{Evaluation, Evaluator, EvaluatorError, Score, Subject};
use agentv_syntax::shape::ANY;
use agentv_syntax::{Field, Form, Kind, Node, Others, Problem, Record, Shape, Text};
use jsonschema::{ValidationError, Validator};
use serde_json::Value;

use crate::builder::{BuildContext, Builder};
use crate::check::{Check, evaluator};
use crate::error::BuildError;
use crate::expansion;
use crate::files;
use crate::json;
use crate::memo::Memo;
use crate::options::Options;
use crate::words::{Findings, cut, shown};

pub(crate) static KIND: Kind = Kind {
    name: "json_schema",
    aliases: &[],
    doc: "Passes when the answer is JSON that a JSON Schema allows; one fenced block around the whole answer does not count.",
    options: Record {
        name: "json_schema",
        fields: &[Field {
            name: "schema",
            shape: &SCHEMA,
            doc: "The JSON Schema itself, or the path of the file that holds it.",
        }],
        required: &[&["schema"]],
        others: Others::Warn,
    },
    shorthand: Some("schema"),
};

static SCHEMA: Shape = Shape {
    expected: "a JSON Schema (an object) or the path of a file that holds one",
    forms: &[
        Form::Checked {
            form: &Form::Map(&ANY),
            check: problem,
        },
        Form::Text(Text::File),
    ],
};

thread_local! {
    static MEMO: Memo = Memo::new();
}

fn problem(node: Node<'_>) -> Option<Problem> {
    MEMO.with(|memo| memo.problem(node, |schema| compile(schema).map(drop)))
}

/// The longest that words of the schema library may be, which quote the answer.
const LONGEST_WORDS: usize = 200;

/// The compiled schema. It refers to nothing outside itself: neither files nor the network are read.
fn compile(schema: &Value) -> Result<Validator, String> {
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

pub(crate) fn build(
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
