//! Options of all commands that ask or grade.

use std::path::{Path, PathBuf};
use std::time::Duration;

use agentv_project::{LimitOptions, OutputFile, Resume};
use agentv_report::ReportFormat;
use clap::Args;

use super::values::{amount, duration, from_one, report, whole};

/// Limits on how fast, how often and how long targets are called.
#[derive(Debug, Clone, PartialEq, Args)]
pub(crate) struct LimitArguments {
    /// Send at most N requests to each target at a time
    #[arg(long, value_name = "N", value_parser = from_one::<u64>, help_heading = "Limits")]
    pub(crate) workers: Option<u64>,
    /// Time limit for one attempt, such as `90s` or `5m`
    #[arg(long, value_name = "TIME", value_parser = duration, help_heading = "Limits")]
    pub(crate) timeout: Option<Duration>,
    /// Retry a failed attempt at most N times
    #[arg(long, value_name = "N", value_parser = whole::<u32>, help_heading = "Limits")]
    pub(crate) max_retries: Option<u32>,
    /// Stop before the run costs more than this
    #[arg(long, value_name = "USD", value_parser = amount, help_heading = "Limits")]
    pub(crate) budget: Option<f64>,
    /// Stop before the run takes longer than this, such as `15m` or `1h30m`
    #[arg(long, value_name = "TIME", value_parser = duration, help_heading = "Limits")]
    pub(crate) max_time: Option<Duration>,
    /// Refuse evaluators that run a command, and also targets that do, unless you name their file with
    /// `--targets`; use this for eval files and runs that you do not trust
    #[arg(long, help_heading = "Limits")]
    pub(crate) no_scripts: bool,
}

impl LimitArguments {
    pub(super) fn options(&self) -> LimitOptions {
        LimitOptions {
            workers: self.workers,
            timeout: self.timeout,
            max_retries: self.max_retries,
            budget: self.budget,
            max_time: self.max_time,
            no_scripts: self.no_scripts,
            ..LimitOptions::default()
        }
    }
}

/// Returns the name that a user gave to a run, or its id if the name may mean another run later.
pub(super) fn by_id(name: &str, id: Option<&str>) -> String {
    let is_relative = name == "latest" || name.starts_with("latest~");
    id.filter(|_| is_relative).unwrap_or(name).to_owned()
}

/// Reads `--resume` and `--resume=RUN`.
pub(super) fn resume(argument: &Option<Option<String>>) -> Option<Resume> {
    Some(match argument.as_ref()? {
        Some(name) => Resume::Named(name.clone()),
        None => Resume::Newest,
    })
}

/// Options for output besides the records.
#[derive(Debug, Clone, PartialEq, Args)]
pub(crate) struct OutputArguments {
    /// Also write the results to FILE: .jsonl, .yaml, .json or .csv
    #[arg(short, long, value_name = "FILE", help_heading = "Output")]
    pub(crate) out: Option<PathBuf>,
    /// Also write a report, such as `html=report.html`, `junit=report.xml` or `markdown=comment.md`;
    /// `github` prints annotations, which is the default in GitHub Actions (repeatable)
    #[arg(long = "report", value_name = "FORMAT=FILE", value_parser = report, help_heading = "Output")]
    pub(crate) reports: Vec<ReportTarget>,
    /// Also write the events of the run to FILE as JSON lines, as they happen; with `-`, events go to
    /// standard output and the summary to standard error
    #[arg(long, value_name = "FILE", help_heading = "Output")]
    pub(crate) events: Option<PathBuf>,
    /// Include full transcripts, and the prompts and replies of judges, in the results
    #[arg(long, help_heading = "Output")]
    pub(crate) include_trace: bool,
    /// Print only errors
    #[arg(short, long, conflicts_with = "verbose", help_heading = "Output")]
    pub(crate) quiet: bool,
}

impl OutputArguments {
    /// Returns true if standard output carries the events, so that nothing else may go there.
    pub(crate) fn events_on_stdout(&self) -> bool {
        self.events.as_deref() == Some(Path::new("-"))
    }

    /// Returns the files that are written.
    pub(crate) fn files(&self) -> impl Iterator<Item = OutputFile<'_>> {
        let file = |flag, content, path| OutputFile {
            flag,
            content,
            path,
        };
        let out = self.out.iter();
        let out = out.map(move |path| file("--out", "results", path.as_path()));
        let events = self.events.iter().filter(|_| !self.events_on_stdout());
        let events = events.map(move |path| file("--events", "events", path));
        let reports = self
            .reports
            .iter()
            .filter_map(|report| report.path.as_deref());
        let reports = reports.map(move |path| file("--report", "report", path));
        out.chain(events).chain(reports)
    }
}

/// A report that is written at the end of a run.
#[derive(Debug, Clone)]
pub(crate) struct ReportTarget {
    pub(crate) format: &'static ReportFormat,
    /// The file; `None` for standard output.
    pub(crate) path: Option<PathBuf>,
}

impl PartialEq for ReportTarget {
    fn eq(&self, other: &ReportTarget) -> bool {
        self.format.name == other.format.name && self.path == other.path
    }
}
