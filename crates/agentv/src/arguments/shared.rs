//! What the commands that ask and grade have in common.

use std::path::{Path, PathBuf};
use std::str::FromStr;
use std::time::Duration;

use agentv_project::{LimitOptions, Resume};
use agentv_report::{FORMATS, ReportFormat};
use agentv_syntax::nearest;
use clap::Args;

/// How fast, how often and how long targets are asked.
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
    /// Refuse evaluators that run a command, and such targets unless their file is named with `--targets`;
    /// for eval files and runs that you do not trust
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
        }
    }
}

/// Returns the name that a user gave to a run, but its id if the name stands for another run later.
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

/// What is told and written besides the records.
#[derive(Debug, Clone, PartialEq, Args)]
pub(crate) struct OutputArguments {
    /// Also write the results to FILE: .jsonl, .yaml, .json or .csv
    #[arg(short, long, value_name = "FILE", help_heading = "Output")]
    pub(crate) out: Option<PathBuf>,
    /// Also write a report, such as `html=report.html`, `junit=report.xml` or `markdown=comment.md`
    /// (repeatable)
    #[arg(long = "report", value_name = "FORMAT=FILE", value_parser = report, help_heading = "Output")]
    pub(crate) reports: Vec<ReportTarget>,
    /// Also write the events of the run to FILE as JSON lines, as they happen; `-` is standard output, and
    /// the summary then goes to standard error
    #[arg(long, value_name = "FILE", help_heading = "Output")]
    pub(crate) events: Option<PathBuf>,
    /// Include full transcripts and the questions and answers of judges in the results
    #[arg(long, help_heading = "Output")]
    pub(crate) include_trace: bool,
    /// Show only the summary and errors
    #[arg(short, long, conflicts_with = "verbose", help_heading = "Output")]
    pub(crate) quiet: bool,
}

impl OutputArguments {
    /// Returns true if standard output carries the events, so that nothing else may go there.
    pub(crate) fn events_on_stdout(&self) -> bool {
        self.events.as_deref() == Some(Path::new("-"))
    }
}

/// A report that is written when a run has ended.
#[derive(Debug, Clone)]
pub(crate) struct ReportTarget {
    pub(crate) format: &'static ReportFormat,
    pub(crate) path: PathBuf,
}

impl PartialEq for ReportTarget {
    fn eq(&self, other: &ReportTarget) -> bool {
        self.format.name == other.format.name && self.path == other.path
    }
}

fn report(text: &str) -> Result<ReportTarget, String> {
    let known: Vec<&str> = FORMATS.iter().map(|format| format.name).collect();
    let (name, path) = text
        .split_once('=')
        .filter(|(_, path)| !path.is_empty())
        .ok_or_else(|| {
            format!(
                "expected FORMAT=FILE, where FORMAT is one of {}",
                known.join(", ")
            )
        })?;
    let format = ReportFormat::named(name).ok_or_else(|| {
        let hint = nearest(name, known.iter().copied());
        let hint = hint.map(|near| format!("; did you mean `{near}`?"));
        let known = known.join(", ");
        format!(
            "unknown format `{name}`, expected one of {known}{}",
            hint.unwrap_or_default()
        )
    })?;
    Ok(ReportTarget {
        format,
        path: PathBuf::from(path),
    })
}

fn whole<N: FromStr>(text: &str) -> Result<N, String> {
    let number = text.parse();
    number.map_err(|_| match is_whole(text) {
        true => TOO_LARGE.to_owned(),
        false => "expected a whole number such as `3`".to_owned(),
    })
}

/// Whether a text is a whole number, however large.
fn is_whole(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit())
}

const TOO_LARGE: &str = "the number is too large";

pub(crate) fn from_one<N: FromStr + PartialOrd + From<u8>>(text: &str) -> Result<N, String> {
    match text.parse() {
        Ok(number) if number >= N::from(1) => Ok(number),
        Err(_) if is_whole(text) => Err(TOO_LARGE.to_owned()),
        _ => Err("expected a whole number of at least 1".to_owned()),
    }
}

fn duration(text: &str) -> Result<Duration, String> {
    let seconds = text.parse::<f64>().ok().map(Duration::try_from_secs_f64);
    let friendly = || text.parse::<jiff::SignedDuration>().ok()?.try_into().ok();
    let duration = seconds.and_then(Result::ok).or_else(friendly);
    duration
        .filter(|duration: &Duration| !duration.is_zero())
        .ok_or_else(|| "expected a time such as `90s`, `15m` or `1h30m`".to_owned())
}

fn amount(text: &str) -> Result<f64, String> {
    let amount = text.trim_start_matches('$').parse::<f64>().ok();
    amount
        .filter(|amount| amount.is_finite() && *amount >= 0.0)
        .ok_or_else(|| "expected an amount in US dollars such as `2.50`".to_owned())
}
