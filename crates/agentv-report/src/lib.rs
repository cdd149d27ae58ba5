//! Reports of runs, for people, CI and the disk.
//!
//! To read the results of a run back from its folder:
//!
//! ```no_run
//! use agentv_journal::RunFolder;
//! use agentv_report::RunResults;
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let folder = RunFolder::open(".agentv/results/2026-11-15T10-43-07Z-4f1a".as_ref())?;
//! let results = RunResults::of_folder(&folder)?;
//! results.each(&mut |record| println!("{} {}", record.eval_id, record.status.as_str()))?;
//! println!("{:?} passed", results.summary()?.pass_rate);
//! # Ok(())
//! # }
//! ```
//!
//! `read_results`, an example of `agentv-project`, is a whole program.
//!
//! The nouns:
//!
//! - A [`Summary`] holds the figures of a run. A [`SummaryFold`] computes it from records in any order
//!   and in bounded memory, a [`RunFold`] adds intervals, and [`render_summary`] prints it for people.
//! - A display shows a run in progress: [`LiveDisplay`] is a progress bar in a terminal,
//!   [`PlainProgress`] prints a line every few seconds elsewhere, [`Quiet`] prints errors only.
//! - An [`OutFile`] writes the records to a file that the user chooses, in one of
//!   [several formats](out_file::ALL).
//! - [`RunResults`] are the results of a run, read back from its folder. A [`ReportFormat`] turns them
//!   into a report, for people or for another tool.
//! - A [`Comparison`](compare::Comparison) says how two runs differ, a [`GateSpec`] what a run must
//!   reach.
//! - A [`PastRun`] is one of the runs of a project. A [`RunLine`] sums it up for lists and trends.
//!
//! The displays and [`OutFile`] take [`RunEvent`](agentv_core::RunEvent)s as
//! [`Reporter`](agentv_core::Reporter)s. Secrets have already been replaced in these events, so their
//! texts are written unchanged, except that no control character reaches a terminal.
//!
//! A run uses them like this:
//!
//! ```
//! use std::time::Duration;
//!
//! use agentv_core::{Planned, Reporter, RunEvent};
//! use agentv_report::{
//!     Clock, Closing, DisplayOptions, OutFile, PlainProgress, Style, SummaryFold, render_summary,
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
//! for reporter in [&mut fold as &mut dyn Reporter, &mut display, &mut out_file] {
//!     run(reporter)?;
//! }
//!
//! display.finish();
//! out_file.finish()?;
//! let summary = fold.finish(0);
//! let closing = Closing { planned: 1, out_file: Some(&path), ..Closing::default() };
//! let text = render_summary(&summary, &closing, style);
//! assert!(text.starts_with("100% passed · 1 of 1 graded trial\n"));
//! # Ok(())
//! # }
//! ```
//!
//! To add a reporter, add a file here that folds records or takes events, and a line below. A format
//! of [`OutFile`] is one file and one line in [`out_file::ALL`], a format of reports one file and one
//! line in [`FORMATS`].

pub mod agreement;
mod allowance;
mod clock;
pub mod compare;
mod destination;
mod display;
mod events_file;
mod export;
mod figures;
mod file_order;
mod gate;
mod history;
mod in_order;
mod markdown_text;
pub mod out_file;
mod render;
mod report;
mod results;
mod results_check;
mod run_fold;
mod run_statistics;
mod said;
#[cfg(test)]
mod samples;
mod style;
mod summary;
mod text;
mod transcript_question;

pub use allowance::{AllowanceError, ErrorAllowance};
pub use clock::Clock;
pub use compare::{DropGate, GateRule};
pub use destination::{check_destination, replace_file};
pub use display::{DisplayOptions, LiveDisplay, PlainProgress, Quiet};
pub use events_file::EventsFile;
pub use export::{ExportError, write_otlp};
pub use gate::{GateSpec, gate_line, gates_met, nothing_graded};
pub use history::{PastRun, RunLine, RunState, render_runs, render_trend, write_trend_page};
pub use in_order::{Divided, in_order};
pub use out_file::OutFile;
pub use render::{Closing, render_summary, render_trial};
pub use report::{
    FORMATS, ReportFailure, ReportFormat, RunFacts, SiteLink, TrialsPage, page, write_runs_page,
};
pub use results::{RunResults, Transcripts};
pub use results_check::{ResultsCheck, ResultsProblem};
pub use run_fold::RunFold;
pub use run_statistics::{
    FlakyCase, RunStatistics, TargetFigures, TargetStatistics, TrialStatistics,
};
pub use said::{SAID, said};
pub use style::Style;
pub use summary::{
    CostlyTrial, Costs, ErrorGroup, KeptWorkspaces, Latency, Scores, SlowTrial, Statuses, Summary,
    SummaryFold, TargetJudges, TargetSummary, Tokens, WorstTrial,
};
pub use text::excerpt;
pub use transcript_question::TranscriptQuestion;
