//! What there is to say of a run that is not in its records.

use std::path::{Path, PathBuf};
use std::time::Duration;

use agentv_core::{GateOutcome, Stop};

use super::page::{Page, Piece};
use crate::figures::{counted, duration};
use crate::gate::gate_line;
use crate::run_statistics::RunStatistics;
use crate::style::Paint;
use crate::text::one_line;

/// What there is to say of a run that is not in its records. Empty parts are left out.
#[derive(Debug, Clone, Copy, Default)]
pub struct Closing<'a> {
    /// Where the run is kept: a folder named by the run's id.
    pub folder: Option<&'a Path>,
    /// The run, or the file, whose answers were graded.
    pub graded_from: Option<&'a str>,
    /// The file that the user wanted the records in, too.
    pub out_file: Option<&'a Path>,
    /// The reports that were written.
    pub reports: &'a [PathBuf],
    /// How many trials the run was to have: what is missing was not run.
    pub planned: u64,
    /// Files with cases that were left out, and how many of each.
    pub skipped_files: &'a [(String, u64)],
    /// How sure its figures are.
    pub statistics: Option<&'a RunStatistics>,
    /// How long it took.
    pub elapsed: Option<Duration>,
    /// Why it ended before all was done.
    pub stopped: Option<Stop>,
    /// The command that resumes the run.
    pub resume_command: Option<&'a str>,
    /// The command to look closer.
    pub next_command: Option<&'a str>,
    /// What was required of the results, and what was found.
    pub gates: &'a [GateOutcome],
}

/// Where cases were left out.
pub(super) fn skipped(page: &mut Page, skipped: u64, closing: &Closing<'_>) {
    if skipped == 0 {
        return;
    }
    let all = counted(skipped, "case", "cases");
    let mut pieces = vec![Piece::new(Paint::Nearly, all)];
    let told = 5;
    for (file, cases) in closing.skipped_files.iter().take(told) {
        pieces.push(Piece::plain(format!("{} of {}", cases, one_line(file))));
    }
    let more = closing.skipped_files.len().saturating_sub(told);
    if more > 0 {
        pieces.push(Piece::plain(counted(
            more as u64,
            "more file",
            "more files",
        )));
    }
    page.figures("skipped", &pieces);
}

/// Where the results are, and what to do next.
pub(super) fn write(page: &mut Page, trials: u64, closing: &Closing<'_>) {
    let missing = closing.planned.saturating_sub(trials);
    closing
        .gates
        .iter()
        .for_each(|gate| gate_sentence(page, gate));
    let path = |path: &Path| one_line(&path.display().to_string());
    if closing.stopped.is_some() || missing > 0 {
        stopped(page, missing, closing.stopped);
    }
    if let Some(command) = closing.resume_command {
        page.verbatim("resume with", command);
    }
    if let Some(origin) = closing.graded_from {
        page.verbatim("answers of", &one_line(origin));
    }
    if let Some(folder) = closing.folder {
        page.verbatim("results", &path(folder));
    }
    if let Some(file) = closing.out_file {
        page.verbatim("also in", &path(file));
    }
    for report in closing.reports {
        page.verbatim("report", &path(report));
    }
    if let Some(command) = closing.next_command {
        page.verbatim("look closer", command);
    }
    if let Some(elapsed) = closing.elapsed {
        page.figures("took", &[Piece::plain(duration(elapsed))]);
    }
}

fn stopped(page: &mut Page, missing: u64, stopped: Option<Stop>) {
    let why = stopped.map(|stop| Piece::new(Paint::Bad, stop_reason(stop)));
    let not_run = format!("{} not run", counted(missing, "trial", "trials"));
    let not_run = (missing > 0).then(|| Piece::new(Paint::Bad, not_run));
    let pieces: Vec<Piece> = why.into_iter().chain(not_run).collect();
    page.figures("incomplete", &pieces);
}

/// Why a run stopped, in words.
pub(crate) fn stop_reason(stop: Stop) -> &'static str {
    match stop {
        Stop::Interrupted => "interrupted",
        Stop::Terminated => "terminated",
        Stop::HungUp => "the terminal was closed",
        Stop::Budget => "the budget is used up",
        Stop::Time => "the time is used up",
        Stop::Broken => "the run could not go on",
    }
}

/// What was required, what was found, and whether that is enough.
pub(crate) fn gate_sentence(page: &mut Page, gate: &GateOutcome) {
    let paint = if gate.met { Paint::Good } else { Paint::Bad };
    let line = one_line(&gate_line(gate, page.style()));
    page.sentence("gate", paint, &line);
}
