//! The options of a run.

use std::path::PathBuf;

use agentv_dataset::LoadOptions;
use agentv_providers::Delay;
use agentv_runner::Shard;

use crate::options::{GateOptions, LimitOptions, Resume};

/// A request to run eval files.
#[derive(Debug, Clone)]
pub struct RunOptions {
    /// Files, folders or globs.
    pub paths: Vec<PathBuf>,
    /// The options to load them with.
    pub load: LoadOptions,
    /// Refuses files in which any case is wrong.
    pub strict: bool,
    /// The targets to call for every case. If empty, each case is sent to the target that it names.
    pub chosen_targets: Vec<String>,
    /// The file that defines the targets, instead of the nearest `targets.yaml`.
    pub targets_file: Option<PathBuf>,
    /// The target that judges answers, unless an evaluator names another.
    pub judge: Option<String>,
    /// Allows several targets to grade their own answers.
    pub allow_self_judging: bool,
    /// The cases to run.
    pub selection: SelectionOptions,
    /// The number of trials per case (default: that of the repeated run, or 1).
    pub trials: Option<u32>,
    /// Replaces every target by a mock that takes this long.
    pub dry_run: Option<Delay>,
    /// Asks no judge about an answer that fails a required check.
    pub stop_on_required: bool,
    /// The run to resume.
    pub resume: Option<Resume>,
    /// Also repeats the errored trials of the resumed run. Without `resume`, resumes the newest one.
    pub retry_errors: bool,
    /// The run whose failed and errored trials are repeated in a new run.
    pub rerun_failed: Option<String>,
    /// Takes answers from earlier runs if nothing that can change them has changed.
    pub cache: bool,
    /// Limits on time, money and requests.
    pub limits: LimitOptions,
    /// Requirements for the results.
    pub gates: GateOptions,
    /// The tags of the run, in addition to those of the run that it resumes or repeats.
    pub tags: Vec<String>,
    /// The folder to write each case's prompt to.
    pub dump_prompts: Option<PathBuf>,
    /// Records everything that targets and judges said in the results.
    pub include_trace: bool,
    /// Records requests and responses as they were sent.
    pub include_raw: bool,
    /// Set if workers on other machines execute the trials.
    pub has_engine: bool,
    /// The files that the caller writes. One that an earlier run wrote is not an eval file unless `paths`
    /// names it.
    pub outputs: Vec<PathBuf>,
}

/// A selection of the cases of a run.
#[derive(Debug, Clone, Default)]
pub struct SelectionOptions {
    /// Globs of ids; all cases if empty.
    pub eval_ids: Vec<String>,
    /// One share of the cases.
    pub shard: Option<Shard>,
    /// The run by whose latencies cases are distributed over the shards.
    pub balance: Option<String>,
    /// The first cases only.
    pub limit: Option<u64>,
}

impl RunOptions {
    /// Creates the options of a plain run: all cases, once, on the targets that they name.
    pub fn new(paths: Vec<PathBuf>, load: LoadOptions) -> RunOptions {
        RunOptions {
            paths,
            load,
            strict: false,
            chosen_targets: Vec::new(),
            targets_file: None,
            judge: None,
            allow_self_judging: false,
            selection: SelectionOptions::default(),
            trials: None,
            dry_run: None,
            stop_on_required: false,
            resume: None,
            retry_errors: false,
            rerun_failed: None,
            cache: false,
            limits: LimitOptions::default(),
            gates: GateOptions::default(),
            tags: Vec::new(),
            dump_prompts: None,
            include_trace: false,
            include_raw: false,
            has_engine: false,
            outputs: Vec::new(),
        }
    }

    /// Returns the run to resume: the newest one if only `retry_errors` is set.
    pub(crate) fn resumed(&self) -> Option<Resume> {
        let newest = self.retry_errors.then_some(Resume::Newest);
        self.resume.clone().or(newest)
    }
}
