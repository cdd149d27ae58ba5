//! Runs as a table.

use super::columns::{Cell, Column, table};
use super::{RunLine, RunState};
use crate::figures::{count, counted, money, percent, percent_range};
use crate::render::{score_at, stop_reason};
use crate::style::{Paint, Style};
use crate::text::one_line;

const COLUMNS: [Column; 12] = [
    column("run", false, None, 0),
    column("when", false, None, 7),
    column("what", false, Some(12), 4),
    column("tags", false, Some(8), 4),
    column("trials", true, None, 5),
    column("passed", true, None, 0),
    column("95% interval", true, None, 8),
    column("score", true, None, 1),
    column("errors", true, None, 2),
    column("cost", true, None, 6),
    column("judges", true, None, 9),
    column("note", false, Some(10), 3),
];

pub(super) const fn column(
    title: &'static str,
    is_number: bool,
    narrowest: Option<usize>,
    spare: u8,
) -> Column {
    Column {
        title,
        is_number,
        narrowest,
        spare,
    }
}

/// Renders the runs as a table that fits the width, in the given order.
pub fn render_runs(runs: &[RunLine], style: Style) -> String {
    let rows: Vec<Vec<Cell>> = runs.iter().map(|run| row(run, style)).collect();
    table(&COLUMNS, &rows, style)
}

fn row(run: &RunLine, style: Style) -> Vec<Cell> {
    vec![
        Cell::plain(one_line(&run.id)),
        Cell::new(Paint::Faint, when(run)),
        Cell::plain(what(run)),
        Cell::plain(one_line(&run.tags.join(", "))),
        trials(run),
        rate(run),
        interval(run),
        score(run),
        errors(run),
        Cell::plain(run.costs.of_answers().unwrap_or_default()),
        Cell::plain(run.costs.of_judges().unwrap_or_default()),
        Cell::new(Paint::Faint, notes(run).join(style.separator())),
    ]
}

/// Returns the day and the minute, in UTC.
pub(super) fn when(run: &RunLine) -> String {
    let minute = run.started_at.get(..16).unwrap_or(&run.started_at);
    one_line(&minute.replace('T', " "))
}

/// Returns the first file and target, and the number of the others.
fn what(run: &RunLine) -> String {
    let mut text = first_and_others(&run.files);
    let targets = first_and_others(&run.targets);
    if !targets.is_empty() {
        text.push_str(" @ ");
        text.push_str(&targets);
    }
    text
}

pub(super) fn first_and_others(names: &[String]) -> String {
    let first = names.first().map(|name| one_line(name)).unwrap_or_default();
    match names.len() {
        0 | 1 => first,
        several => format!("{first} +{}", several - 1),
    }
}

/// Returns the number of ended trials, and of planned ones if some are missing.
pub(super) fn trials(run: &RunLine) -> Cell {
    Cell::plain(if run.planned > run.trials {
        format!("{}/{}", count(run.trials), count(run.planned))
    } else {
        count(run.trials)
    })
}

pub(super) fn rate(run: &RunLine) -> Cell {
    Cell::plain(run.pass_rate.map_or("-".to_owned(), percent))
}

/// Returns the interval of the pass rate.
pub(super) fn interval(run: &RunLine) -> Cell {
    let range = run.pass_rate_interval;
    Cell::plain(range.map_or(String::new(), |[low, high]| percent_range(low, high)))
}

pub(super) fn score(run: &RunLine) -> Cell {
    let mean = run.mean_score;
    let shown = mean.map(|mean| score_at(mean, &run.pass_thresholds));
    Cell::plain(shown.unwrap_or_else(|| "-".to_owned()))
}

pub(super) fn errors(run: &RunLine) -> Cell {
    let paint = match run.statuses.error {
        0 => Paint::Plain,
        _ => Paint::Broken,
    };
    Cell::new(paint, count(run.statuses.error))
}

/// Returns the properties that distinguish a run from an ordinary one.
pub(super) fn notes(run: &RunLine) -> Vec<String> {
    let mut notes = Vec::new();
    match (run.state, run.stopped) {
        (RunState::Finished, _) => {}
        (RunState::Running, _) => notes.push("running".to_owned()),
        (RunState::Stopped | RunState::Unfinished, Some(stop)) => {
            notes.push(format!("stopped: {}", stop_reason(stop)));
        }
        (RunState::Stopped | RunState::Unfinished, None) => notes.push("unfinished".to_owned()),
    }
    if run.dry_run {
        notes.push("dry run".to_owned());
    }
    if run.skipped > 0 {
        notes.push(counted(run.skipped, "case skipped", "cases skipped"));
    }
    if run.outdated > 0 {
        notes.push(format!("{} out of date", count(run.outdated)));
    }
    if let Some(dollars) = run.costs.replaced_cost_usd {
        notes.push(format!("{} for replaced answers", money(dollars)));
    }
    notes.extend(
        run.shard
            .as_ref()
            .map(|shard| format!("shard {}", one_line(shard))),
    );
    notes.extend(
        run.rerun_of
            .as_ref()
            .map(|of| format!("rerun of {}", one_line(of))),
    );
    notes.extend(
        run.graded_from
            .as_ref()
            .map(|from| format!("graded from {}", one_line(from))),
    );
    notes.extend(
        run.calibrated_with
            .as_ref()
            .map(|with| format!("calibration with {}", one_line(with))),
    );
    if !run.merged_from.is_empty() {
        notes.push(format!(
            "merged from {}",
            count(run.merged_from.len() as u64)
        ));
    }
    if !run.missing_shards.is_empty() {
        let missing = run.missing_shards.len() as u64;
        notes.push(counted(missing, "shard missing", "shards missing"));
    }
    notes
}
