//! The history of runs as a page: that of the app, in a file.

use std::io::{self, Write};

use serde::Serialize;

use super::RunLine;
use super::listing::first_and_others;
use crate::report::write_runs_page;

#[derive(Serialize)]
struct Listed<'a> {
    title: &'a str,
    folder: String,
    runs: Vec<ListedRun<'a>>,
}

#[derive(Serialize)]
struct ListedRun<'a> {
    id: &'a str,
    lines: Vec<&'a RunLine>,
}

/// Writes the page of some runs, oldest first.
///
/// # Errors
/// Fails if the page cannot be written.
pub fn write_trend_page(runs: &[RunLine], out: &mut dyn Write) -> io::Result<()> {
    let mut listed: Vec<ListedRun<'_>> = Vec::new();
    for line in runs.iter().rev() {
        match listed.iter_mut().find(|run| run.id == line.id) {
            // Lines of one run are in the order of its targets.
            Some(run) => run.lines.insert(0, line),
            None => listed.push(ListedRun {
                id: &line.id,
                lines: vec![line],
            }),
        }
    }
    let files = runs.last().map(|run| first_and_others(&run.files));
    let page = Listed {
        title: "Trend",
        folder: files.unwrap_or_default(),
        runs: listed,
    };
    write_runs_page(&page, out)
}
