//! The record of a run: `run.json`.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::{Extra, PassThreshold, Program, Stop};

/// The settings and totals of a run.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct RunRecord {
    /// The version of agentv.
    pub version: String,
    /// The start, RFC 3339 in UTC.
    pub started_at: String,
    /// The end; `None` while the run is going, or after it was killed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub finished_at: Option<String>,
    /// Its tags, as the user named them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tags: Vec<String>,
    /// The eval files.
    pub files: Vec<RanFile>,
    /// The targets for every case; empty if each case names its own.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub chosen_targets: Vec<String>,
    /// The targets.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub targets: Vec<RanTarget>,
    /// The targets that only judged.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub judges: Vec<RanTarget>,
    /// The number of trials per case and target.
    pub trials: u32,
    /// The number of all trials, including those that were done before.
    #[serde(default)]
    pub planned: u64,
    /// Only cases whose ids match one of these patterns.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub eval_ids: Vec<String>,
    /// Only the cases of one shard, such as `1/4`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub shard: Option<String>,
    /// The distribution of cases over the shards, if an earlier run decided it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub balance: Option<Balance>,
    /// At most this many cases.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub limit: Option<u64>,
    /// True if mocks replaced the targets.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub dry_run: bool,
    /// The run whose trials that did not pass were repeated.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rerun_of: Option<String>,
    /// The run whose answers were graded again. No target was asked.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub graded_from: Option<String>,
    /// The file of labelled answers that judges were compared with. No target was asked.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub calibrated_with: Option<String>,
    /// The file whose evaluators replaced those of the cases.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub evaluators_file: Option<String>,
    /// The texts of the files that evaluators read, by their paths from the root, so that the run
    /// can be graded where the files are missing.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub evaluator_files: BTreeMap<String, String>,
    /// The digests of the files that its cases embed and its evaluators read, by their paths from the
    /// root. Of very many files, some are omitted.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub read_files: BTreeMap<String, String>,
    /// A digest of all files that cases embed and evaluators read, if the list omits some.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub read_files_digest: Option<String>,
    /// True if judges were not asked about answers that failed a required check.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub stop_on_required: bool,
    /// The judge that the command line named, for evaluators that name none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub judge: Option<String>,
    /// True if several targets may grade their own answers.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub allow_self_judging: bool,
    /// The least score that passes, if the command line sets it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pass_threshold: Option<PassThreshold>,
    /// The time at which runs were merged into this one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub merged_at: Option<String>,
    /// The runs that were merged into this one.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub merged_from: Vec<String>,
    /// The shards that were missing when runs were merged into this one, such as `2/4`. Of very many, the
    /// first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub missing_shards: Vec<String>,
    /// Earlier versions of its files, targets and settings, of which it still has results.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub earlier: Vec<RunVersion>,
    /// The reason of an early stop.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stopped: Option<Stop>,
    /// The totals of its results.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub totals: Option<Value>,
    /// The intervals of its results.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub statistics: Option<Value>,
    /// The requirements on its results, and the findings.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub gates: Vec<GateOutcome>,
}

impl RunRecord {
    /// Returns true if results of earlier versions may lack their mark, because the run was ended before it
    /// had compared them with the current version.
    pub fn may_lack_marks(&self) -> bool {
        let totals = self.totals.as_ref();
        let outdated = totals.and_then(|totals| totals.get("outdated")?.as_u64());
        !self.earlier.is_empty() && outdated.unwrap_or(0) == 0
    }

    /// Returns the version of everything that decides its answers and grades.
    pub fn version(&self) -> RunVersion {
        let files = self.files.iter().map(|file| FileVersion {
            path: file.path.clone(),
            digest: file.digest.clone(),
            settings_digest: file.settings_digest.clone(),
        });
        RunVersion {
            files: files.collect(),
            targets: self.targets.clone(),
            judges: self.judges.clone(),
            judge: self.judge.clone(),
            pass_threshold: self.pass_threshold,
            stop_on_required: self.stop_on_required,
            read_files: self.read_files.clone(),
            read_files_digest: self.read_files_digest.clone(),
        }
    }
}

/// A distribution of cases over shards by the latencies of an earlier run.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Balance {
    /// The id of the earlier run.
    pub run: String,
    /// A digest of the distribution.
    pub digest: String,
}

/// A version of the files, targets and settings of a run.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct RunVersion {
    /// The eval files.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub files: Vec<FileVersion>,
    /// The targets.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub targets: Vec<RanTarget>,
    /// The targets that only judged.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub judges: Vec<RanTarget>,
    /// The judge that the command line named.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub judge: Option<String>,
    /// The least score that passes, if the command line set it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pass_threshold: Option<PassThreshold>,
    /// True if judges were not asked about answers that failed a required check.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub stop_on_required: bool,
    /// The digests of the files that cases embed and evaluators read.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub read_files: BTreeMap<String, String>,
    /// A digest of all of these files, if the list omits some.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub read_files_digest: Option<String>,
}

/// A version of an eval file.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct FileVersion {
    /// The path, relative to the project root.
    pub path: String,
    /// A digest of its bytes.
    pub digest: String,
    /// A digest of its sidecar and of the settings of its project, if it has any.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub settings_digest: Option<String>,
}

/// A requirement on the results of a run, and the finding.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct GateOutcome {
    /// The gate, by the name of its flag: `fail_under`, `baseline`, …
    pub gate: String,
    /// The requirement, in words.
    pub required: String,
    /// The finding, in words.
    pub found: String,
    /// True if the requirement is met.
    pub met: bool,
}

impl GateOutcome {
    /// The name of the allowance for errors, which is not a gate.
    pub const ALLOWANCE: &str = "max_errors";
    /// The name of the gate that every graded trial passes, if no other is given.
    pub const ALL_PASS: &str = "all_pass";
    /// The name of the gate that a run has the results of all its trials.
    pub const COMPLETE: &str = "complete";
    /// The name of the gate that all results are of the current cases, targets and settings.
    pub const CURRENT: &str = "current";

    /// Returns true if this is the allowance for errors: they are allowed or not, but are no gate.
    pub fn is_allowance(&self) -> bool {
        self.gate == GateOutcome::ALLOWANCE
    }
}

/// An eval file of a run.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct RanFile {
    /// The path, relative to the project root.
    pub path: String,
    /// A digest of its bytes.
    pub digest: String,
    /// A digest of its sidecar and of the settings of its project, if it has any.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub settings_digest: Option<String>,
    /// The number of usable cases.
    pub cases: u64,
    /// The number of skipped cases.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub skipped: u64,
    /// The first of the skipped cases, with the reasons.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub skipped_cases: Vec<SkippedCase>,
}

/// A case that was skipped because it has errors.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct SkippedCase {
    /// The line of its first error.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub line: Option<u64>,
    /// Its id, if the file names one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub id: Option<String>,
    /// Its errors, in words.
    pub message: String,
}

/// A target of a run.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct RanTarget {
    /// The name.
    pub name: String,
    /// The kind of provider.
    pub provider: String,
    /// The settings that can change its answers, as the user wrote them, without secrets.
    #[serde(default, skip_serializing_if = "Extra::is_empty")]
    pub settings: Extra,
    /// A digest of these settings with the values of their variables.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub settings_digest: String,
    /// The digests of the files that decide its answers, by their paths from the root.
    #[serde(default, skip_serializing_if = "Program::is_empty")]
    pub program: Program,
    /// The judge for evaluators that name none (default: the target itself).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub judge_target: Option<String>,
}

fn is_zero(number: &u64) -> bool {
    *number == 0
}
