//! The command line of `agentv report`.

use std::path::PathBuf;

use agentv_report::{FORMATS, ReportFormat};
use clap::Args;
use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};

/// Write a report of a run
///
/// The report is made of the run's folder alone, and the same folder gives the same bytes. Exit code: 0,
/// 2 when the run or the command line is wrong, 5 when the report could not be written.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  agentv report latest -o report.html                 a page to look through
  agentv report latest~1 latest -o change.html        two runs side by side
  agentv report latest -o report.xml                  JUnit, for a CI server
  agentv report latest -o comment.md                  for a pull request
  agentv report latest~1 latest --format markdown     with what has changed
  agentv report latest --format csv > results.csv")]
pub(crate) struct ReportArguments {
    /// Ids of runs, paths of their folders, or `latest`, `latest~1`, …
    #[arg(required = true, value_name = "RUN")]
    pub(crate) runs: Vec<String>,
    /// The format; that of the file's extension unless given
    #[arg(long, value_name = "FORMAT", value_parser = formats(), required_unless_present = "output")]
    pub(crate) format: Option<&'static ReportFormat>,
    /// The file to write, standard output unless given
    #[arg(short, long, value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,
}

/// The names of the formats, each with what it is for.
fn formats() -> impl TypedValueParser<Value = &'static ReportFormat> {
    let names = FORMATS
        .iter()
        .map(|format| PossibleValue::new(format.name).help(format.doc));
    PossibleValuesParser::new(names).try_map(|name| {
        ReportFormat::named(&name).ok_or_else(|| format!("there is no format `{name}`"))
    })
}
