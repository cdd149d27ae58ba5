//! `regex`: a regular expression matches in the answer.

use std::sync::Arc;

use agentv_core::{Evaluation, Evaluator, EvaluatorError, Secrets, Subject};
use agentv_syntax::{Field, Form, Kind, Node, Others, Problem, Record, Shape, Text};
use regex::{Regex, RegexBuilder};
use thiserror::Error;

use crate::builder::Builder;
use crate::check::{Check, evaluator};
use crate::error::{BuildError, could_not_judge};
use crate::kind::{EvaluatorKind, Facts};
use crate::matching::{IGNORE_CASE, Matching};
use crate::memo::Memo;
use crate::options::Options;
use crate::wanted::{WantedText, is_template, template_problem};
use crate::words::quoted;

pub(crate) static KIND: EvaluatorKind = EvaluatorKind {
    kind: Kind {
        name: "regex",
        aliases: &[],
        doc: "Passes if a regular expression matches anywhere in the answer.",
        options: Record {
            name: "regex",
            fields: &[
                Field {
                    name: "value",
                    shape: &EXPRESSION,
                    doc: "The regular expression, or a template of it (`^{{ number }}$`). Anchor it with `^` and `$` to match the whole answer.",
                },
                IGNORE_CASE,
            ],
            required: &[&["value"]],
            others: Others::Warn,
        },
        shorthand: Some("value"),
    },
    example: "\
- regex: ^\\d+$
- {type: regex, value: paris, ignore_case: true, negate: true}
",
    facts: Facts {
        negates: true,
        ..Facts::CHECK
    },
    build,
};

static EXPRESSION: Shape = Shape {
    expected: "a string that is not empty",
    forms: &[Form::Checked {
        form: &Form::Text(Text::Filled),
        check: problem,
    }],
};

thread_local! {
    static MEMO: Memo = Memo::new();
}

fn problem(node: Node<'_>) -> Option<Problem> {
    if node.as_str().is_some_and(|pattern| is_template(&pattern)) {
        return template_problem(node);
    }
    MEMO.with(|memo| {
        memo.problem(node, |value| {
            let pattern = value.as_str().unwrap_or_default();
            compile(pattern, false).map(drop)
        })
    })
}

/// The reason why a regular expression cannot be used.
#[derive(Debug, Error)]
enum ExpressionError {
    #[error("the regular expression is too large: use fewer or smaller repetitions")]
    TooLarge,
    #[error("not a valid regular expression: {0}")]
    Invalid(String),
}

/// The maximum memory of a compiled expression, and of matching with it.
const LARGEST: usize = 8 << 20;

/// Compiles an expression. Matching takes time linear in the answer, whatever the expression.
fn compile(pattern: &str, ignore_case: bool) -> Result<Regex, ExpressionError> {
    // In a case whose secrets were removed, the replacement is a text, and not a set of letters.
    let pattern = pattern.replace(Secrets::REPLACEMENT, r"\[REDACTED\]");
    let compiled = RegexBuilder::new(&pattern)
        .case_insensitive(ignore_case)
        .size_limit(LARGEST)
        .dfa_size_limit(LARGEST)
        .build();
    compiled.map_err(|error| match error {
        regex::Error::CompiledTooBig(_) => ExpressionError::TooLarge,
        error => ExpressionError::Invalid(reason(&error.to_string()).to_owned()),
    })
}

/// Returns the last part of a message that first draws the expression with a caret.
fn reason(message: &str) -> &str {
    let last = message.trim_end().rsplit("error: ").next();
    last.unwrap_or(message)
}

fn build(options: &Options<'_>, builder: &Builder) -> Result<Arc<dyn Evaluator>, BuildError> {
    let matching = Matching::read(options)?;
    let pattern = options.required_text("value")?;
    if is_template(pattern) {
        let template = WantedText::read(options)?;
        return Ok(evaluator(TemplateMatches { template, matching }));
    }
    let compiled = if matching.ignore_case {
        &builder.expressions_ignoring_case
    } else {
        &builder.expressions
    };
    let expression = compiled
        .get_or_make(options.required("value")?, || {
            compile(pattern, matching.ignore_case).map(Arc::new)
        })
        .map_err(|problem| options.invalid("value", problem))?;
    Ok(evaluator(Matches {
        pattern: pattern.to_owned(),
        expression,
        matching,
    }))
}

struct Matches {
    pattern: String,
    expression: Arc<Regex>,
    matching: Matching,
}

impl Check for Matches {
    fn check(&self, subject: &Subject<'_>) -> Result<Evaluation, EvaluatorError> {
        let found = judge(&self.expression, &self.pattern, &self.matching, subject);
        Ok(found)
    }
}

/// An expression with variables of the case, which is compiled for each case.
struct TemplateMatches {
    template: WantedText,
    matching: Matching,
}

impl Check for TemplateMatches {
    fn check(&self, subject: &Subject<'_>) -> Result<Evaluation, EvaluatorError> {
        let pattern = self.template.filled(subject)?;
        let expression = compile(&pattern, self.matching.ignore_case);
        let expression = expression.map_err(could_not_judge)?;
        Ok(judge(&expression, &pattern, &self.matching, subject))
    }
}

fn judge(
    expression: &Regex,
    pattern: &str,
    matching: &Matching,
    subject: &Subject<'_>,
) -> Evaluation {
    let pattern = quoted(pattern);
    let found = expression.find(subject.answer);
    let fact = match found {
        Some(found) => format!("matches {pattern} with {}", quoted(found.as_str())),
        None => format!("does not match {pattern}"),
    };
    matching.judge(found.is_some(), fact)
}
