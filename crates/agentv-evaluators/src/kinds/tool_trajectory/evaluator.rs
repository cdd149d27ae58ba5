//! The evaluators of the modes of `tool_trajectory`.

use std::sync::Arc;

use agentv_core::{Evaluation, Evaluator, EvaluatorError, Score, Subject, ToolCall};
use serde_json::json;

use super::alignment;
use super::expected::{Compared, ExpectedCall};
use super::latency::Latencies;
use crate::builder::Builder;
use crate::check::{Check, evaluator};
use crate::error::{BuildError, could_not_judge};
use crate::options::Options;
use crate::words::{Findings, quoted};

pub(super) fn build(options: &Options<'_>, _: &Builder) -> Result<Arc<dyn Evaluator>, BuildError> {
    options.required("mode")?;
    let modes = [
        ("any_order", None),
        ("in_order", Some(Mode::InOrder)),
        ("exact", Some(Mode::Exact)),
        ("superset", Some(Mode::Superset)),
        ("subset", Some(Mode::Subset)),
    ];
    let Some(mode) = options.one_of("mode", &modes)?.flatten() else {
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
    let compared = Compared::read(options)?;
    let expected = expected
        .iter()
        .map(|call| ExpectedCall::read(call, compared.as_ref()));
    let expected = expected.collect::<Result<_, _>>()?;
    Ok(match mode {
        Mode::InOrder => evaluator(InOrder(expected)),
        Mode::Exact => evaluator(Exact(expected)),
        Mode::Superset => evaluator(Superset(expected)),
        Mode::Subset => evaluator(Subset(expected)),
    })
}

/// A mode that has expected calls.
#[derive(Clone, Copy)]
enum Mode {
    InOrder,
    Exact,
    Superset,
    Subset,
}

/// Returns the tool calls that the target made.
fn calls<'s>(subject: &Subject<'s>) -> Vec<&'s ToolCall> {
    subject.transcript.tool_calls().collect()
}

/// Returns the share of expectations that were met. With nothing expected, everything is met.
fn share(met: usize, expected: usize) -> Score {
    if expected == 0 {
        Score::ONE
    } else {
        Score::ratio(met as f64, expected as f64)
    }
}

/// The finding of an evaluator that expects nothing.
const NOTHING_EXPECTED: &str = "no calls are expected";

/// `any_order`: the minimum number of calls of each tool.
struct Minimums(Vec<(String, u64)>);

impl Check for Minimums {
    fn check(&self, subject: &Subject<'_>) -> Result<Evaluation, EvaluatorError> {
        let calls = calls(subject);
        let mut findings = Findings::default();
        let mut met = 0;
        if self.0.is_empty() {
            findings.add(true, || NOTHING_EXPECTED.to_owned());
        }
        for (tool, fewest) in &self.0 {
            let called = calls.iter().filter(|call| call.tool == *tool).count() as u64;
            met += usize::from(called >= *fewest);
            findings.add(called >= *fewest, || {
                let tool = quoted(tool);
                format!(
                    "{tool} called {}, expected at least {fewest}",
                    times(called)
                )
            });
        }
        let mut evaluation = findings.evaluation(share(met, self.0.len()));
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

/// `in_order`: the expected calls in order, with others allowed in between.
struct InOrder(Vec<ExpectedCall>);

impl Check for InOrder {
    fn check(&self, subject: &Subject<'_>) -> Result<Evaluation, EvaluatorError> {
        let calls = calls(subject);
        let aligned = alignment::best(&self.0, &calls).map_err(could_not_judge)?;
        let mut tally = Tally::default();
        for (expected, place) in self.0.iter().zip(aligned) {
            let call = place.map(|place| calls[place]);
            tally.add(expected, call, || match place {
                Some(place) => format!("{expected} found at position {}", place + 1),
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
        let calls = calls(subject);
        let mut tally = Tally::default();
        for (place, expected) in self.0.iter().enumerate() {
            let found = calls.get(place).copied();
            let matched = found.filter(|call| expected.matches(call));
            tally.add(expected, matched, || {
                let at = format!("{expected} at position {}", place + 1);
                match (matched, found) {
                    (Some(_), _) => format!("{at} found"),
                    (None, None) => format!("{at} not found: there are fewer calls"),
                    (None, Some(call)) if expected.has_tool(call) => {
                        format!("{at} called with other arguments")
                    }
                    (None, Some(call)) => format!("{at} not found, found {}", quoted(&call.tool)),
                }
            });
        }
        for (place, call) in calls.iter().enumerate().skip(self.0.len()) {
            tally.findings.add(false, || {
                format!(
                    "{} at position {} not expected",
                    quoted(&call.tool),
                    place + 1
                )
            });
        }
        Ok(tally.evaluation(self.0.len().max(calls.len())))
    }
}

/// `superset`: the expected calls, each another one, in any order, with others allowed.
struct Superset(Vec<ExpectedCall>);

impl Check for Superset {
    fn check(&self, subject: &Subject<'_>) -> Result<Evaluation, EvaluatorError> {
        let mut calls: Vec<Option<&ToolCall>> = calls(subject).into_iter().map(Some).collect();
        let mut tally = Tally::default();
        for expected in &self.0 {
            let fits = |call: &&mut Option<&ToolCall>| call.is_some_and(|it| expected.matches(it));
            let found = calls.iter_mut().find(fits).and_then(Option::take);
            tally.add(expected, found, || match found {
                Some(_) => format!("{expected} found"),
                None => format!("{expected} not found"),
            });
        }
        Ok(tally.evaluation(self.0.len()))
    }
}

/// `subset`: no calls but the expected ones, any number of times.
struct Subset(Vec<ExpectedCall>);

impl Check for Subset {
    fn check(&self, subject: &Subject<'_>) -> Result<Evaluation, EvaluatorError> {
        let calls = calls(subject);
        let mut findings = Findings::default();
        let mut met = 0;
        if calls.is_empty() {
            findings.add(true, || "no calls were made".to_owned());
        }
        for (place, call) in calls.iter().enumerate() {
            let is_allowed = self.0.iter().any(|expected| expected.matches(call));
            met += usize::from(is_allowed);
            findings.add(is_allowed, || {
                let at = format!("{} at position {}", quoted(&call.tool), place + 1);
                let is = if is_allowed { "allowed" } else { "not allowed" };
                format!("{at} is {is}")
            });
        }
        let mut evaluation = findings.evaluation(share(met, calls.len()));
        evaluation.details = Some(json!({"matched": met, "expected": calls.len()}));
        Ok(evaluation)
    }
}

/// The counts over the expected calls.
#[derive(Default)]
struct Tally {
    matched: usize,
    latencies: Latencies,
    findings: Findings,
}

impl Tally {
    /// Counts an expected call and its match, if there is one.
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

    fn evaluation(mut self, expected: usize) -> Evaluation {
        let latencies = self.latencies;
        let met = self.matched + latencies.met;
        let score = share(met, expected + latencies.counted);
        if expected == 0 {
            self.findings.add(true, || NOTHING_EXPECTED.to_owned());
        }
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
