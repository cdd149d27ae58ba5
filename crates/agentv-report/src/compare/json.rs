//! A comparison as one JSON object, for scripts.

use std::collections::{BTreeMap, HashMap};
use std::io::{self, Write};
use std::sync::Arc;

use agentv_core::{GateOutcome, Status};
use serde::Serialize;

use super::cases::{Case, cases, mean_score};
use super::comparison::{Comparison, Figures};
use super::labels::label;
use super::matching::{Matching, matching};
use super::pairwise::{Pairwise, RunPair};
use super::run::{ComparedRun, Row};
use super::shown_cases::{ShownCase, ShownCases};
use super::totals::RunTotals;
use crate::Style;
use crate::summary::Statuses;
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
    /// The file of the first run, if it had another name.
    #[serde(skip_serializing_if = "Option::is_none")]
    renamed_from: Option<&'c str>,
    eval_id: &'c str,
    a: Side<'c>,
    b: Side<'c>,
    #[serde(skip_serializing_if = "Option::is_none")]
    delta: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    outcome: Option<PairOutcome>,
    #[serde(skip_serializing_if = "Option::is_none")]
    changed: Option<bool>,
}

/// A case in one run.
#[derive(Serialize)]
struct Side<'c> {
    target: &'c str,
    trials: usize,
    /// The status of its trials, if all have the same.
    #[serde(skip_serializing_if = "Option::is_none")]
    status: Option<Status>,
    /// The number of trials by status, if they differ.
    #[serde(skip_serializing_if = "Option::is_none")]
    statuses: Option<Statuses>,
    #[serde(skip_serializing_if = "Option::is_none")]
    score: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    reason: Option<&'c str>,
}

#[derive(Serialize)]
struct Unmatched<'c> {
    eval_file: &'c str,
    eval_id: &'c str,
    #[serde(flatten)]
    side: Side<'c>,
    only_in: &'static str,
}

/// Writes `{"a": …, "b": …, "sentence": …, "summary": …, "targets": …, "evaluators": …, "gate": …,
/// "gates": […], "matched": […], "unmatched": […]}`, one case per line, sorted by file, case and
/// target. The shown cases have the reasons of both runs.
pub(super) fn write(
    comparison: &Comparison<'_>,
    showing: &ShownCases,
    gates: &[GateOutcome],
    out: &mut dyn Write,
) -> io::Result<()> {
    out.write_all(b"{\"a\":")?;
    serde_json::to_writer(&mut *out, &run(comparison.a))?;
    field(out, "b", &run(comparison.b))?;
    figures(out, &comparison.figures, ["A", "B"])?;
    write_gates(out, gates)?;
    let shown = showing.losses.iter().chain(&showing.wins);
    let cases = Cases {
        a: comparison.a,
        b: comparison.b,
        matching: &comparison.matching,
        cases: &comparison.cases,
        threshold: comparison.summary().threshold,
        shown: shown.map(|case| (case.index, case)).collect(),
    };
    cases.write(out)?;
    out.write_all(b"}\n")
}

/// Writes the gates, and the first of them also by itself.
fn write_gates(out: &mut dyn Write, gates: &[GateOutcome]) -> io::Result<()> {
    if let Some(first) = gates.first() {
        field(out, "gate", first)?;
    }
    field(out, "gates", &gates)
}

/// Writes `{"runs": […], "gate": …, "gates": […], "pairs": […]}`; each pair has the fields of a comparison of two
/// runs.
pub(super) fn write_pairwise(
    pairwise: &Pairwise<'_>,
    gates: &[GateOutcome],
    out: &mut dyn Write,
) -> io::Result<()> {
    let runs: Vec<_> = pairwise.runs.iter().map(run).collect();
    out.write_all(b"{\"runs\":")?;
    serde_json::to_writer(&mut *out, &runs)?;
    write_gates(out, gates)?;
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
    write_pair_figures(pair, out)?;
    if let Ok(found) = &pair.figures {
        write_cases(pairwise, pair, found.summary.threshold, out)?;
    }
    out.write_all(b"}")
}

/// Writes the fields of a pair without its cases; the object is not closed.
fn write_pair_figures(pair: &RunPair, out: &mut dyn Write) -> io::Result<()> {
    let (a, b) = (label(pair.a), label(pair.b));
    write!(out, "{{\"a\":\"{a}\",\"b\":\"{b}\"")?;
    match &pair.figures {
        Ok(found) => {
            if let Some(scores) = &found.summary.scores {
                field(out, "corrected_p_value", &scores.p_value)?;
                field(out, "significant", &scores.significant)?;
            }
            figures(out, found, [&a, &b])
        }
        Err(nothing) => field(out, "not_compared", &nothing.to_string()),
    }
}

