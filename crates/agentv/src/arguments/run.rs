//! The command line of `agentv run`.

use std::path::PathBuf;
use std::time::Duration;

use agentv_cluster::{EngineAddress, EngineName};
use agentv_core::PassThreshold;
use agentv_dataset::LoadOptions;
use agentv_project::{
    LimitOptions, Notices, OpenRun, Project, ProjectError, RunOptions, SelectionOptions,
};
use agentv_providers::Delay;
use clap::Args;

use super::engine::EngineAddressParser;
use super::shard::ShardArgument;
use super::shared::{LimitArguments, OutputArguments, resume};
use super::values::{from_one, milliseconds, pass_threshold, tag};
use super::{GateArguments, LoadArguments};

/// Send cases to targets and grade the answers
///
/// All eval files are checked before any target is called. Every answer and grade is written immediately
/// to the folder of the run, under `.agentv/results`. `--resume` continues an interrupted run without
/// repeating finished calls.
///
/// Exit codes, the first that applies: 130 interrupted, 143 terminated, 129 the terminal was closed;
/// 5 results could not be written; 4 stopped by `--budget` or `--max-time`; 2 the command line or a file is
/// invalid; 3 more errored trials and skipped cases than `--max-errors` allows; 1 a gate is not met or, if
/// you set no gate, a graded trial did not pass; 0 otherwise.
#[derive(Debug, Clone, PartialEq, Args)]
#[command(
    visible_alias = "eval",
    after_help = "\
Examples:
  agentv run evals/test.jsonl                       one file with its sidecar
  agentv run evals 'more/**/*.yaml'                 folders, globs, any formats
  agentv run evals --target openai:gpt-5            a model, no configuration
  agentv run evals --target gpt --target claude     every case on both
  agentv run evals --resume                         resume the last run
  agentv run evals --shard 1/4                      a quarter of the cases
  agentv run evals --fail-under 0.9 --max-errors 0  gates for CI
  agentv run evals --baseline RUN --max-drop 0.02   no worse than another run
  agentv run evals --dry-run                        without calling any target"
)]
pub(crate) struct RunArguments {
    /// Files, folders or globs
    #[arg(required = true, value_name = "PATH")]
    pub(crate) paths: Vec<PathBuf>,
    /// Call this target instead of those that the eval files name (repeatable)
    #[arg(long = "target", value_name = "NAME", help_heading = "What to run")]
    pub(crate) chosen_targets: Vec<String>,
    /// File that defines the targets (default: the nearest `targets.yaml`)
    #[arg(long, value_name = "FILE", help_heading = "What to run")]
    pub(crate) targets: Option<PathBuf>,
    /// Use this target as the judge, unless an evaluator names another (default: that of a resumed run, else
    /// `judge_target`)
    #[arg(long, value_name = "NAME", help_heading = "What to run")]
    pub(crate) judge: Option<String>,
    /// Allow several targets to grade their own answers
    #[arg(long, help_heading = "What to run")]
    pub(crate) allow_self_judging: bool,
    /// Only run cases whose id matches GLOB (repeatable)
    #[arg(long = "eval-id", value_name = "GLOB", help_heading = "What to run")]
    pub(crate) eval_ids: Vec<String>,
    /// Only run the first N cases
    #[arg(long, value_name = "N", value_parser = from_one::<u64>, help_heading = "What to run")]
    pub(crate) limit: Option<u64>,
    /// Split the cases into N shards, the same on every machine, and only run shard I; `auto` takes I and N
    /// from the variables of Kubernetes, Slurm or a CI system
    #[arg(long, value_name = "I/N", help_heading = "What to run")]
    pub(crate) shard: Option<ShardArgument>,
    /// Distribute the cases over the shards so that all take about the same time, by the latencies of RUN
    #[arg(
        long,
        value_name = "RUN",
        requires = "shard",
        help_heading = "What to run"
    )]
    pub(crate) balance: Option<String>,
    /// Run each case N times (default: 1)
    #[arg(long, value_name = "N", value_parser = from_one::<u32>, help_heading = "What to run")]
    pub(crate) trials: Option<u32>,
    /// Replace every target with a mock, and mark the results as a dry run
    #[arg(long, help_heading = "What to run")]
    pub(crate) dry_run: bool,
    /// Time that the mock takes, such as `250ms`
    #[arg(
        long,
        value_name = "TIME",
        value_parser = milliseconds,
        requires = "dry_run",
        help_heading = "What to run"
    )]
    pub(crate) dry_run_delay: Option<u64>,
    /// Shortest time that the mock takes
    #[arg(
        long,
        value_name = "TIME",
        value_parser = milliseconds,
        requires = "dry_run",
        conflicts_with = "dry_run_delay",
        help_heading = "What to run"
    )]
    pub(crate) dry_run_delay_min: Option<u64>,
    /// Longest time that the mock takes
    #[arg(
        long,
        value_name = "TIME",
        value_parser = milliseconds,
        requires = "dry_run",
        conflicts_with = "dry_run_delay",
        help_heading = "What to run"
    )]
    pub(crate) dry_run_delay_max: Option<u64>,
    /// Run cheap evaluators first, and skip the others if a required one fails
    #[arg(long, help_heading = "What to run")]
    pub(crate) stop_on_required: bool,
    /// Lowest score that passes, for all cases (default: that of a resumed run, else `pass_threshold` of the
    /// files, or 0.8)
    #[arg(long, value_name = "X", value_parser = pass_threshold, help_heading = "What to run")]
    pub(crate) pass_threshold: Option<PassThreshold>,
    /// Refuse a file that has an invalid case, instead of skipping the case
    #[arg(long, help_heading = "What to run")]
    pub(crate) strict: bool,

    /// Resume the newest run of the same files, targets and `--trials`, or the run RUN
    #[arg(long, value_name = "RUN", num_args = 0..=1, require_equals = true, help_heading = "Earlier runs")]
    pub(crate) resume: Option<Option<String>>,
    /// Also retry errored trials when resuming (implies `--resume`)
    #[arg(long, help_heading = "Earlier runs")]
    pub(crate) retry_errors: bool,
    /// Only run the trials of RUN that did not pass, as a new run
    #[arg(long, value_name = "RUN", conflicts_with_all = ["resume", "retry_errors"], help_heading = "Earlier runs")]
    pub(crate) rerun_failed: Option<String>,
    /// Reuse answers of earlier runs with `--cache` if nothing that affects them has changed
    #[arg(long, help_heading = "Earlier runs")]
    pub(crate) cache: bool,

    #[command(flatten)]
    pub(crate) limits: LimitArguments,
    /// Let workers (`agentv worker`) on other machines execute the trials, over the NATS server at URL
    #[arg(long, value_name = "URL", value_parser = EngineAddressParser, help_heading = "Limits")]
    pub(crate) engine: Option<EngineAddress>,
    /// Name of the engine, if several share the server (default: `default`)
    #[arg(
        long,
        value_name = "NAME",
        requires = "engine",
        help_heading = "Limits"
    )]
    pub(crate) engine_name: Option<EngineName>,
    /// Give a shard the full `--budget` and the full rate limits of the targets, instead of 1/N of them
    #[arg(long, help_heading = "Limits")]
    pub(crate) whole_limits: bool,

    #[command(flatten)]
    pub(crate) gates: GateArguments,

    /// Tag the run, to find it among others in `agentv runs` and `agentv view` (repeatable)
    #[arg(long = "tag", value_name = "NAME", value_parser = tag, help_heading = "Output")]
    pub(crate) tags: Vec<String>,
    /// Write the prompt of each case to DIR
    #[arg(long, value_name = "DIR", help_heading = "Output")]
    pub(crate) dump_prompts: Option<PathBuf>,
    /// Keep the requests to targets and their responses as they were sent, without secrets, in
    /// `transcripts.jsonl` of the run
    #[arg(long, help_heading = "Output")]
    pub(crate) include_raw: bool,
    /// Show the run on a page in the browser, from its start
    #[arg(long, help_heading = "Output")]
    pub(crate) view: bool,
    #[command(flatten)]
    pub(crate) output: OutputArguments,
    #[command(flatten)]
    pub(crate) load: LoadArguments,
}

