//! `javascript`: a user's JavaScript code grades the answer.

use agentv_core::Effort;
use agentv_syntax::{Kind, Others, Record};

use crate::kind::{EvaluatorKind, Facts};
use crate::language;

pub(crate) static KIND: EvaluatorKind = EvaluatorKind {
    kind: Kind {
        name: "javascript",
        aliases: &[],
        doc: "Runs JavaScript code with `node`, which must be installed. The code returns true or false, a score from 0 to 1, or an object with `pass`, `score` and `reason`.",
        options: Record {
            name: "javascript",
            fields: language::FIELDS,
            required: language::REQUIRED,
            others: Others::Warn,
        },
        shorthand: Some("code"),
    },
    example: "\
- javascript: output.length < 100
- type: javascript
  file: checks.js
  function: hasPrice
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
    build: |options, builder| language::build(options, builder, &language::JAVASCRIPT),
};
