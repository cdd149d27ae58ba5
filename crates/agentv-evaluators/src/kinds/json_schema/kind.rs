//! The options and facts of `json_schema`.

use std::path::{Path, PathBuf};

use agentv_syntax::shape::ANY;
use agentv_syntax::{
    Code, Field, Form, Kind, Node, NodeKind, Others, Problem, Record, Severity, Shape, Text,
};

use super::evaluator::build;
use super::formats;
use super::schema::compile;
use crate::files;
use crate::kind::{EvaluatorKind, Facts};
use crate::memo::Memo;
use crate::options::Options;

pub(crate) static KIND: EvaluatorKind = EvaluatorKind {
    kind: Kind {
        name: "json_schema",
        aliases: &[],
        doc: "Passes if the answer is JSON that matches a JSON Schema. A code fence around the whole answer is ignored.",
        options: Record {
            name: "json_schema",
            fields: &[Field {
                name: "schema",
                shape: &SCHEMA,
                doc: "The JSON Schema, or the path of its file.",
            }],
            required: &[&["schema"]],
            others: Others::Warn,
        },
        shorthand: Some("schema"),
    },
    example: "\
- json_schema: schemas/answer.json
- {type: json_schema, schema: {type: object, required: [answer]}}
",
    facts: Facts {
        files,
        ..Facts::CHECK
    },
    build,
};

pub(in crate::kinds) static SCHEMA: Shape = Shape {
    expected: "a JSON Schema (an object, or the path of a file)",
    forms: &[
        Form::Checked {
            form: &Form::Map(&ANY),
            check: problem,
        },
        Form::Text(Text::File),
        Form::Refused {
            kind: NodeKind::Bool,
            hint: "to accept any JSON, use `type: is_json`",
        },
    ],
};

thread_local! {
    static MEMO: Memo = Memo::new();
    static FORMATS: Memo = Memo::new();
}

fn problem(node: Node<'_>) -> Option<Problem> {
    let error = MEMO.with(|memo| memo.problem(node, |schema| compile(schema).map(drop)));
    error.or_else(|| {
        let unknown = FORMATS.with(|memo| memo.problem(node, formats::check_names));
        unknown.map(|problem| Problem {
            code: Code::UnknownNear,
            severity: Severity::Warning,
            ..problem
        })
    })
}

/// Returns the file of the schema, if the option names one.
pub(in crate::kinds) fn files(options: &Options<'_>, root: &Path) -> Vec<PathBuf> {
    let written = options.get("schema");
    written
        .and_then(|written| files::named(written, root))
        .into_iter()
        .collect()
}
