//! The command line of `agentv grade`.

use std::path::PathBuf;

use agentv_core::PassThreshold;
use agentv_dataset::LoadOptions;
use agentv_project::{GradeOptions, OpenRun, Project, SelectionOptions};
use clap::Args;

use super::shared::{LimitArguments, OutputArguments, by_id, resume};
use super::values::{from_one, pass_threshold};
use super::{GateArguments, LoadArguments};

/// Grade the answers of an earlier run again, without calling its targets
///
/// Each answer of RUN is graded with the current expected values, evaluators and rubrics of its case. If
/// the case no longer exists, if its question has changed, or if the eval file is missing, the recorded
/// case is used instead: the folder of the run is enough. The results become a new run beside RUN.
///
/// Exit codes, the first that applies: 130 interrupted, 143 terminated, 129 the terminal was closed;
/// 5 results could not be written; 4 stopped by `--budget` or `--max-time`; 2 the command line or a file is
/// invalid; 3 more errored trials and skipped cases than `--max-errors` allows; 1 a gate is not met or, if
/// you set no gate, a graded trial did not pass; 0 otherwise.
#[derive(Debug, Clone, PartialEq, Args)]
#[command(after_help = "\
Examples:
  agentv grade latest                           with the current cases
  agentv grade latest --evaluators strict.yaml  with other evaluators
  agentv grade .agentv/results/RUN --eval-id 'refund-*'
  agentv grade RUN --resume                     resume an interrupted grading")]
pub(crate) struct GradeArguments {
    /// A run id, a run folder, `latest` or `latest~N`
    #[arg(value_name = "RUN")]
    pub(crate) run: String,
    /// Grade with the evaluators in FILE instead of those of the cases
    #[arg(long, value_name = "FILE", help_heading = "What to grade")]
    pub(crate) evaluators: Option<PathBuf>,
    /// File that defines the judges (default: the nearest `targets.yaml`)
    #[arg(long, value_name = "FILE", help_heading = "What to grade")]
    pub(crate) targets: Option<PathBuf>,
    /// Use this target as the judge, unless an evaluator names another (default: `--judge` of the run, else
    /// `judge_target`)
    #[arg(long, value_name = "NAME", help_heading = "What to grade")]
    pub(crate) judge: Option<String>,
    /// Allow several targets to grade their own answers
    #[arg(long, help_heading = "What to grade")]
    pub(crate) allow_self_judging: bool,
    /// Only grade cases whose id matches GLOB (repeatable)
    #[arg(long = "eval-id", value_name = "GLOB", help_heading = "What to grade")]
    pub(crate) eval_ids: Vec<String>,
    /// Only grade the first N cases
    #[arg(long, value_name = "N", value_parser = from_one::<u64>, help_heading = "What to grade")]
    pub(crate) limit: Option<u64>,
    /// Lowest score that passes, for all cases (default: `--pass-threshold` of the run, else
    /// `pass_threshold` of the files, or 0.8)
    #[arg(long, value_name = "X", value_parser = pass_threshold, help_heading = "What to grade")]
    pub(crate) pass_threshold: Option<PassThreshold>,
    /// Run cheap evaluators first, and skip the others if a required one fails
    #[arg(long, help_heading = "What to grade")]
    pub(crate) stop_on_required: bool,

    /// Resume the newest grading with the same evaluators, or the grading RUN
    #[arg(long, value_name = "RUN", num_args = 0..=1, require_equals = true, help_heading = "Earlier gradings")]
    pub(crate) resume: Option<Option<String>>,
    /// Also retry errored trials when resuming (implies `--resume`)
    #[arg(long, help_heading = "Earlier gradings")]
    pub(crate) retry_errors: bool,

    #[command(flatten)]
    pub(crate) limits: LimitArguments,
    #[command(flatten)]
    pub(crate) gates: GateArguments,
    #[command(flatten)]
    pub(crate) output: OutputArguments,
    #[command(flatten)]
    pub(crate) load: LoadArguments,
}

impl GradeArguments {
    /// Returns the arguments that resume `run`, which these arguments began.
    pub(crate) fn resuming(&self, run: &OpenRun) -> GradeArguments {
        GradeArguments {
            run: by_id(&self.run, run.record().graded_from.as_deref()),
            resume: Some(Some(run.folder().id().to_string())),
            eval_ids: run.record().eval_ids.clone(),
            limit: run.record().limit,
            gates: self.gates.resuming(run),
            ..self.clone()
        }
    }

    /// Returns the request, as data.
    pub(crate) fn options(&self, project: &Project) -> GradeOptions {
        GradeOptions {
            run: self.run.clone(),
            load: LoadOptions {
                pass_threshold: self.pass_threshold,
                ..self.load.options(project)
            },
            evaluators_file: self.evaluators.clone(),
            targets_file: self.targets.clone(),
            judge: self.judge.clone(),
            allow_self_judging: self.allow_self_judging,
            selection: SelectionOptions {
                eval_ids: self.eval_ids.clone(),
                shard: None,
                balance: None,
                limit: self.limit,
            },
            stop_on_required: self.stop_on_required,
            resume: resume(&self.resume),
            retry_errors: self.retry_errors,
            limits: self.limits.options(),
            gates: self.gates.options(),
            include_trace: self.output.include_trace,
        }
    }
}
