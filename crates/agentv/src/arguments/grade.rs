//! The command line of `agentv grade`.

use std::path::PathBuf;

use agentv_project::{GradeOptions, OpenRun, Project, SelectionOptions};
use clap::Args;

use super::shared::{LimitArguments, OutputArguments, by_id, from_one, resume};
use super::{GateArguments, LoadArguments};

/// Grade the answers of an earlier run again, without asking its targets
///
/// Every answer of RUN is graded by what its case says today: its expected values, evaluators and
/// rubrics. A case that is gone, or that asks something else today, is graded as it was recorded; so is
/// every case where the eval files are not there, so that the folder of a run is all that is needed. The
/// results make a new run beside RUN. Judges are asked as in a run. Exit code: 0 no case failed, 1 some
/// failed, 2 nothing was graded because the command line or a file is wrong, 3 some cases errored, 4
/// stopped by `--budget` or `--max-time`, 5 results could not be written, 130 interrupted, 143
/// terminated, 129 the terminal was closed.
#[derive(Debug, Clone, PartialEq, Args)]
#[command(after_help = "\
Examples:
  agentv grade latest                                  by what the cases say today
  agentv grade latest --evaluators strict.yaml         by other evaluators
  agentv grade .agentv/results/RUN --eval-id 'refund-*'
  agentv grade RUN --resume                            resume where a grading stopped")]
pub(crate) struct GradeArguments {
    /// The id of a run, the path of its folder, `latest` or `latest~N`
    #[arg(value_name = "RUN")]
    pub(crate) run: String,
    /// Grade by the evaluators of FILE in place of those of the cases
    #[arg(long, value_name = "FILE", help_heading = "What is graded")]
    pub(crate) evaluators: Option<PathBuf>,
    /// The file that defines the judges, in place of the nearest `targets.yaml`
    #[arg(long, value_name = "FILE", help_heading = "What is graded")]
    pub(crate) targets: Option<PathBuf>,
    /// Only cases whose ids match; repeat it for more
    #[arg(long = "eval-id", value_name = "GLOB", help_heading = "What is graded")]
    pub(crate) eval_ids: Vec<String>,
    /// Only the first N cases
    #[arg(long, value_name = "N", value_parser = from_one::<u64>, help_heading = "What is graded")]
    pub(crate) limit: Option<u64>,
    /// Ask no judge about an answer that a required check has failed
    #[arg(long, help_heading = "What is graded")]
    pub(crate) stop_on_required: bool,

    /// Resume an earlier grading: the newest of RUN by the same evaluators, or RUN
    #[arg(long, value_name = "RUN", num_args = 0..=1, require_equals = true, help_heading = "PreviousRun gradings")]
    pub(crate) resume: Option<Option<String>>,
    /// With a resumed grading, also grade again what errored (resumes the newest by itself)
    #[arg(long, help_heading = "PreviousRun gradings")]
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
            gates: self.gates.resuming(run),
            ..self.clone()
        }
    }

    /// Returns the request, as data.
    pub(crate) fn options(&self, project: &Project) -> GradeOptions {
        GradeOptions {
            run: self.run.clone(),
            load: self.load.options(project),
            evaluators_file: self.evaluators.clone(),
            targets_file: self.targets.clone(),
            selection: SelectionOptions {
                eval_ids: self.eval_ids.clone(),
                shard: None,
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
