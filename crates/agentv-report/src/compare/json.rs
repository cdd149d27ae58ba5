//! A comparison as one JSON object, for scripts.

use std::collections::HashMap;
use std::io::{self, Write};
use std::sync::Arc;

use agentv_core::{GateOutcome, Status};
use serde::Serialize;

use super::cases::{Case, cases};
use super::comparison::{Comparison, Figures};
use super::labels::label;
use super::matching::{Matching, matching};
use super::pairwise::{Pairwise, RunPair};
use super::run::{ComparedRun, Row};
use super::shown_cases::{ShownCase, ShownCases};
use super::totals::RunTotals;
use crate::Style;
use agentv_statistics::PairOutcome;

const STYLE: Style = Style {
    colour: false,
    width: usize::MAX,
    unicode: true,
};

/// A run in the output.
#[derive(Serialize)]
struct Run<'c> {
    name: &'c str,
    targets: &'c [Arc<str>],
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    unfinished: bool,
    #[serde(skip_serializing_if = "is_zero")]
    damaged_lines: u64,
    totals: &'c RunTotals,
}

#[derive(Serialize)]
struct Matched<'c> {
    eval_file: &'c str,
    eval_id: &'c str,
    trial: u32,
    a: Trial<'c>,
    b: Trial<'c>,
    #[serde(skip_serializing_if = "Option::is_none")]
    delta: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    outcome: Option<PairOutcome>,
    #[serde(skip_serializing_if = "Option::is_none")]
    changed: Option<bool>,
}

#[derive(Serialize)]
struct Trial<'c> {
    target: &'c str,
    status: Status,
    #[serde(skip_serializing_if = "Option::is_none")]
    score: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    reason: Option<&'c str>,
}

#[derive(Serialize)]
struct Unmatched<'c> {
    eval_file: &'c str,
    eval_id: &'c str,
    target: &'c str,
    trial: u32,
    status: Status,
    #[serde(skip_serializing_if = "Option::is_none")]
    score: Option<f64>,
    only_in: &'static str,
}

/// Writes `{"a": …, "b": …, "sentence": …, "summary": …, "targets": …, "evaluators": …, "gate": …,
/// "matched": […], "unmatched": […]}`, one trial per line, sorted by file, case, target and trial.
/// The trials of the shown cases have the reasons of both runs.
pub(super) fn write(
    comparison: &Comparison<'_>,
    showing: &ShownCases,
    gate: &GateOutcome,
    out: &mut dyn Write,
) -> io::Result<()> {
    out.write_all(b"{\"a\":")?;
    serde_json::to_writer(&mut *out, &run(comparison.a))?;
    field(out, "b", &run(comparison.b))?;
    figures(out, &comparison.figures, ["A", "B"])?;
    field(out, "gate", gate)?;
    let shown = showing.losses.iter().chain(&showing.wins);
    let trials = Trials {
        a: comparison.a,
        b: comparison.b,
        matching: &comparison.matching,
        cases: &comparison.cases,
        threshold: comparison.summary().threshold,
        shown: shown.map(|case| (case.trial, case)).collect(),
    };
    trials.write(out)?;
    out.write_all(b"}\n")
}

/// Writes `{"runs": […], "gate": …, "pairs": […]}`; each pair has the fields of a comparison of two
/// runs.
pub(super) fn write_pairwise(
    pairwise: &Pairwise<'_>,
    gate: &GateOutcome,
    out: &mut dyn Write,
) -> io::Result<()> {
    let runs: Vec<_> = pairwise.runs.iter().map(run).collect();
    out.write_all(b"{\"runs\":")?;
    serde_json::to_writer(&mut *out, &runs)?;
    field(out, "gate", gate)?;
    out.write_all(b",\n\"pairs\":[")?;
    let mut before = "\n";
    for pair in &pairwise.pairs {
        out.write_all(before.as_bytes())?;
        before = ",\n";
        write_pair(pairwise, pair, out)?;
    }
    out.write_all(b"\n]}\n")
}

fn write_pair(pairwise: &Pairwise<'_>, pair: &RunPair, out: &mut dyn Write) -> io::Result<()> {
    let (a, b) = (label(pair.a), label(pair.b));
    write!(out, "{{\"a\":\"{a}\",\"b\":\"{b}\"")?;
    match &pair.figures {
        Ok(found) => {
            field(out, "corrected_p_value", &found.summary.p_value)?;
            field(out, "significant", &found.summary.significant)?;
            figures(out, found, [&a, &b])?;
            write_trials(pairwise, pair, found.summary.threshold, out)?;
        }
        Err(nothing) => field(out, "not_compared", &nothing.to_string())?,
    }
    out.write_all(b"}")
}