/// Returns the figures of a pair as [`write_pairwise`] writes them.
pub(super) fn pair_value(pair: &RunPair) -> serde_json::Value {
    let mut bytes = Vec::new();
    let written = write_pair_figures(pair, &mut bytes).and_then(|()| bytes.write_all(b"}"));
    let value = written
        .ok()
        .and_then(|()| serde_json::from_slice(&bytes).ok());
    value.unwrap_or_default()
}

/// Returns the facts about a run as [`write_pairwise`] writes them.
pub(super) fn run_value(compared: &ComparedRun) -> serde_json::Value {
    serde_json::to_value(run(compared)).unwrap_or_default()
}

/// Matches the cases of a pair again, because those of all pairs at once would need too much
/// memory.
fn write_cases(
    pairwise: &Pairwise<'_>,
    pair: &RunPair,
    threshold: f64,
    out: &mut dyn Write,
) -> io::Result<()> {
    let (a, b) = (&pairwise.runs[pair.a], &pairwise.runs[pair.b]);
    let matching = matching(a, b).unwrap_or_default();
    let cases = Cases {
        a,
        b,
        matching: &matching,
        cases: &cases(a, b, &matching),
        threshold,
        shown: HashMap::new(),
    };
    cases.write(out)
}

fn figures(out: &mut dyn Write, figures: &Figures, [a, b]: [&str; 2]) -> io::Result<()> {
    field(out, "sentence", &figures.sentence(a, b, STYLE))?;
    let sentences = figures.sentences(a, b, STYLE);
    let sentences = sentences.map(|(target, sentence)| (target.name.clone(), sentence));
    let sentences: BTreeMap<String, String> = sentences.collect();
    if !sentences.is_empty() {
        field(out, "sentences", &sentences)?;
    }
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

/// The cases of two runs.
struct Cases<'c> {
    a: &'c ComparedRun,
    b: &'c ComparedRun,
    matching: &'c Matching,
    cases: &'c [Case],
    threshold: f64,
    /// The cases with reasons, by their index.
    shown: HashMap<usize, &'c ShownCase>,
}

impl Cases<'_> {
    /// Writes `"matched": […], "unmatched": […]`.
    fn write(&self, out: &mut dyn Write) -> io::Result<()> {
        out.write_all(b",\n\"matched\":[")?;
        let mut before = "\n";
        for (index, case) in self.cases.iter().enumerate() {
            entry(out, &mut before, &self.matched(index, case))?;
        }
        out.write_all(b"\n],\n\"unmatched\":[")?;
        let mut before = "\n";
        let sides = [
            ("a", self.a, &self.matching.only_a),
            ("b", self.b, &self.matching.only_b),
        ];
        for (only_in, run, cases) in sides {
            for case in cases {
                let rows = &run.rows[case.clone()];
                entry(out, &mut before, &unmatched(rows, only_in))?;
            }
        }
        out.write_all(b"\n]")
    }

    fn matched(&self, index: usize, case: &Case) -> Matched<'_> {
        let (a, b) = (&self.a.rows[case.a.clone()], &self.b.rows[case.b.clone()]);
        let delta = case.delta();
        let shown = self.shown.get(&index);
        Matched {
            eval_file: &b[0].file,
            renamed_from: case.is_renamed.then_some(&*a[0].file),
            eval_id: &b[0].id,
            a: side(a, shown.and_then(|case| case.a.reason.as_deref())),
            b: side(b, shown.and_then(|case| case.b.reason.as_deref())),
            delta,
            outcome: delta.map(|delta| PairOutcome::of(delta, self.threshold)),
            changed: case.changed,
        }
    }
}

fn side<'c>(rows: &'c [Row], reason: Option<&'c str>) -> Side<'c> {
    let mut statuses = Statuses::default();
    rows.iter().for_each(|row| statuses.add(row.share.status));
    let first = rows[0].share.status;
    let is_same = rows.iter().all(|row| row.share.status == first);
    Side {
        target: &rows[0].target,
        trials: rows.len(),
        status: is_same.then_some(first),
        statuses: (!is_same).then_some(statuses),
        score: mean_score(rows),
        reason,
    }
}

fn unmatched<'c>(rows: &'c [Row], only_in: &'static str) -> Unmatched<'c> {
    Unmatched {
        eval_file: &rows[0].file,
        eval_id: &rows[0].id,
        side: side(rows, None),
        only_in,
    }
}

fn is_zero(number: &u64) -> bool {
    *number == 0
}
