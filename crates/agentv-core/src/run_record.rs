//! What a run was asked to do, and what came of it: `run.json`.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::{Extra, Stop};

/// What a run was asked to do, and what came of it.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct RunRecord {
    /// The version of agentv.
    pub version: String,
    /// When it began, RFC 3339 in UTC.
    pub started_at: String,
    /// When it ended; none while it runs, or when it was killed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub finished_at: Option<String>,
    /// The eval files.
    pub files: Vec<RanFile>,
    /// The targets that were chosen for every case; empty where each case names its own.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub chosen_targets: Vec<String>,
    /// The targets that were asked.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub targets: Vec<RanTarget>,
    /// The targets that judged and answered no case.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub judges: Vec<RanTarget>,
    /// How often each case was asked of each target.
    pub trials: u32,
    /// How many trials that makes, those that were done before included.
    #[serde(default)]
    pub planned: u64,
    /// Only cases whose ids match one of these.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub eval_ids: Vec<String>,
    /// Only the cases of one share, such as `1/4`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub shard: Option<String>,
    /// Only the first so many cases.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub limit: Option<u64>,
    /// Whether mocks stood in for the targets.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub dry_run: bool,
    /// The run whose failed and errored trials were run again.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rerun_of: Option<String>,
    /// The run whose answers were graded again; no target was asked for them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub graded_from: Option<String>,
    /// The file of labelled answers that judges were held against; no target was asked for them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub calibrated_with: Option<String>,
    /// The file whose evaluators graded, where they were not those of the cases.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub evaluators_file: Option<String>,
    /// The texts of the files that evaluators read, by their paths from the root: a run is graded
    /// again by them where the files are not.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub evaluator_files: BTreeMap<String, String>,
    /// Whether judges were not asked about answers that a required check had failed.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub stop_on_required: bool,
    /// The runs whose records were joined.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub merged_from: Vec<String>,
    /// Why it ended early, where it did.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stopped: Option<Stop>,
    /// A fold over its results.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub totals: Option<Value>,
    /// What was required of its results, and what was found.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub gates: Vec<GateOutcome>,
}

/// What was required of the results of a run, and what was found.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct GateOutcome {
    /// Which gate, by the name of its flag: `fail_under`, `baseline`, …
    pub gate: String,
    /// What was required, in words.
    pub required: String,
    /// What was found, in words.
    pub found: String,
    /// Whether that is enough.
    pub met: bool,
}

/// An eval file of a run.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct RanFile {
    /// Its path, relative to the project root.
    pub path: String,
    /// A digest of its bytes.
    pub digest: String,
    /// The cases in it that can be used.
    pub cases: u64,
    /// The cases that cannot, and were skipped.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub skipped: u64,
}

/// A target of a run.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct RanTarget {
    /// Its name.
    pub name: String,
    /// Its kind of provider.
    pub provider: String,
    /// What can change its answers, without secrets.
    #[serde(default, skip_serializing_if = "Extra::is_empty")]
    pub settings: Extra,
    /// The target that judges its answers where an evaluator names none; none where it does itself.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub judge_target: Option<String>,
}

fn is_zero(number: &u64) -> bool {
    *number == 0
}
