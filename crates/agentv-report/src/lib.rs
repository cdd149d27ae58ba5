//! What people, CI and the disk see of a run.
//!
//! The nouns:
//!
//! - a [`Summary`] is what a run came to in figures; a [`SummaryFold`] makes it of records in any
//!   order and in bounded memory, a [`RunFold`] with how sure it is, and [`render_summary`] writes it
//!   as a text for people;
//! - a display shows a run while it is going on: [`LiveDisplay`] a progress bar in a terminal,
//!   [`PlainProgress`] a line every few seconds elsewhere, [`Quiet`] errors only;
//! - an [`OutFile`] has the records in a file of the user's choice, in one of
//!   [several formats](out_file::ALL);
//! - [`Several`] gives every event of a run to all of those;
//! - [`RunResults`] are the results of a run, read back from its folder, and a [`ReportFormat`] makes a
//!   report of them, for people or for another tool;
//! - a [`Comparison`](compare::Comparison) says how two runs differ, a [`GateSpec`] what is required of one;
//! - a [`PastRun`] is one of the runs of a project, and a [`RunLine`] what it came to, for lists and
//!   trends.
//!
//! The displays, [`OutFile`] and [`Several`] take [`RunEvent`](agentv_core::RunEvent)s as
//! [`Reporter`](agentv_core::Reporter)s, live or replayed from a record. The secrets in what they
//! are given have been replaced: they write it as it is, except that nothing in it reaches a
//! terminal that a terminal would obey.
//!
//! A run wires them like this:
//!
//! ```
//! use std::time::Duration;
//!
//! use agentv_core::{Planned, Reporter, RunEvent};
//! use agentv_report::{
//!     Clock, Closing, DisplayOptions, OutFile, PlainProgress, Several, Style, SummaryFold,
//!     render_summary,
//! };
//!
//! # fn run(reporter: &mut dyn Reporter) -> Result<(), agentv_core::ReportError> {
//! #     let record: std::sync::Arc<_> = serde_json::from_str(r#"{
//! #         "timestamp": "2026-11-15T10:43:07Z", "eval_file": "evals/sum.yaml", "eval_id": "sum",
//! #         "dataset": "math", "target": "default", "trial": 1, "status": "pass", "score": 1,
//! #         "attempts": 1, "answer_key": "a", "grade_key": "b"
//! #     }"#).unwrap();
//! #     reporter.on_event(&RunEvent::Planned(Planned { trials: 1, skipped: 0 }))?;
//! #     reporter.on_event(&RunEvent::Finished { record, reused: false })
//! # }
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! # let folder = tempfile::tempdir()?;
//! # let path = folder.path().join("out.csv");
//! let style = Style { colour: false, width: 80, unicode: true };
//! let options = DisplayOptions { style, verbose: false, several_targets: false, clock: Clock::real() };
//! let mut display = PlainProgress::to(std::io::stderr(), Duration::from_secs(5), options);
//! let mut out_file = OutFile::create(&path)?;
//! let mut fold = SummaryFold::new();
//!
//! let mut reporters = Several::new().and(&mut fold).and(&mut display).and(&mut out_file);
//! run(&mut reporters)?;
//!
//! display.finish();
//! out_file.finish()?;
//! let summary = fold.finish(0);
//! let closing = Closing { planned: 1, out_file: Some(&path), ..Closing::default() };
//! let text = render_summary(&summary, &closing, style);
//! assert!(text.starts_with("100% passed · 1 of 1 graded\n"));
//! # Ok(())
//! # }
//! ```
//!
//! Another way to report is one more file here that folds records or takes events, and one more
//! line below; another format of [`OutFile`] is one file and one line in [`out_file::ALL`], one of reports in
//! [`FORMATS`].

pub mod agreement;
mod clock;
pub mod compare;
mod destination;
mod display;
mod events_file;
mod figures;
mod gate;
mod history;
mod markdown_text;
pub mod out_file;
mod render;
mod report;
mod results;
mod run_fold;
mod run_statistics;
#[cfg(test)]
mod samples;
mod several;
mod style;
mod summary;
mod text;

pub use clock::Clock;
pub use destination::{check_destination, replace_file};
pub use display::{DisplayOptions, LiveDisplay, PlainProgress, Quiet};
pub use events_file::EventsFile;
pub use gate::{DropGate, GateRule, GateSpec, gate_line};
pub use history::{PastRun, RunLine, RunState, render_runs, render_trend, trend_page};
pub use out_file::OutFile;
pub use render::{Closing, render_summary};
pub use report::{FORMATS, ReportFailure, ReportFormat};
pub use results::{RunResults, Transcripts};
pub use run_fold::RunFold;
pub use run_statistics::{FlakyCase, RunStatistics, TargetStatistics, TrialStatistics};
pub use several::Several;
pub use style::Style;
pub use summary::{
    CostlyTrial, ErrorGroup, Latency, Scores, SlowTrial, Statuses, Summary, SummaryFold,
    TargetSummary, Tokens, TrialName, WorstTrial,
};
