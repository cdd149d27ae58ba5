//! `json_schema`: the answer is JSON that a schema allows.

use agentv_syntax::shape::ANY;
use agentv_syntax::{Field, Form, Kind, Others, Record, Shape, Text};

pub(crate) static KIND: Kind = Kind {
    name: "json_schema",
    aliases: &[],
    doc: "Passes when the answer is JSON that a JSON Schema allows.",
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
    forms: &[Form::Map(&ANY), Form::Text(Text::File)],
};
