//! GitHub workflow commands, which annotate the lines of eval files in a pull request.

use std::io::{self, Write};

use agentv_core::{ResultRecord, Status, visible};

use super::exchange::{Exchange, Exchanges};
use super::{ReportFailure, ReportFormat};
use crate::figures::counted;
use crate::results::RunResults;
use crate::text::{clip, one_line};

pub(super) const FORMAT: ReportFormat = ReportFormat {
    name: ReportFormat::ANNOTATIONS,
    extension: "github",
    doc: "For GitHub Actions: annotations at the cases that did not pass",
    most_runs: 1,
    write,
};

/// The number of errors that GitHub shows per step. The last one says how many are omitted.
const SHOWN: u64 = 10;
/// The number of bytes of a title.
const LONGEST_TITLE: usize = 200;

/// Writes a command for each case that could not be used and for each trial that did not pass, in the
/// order of the eval files.
fn write(runs: &[RunResults], out: &mut dyn Write) -> Result<(), ReportFailure> {
    for run in runs {
        let found = run.skipped() + not_passed(run)?;
        let shown = if found > SHOWN { SHOWN - 1 } else { SHOWN };
        let left = write_skipped(run, shown, out)?;
        let left = write_trials(run, left, out)?;
        let omitted = found.saturating_sub(shown - left);
        if omitted > 0 {
            let more = counted(omitted, "more case", "more cases");
            writeln!(
                out,
                "::error title=agentv::{more} did not pass, errored or could not be used"
            )?;
        }
    }
    out.flush()?;
    Ok(())
}

fn not_passed(run: &RunResults) -> Result<u64, ReportFailure> {
    let mut found = 0;
    run.each(&mut |record| found += u64::from(!is_fine(record.status)))?;
    Ok(found)
}

/// Writes the skipped cases, at most this many, and returns the number of commands that are left.
fn write_skipped(run: &RunResults, most: u64, out: &mut dyn Write) -> io::Result<u64> {
    let files = run.run().into_iter().flat_map(|run| &run.files);
    let skipped = files.flat_map(|file| file.skipped_cases.iter().map(move |case| (file, case)));
    let mut left = most;
    for (file, case) in skipped.take(most as usize) {
        let mut properties = vec![format!("file={}", property(&file.path))];
        properties.extend(case.line.map(|line| format!("line={line}")));
        properties.push("title=case skipped".to_owned());
        writeln!(
            out,
            "::error {}::{}",
            properties.join(","),
            data(&case.message)
        )?;
        left -= 1;
    }
    Ok(left)
}

/// Writes the trials that did not pass, at most this many, and returns the number of commands that are
/// left.
fn write_trials(run: &RunResults, most: u64, out: &mut dyn Write) -> Result<u64, ReportFailure> {
    let mut exchanges = Exchanges::of(run)?;
    let mut left = most;
    let mut written: Result<(), ReportFailure> = Ok(());
    run.each_in_file_order(&mut |record| {
        if left > 0 && written.is_ok() && !is_fine(record.value.status) {
            left -= 1;
            written = exchanges
                .get(&record.value)
                .map_err(ReportFailure::from)
                .and_then(|exchange| Ok(write_trial(&record.value, &exchange, out)?));
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

fn write_trial(record: &ResultRecord, exchange: &Exchange, out: &mut dyn Write) -> io::Result<()> {
    let mut properties = vec![format!("file={}", property(&record.eval_file))];
    properties.extend(exchange.line.map(|line| format!("line={line}")));
    properties.push(format!("title={}", property(&title(record))));
    let mut message = record.reason().unwrap_or("no reason given").to_owned();
    for (name, text) in exchange.parts() {
        message.push_str(&format!("\n{name}: {text}"));
    }
    writeln!(out, "::error {}::{}", properties.join(","), data(&message))
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
