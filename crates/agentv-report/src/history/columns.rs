//! Tables that fit a given width.

use crate::style::{Paint, Style};
use crate::text::{cut, width};

/// The separator of columns.
const GAP: usize = 2;

/// A column and its behaviour if there is little room.
pub(super) struct Column {
    pub(super) title: &'static str,
    pub(super) is_number: bool,
    /// The smallest width that it can be cut to; `None` if it must stay complete.
    pub(super) narrowest: Option<usize>,
    /// The priority for omission: the highest goes first, zero is never omitted.
    pub(super) spare: u8,
}

/// A text in one colour.
pub(super) struct Cell {
    pub(super) text: String,
    pub(super) paint: Paint,
}

impl Cell {
    pub(super) fn plain(text: impl Into<String>) -> Cell {
        Cell::new(Paint::Plain, text)
    }

    pub(super) fn new(paint: Paint, text: impl Into<String>) -> Cell {
        let text = text.into();
        Cell { text, paint }
    }
}

/// Renders rows under the titles of their columns. Empty columns are omitted.
pub(super) fn table(columns: &[Column], rows: &[Vec<Cell>], style: Style) -> String {
    let widths = fit(columns, rows, style.width);
    let mut text = String::new();
    let titles = columns
        .iter()
        .map(|column| Cell::new(Paint::Strong, column.title));
    line(
        &mut text,
        columns,
        &titles.collect::<Vec<_>>(),
        &widths,
        style,
    );
    for row in rows {
        line(&mut text, columns, row, &widths, style);
    }
    text
}

/// Returns the width of each column; `None` for omitted ones.
fn fit(columns: &[Column], rows: &[Vec<Cell>], room: usize) -> Vec<Option<usize>> {
    let mut widths: Vec<Option<usize>> = columns
        .iter()
        .enumerate()
        .map(|(at, column)| {
            let widest = rows.iter().map(|row| width(&row[at].text)).max()?;
            (widest > 0).then(|| widest.max(width(column.title)))
        })
        .collect();
    loop {
        let over = total(&widths).saturating_sub(room);
        if over == 0 {
            return widths;
        }
        let shrinkable: usize = columns
            .iter()
            .zip(&widths)
            .map(|(column, width)| spare(column, *width))
            .sum();
        if shrinkable >= over {
            shrink(columns, &mut widths, over);
            return widths;
        }
        let kept = (0..columns.len()).filter(|at| widths[*at].is_some() && columns[*at].spare > 0);
        match kept.max_by_key(|at| columns[*at].spare) {
            Some(at) => widths[at] = None,
            None => {
                squeeze(&mut widths, over);
                return widths;
            }
        }
    }
}

fn total(widths: &[Option<usize>]) -> usize {
    let kept: Vec<usize> = widths.iter().flatten().copied().collect();
    kept.iter().sum::<usize>() + GAP * kept.len().saturating_sub(1)
}

/// Returns the number of characters by which a column can shrink.
fn spare(column: &Column, width: Option<usize>) -> usize {
    let narrowest = column.narrowest;
    narrowest
        .zip(width)
        .map_or(0, |(narrowest, width)| width.saturating_sub(narrowest))
}

/// Shrinks the widest column first.
fn shrink(columns: &[Column], widths: &mut [Option<usize>], over: usize) {
    for _ in 0..over {
        let widest = (0..columns.len())
            .filter(|at| spare(&columns[*at], widths[*at]) > 0)
            .max_by_key(|at| widths[*at]);
        if let Some(width) = widest.and_then(|at| widths[at].as_mut()) {
            *width -= 1;
        }
    }
}

/// Shrinks the widest column first, even one that should stay complete, because a line must not
/// wrap.
fn squeeze(widths: &mut [Option<usize>], over: usize) {
    for _ in 0..over {
        let widest = widths.iter_mut().flatten().max();
        if let Some(width) = widest.filter(|width| **width > 1) {
            *width -= 1;
        }
    }
}

fn line(
    text: &mut String,
    columns: &[Column],
    cells: &[Cell],
    widths: &[Option<usize>],
    style: Style,
) {
    let mut blanks = 0;
    for ((column, cell), room) in columns.iter().zip(cells).zip(widths) {
        let Some(room) = *room else {
            continue;
        };
        let shown = cut(&cell.text, room, style);
        if shown.is_empty() {
            // No trailing spaces.
            blanks += room + GAP;
            continue;
        }
        let missing = room - width(&shown);
        let (before, after) = if column.is_number {
            (missing, 0)
        } else {
            (0, missing)
        };
        text.extend(std::iter::repeat_n(' ', blanks + before));
        text.push_str(&style.paint(cell.paint, &shown));
        blanks = after + GAP;
    }
    text.push('\n');
}
