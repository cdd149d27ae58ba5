//! The command line of `agentv report`.

use std::path::PathBuf;

use agentv_report::{FORMATS, ReportFormat};
use clap::Args;
use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};

/// Write a report of a run
///
/// The report depends only on the folder of the run: the same folder always gives the same bytes.
///
/// Exit codes: 0 success, 2 the run or the command line is invalid, 5 the report could not be written.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  agentv report latest                             the summary of the last run
  agentv report latest -o report.html              an interactive page
  agentv report latest~1 latest -o change.html     two runs side by side
  agentv report latest -o report.xml               JUnit, for a CI server
  agentv report latest -o comment.md               for a pull request
  agentv report latest~1 latest --format markdown  including what changed
  agentv report latest --format csv > results.csv")]
pub(crate) struct ReportArguments {
    /// Run ids, run folders, `latest`, `latest~1`, … or a result file (.jsonl)
    #[arg(required = true, value_name = "RUN")]
    pub(crate) runs: Vec<String>,
    /// Report format (default: from the extension of `--out`; without both, print the summary)
    #[arg(long, value_name = "FORMAT", value_parser = formats())]
    pub(crate) format: Option<&'static ReportFormat>,
    /// Write to FILE (default: standard output)
    #[arg(short, long = "out", alias = "output", value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,
}

/// Returns a parser for the names of formats, which help lists with their purposes.
fn formats() -> impl TypedValueParser<Value = &'static ReportFormat> {
    let names = FORMATS
        .iter()
        .map(|format| PossibleValue::new(format.name).help(format.doc));
    PossibleValuesParser::new(names).try_map(|name| {
        ReportFormat::named(&name).ok_or_else(|| format!("unknown format `{name}`"))
    })
}
