//! `rubric`: a language model goes through a checklist.

use std::sync::Arc;

use agentv_core::{Effort, Evaluator};
use agentv_syntax::rubric::CHECKLIST;
use agentv_syntax::{Field, Kind, Others, Record};

use crate::builder::Builder;
use crate::error::BuildError;
use crate::judge::{
    self, AGGREGATE, Checklist, JUDGES, JudgeEvaluator, Panel, PromptSource, TARGET,
};
use crate::kind::{EvaluatorKind, Facts};
use crate::options::Options;

pub(crate) static KIND: EvaluatorKind = EvaluatorKind {
    kind: Kind {
        name: "rubric",
        aliases: &[],
        doc: "Asks a language model which items of a checklist the answer meets.",
        options: Record {
            name: "rubric",
            fields: &[
                Field {
                    name: "rubrics",
                    shape: &CHECKLIST,
                    doc: "The items of the checklist.",
                },
                TARGET,
                JUDGES,
                AGGREGATE,
            ],
            required: &[&["rubrics"]],
            others: Others::Warn,
        },
        shorthand: Some("rubrics"),
    },
    example: "\
- type: rubric
  rubrics:
    - Names the capital.
    - {id: polite, expected_outcome: Is polite., weight: 2, required: true}
    - id: depth
      required_min_score: 4
      score_ranges:
        - {score_range: [0, 3], expected_outcome: Shallow.}
        - {score_range: [4, 10], expected_outcome: Deep.}
  target: judge
  judges: 2
  aggregate: mean
- rubric: [Names the capital.]
",
    facts: Facts {
        effort: |_| Effort::Judge,
        judges: judge::judges,
        ..Facts::CHECK
    },
    build,
};

fn build(options: &Options<'_>, _: &Builder) -> Result<Arc<dyn Evaluator>, BuildError> {
    options.required("rubrics")?;
    let items = judge::rubrics(options)?;
    if items.is_empty() {
        return Err(options.invalid("rubrics", "expected at least one item"));
    }
    Ok(Arc::new(JudgeEvaluator {
        prompt: PromptSource::Usual,
        form: judge::Form::Checklist(Checklist::of(items)),
        panel: Panel::of(options)?,
        outcome: None,
    }))
}
