//! A comparison as a text for people.

use agentv_core::GateOutcome;

use super::comparison::{Comparison, Figures};
use super::families::Member;
use super::labels::label;
use super::pairwise::Pairwise;
use super::run::ComparedRun;
use super::shown_cases::{ShownCase, ShownCases};
use super::wording::{self, PairLine};
use crate::figures::count;
use crate::render::gate_sentence;
use crate::render::page::{Page, Piece, Row};
use crate::style::{Paint, Style};
use crate::text::{one_line, padded, width};
use agentv_statistics::PairOutcome;

/// Renders two runs: the difference in a sentence, the figures of both, and the cases that differ
/// most.
pub(super) fn of_two(
    comparison: &Comparison<'_>,
    showing: &ShownCases,
    gates: &[GateOutcome],
    style: Style,
) -> String {
    let summary = comparison.summary();
    let mut page = Page::new(style);
    let scores = summary.scores.as_ref().filter(|scores| scores.significant);
    let paint_of_all = scores.and_then(|scores| scores.mean_delta).map(paint);
    let sentence = comparison.figures.sentence("A", "B", style);
    page.paragraph(paint_of_all.unwrap_or(Paint::Strong), &sentence);
    page.gap();
    targets(&mut page, &comparison.figures, ["A", "B"]);
    run(&mut page, "A", comparison.a);
    run(&mut page, "B", comparison.b);
    page.gap();
    page.figures("matched", &plain(wording::matched(summary, ["A", "B"])));
    if let Some(judges) = &summary.different_judges {
        page.sentence("judges", Paint::Nearly, &judges.in_words(["A", "B"]));
    }
    page.figures("B has", &plain(wording::outcomes(summary)));
    for (target, parts) in wording::statistics(&comparison.figures, style) {
        let parts = target.map(one_line).into_iter().chain(parts);
        page.figures("statistics", &plain(parts.collect()));
    }
    for gate in gates {
        gate_sentence(&mut page, gate);
    }
    family(&mut page, "targets", comparison.targets());
    if comparison.evaluators().len() > 1 {
        family(&mut page, "evaluators", comparison.evaluators());
    }
    cases(&mut page, "B is worse in", &showing.losses);
    cases(&mut page, "B is better in", &showing.wins);
    let lists = wording::outside(comparison, ["A", "B"]);
    if !lists.is_empty() {
        page.gap();
    }
    for (title, names, more) in lists {
        page.paragraph(Paint::Strong, &title);
        let mut pieces = plain(names);
        if more > 0 {
            pieces.push(Piece::plain(format!("{} more", count(more as u64))));
        }
        page.indented(&pieces);
    }
    page.finish()
}

/// Renders several runs: the figures of each, and the difference of every two.
pub(super) fn of_several(pairwise: &Pairwise<'_>, gates: &[GateOutcome], style: Style) -> String {
    let mut page = Page::new(style);
    let last = label(pairwise.runs.len().saturating_sub(1));
    if let Some(Ok(ends)) = pairwise.ends().map(|pair| &pair.figures) {
        page.paragraph(Paint::Strong, &ends.sentence("A", &last, style));
        page.gap();
        targets(&mut page, ends, ["A", &last]);
    }
    for (index, compared) in pairwise.runs.iter().enumerate() {
        run(&mut page, &label(index), compared);
    }
    page.gap();
    for (runs, judges) in pairwise.different_judges() {
        let runs = [&*runs[0], &*runs[1]];
        page.sentence("judges", Paint::Nearly, &judges.in_words(runs));
    }
    for gate in gates {
        gate_sentence(&mut page, gate);
    }
    page.gap();
    page.paragraph(
        Paint::Strong,
        "mean score of each run minus that of each earlier run",
    );
    let matrix = matrix(pairwise, style);
    // If it does not fit, the list of pairs has the same information.
    if matrix.iter().all(|line| width(line) + 2 <= style.width) {
        for line in matrix {
            page.indented(&[Piece::plain(line)]);
        }
        page.gap();
    }
    let pairs = pairwise
        .pairs
        .iter()
        .flat_map(|pair| wording::pair(pair, style));
    let pairs: Vec<PairLine> = pairs.collect();
    let by_target = pairs.iter().any(|line| line.target.is_some());
    let (heads, told): (Vec<_>, Vec<_>) = pairs
        .into_iter()
        .map(|line| {
            let mut head = vec![line.runs];
            head.extend(by_target.then(|| line.target.unwrap_or_default()));
            head.push(line.difference);
            (head, [line.wins, line.p_value])
        })
        .unzip();
    for (head, told) in in_columns(heads.into_iter()).into_iter().zip(told) {
        let told = told.into_iter().filter(|told| !told.is_empty());
        let pieces: Vec<Piece> = std::iter::once(head)
            .chain(told)
            .map(Piece::plain)
            .collect();
        page.indented(&pieces);
    }
    page.paragraph(
        Paint::Faint,
        "* significant, corrected for the number of pairs",
    );
    page.finish()
}

