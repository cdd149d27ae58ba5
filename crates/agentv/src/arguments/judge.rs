//! The command line of `agentv judge`.

use std::path::PathBuf;

use agentv_project::{CalibrateOptions, OpenRun, Project};
use clap::{Args, Subcommand};

use super::shared::{LimitArguments, OutputArguments, resume};
use super::{ListFormat, LoadArguments};

/// Find out how far a judge is to be trusted
#[derive(Debug, Args)]
pub(crate) struct JudgeArguments {
    #[command(subcommand)]
    pub(crate) action: JudgeAction,
}

#[derive(Debug, Subcommand)]
pub(crate) enum JudgeAction {
    Calibrate(Box<CalibrateArguments>),
}

/// Hold a judge against people: let it grade answers that people have graded
///
/// FILE is an eval file whose cases also have `candidate_answer` (or `output_messages`), and what a person
/// says of it: `human_score` (0 to 1) or `human_verdict` (pass, borderline, fail). Each case is graded by
/// those of its evaluators that ask a judge, by `llm_judge` where it has none; no target is asked for an
/// answer. Exit code: 0, 1 when `--min-kappa` or `--min-accuracy` is not met, 2 when the command line or
/// the file is wrong, 3 when some cases errored, and as `agentv run` where it is stopped.
#[derive(Debug, Clone, PartialEq, Args)]
#[command(after_help = "\
Examples:
  agentv judge calibrate labelled.jsonl                     the judges that the cases name
  agentv judge calibrate labelled.jsonl --target strict     another one, to compare
  agentv judge calibrate labelled.jsonl --min-kappa 0.6     a gate")]
pub(crate) struct CalibrateArguments {
    /// The eval file with the answers and labels
    pub(crate) file: PathBuf,
    /// Ask this target in place of every judge that the file names
    #[arg(long, value_name = "NAME", help_heading = "Who judges")]
    pub(crate) target: Option<String>,
    /// The file that defines the judges, in place of the nearest `targets.yaml`
    #[arg(long, value_name = "FILE", help_heading = "Who judges")]
    pub(crate) targets: Option<PathBuf>,

    /// Fail when Cohen's kappa is less, or not defined
    #[arg(long, value_name = "X", value_parser = kappa, allow_negative_numbers = true, help_heading = "Gates")]
    pub(crate) min_kappa: Option<f64>,
    /// Fail when the share of same verdicts is less
    #[arg(long, value_name = "X", value_parser = share, help_heading = "Gates")]
    pub(crate) min_accuracy: Option<f64>,

    /// Resume an earlier calibration: the newest of the same file and `--target`, or RUN
    #[arg(long, value_name = "RUN", num_args = 0..=1, require_equals = true, help_heading = "Earlier runs")]
    pub(crate) resume: Option<Option<String>>,
    /// With a resumed one, also judge again what errored (resumes the newest by itself)
    #[arg(long, help_heading = "Earlier runs")]
    pub(crate) retry_errors: bool,

    #[command(flatten)]
    pub(crate) limits: LimitArguments,
    /// How many of the cases are shown on which they differ most
    #[arg(long, value_name = "N", default_value_t = Self::SHOWN, help_heading = "Output")]
    pub(crate) show: usize,
    /// How the agreement is told
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

fn kappa(text: &str) -> Result<f64, String> {
    number_from(-1.0, text)
}

fn share(text: &str) -> Result<f64, String> {
    number_from(0.0, text)
}

fn number_from(least: f64, text: &str) -> Result<f64, String> {
    let number = text.parse().ok();
    let number = number.filter(|number| (least..=1.0).contains(number));
    number.ok_or_else(|| format!("expected a number from {least} to 1"))
}
