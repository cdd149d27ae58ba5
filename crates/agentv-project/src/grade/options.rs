//! The options of a grading.

use std::path::PathBuf;

use agentv_core::RunRecord;
use agentv_dataset::LoadOptions;

use crate::options::{GateOptions, LimitOptions, Resume};
use crate::run::SelectionOptions;

/// A request to grade the answers of an earlier run.
#[derive(Debug, Clone)]
pub struct GradeOptions {
    /// The run: its id, the path of its folder, `latest` or `latest~2`.
    pub run: String,
    /// The options to load eval files with.
    pub load: LoadOptions,
    /// The file whose evaluators grade, instead of those of the cases.
    pub evaluators_file: Option<PathBuf>,
    /// The file that defines the judges, instead of the nearest `targets.yaml`.
    pub targets_file: Option<PathBuf>,
    /// The target that judges answers, unless an evaluator names another (default: that of the run).
    pub judge: Option<String>,
    /// Allows several targets to grade their own answers.
    pub allow_self_judging: bool,
    /// The cases to grade.
    pub selection: SelectionOptions,
    /// Asks no judge about an answer that fails a required check.
    pub stop_on_required: bool,
    /// The grading to resume.
    pub resume: Option<Resume>,
    /// Also repeats the errored trials of the resumed grading. Without `resume`, resumes the newest one.
    pub retry_errors: bool,
    /// Limits on time, money and requests.
    pub limits: LimitOptions,
    /// Requirements for the results.
    pub gates: GateOptions,
    /// Records everything that judges were asked and said in the results.
    pub include_trace: bool,
}

impl GradeOptions {
    /// Takes over the judge and the threshold of the run, or of the grading that is resumed, unless the
    /// options name others.
    pub(super) fn complete(&mut self, before: &RunRecord) {
        self.judge = self.judge.take().or_else(|| before.judge.clone());
        self.allow_self_judging |= before.allow_self_judging;
        self.stop_on_required |= before.stop_on_required;
        let threshold = self.load.pass_threshold;
        self.load.pass_threshold = threshold.or(before.pass_threshold);
    }

    /// Returns the grading to resume: the newest one if only `retry_errors` is set.
    pub(super) fn resumed(&self) -> Option<Resume> {
        let newest = self.retry_errors.then_some(Resume::Newest);
        self.resume.clone().or(newest)
    }
}
