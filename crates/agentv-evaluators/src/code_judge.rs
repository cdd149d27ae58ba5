//! `code_judge`: a script of the user's grades the answer.

use agentv_syntax::shape::{COUNT, TEXT};
use agentv_syntax::{Field, Form, Kind, Others, Record, Shape, Text};

pub(crate) static KIND: Kind = Kind {
    name: "code_judge",
    aliases: &[],
    doc: "Runs a script that reads the case and the answer as JSON and prints a score; further fields reach it as `config`.",
    options: Record {
        name: "code_judge",
        fields: &[
            Field {
                name: "script",
                shape: &SCRIPT,
                doc: "The command: a list of program and arguments, or a line for the shell.",
            },
            Field {
                name: "cwd",
                shape: &FOLDER,
                doc: "The folder to run the script in, relative to the eval file.",
            },
            Field {
                name: "target",
                shape: &ACCESS,
                doc: "Whether the script may ask the targets of the run through a local proxy, and how often.",
            },
        ],
        required: &[&["script"]],
        others: Others::Keep,
    },
    shorthand: Some("script"),
};

pub(crate) static FOLDER: Shape = Shape {
    expected: "the path of a folder",
    forms: &[Form::Text(Text::Folder)],
};

static SCRIPT: Shape = Shape {
    expected: "a command (an array of strings, or a string for the shell)",
    forms: &[
        Form::List {
            items: &TEXT,
            at_least: 1,
        },
        Form::Text(Text::Filled),
    ],
};

static ACCESS: Shape = Shape {
    expected: "true, false, or an object with `max_calls`",
    forms: &[
        Form::Bool,
        Form::Record(&Record {
            name: "target access",
            fields: &[Field {
                name: "max_calls",
                shape: &COUNT,
                doc: "The most calls that the script may make.",
            }],
            required: &[],
            others: Others::Warn,
        }),
    ],
};
