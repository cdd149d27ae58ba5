//! Runs to report, written as a run would write them.

use std::path::PathBuf;

use agentv_journal::RunFolder;
use agentv_report::{ReportFormat, RunResults};
use agentv_testkit::runs::write_run;
pub(crate) use agentv_testkit::runs::{Trial, errored, merged, ten, trial};
use serde_json::{Value, json};
use tempfile::TempDir;

/// A folder with runs and their reports.
#[derive(Debug)]
pub(crate) struct Runs {
    root: TempDir,
    runs: Vec<RunResults>,
}

impl Runs {
    pub(crate) fn new() -> Runs {
        Runs {
            root: tempfile::tempdir().unwrap(),
            runs: Vec::new(),
        }
    }

    /// Adds a finished run of these trials.
    pub(crate) fn with(self, trials: impl IntoIterator<Item = Trial>) -> Runs {
        let ended = json!({"finished_at": "2026-11-15T10:59:00Z"});
        self.with_run(trials, &ended)
    }

    /// Adds a run with further fields in its `run.json`.
    pub(crate) fn with_run(
        mut self,
        trials: impl IntoIterator<Item = Trial>,
        fields: &Value,
    ) -> Runs {
        let hour = 10 + self.runs.len();
        let started = format!("2026-11-15T{hour}:43:07.309Z");
        let started_at = json!({"started_at": started});
        let id = format!("2026-11-15T{hour}-43-07Z-4f1a");
        let folder = write_run(
            self.root.path(),
            &id,
            &merged(&started_at, fields.clone()),
            trials,
        );
        let folder = RunFolder::open(&folder).unwrap();
        self.runs.push(RunResults::of_folder(&folder).unwrap());
        self
    }

    /// Writes the report of all runs.
    pub(crate) fn report(&self) -> PathBuf {
        let path = self.root.path().join("report.html");
        let format = ReportFormat::named("html").unwrap();
        format.write_file(&self.runs, &path).unwrap();
        path
    }
}