/// Matches the trials of a pair again, because those of all pairs at once would need too much
/// memory.
fn write_trials(
    pairwise: &Pairwise<'_>,
    pair: &RunPair,
    threshold: f64,
    out: &mut dyn Write,
) -> io::Result<()> {
    let (a, b) = (&pairwise.runs[pair.a], &pairwise.runs[pair.b]);
    let matching = matching(a, b).unwrap_or_default();
    let trials = Trials {
        a,
        b,
        matching: &matching,
        cases: &cases(a, b, &matching),
        threshold,
        shown: HashMap::new(),
    };
    trials.write(out)
}

fn figures(out: &mut dyn Write, figures: &Figures, [a, b]: [&str; 2]) -> io::Result<()> {
    field(out, "sentence", &figures.summary.sentence(a, b, STYLE))?;
    field(out, "summary", &figures.summary)?;
    field(out, "targets", &figures.targets)?;
    field(out, "evaluators", &figures.evaluators)
}

fn field<T: Serialize>(out: &mut dyn Write, name: &str, value: &T) -> io::Result<()> {
    write!(out, ",\n\"{name}\":")?;
    serde_json::to_writer(out, value)?;
    Ok(())
}

fn entry<T: Serialize>(out: &mut dyn Write, before: &mut &str, value: &T) -> io::Result<()> {
    out.write_all(before.as_bytes())?;
    *before = ",\n";
    serde_json::to_writer(out, value)?;
    Ok(())
}

fn run(run: &ComparedRun) -> Run<'_> {
    Run {
        name: run.name(),
        targets: run.targets(),
        unfinished: run.is_unfinished(),
        damaged_lines: run.damaged_lines(),
        totals: run.totals(),
    }
}

/// The trials of two runs.
struct Trials<'c> {
    a: &'c ComparedRun,
    b: &'c ComparedRun,
    matching: &'c Matching,
    cases: &'c [Case],
    threshold: f64,
    /// The cases with reasons, by the trial that shows the difference best.
    shown: HashMap<usize, &'c ShownCase>,
}

impl Trials<'_> {
    /// Writes `"matched": […], "unmatched": […]`.
    fn write(&self, out: &mut dyn Write) -> io::Result<()> {
        out.write_all(b",\n\"matched\":[")?;
        let mut before = "\n";
        for case in self.cases {
            for trial in case.trials.clone() {
                entry(out, &mut before, &self.matched(case, trial))?;
            }
        }
        out.write_all(b"\n],\n\"unmatched\":[")?;
        let mut before = "\n";
        let sides = [
            ("a", self.a, &self.matching.only_a),
            ("b", self.b, &self.matching.only_b),
        ];
        for (only_in, run, places) in sides {
            for place in places {
                entry(out, &mut before, &unmatched(&run.rows[*place], only_in))?;
            }
        }
        out.write_all(b"\n]")
    }

    fn matched(&self, case: &Case, trial: usize) -> Matched<'_> {
        let (a, b) = self.matching.matched[trial];
        let (a, b) = (&self.a.rows[a], &self.b.rows[b]);
        let delta = a.score().zip(b.score()).map(|(a, b)| b - a);
        let shown = self.shown.get(&trial);
        Matched {
            eval_file: &b.file,
            eval_id: &b.id,
            trial: b.trial,
            a: side(a, shown.and_then(|case| case.a.reason.as_deref())),
            b: side(b, shown.and_then(|case| case.b.reason.as_deref())),
            delta,
            outcome: delta.map(|delta| PairOutcome::of(delta, self.threshold)),
            changed: case.changed,
        }
    }
}

fn side<'c>(row: &'c Row, reason: Option<&'c str>) -> Trial<'c> {
    Trial {
        target: &row.target,
        status: row.share.status,
        score: row.score(),
        reason,
    }
}

fn unmatched<'c>(row: &'c Row, only_in: &'static str) -> Unmatched<'c> {
    Unmatched {
        eval_file: &row.file,
        eval_id: &row.id,
        target: &row.target,
        trial: row.trial,
        status: row.share.status,
        score: row.score(),
        only_in,
    }
}

fn is_zero(number: &u64) -> bool {
    *number == 0
}
