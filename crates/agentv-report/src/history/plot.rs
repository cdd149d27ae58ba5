//! Pass rates and mean scores, plotted with characters.

use super::RunLine;
use super::listing::when;
use crate::style::{Paint, Style};
use crate::text::width;

/// The number of lines of the plot.
const HEIGHT: usize = 11;
/// The number of columns before the axis.
const LABEL: usize = 5;
/// The largest number of columns between two runs.
const WIDEST_STEP: usize = 4;

/// The characters of the plot.
struct Letters {
    rate: char,
    score: char,
    both: char,
    tick: char,
    axis: char,
    corner: char,
    floor: char,
}

const UNICODE: Letters = Letters {
    rate: '●',
    score: '○',
    both: '◆',
    tick: '┤',
    axis: '│',
    corner: '└',
    floor: '─',
};

const ASCII: Letters = Letters {
    rate: '*',
    score: 'o',
    both: '#',
    tick: '+',
    axis: '|',
    corner: '+',
    floor: '-',
};

/// Draws a point for each run, as many of the newest as fit; nothing if no run has a grade.
pub(super) fn plot(runs: &[RunLine], style: Style) -> String {
    let letters = if style.unicode { &UNICODE } else { &ASCII };
    let room = style.width.saturating_sub(LABEL + 2).max(1);
    let runs = &runs[runs.len().saturating_sub(room)..];
    let figures = runs
        .iter()
        .flat_map(|run| [run.pass_rate, run.mean_score])
        .flatten();
    let Some(range) = Range::of(figures) else {
        return String::new();
    };
    let step = (room / runs.len().max(1)).clamp(1, WIDEST_STEP);
    let mut text = String::new();
    for line in 0..HEIGHT {
        let label = range.label(line);
        let axis = if label.is_empty() {
            letters.axis
        } else {
            letters.tick
        };
        text.push_str(&format!("{label:>LABEL$} {axis}"));
        let points: String = runs
            .iter()
            .map(|run| {
                let letter = letter(run, line, range, letters);
                format!("{letter}{}", " ".repeat(step - 1))
            })
            .collect();
        text.push_str(points.trim_end());
        text.push('\n');
    }
    let drawn = runs.len() * step;
    text.push_str(&" ".repeat(LABEL + 1));
    text.push(letters.corner);
    text.extend(std::iter::repeat_n(letters.floor, drawn));
    text.push('\n');
    text.push_str(&days(runs, drawn, room));
    text.push_str(&legend(letters, style));
    text
}

fn letter(run: &RunLine, line: usize, range: Range, letters: &Letters) -> char {
    let is_here = |figure: Option<f64>| figure.is_some_and(|figure| range.line(figure) == line);
    match (is_here(run.pass_rate), is_here(run.mean_score)) {
        (true, true) => letters.both,
        (true, false) => letters.rate,
        (false, true) => letters.score,
        (false, false) => ' ',
    }
}

/// Returns the legend, if there is room for it.
fn legend(letters: &Letters, style: Style) -> String {
    let words = [
        format!("{} pass rate", letters.rate),
        format!("{} mean score", letters.score),
        format!("{} both", letters.both),
    ];
    let in_a_line = words.join("   ");
    let lines = if LABEL + 2 + width(&in_a_line) <= style.width {
        vec![in_a_line]
    } else {
        words.to_vec()
    };
    let painted = lines.iter().map(|line| {
        let line = style.paint(Paint::Faint, line);
        format!("{}{line}\n", " ".repeat(LABEL + 2))
    });
    painted.collect()
}

/// Returns the first and the last day under their points, if both fit.
fn days(runs: &[RunLine], drawn: usize, room: usize) -> String {
    let day = |run: Option<&RunLine>| run.map(|run| when(run).chars().take(10).collect::<String>());
    let first = day(runs.first()).unwrap_or_default();
    let last = day(runs.last())
        .filter(|last| *last != first && width(&first) + 2 + width(last) <= room)
        .unwrap_or_default();
    let gap = drawn.saturating_sub(width(&first) + width(&last)).max(2);
    let line = format!("{}{first}{}{last}", " ".repeat(LABEL + 2), " ".repeat(gap));
    format!("{}\n", line.trim_end())
}

/// The range of the plot, in whole tenths and at least two of them.
#[derive(Debug, Clone, Copy)]
struct Range {
    low: usize,
    high: usize,
}

impl Range {
    fn of(figures: impl Iterator<Item = f64>) -> Option<Range> {
        let (low, high) = figures.fold(None, |range: Option<(f64, f64)>, figure| {
            let (low, high) = range.unwrap_or((figure, figure));
            Some((low.min(figure), high.max(figure)))
        })?;
        // A small margin, so that 0.7 is seven tenths.
        let low = ((low * 10.0 + 1e-9).floor() as usize).min(8);
        let high = ((high * 10.0 - 1e-9).ceil() as usize).clamp(low + 2, 10);
        Some(Range { low, high })
    }

    /// Returns the line of a figure, counted from the top.
    fn line(self, figure: f64) -> usize {
        let share = (figure * 10.0 - self.low as f64) / (self.high - self.low) as f64;
        let from_below = (share.clamp(0.0, 1.0) * (HEIGHT - 1) as f64).round() as usize;
        HEIGHT - 1 - from_below
    }

    /// Returns the figure at the top, in the middle and at the bottom.
    fn label(self, line: usize) -> String {
        let percent = match line {
            0 => self.high * 10,
            _ if line == HEIGHT / 2 => (self.high + self.low) * 5,
            _ if line == HEIGHT - 1 => self.low * 10,
            _ => return String::new(),
        };
        format!("{percent}%")
    }
}
