//! A comparison in one JSON object, for scripts.

use std::io::{self, Write};
use std::sync::Arc;

use agentv_core::{GateOutcome, Status};
use serde::Serialize;
use serde_json::json;

use super::cases::Case;
use super::comparison::Comparison;
use super::families::Member;
use super::named::label;
use super::pairwise::{Pairwise, RunPair};
use super::run::{ComparedRun, Row};
use super::totals::RunTotals;
use crate::statistics::Outcome;

/// What is said of a run.
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
    outcome: Option<Outcome>,
    #[serde(skip_serializing_if = "Option::is_none")]
    changed: Option<bool>,
}

#[derive(Serialize)]
struct Trial<'c> {
    target: &'c str,
    status: Status,
    #[serde(skip_serializing_if = "Option::is_none")]
    score: Option<f64>,
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

/// `{"a": …, "b": …, "summary": …, "targets": …, "evaluators": …, "gate": …, "matched": […],
/// "unmatched": […]}`, a trial a line, in the order of file, case, target and trial.
pub(super) fn write(
    comparison: &Comparison<'_>,
    gate: &GateOutcome,
    out: &mut dyn Write,
) -> io::Result<()> {
    out.write_all(b"{\"a\":")?;
    serde_json::to_writer(&mut *out, &run(comparison.a))?;
    field(out, "b", &run(comparison.b))?;
    members(out, comparison)?;
    field(out, "gate", gate)?;
    out.write_all(b",\n\"matched\":[")?;
    let mut before = "\n";
    for case in &comparison.cases {
        for trial in case.trials.clone() {
            entry(out, &mut before, &matched(comparison, case, trial))?;
        }
    }
    out.write_all(b"\n],\n\"unmatched\":[")?;
    let mut before = "\n";
    let sides = [
        ("a", comparison.a, &comparison.matching.only_a),
        ("b", comparison.b, &comparison.matching.only_b),
    ];
    for (only_in, run, places) in sides {
        for place in places {
            entry(out, &mut before, &unmatched(&run.rows[*place], only_in))?;
        }
    }
    out.write_all(b"\n]}\n")
}

/// `{"runs": […], "pairs": […], "gate": …}`, a pair a line.
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
        write_pair(pair, out)?;
    }
    out.write_all(b"\n]}\n")
}

fn write_pair(pair: &RunPair<'_>, out: &mut dyn Write) -> io::Result<()> {
    let (a, b) = (label(pair.a), label(pair.b));
    write!(out, "{{\"a\":\"{a}\",\"b\":\"{b}\"")?;
    match &pair.comparison {
        Ok(comparison) => {
            field(out, "corrected_p_value", &pair.corrected_p_value)?;
            field(out, "significant", &pair.is_significant())?;
            members(out, comparison)?;
        }
        Err(nothing) => field(out, "not_compared", &nothing.to_string())?,
    }
    out.write_all(b"}")
}

fn members(out: &mut dyn Write, comparison: &Comparison<'_>) -> io::Result<()> {
    field(out, "summary", comparison.summary())?;
    let families: [(&str, &[Member]); 2] = [
        ("targets", comparison.targets()),
        ("evaluators", comparison.evaluators()),
    ];
    for (name, family) in families {
        field(out, name, &json!(family))?;
    }
    Ok(())
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

fn matched<'c>(comparison: &'c Comparison<'_>, case: &Case, trial: usize) -> Matched<'c> {
    let (a, b) = comparison.rows(trial);
    let delta = a.score().zip(b.score()).map(|(a, b)| b - a);
    Matched {
        eval_file: &b.file,
        eval_id: &b.id,
        trial: b.trial,
        a: side(a),
        b: side(b),
        delta,
        outcome: delta.map(|delta| Outcome::of(delta, comparison.summary().threshold)),
        changed: case.changed,
    }
}

fn side(row: &Row) -> Trial<'_> {
    Trial {
        target: &row.target,
        status: row.share.status,
        score: row.score(),
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
