//! `tool_trajectory`: the target called the right tools.

mod alignment;
mod expected;
mod latency;

use std::sync::Arc;

use agentv_core::{Evaluation, Evaluator, EvaluatorError, Score, Subject, ToolCall};
use agentv_syntax::shape::{AMOUNT, ANY, COUNT, FILLED};
use agentv_syntax::{Code, Field, Form, Kind, Node, Others, Problem, Record, Shape, Text};
use serde_json::json;

use self::expected::ExpectedCall;
use self::latency::Latencies;
use crate::builder::Builder;
use crate::check::{Check, evaluator};
use crate::error::BuildError;
use crate::options::Options;
use crate::words::{Findings, quoted};

pub(crate) static KIND: Kind = Kind {
    name: "tool_trajectory",
    aliases: &[],
    doc: "Scores how many of the expected tool calls the target made.",
    options: Record {
        name: "tool_trajectory",
        fields: &[
            Field {
                name: "mode",
                shape: &MODE,
                doc: "`any_order` counts calls, `in_order` allows others in between, `exact` allows no others.",
            },
            Field {
                name: "minimums",
                shape: &MINIMUMS,
                doc: "For `any_order`: the fewest calls of each tool, by its name.",
            },
            Field {
                name: "expected",
                shape: &CALLS,
                doc: "For `in_order` and `exact`: the expected calls, one after the other.",
            },
        ],
        required: &[&["mode"], &["expected", "minimums"]],
        others: Others::Warn,
    },
    shorthand: None,
};

static MODE: Shape = Shape {
    expected: "any_order, in_order or exact",
    forms: &[Form::Text(Text::OneOf(&["any_order", "in_order", "exact"]))],
};

static MINIMUMS: Shape = Shape {
    expected: "an object of whole numbers by tool name",
    forms: &[Form::Map(&COUNT)],
};

static CALLS: Shape = Shape {
    expected: "an array of expected tool calls",
    forms: &[Form::List {
        items: &CALL,
        at_least: 0,
    }],
};

static CALL: Shape = Shape {
    expected: "an expected tool call (an object with `tool`)",
    forms: &[Form::Record(&Record {
        name: "expected tool call",
        fields: &[
            Field {
                name: "tool",
                shape: &FILLED,
                doc: "The name of the tool.",
            },
            Field {
                name: "args",
                shape: &ARGUMENTS,
                doc: "The arguments that the call must have among its own, or `any`.",
            },
            Field {
                name: "max_duration_ms",
                shape: &AMOUNT,
                doc: "The longest that the call may take, in milliseconds.",
            },
        ],
        required: &[&["tool"]],
        others: Others::Warn,
    })],
};

static ARGUMENTS: Shape = Shape {
    expected: "`any` or an object of arguments",
    forms: &[Form::Text(Text::OneOf(&["any"])), Form::Map(&ANY)],
};

/// `any_order` counts calls, the other modes go through a list of them.
pub(crate) fn problem(options: Node<'_>) -> Option<Problem> {
    let mode = options.given("mode")?;
    let needed = match mode.text().as_ref() {
        "any_order" => "minimums",
        _ => "expected",
    };
    if options.given(needed).is_some() {
        return None;
    }
    let message = format!("`{}` needs `{needed}`", mode.text());
    Some(Problem::error(Code::MissingField, mode.span(), message).at(needed))
}

pub(crate) fn build(options: &Options<'_>, _: &Builder) -> Result<Arc<dyn Evaluator>, BuildError> {
    options.required("mode")?;
    let modes = [
        ("any_order", None),
        ("in_order", Some(false)),
        ("exact", Some(true)),
    ];
    let Some(is_exact) = options.one_of("mode", &modes)?.flatten() else {
        options.required("minimums")?;
        let minimums = options.counts("minimums")?.unwrap_or_default();
        let minimums = minimums.into_iter();
        return Ok(evaluator(Minimums(
            minimums
                .map(|(tool, fewest)| (tool.to_owned(), fewest))
                .collect(),
        )));
    };
    options.required("expected")?;
    let expected = options.objects("expected")?.unwrap_or_default();
    let expected = expected.iter().map(ExpectedCall::read);
    let expected = expected.collect::<Result<_, _>>()?;
    Ok(match is_exact {
        true => evaluator(Exact(expected)),
        false => evaluator(InOrder(expected)),
    })
}

/// The evaluation of a target that called no tool at all.
fn no_trace() -> Evaluation {
    let reason = "No trace available for evaluation";
    Evaluation {
        reasoning: Some(reason.to_owned()),
        ..Evaluation::check(false, reason)
    }
}

