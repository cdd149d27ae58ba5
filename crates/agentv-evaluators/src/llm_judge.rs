//! `llm_judge`: a language model grades the answer.

use std::sync::Arc;

use agentv_core::Evaluator;
use agentv_syntax::rubric::RUBRICS;
use agentv_syntax::shape::{FILLED, OBJECT};
use agentv_syntax::{Field, Form, Kind, Others, Record, Shape, Text};

use crate::builder::Builder;
use crate::code_judge::{FOLDER, SCRIPT};
use crate::error::BuildError;
use crate::judge::{self, JudgeEvaluator, Panel, PromptSource};
use crate::options::Options;
use crate::rubric;
use crate::script::TIMEOUT;

pub(crate) static KIND: Kind = Kind {
    name: "llm_judge",
    aliases: &[],
    doc: "Asks a language model how well the answer meets the expected outcome.",
    options: Record {
        name: "llm_judge",
        fields: &[
            Field {
                name: "prompt",
                shape: &PROMPT,
                doc: "The judge's prompt: a template, the path of a file that holds one, or a script that prints the prompt.",
            },
            Field {
                name: "rubrics",
                shape: &RUBRICS,
                doc: "A checklist for the judge to go through in place of one overall score.",
            },
            TARGET,
            JUDGES,
            AGGREGATE,
        ],
        required: &[],
        others: Others::Warn,
    },
    shorthand: Some("prompt"),
};

pub(crate) const TARGET: Field = Field {
    name: "target",
    shape: &FILLED,
    doc: "The target to ask as judge: the graded target's `judge_target` unless given, else the graded target itself.",
};

pub(crate) const JUDGES: Field = Field {
    name: "judges",
    shape: &PANEL,
    doc: "How many times to ask the judge, or the names of the targets that judge together.",
};

pub(crate) const AGGREGATE: Field = Field {
    name: "aggregate",
    shape: &AGGREGATES,
    doc: "How the scores of several judges become one: `median`, `mean` or `majority`.",
};

static PROMPT: Shape = Shape {
    expected: "a prompt (a text, the path of a file, or an object with `script`)",
    forms: &[
        Form::Checked {
            form: &Form::Text(Text::TextOrFile),
            check: judge::prompt_problem,
        },
        Form::Record(&Record {
            name: "prompt script",
            fields: &[
                Field {
                    name: "script",
                    shape: &SCRIPT,
                    doc: "The command that prints the prompt: a list of program and arguments, or a line for the shell.",
                },
                Field {
                    name: "config",
                    shape: &OBJECT,
                    doc: "Settings that are passed on to the script.",
                },
                Field {
                    name: "cwd",
                    shape: &FOLDER,
                    doc: "The folder to run the script in, relative to the eval file.",
                },
                TIMEOUT,
            ],
            required: &[&["script"]],
            others: Others::Warn,
        }),
    ],
};

static PANEL: Shape = Shape {
    expected: "a whole number from 1 to 100, or an array of target names",
    forms: &[
        Form::Number {
            min: 1.0,
            max: 100.0,
            integer: true,
        },
        Form::List {
            items: &FILLED,
            at_least: 1,
        },
    ],
};

static AGGREGATES: Shape = Shape {
    expected: "median, mean or majority",
    forms: &[Form::Text(Text::OneOf(&["median", "mean", "majority"]))],
};

/// A checklist where there are rubrics, else one score for the whole.
pub(crate) fn build(
    options: &Options<'_>,
    builder: &Builder,
) -> Result<Arc<dyn Evaluator>, BuildError> {
    let rubrics = rubric::items(options)?;
    Ok(Arc::new(JudgeEvaluator {
        prompt: PromptSource::of(options, builder)?,
        form: match rubrics.is_empty() {
            true => judge::Form::Free,
            false => judge::Form::Checklist(judge::Checklist::of(rubrics)),
        },
        panel: Panel::of(options)?,
    }))
}
