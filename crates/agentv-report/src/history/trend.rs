//! The history of runs in a terminal.

use super::columns::{Cell, Column, table};
use super::listing::{
    column, errors, first_and_others, interval, notes, rate, score, trials, when,
};
use super::{RunLine, plot};
use crate::style::{Paint, Style};

const COLUMNS: [Column; 9] = [
    column("run", false, None, 6),
    column("when", false, None, 0),
    column("target", false, Some(8), 4),
    column("trials", true, None, 5),
    column("passed", true, None, 0),
    column("95% interval", true, None, 7),
    column("score", true, None, 1),
    column("errors", true, None, 2),
    column("note", false, Some(10), 3),
];

/// Renders the runs, oldest first, as a table and a plot of the pass rates and mean scores of each
/// target.
pub fn render_trend(runs: &[RunLine], style: Style) -> String {
    let rows: Vec<Vec<Cell>> = runs.iter().map(|run| row(run, style)).collect();
    let mut text = table(&COLUMNS, &rows, style);
    let targets = by_target(runs);
    for (target, runs) in &targets {
        let plot = plot::plot(runs, style);
        if plot.is_empty() {
            continue;
        }
        text.push('\n');
        if targets.len() > 1 {
            text.push_str(&style.paint(Paint::Strong, target));
            text.push('\n');
        }
        text.push_str(&plot);
    }
    text
}

/// Groups lines by target, in the order of their first runs. Figures of different targets do not form a
/// line.
pub(super) fn by_target(runs: &[RunLine]) -> Vec<(String, Vec<RunLine>)> {
    let mut targets: Vec<(String, Vec<RunLine>)> = Vec::new();
    for run in runs {
        let name = first_and_others(&run.targets);
        match targets.iter_mut().find(|(target, _)| *target == name) {
            Some((_, lines)) => lines.push(run.clone()),
            None => targets.push((name, vec![run.clone()])),
        }
    }
    targets
}

fn row(run: &RunLine, style: Style) -> Vec<Cell> {
    vec![
        Cell::plain(crate::text::one_line(&run.id)),
        Cell::new(Paint::Faint, when(run)),
        Cell::plain(first_and_others(&run.targets)),
        trials(run),
        rate(run),
        interval(run),
        score(run),
        errors(run),
        Cell::new(Paint::Faint, notes(run).join(style.separator())),
    ]
}