/// The tool calls, unless there are none.
fn calls<'s>(subject: &Subject<'s>) -> Option<Vec<&'s ToolCall>> {
    let calls: Vec<_> = subject.transcript.tool_calls().collect();
    (!calls.is_empty()).then_some(calls)
}

/// `any_order`: the fewest calls of each tool.
struct Minimums(Vec<(String, u64)>);

impl Check for Minimums {
    fn check(&self, subject: &Subject<'_>) -> Result<Evaluation, EvaluatorError> {
        let Some(calls) = calls(subject) else {
            return Ok(no_trace());
        };
        let mut findings = Findings::default();
        let mut met = 0;
        for (tool, fewest) in &self.0 {
            let called = calls.iter().filter(|call| call.tool == *tool).count() as u64;
            met += usize::from(called >= *fewest);
            findings.add(called >= *fewest, || {
                let tool = quoted(tool);
                format!("{tool} called {}, at least {fewest} wanted", times(called))
            });
        }
        let score = Score::ratio(met as f64, self.0.len() as f64);
        let mut evaluation = findings.evaluation(score);
        evaluation.details = Some(json!({"matched": met, "expected": self.0.len()}));
        Ok(evaluation)
    }
}

fn times(count: u64) -> String {
    match count {
        1 => "once".to_owned(),
        count => format!("{count} times"),
    }
}

/// `in_order`: the expected calls one after the other, others allowed in between.
struct InOrder(Vec<ExpectedCall>);

impl Check for InOrder {
    fn check(&self, subject: &Subject<'_>) -> Result<Evaluation, EvaluatorError> {
        let Some(calls) = calls(subject) else {
            return Ok(no_trace());
        };
        let aligned = alignment::best(&self.0, &calls).map_err(EvaluatorError)?;
        let mut tally = Tally::default();
        for (expected, place) in self.0.iter().zip(aligned) {
            let call = place.map(|place| calls[place]);
            tally.add(expected, call, || match place {
                Some(place) => format!("{expected} found at place {}", place + 1),
                None => format!("{expected} not found in order"),
            });
        }
        Ok(tally.evaluation(self.0.len()))
    }
}

/// `exact`: the expected calls in the expected places, and no others.
struct Exact(Vec<ExpectedCall>);

impl Check for Exact {
    fn check(&self, subject: &Subject<'_>) -> Result<Evaluation, EvaluatorError> {
        let Some(calls) = calls(subject) else {
            return Ok(no_trace());
        };
        let mut tally = Tally::default();
        for (place, expected) in self.0.iter().enumerate() {
            let found = calls.get(place).copied();
            let matched = found.filter(|call| expected.matches(call));
            tally.add(expected, matched, || {
                let at = format!("{expected} at place {}", place + 1);
                match (matched, found) {
                    (Some(_), _) => format!("{at} found"),
                    (None, None) => format!("{at} not found: the calls end before"),
                    (None, Some(call)) if call.tool == expected.tool() => {
                        format!("{at} called with other arguments")
                    }
                    (None, Some(call)) => format!("{at} not found, but {}", quoted(&call.tool)),
                }
            });
        }
        for (place, call) in calls.iter().enumerate().skip(self.0.len()) {
            tally.findings.add(false, || {
                format!("{} at place {} not expected", quoted(&call.tool), place + 1)
            });
        }
        Ok(tally.evaluation(self.0.len().max(calls.len())))
    }
}

/// What was counted on the way through the expected calls.
#[derive(Default)]
struct Tally {
    matched: usize,
    latencies: Latencies,
    findings: Findings,
}

impl Tally {
    /// Counts an expected call and the one that matches it, if one does.
    fn add(
        &mut self,
        expected: &ExpectedCall,
        call: Option<&ToolCall>,
        words: impl FnOnce() -> String,
    ) {
        self.matched += usize::from(call.is_some());
        self.findings.add(call.is_some(), words);
        self.latencies.add(expected, call, &mut self.findings);
    }

    fn evaluation(self, expected: usize) -> Evaluation {
        let latencies = self.latencies;
        let met = self.matched + latencies.met;
        let score = Score::ratio(met as f64, (expected + latencies.counted) as f64);
        let mut evaluation = self.findings.evaluation(score);
        evaluation.details = Some(json!({
            "matched": self.matched,
            "expected": expected,
            "latency_met": latencies.met,
            "latency_counted": latencies.counted,
        }));
        evaluation.reasoning = latencies.warning();
        evaluation
    }
}