impl RunArguments {
    /// Returns the arguments that resume `run`, which these arguments began.
    pub(crate) fn resuming(&self, run: &OpenRun, project: &Project) -> RunArguments {
        // A request that selects a part of a resumed run says nothing about the rest.
        let record = run.record();
        let others = run.other_files().iter();
        RunArguments {
            paths: self
                .paths
                .iter()
                .cloned()
                .chain(others.map(|path| project.shown(path)))
                .collect(),
            resume: Some(Some(run.folder().id().to_string())),
            // The run knows which trials it repeats.
            rerun_failed: None,
            eval_ids: record.eval_ids.clone(),
            limit: record.limit,
            shard: record.shard.as_deref().and_then(|shard| shard.parse().ok()),
            balance: record.balance.as_ref().map(|balance| balance.run.clone()),
            gates: self.gates.resuming(run),
            ..self.clone()
        }
    }

    /// Returns the request, as data.
    ///
    /// # Errors
    /// If `--shard auto` finds no shard.
    pub(crate) fn options(
        &self,
        project: &Project,
        notices: &mut dyn Notices,
    ) -> Result<RunOptions, ProjectError> {
        let shard = match self.shard {
            Some(ShardArgument::Given(shard)) => Some(shard),
            Some(ShardArgument::Auto) => Some(project.automatic_shard(notices)?),
            None => None,
        };
        Ok(RunOptions {
            paths: self.paths.clone(),
            load: LoadOptions {
                pass_threshold: self.pass_threshold,
                ..self.load.options(project)
            },
            strict: self.strict,
            chosen_targets: self.chosen_targets.clone(),
            targets_file: self.targets.clone(),
            judge: self.judge.clone(),
            allow_self_judging: self.allow_self_judging,
            selection: SelectionOptions {
                eval_ids: self.eval_ids.clone(),
                shard,
                balance: self.balance.clone(),
                limit: self.limit,
            },
            trials: self.trials,
            dry_run: self.dry_run.then(|| self.delay()),
            stop_on_required: self.stop_on_required,
            resume: resume(&self.resume),
            retry_errors: self.retry_errors,
            rerun_failed: self.rerun_failed.clone(),
            cache: self.cache,
            limits: LimitOptions {
                whole: self.whole_limits,
                ..self.limits.options()
            },
            gates: self.gates.options(),
            tags: self.tags.clone(),
            dump_prompts: self.dump_prompts.clone(),
            include_trace: self.output.include_trace,
            include_raw: self.include_raw,
            has_engine: self.engine.is_some(),
            outputs: self
                .output
                .files()
                .map(|file| file.path.to_owned())
                .collect(),
        })
    }

    fn delay(&self) -> Delay {
        let fixed = self.dry_run_delay;
        let shortest = fixed.or(self.dry_run_delay_min).unwrap_or_default();
        let longest = fixed.or(self.dry_run_delay_max).unwrap_or(shortest);
        Delay {
            min: Duration::from_millis(shortest),
            max: Duration::from_millis(longest.max(shortest)),
        }
    }
}
