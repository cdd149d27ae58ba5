//! The history of runs in a terminal.

use super::columns::{Cell, Column, table};
use super::listing::{column, errors, first_and_others, notes, rate, score, trials, when};
use super::{RunLine, plot};
use crate::style::{Paint, Style};

const COLUMNS: [Column; 8] = [
    column("run", false, None, 6),
    column("when", false, None, 0),
    column("target", false, Some(8), 4),
    column("trials", true, None, 5),
    column("passed", true, None, 0),
    column("score", true, None, 1),
    column("errors", true, None, 2),
    column("note", false, Some(10), 3),
];

/// Renders the runs, oldest first, as a table and a plot of their pass rates and mean scores.
pub fn render_trend(runs: &[RunLine], style: Style) -> String {
    let rows: Vec<Vec<Cell>> = runs.iter().map(|run| row(run, style)).collect();
    let mut text = table(&COLUMNS, &rows, style);
    let plot = plot::plot(runs, style);
    if !plot.is_empty() {
        text.push('\n');
        text.push_str(&plot);
    }
    text
}

fn row(run: &RunLine, style: Style) -> Vec<Cell> {
    vec![
        Cell::plain(crate::text::one_line(&run.id)),
        Cell::new(Paint::Faint, when(run)),
        Cell::plain(first_and_others(&run.targets)),
        trials(run),
        rate(run),
        score(run),
        errors(run),
        Cell::new(Paint::Faint, notes(run).join(style.separator())),
    ]
}
