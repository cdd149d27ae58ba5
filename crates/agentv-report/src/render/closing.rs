//! The end of a summary: facts that are not in the records.

use std::path::{Path, PathBuf};
use std::time::Duration;

use agentv_core::{GateOutcome, Stop, TookPart};

use super::page::{Page, Piece};
use crate::figures::{counted, duration};
use crate::gate::gate_line;
use crate::run_statistics::RunStatistics;
use crate::style::Paint;
use crate::text::one_line;

/// The facts about a run that are not in its records. Empty ones are omitted.
#[derive(Debug, Clone, Copy, Default)]
pub struct Closing<'a> {
    /// The folder of the run, named by its id.
    pub folder: Option<&'a Path>,
    /// The run or the file whose answers were graded.
    pub graded_from: Option<&'a str>,
    /// The file that the user wanted the records in.
    pub out_file: Option<&'a Path>,
    /// The reports that were written.
    pub reports: &'a [PathBuf],
    /// The shard, if it has no cases.
    pub empty_shard: Option<&'a str>,
    /// The number of planned trials; the missing ones were not run.
    pub planned: u64,
    /// The files with skipped cases, and their number.
    pub skipped_files: &'a [(String, u64)],
    /// The intervals of the figures.
    pub statistics: Option<&'a RunStatistics>,
    /// The duration of the run.
    pub elapsed: Option<Duration>,
    /// The workers and machines that took part, if it ran on others.
    pub took_part: Option<TookPart>,
    /// The reason why it ended early.
    pub stopped: Option<Stop>,
    /// The command that resumes the run.
    pub resume_command: Option<&'a str>,
    /// The command that shows details.
    pub next_command: Option<&'a str>,
    /// The gates and their outcomes.
    pub gates: &'a [GateOutcome],
}

/// Lists the skipped cases.
pub(super) fn skipped(page: &mut Page, skipped: u64, closing: &Closing<'_>) {
    if skipped == 0 {
        return;
    }
    let all = counted(skipped, "case", "cases");
    let mut pieces = vec![Piece::new(Paint::Nearly, all)];
    let most = 5;
    for (file, cases) in closing.skipped_files.iter().take(most) {
        pieces.push(Piece::plain(format!("{} in {}", cases, one_line(file))));
    }
    let more = closing.skipped_files.len().saturating_sub(most);
    if more > 0 {
        pieces.push(Piece::plain(counted(
            more as u64,
            "more file",
            "more files",
        )));
    }
    page.figures("skipped", &pieces);
}

/// Writes the location of the results and the next commands.
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
        page.verbatim("source run", &one_line(origin));
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
        page.verbatim("details", command);
    }
    if let Some(elapsed) = closing.elapsed {
        let took_part = closing.took_part.map(|took_part| {
            let workers = counted(took_part.workers as u64, "worker", "workers");
            let machines = counted(took_part.machines as u64, "machine", "machines");
            Piece::plain(format!("{workers} on {machines}"))
        });
        let mut pieces = vec![Piece::plain(duration(elapsed))];
        pieces.extend(took_part);
        page.figures("took", &pieces);
    }
}

fn stopped(page: &mut Page, missing: u64, stopped: Option<Stop>) {
    let why = stopped.map(|stop| Piece::new(Paint::Bad, stop_reason(stop)));
    let not_run = format!("{} not run", counted(missing, "trial", "trials"));
    let not_run = (missing > 0).then(|| Piece::new(Paint::Bad, not_run));
    let pieces: Vec<Piece> = why.into_iter().chain(not_run).collect();
    page.figures("incomplete", &pieces);
}

/// Returns the reason why a run stopped, in words.
pub(crate) fn stop_reason(stop: Stop) -> &'static str {
    match stop {
        Stop::Interrupted => "interrupted",
        Stop::Terminated => "terminated",
        Stop::HungUp => "the terminal was closed",
        Stop::Budget => "the budget is used up",
        Stop::Time => "the time limit was reached",
        Stop::Broken => "the run could not continue",
    }
}

/// Writes a gate: the requirement, the result, and the verdict.
pub(crate) fn gate_sentence(page: &mut Page, gate: &GateOutcome) {
    let paint = if gate.met { Paint::Good } else { Paint::Bad };
    let line = one_line(&gate_line(gate, page.style()));
    let label = if gate.is_allowance() {
        "allowance"
    } else {
        "gate"
    };
    page.sentence(label, paint, &line);
}