/// Renders one line per run except the first, and one column per baseline.
fn matrix(pairwise: &Pairwise<'_>, style: Style) -> Vec<String> {
    let runs = pairwise.runs.len();
    let mut rows = vec![vec![String::new(); runs]];
    for (a, column) in rows[0].iter_mut().skip(1).enumerate() {
        *column = format!("{} {}", style.minus(), label(a));
    }
    for b in 1..runs {
        let mut row = vec![label(b)];
        row.extend((0..b).map(|a| {
            let pair = pairwise.pair(a, b);
            pair.map(|pair| wording::cell(pair, style, one_line))
                .unwrap_or_default()
        }));
        rows.push(row);
    }
    let lines = in_columns(rows.into_iter()).into_iter();
    lines.map(|line| line.trim_end().to_owned()).collect()
}

/// Renders rows of cells, with columns as wide as their widest cell.
fn in_columns(rows: impl Iterator<Item = Vec<String>>) -> Vec<String> {
    let rows: Vec<Vec<String>> = rows.collect();
    let columns = rows.iter().map(Vec::len).max().unwrap_or_default();
    let wide = |column: usize| {
        let cells = rows.iter().filter_map(|row| row.get(column));
        cells.map(|cell| width(cell)).max().unwrap_or_default()
    };
    let widths: Vec<usize> = (0..columns).map(wide).collect();
    rows.iter()
        .map(|row| {
            let cells = row.iter().zip(&widths);
            let cells: Vec<String> = cells.map(|(cell, width)| padded(cell, *width)).collect();
            cells.join("  ")
        })
        .collect()
}

/// Writes the result of each target, if runs have several.
fn targets(page: &mut Page, figures: &Figures, [a, b]: [&str; 2]) {
    let style = page.style();
    let sentences: Vec<_> = figures.sentences(a, b, style).collect();
    for (target, sentence) in &sentences {
        let paint = if target.significant {
            paint(target.mean_delta)
        } else {
            Paint::Plain
        };
        let text = format!("{}: {sentence}", one_line(&target.name));
        page.paragraph(paint, &text);
    }
    if !sentences.is_empty() {
        page.gap();
    }
}

fn run(page: &mut Page, label: &str, run: &ComparedRun) {
    let targets: Vec<String> = run.targets().iter().map(|name| one_line(name)).collect();
    let name = Piece::new(Paint::Strong, one_line(run.name()));
    let mut pieces = vec![name, Piece::plain(targets.join(", "))];
    pieces.extend(plain(wording::totals(run)));
    page.figures(label, &pieces);
}

fn plain(texts: Vec<String>) -> Vec<Piece> {
    texts.into_iter().map(Piece::plain).collect()
}

fn paint(delta: f64) -> Paint {
    match PairOutcome::of(delta, 0.0) {
        PairOutcome::Win => Paint::Good,
        PairOutcome::Loss => Paint::Bad,
        PairOutcome::Tie => Paint::Plain,
    }
}

fn family(page: &mut Page, title: &str, members: &[Member]) {
    if members.is_empty() {
        return;
    }
    let style = page.style();
    let rows: Vec<Row> = members
        .iter()
        .map(|member| Row {
            figure: Piece::new(
                if member.significant {
                    paint(member.mean_delta)
                } else {
                    Paint::Plain
                },
                wording::delta(member.mean_delta, style),
            ),
            name: wording::member_name(member),
            remark: Some(wording::member(member, style)),
        })
        .collect();
    page.gap();
    page.rows(title, &rows);
}

fn cases(page: &mut Page, title: &str, cases: &[ShownCase]) {
    if cases.is_empty() {
        return;
    }
    page.gap();
    page.paragraph(Paint::Strong, title);
    let style = page.style();
    for case in cases {
        let mut pieces = vec![
            Piece::new(paint(case.delta), wording::delta(case.delta, style)),
            Piece::new(Paint::Strong, case.name.clone()),
            Piece::plain(format!(
                "{} {} {}",
                case.a.shown_score,
                wording::arrow(style),
                case.b.shown_score
            )),
            Piece::plain(format!(
                "{} {} {}",
                case.a.verdict,
                wording::arrow(style),
                case.b.verdict
            )),
        ];
        if case.a.trials > 1 || case.b.trials > 1 {
            let trials = wording::trials([case.a.trials, case.b.trials].map(|count| count as u64));
            pieces.push(Piece::plain(format!("mean of {trials}")));
        }
        if case.changed == Some(true) {
            pieces.push(Piece::new(Paint::Nearly, "the case has changed"));
        }
        page.indented(&pieces);
        for (label, side) in [("A", &case.a), ("B", &case.b)] {
            if let Some(reason) = &side.reason {
                let text = format!("  {label}: {}", one_line(reason));
                page.indented(&[Piece::new(Paint::Faint, text)]);
            }
        }
    }
}
