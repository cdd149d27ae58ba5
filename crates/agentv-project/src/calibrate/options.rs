//! The options of a calibration.

use std::path::PathBuf;

use agentv_dataset::LoadOptions;

use crate::options::{LimitOptions, Resume};

/// A request to compare judges with people.
#[derive(Debug, Clone)]
pub struct CalibrateOptions {
    /// The eval file with answers and labels.
    pub file: PathBuf,
    /// The options to load it with.
    pub load: LoadOptions,
    /// The target to ask instead of every judge that the file names.
    pub judge: Option<String>,
    /// The file that defines the judges, instead of the nearest `targets.yaml`.
    pub targets_file: Option<PathBuf>,
    /// The calibration to resume.
    pub resume: Option<Resume>,
    /// Also repeats the errored cases of the resumed calibration. Without `resume`, resumes the newest one.
    pub retry_errors: bool,
    /// Limits on time, money and requests.
    pub limits: LimitOptions,
    /// Records everything that judges were asked and said in the results.
    pub include_trace: bool,
}

impl CalibrateOptions {
    /// Returns the calibration to resume: the newest one if only `retry_errors` is set.
    pub(super) fn resumed(&self) -> Option<Resume> {
        let newest = self.retry_errors.then_some(Resume::Newest);
        self.resume.clone().or(newest)
    }
}
