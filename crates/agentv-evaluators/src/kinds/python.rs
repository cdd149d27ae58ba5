//! `python`: a user's Python code grades the answer.

use agentv_core::Effort;
use agentv_syntax::{Kind, Others, Record};

use crate::kind::{EvaluatorKind, Facts};
use crate::language;

pub(crate) static KIND: EvaluatorKind = EvaluatorKind {
    kind: Kind {
        name: "python",
        aliases: &[],
        doc: "Runs Python code with `python3`, which must be installed. The code returns true or false, a score from 0 to 1, or an object with `pass`, `score` and `reason`.",
        options: Record {
            name: "python",
            fields: language::FIELDS,
            required: language::REQUIRED,
            others: Others::Warn,
        },
        shorthand: Some("code"),
    },
    example: "\
- python: len(output) < 100
- type: python
  file: checks.py
  function: has_price
  threshold: 0.5
  config: {limit: 5}
  timeout_seconds: 10
",
    facts: Facts {
        effort: |_| Effort::Script,
        runs_commands: |_| true,
        files: language::files,
        problem: language::problem,
        ..Facts::CHECK
    },
    build: |options, builder| language::build(options, builder, &language::PYTHON),
};
