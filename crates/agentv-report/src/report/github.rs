//! GitHub workflow commands, which annotate the lines of eval files in a pull request.

use std::fmt;
use std::io::{self, Write};

use agentv_core::{GateOutcome, ResultRecord, Status, visible};

use super::exchange::{Exchange, Exchanges};
use super::shortcomings::shortcomings;
use super::{ReportFailure, ReportFormat};
use crate::figures::counted;
use crate::results::RunResults;
use crate::summary::Statuses;
use crate::text::{clip, one_line};

pub(super) const FORMAT: ReportFormat = ReportFormat {
    name: ReportFormat::ANNOTATIONS,
    extension: "github",
    doc: "For GitHub Actions: annotations at the cases that did not pass",
    most_runs: 1,
    write,
};

/// The number of annotations of a level that GitHub shows per step. The last one says how many are omitted.
const SHOWN: u64 = 10;
/// The number of bytes of a title.
const LONGEST_TITLE: usize = 200;

/// Writes a command for each reason why the run as a whole is not green, then for each case that could not be
/// used and for each trial that did not pass, in the order of the eval files.
fn write(runs: &[RunResults], out: &mut dyn Write) -> Result<(), ReportFailure> {
    for run in runs {
        let levels = Levels::of(run);
        let (statuses, outdated) = statuses(run)?;
        for found in shortcomings(run, statuses.total(), outdated) {
            writeln!(out, "::error title=agentv::{}", data(&found.sentence))?;
        }
        let [failed, errored] = [
            statuses.fail + statuses.borderline,
            statuses.error + run.skipped(),
        ];
        let found = failed + errored;
        let shown = if found > SHOWN { SHOWN - 1 } else { SHOWN };
        let left = write_skipped(run, levels, shown, out)?;
        let left = write_trials(run, levels, left, out)?;
        let omitted = found.saturating_sub(shown - left);
        if omitted > 0 {
            let more = counted(omitted, "more trial or case", "more trials or cases");
            let level = match errored {
                0 => levels.of_failed,
                _ => levels.of_errored.max(levels.of_failed),
            };
            writeln!(
                out,
                "::{level} title=agentv::{more} did not pass, errored or could not be used"
            )?;
        }
    }
    out.flush()?;
    Ok(())
}

/// The levels of annotations.
#[derive(Debug, Clone, Copy)]
struct Levels {
    of_failed: Level,
    /// The level of errored trials and skipped cases.
    of_errored: Level,
}

/// The level of an annotation.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Level {
    Warning,
    Error,
}

impl Levels {
    /// Returns the levels of a run: what its gates or its allowance permit is a warning.
    fn of(run: &RunResults) -> Levels {
        let gates = run.run().map(|run| &run.gates[..]).unwrap_or_default();
        let (allowances, gates): (Vec<_>, Vec<_>) =
            gates.iter().partition(|gate| gate.is_allowance());
        let level = |outcomes: &[&GateOutcome]| {
            let are_met = !outcomes.is_empty() && outcomes.iter().all(|outcome| outcome.met);
            if are_met {
                Level::Warning
            } else {
                Level::Error
            }
        };
        Levels {
            of_failed: level(&gates),
            of_errored: level(&allowances),
        }
    }

    fn of_status(self, status: Status) -> Level {
        match status {
            Status::Error => self.of_errored,
            Status::Pass | Status::Borderline | Status::Fail | Status::Ungraded => self.of_failed,
        }
    }
}

impl fmt::Display for Level {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Level::Warning => "warning",
            Level::Error => "error",
        })
    }
}

/// Counts the trials by status, and the results that are out of date.
fn statuses(run: &RunResults) -> Result<(Statuses, u64), ReportFailure> {
    let mut statuses = Statuses::default();
    let mut outdated = 0;
    run.each(&mut |record| {
        statuses.add(record.status);
        outdated += u64::from(record.outdated.is_some());
    })?;
    Ok((statuses, outdated))
}

/// Writes the skipped cases, at most this many, and returns the number of commands that are left.
fn write_skipped(
    run: &RunResults,
    levels: Levels,
    most: u64,
    out: &mut dyn Write,
) -> io::Result<u64> {
    let files = run.run().into_iter().flat_map(|run| &run.files);
    let skipped = files.flat_map(|file| file.skipped_cases.iter().map(move |case| (file, case)));
    let mut left = most;
    for (file, case) in skipped.take(most as usize) {
        let mut properties = vec![format!("file={}", property(&file.path))];
        properties.extend(case.line.map(|line| format!("line={line}")));
        properties.push("title=case skipped".to_owned());
        writeln!(
            out,
            "::{} {}::{}",
            levels.of_errored,
            properties.join(","),
            data(&case.message)
        )?;
        left -= 1;
    }
    Ok(left)
}

/// Writes the trials that did not pass, at most this many, and returns the number of commands that are
/// left.
fn write_trials(
    run: &RunResults,
    levels: Levels,
    most: u64,
    out: &mut dyn Write,
) -> Result<u64, ReportFailure> {
    let mut exchanges = Exchanges::of(run)?;
    let mut left = most;
    let mut written: Result<(), ReportFailure> = Ok(());
    run.each_in_file_order(&mut |record| {
        if left > 0 && written.is_ok() && !is_fine(record.value.status) {
            left -= 1;
            written = exchanges
                .get(&record.value)
                .map_err(ReportFailure::from)
                .and_then(|exchange| Ok(write_trial(&record.value, levels, &exchange, out)?));
        }
    })?;
    written?;
    Ok(left)
}

fn is_fine(status: Status) -> bool {
    match status {
        Status::Pass | Status::Ungraded => true,
        Status::Borderline | Status::Fail | Status::Error => false,
    }
}

fn write_trial(
    record: &ResultRecord,
    levels: Levels,
    exchange: &Exchange,
    out: &mut dyn Write,
) -> io::Result<()> {
    let mut properties = vec![format!("file={}", property(&record.eval_file))];
    properties.extend(exchange.line.map(|line| format!("line={line}")));
    properties.push(format!("title={}", property(&title(record))));
    let mut message = record.reason().unwrap_or("no reason given").to_owned();
    for (name, text) in exchange.parts() {
        message.push_str(&format!("\n{name}: {text}"));
    }
    let level = levels.of_status(record.status);
    writeln!(
        out,
        "::{level} {}::{}",
        properties.join(","),
        data(&message)
    )
}

fn title(record: &ResultRecord) -> String {
    let id = one_line(clip(&record.eval_id, LONGEST_TITLE));
    let target = one_line(clip(&record.target, LONGEST_TITLE));
    let result = match (record.status, record.score) {
        (Status::Error, _) => "errored".to_owned(),
        (status, Some(score)) => {
            let threshold = record.pass_threshold.unwrap_or_default();
            format!("{status} ({})", score.rounded(2, threshold))
        }
        (status, None) => status.to_string(),
    };
    match record.trial {
        1 => format!("{id} on {target}: {result}"),
        trial => format!("{id} on {target}, trial {trial}: {result}"),
    }
}

/// Returns a text as the message of a command. CI logs are read in terminals, too, so that it cannot
/// control one.
fn data(text: &str) -> String {
    visible(&text.replace('\r', "\n"))
        .replace('%', "%25")
        .replace('\n', "%0A")
}

/// Returns a text as the value of a property.
fn property(text: &str) -> String {
    data(text).replace(':', "%3A").replace(',', "%2C")
}
