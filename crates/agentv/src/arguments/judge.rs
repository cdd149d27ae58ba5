//! The command line of `agentv judge`.

use std::path::PathBuf;

use agentv_project::{CalibrateOptions, OpenRun, Project};
use clap::{Args, Subcommand};

use super::shared::{LimitArguments, OutputArguments, resume};
use super::values::{kappa, share};
use super::{ListFormat, LoadArguments};

/// Measure how well a judge agrees with people
#[derive(Debug, Args)]
pub(crate) struct JudgeArguments {
    #[command(subcommand)]
    pub(crate) action: JudgeAction,
}

#[derive(Debug, Subcommand)]
pub(crate) enum JudgeAction {
    Calibrate(Box<CalibrateArguments>),
}

/// Compare a judge with people on answers that people have graded
///
/// FILE is an eval file whose cases also have an answer, `candidate_answer` or `output_messages`, and a
/// person's grade of it, `human_score` (0 to 1) or `human_verdict` (pass, borderline, fail). Each case is
/// graded by those of its evaluators that ask a judge, or by `llm_judge` if it has none. No target is
/// called for an answer.
///
/// Exit codes: 0 success, 1 `--min-kappa` or `--min-accuracy` is not met, 2 the command line or the file
/// is invalid, 3 some cases errored. If the calibration was stopped, the codes are those of `agentv run`.
#[derive(Debug, Clone, PartialEq, Args)]
#[command(after_help = "\
Examples:
  agentv judge calibrate labelled.jsonl                  the judges of the cases
  agentv judge calibrate labelled.jsonl --target strict  another judge
  agentv judge calibrate labelled.jsonl --min-kappa 0.6  a gate for CI")]
pub(crate) struct CalibrateArguments {
    /// Eval file with answers and the grades of people
    pub(crate) file: PathBuf,
    /// Ask this target instead of the judges that the file names
    #[arg(long, value_name = "NAME", help_heading = "Judges")]
    pub(crate) target: Option<String>,
    /// File that defines the judges (default: the nearest `targets.yaml`)
    #[arg(long, value_name = "FILE", help_heading = "Judges")]
    pub(crate) targets: Option<PathBuf>,

    /// Exit with 1 if Cohen's kappa is below X or undefined
    #[arg(long, value_name = "X", value_parser = kappa, allow_negative_numbers = true, help_heading = "Gates")]
    pub(crate) min_kappa: Option<f64>,
    /// Exit with 1 if the share of identical verdicts is below X
    #[arg(long, value_name = "X", value_parser = share, help_heading = "Gates")]
    pub(crate) min_accuracy: Option<f64>,

    /// Resume the newest calibration of the same file and `--target`, or the calibration RUN
    #[arg(long, value_name = "RUN", num_args = 0..=1, require_equals = true, help_heading = "Earlier runs")]
    pub(crate) resume: Option<Option<String>>,
    /// Also retry errored cases when resuming (implies `--resume`)
    #[arg(long, help_heading = "Earlier runs")]
    pub(crate) retry_errors: bool,

    #[command(flatten)]
    pub(crate) limits: LimitArguments,
    /// Show the N cases on which the judge and people differ most
    #[arg(long, value_name = "N", default_value_t = Self::SHOWN, help_heading = "Output")]
    pub(crate) show: usize,
    /// Output format
    #[arg(long, value_enum, default_value_t = Self::FORMAT, help_heading = "Output")]
    pub(crate) format: ListFormat,
    #[command(flatten)]
    pub(crate) output: OutputArguments,
    #[command(flatten)]
    pub(crate) load: LoadArguments,
}

impl CalibrateArguments {
    /// The default of `--show`.
    pub(super) const SHOWN: usize = 10;
    /// The default of `--format`.
    pub(super) const FORMAT: ListFormat = ListFormat::Text;

    /// Returns the arguments that resume `run`, which these arguments began.
    pub(crate) fn resuming(&self, run: &OpenRun) -> CalibrateArguments {
        CalibrateArguments {
            resume: Some(Some(run.folder().id().to_string())),
            ..self.clone()
        }
    }

    /// Returns the request, as data.
    pub(crate) fn options(&self, project: &Project) -> CalibrateOptions {
        CalibrateOptions {
            file: self.file.clone(),
            load: self.load.options(project),
            judge: self.target.clone(),
            targets_file: self.targets.clone(),
            resume: resume(&self.resume),
            retry_errors: self.retry_errors,
            limits: self.limits.options(),
            include_trace: self.output.include_trace,
        }
    }
}
