//! `llm_judge`: a language model grades the answer.

use std::sync::Arc;

use agentv_core::{Effort, Evaluator};
use agentv_syntax::rubric::RUBRICS;
use agentv_syntax::shape::{FILLED, OBJECT};
use agentv_syntax::{Field, Form, Kind, Others, Record, Shape, Text};

use crate::builder::Builder;
use crate::error::BuildError;
use crate::judge::{self, AGGREGATE, JUDGES, JudgeEvaluator, Panel, PromptSource, TARGET};
use crate::kind::{EvaluatorKind, Facts};
use crate::options::Options;
use crate::script::{FOLDER, SCRIPT, TIMEOUT};

pub(crate) static KIND: EvaluatorKind = EvaluatorKind {
    kind: Kind {
        name: "llm_judge",
        aliases: &[],
        doc: "Asks a language model how well the answer meets the expected outcome.",
        options: Record {
            name: "llm_judge",
            fields: &[
                Field {
                    name: "prompt",
                    shape: &PROMPT,
                    doc: "The judge's prompt: a template, the path of a template file, or a script that prints the prompt.",
                },
                Field {
                    name: "rubrics",
                    shape: &RUBRICS,
                    doc: "A checklist for the judge, instead of one overall score.",
                },
                Field {
                    name: "expected_outcome",
                    shape: &FILLED,
                    doc: "A description of a good answer (default: the `expected_outcome` of the case).",
                },
                TARGET,
                JUDGES,
                AGGREGATE,
            ],
            required: &[],
            others: Others::Warn,
        },
        shorthand: Some("prompt"),
    },
    example: "\
- {type: llm_judge, name: tone, weight: 0.5, required: true, target: judge}
- {type: llm_judge, prompt: prompts/judge.md, judges: 3, aggregate: median}
- type: llm_judge
  prompt: {script: [python, prompt.py], config: {style: short}, cwd: scripts, timeout_seconds: 5}
  judges: [a, b]
- {type: llm_judge, rubrics: [Names the capital.]}
- {type: llm_judge, expected_outcome: Is polite.}
- llm_judge: Is {{ candidate_answer }} polite?
",
    facts: Facts {
        effort: |_| Effort::Judge,
        judges: judge::judges,
        runs_commands: judge::runs_prompt_script,
        files: judge::prompt_files,
        ..Facts::CHECK
    },
    build,
};

static PROMPT: Shape = Shape {
    expected: "a prompt (a string, the path of a file, or an object with `script`)",
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
                    doc: "The command that prints the prompt: an array of program and arguments, or a string for the shell.",
                },
                Field {
                    name: "config",
                    shape: &OBJECT,
                    doc: "Settings that are passed to the script.",
                },
                Field {
                    name: "cwd",
                    shape: &FOLDER,
                    doc: "The folder to run the script in, relative to the eval file (default: the folder of the eval file).",
                },
                TIMEOUT,
            ],
            required: &[&["script"]],
            others: Others::Warn,
        }),
    ],
};

/// Builds a checklist if there are rubrics, else a judge of the whole answer.
fn build(options: &Options<'_>, builder: &Builder) -> Result<Arc<dyn Evaluator>, BuildError> {
    let rubrics = judge::rubrics(options)?;
    Ok(Arc::new(JudgeEvaluator {
        prompt: PromptSource::of(options, builder)?,
        form: if rubrics.is_empty() {
            judge::Form::Free
        } else {
            judge::Form::Checklist(judge::Checklist::of(rubrics))
        },
        panel: Panel::of(options)?,
        outcome: options.text("expected_outcome")?.map(str::to_owned),
    }))
}
