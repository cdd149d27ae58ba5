//! A trial and its outcome, as values.

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::{CaseIdentity, EvalCase, EvalFile, ResultRecord, TranscriptRecord, TrialKeys};

/// One case for one target, once: everything that a worker elsewhere needs, as data.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Trial {
    /// The eval file of the case.
    pub file: Arc<EvalFile>,
    /// The case, with the content of its files.
    pub case: Arc<EvalCase>,
    /// The number of the case among the usable cases of its file, from 1, if it is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub position: Option<u64>,
    /// The name of the target, as records name it.
    pub target: Arc<str>,
    /// The number of the repeat, from 1.
    pub number: u32,
    /// The work that the trial still needs.
    pub work: Work,
    /// The digests that decide whether this work was done before.
    pub keys: TrialKeys,
    /// The identity of the case.
    pub identity: CaseIdentity,
    /// The files that the evaluators of the case read.
    #[serde(default, skip_serializing_if = "<[_]>::is_empty")]
    pub files: Arc<[FileDigest]>,
    /// The target that grades where an evaluator names no judge.
    pub judge: Arc<str>,
    /// True if the target reads files itself, so that the prompt names their paths.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub reads_files: bool,
    /// True if a mock replaces the target.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub dry_run: bool,
    /// The answers that this one is compared with.
    #[serde(default, skip_serializing_if = "<[_]>::is_empty")]
    pub rivals: Arc<[Rival]>,
    /// True if those answers are known.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub is_compared: bool,
}

/// An answer that another one is compared with.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Rival {
    /// The id of the case.
    pub eval_id: String,
    /// The target that gave the answer.
    pub target: Arc<str>,
    /// The answer, as text.
    pub answer: String,
}

/// The work that a trial still needs.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Work {
    /// Ask the target, then grade its answer.
    Ask,
    /// Continue to ask the target after the requests that were answered, then grade its answer.
    Continue {
        /// The answers so far, with the results of their tool calls.
        begun: Arc<TranscriptRecord>,
    },
    /// Grade an answer that exists.
    Grade {
        /// The answer. Its case may be an older version of the trial's.
        answer: Arc<TranscriptRecord>,
        /// True if the journal of the run already holds the answer.
        recorded: bool,
    },
}

impl Work {
    /// Returns true if the target is asked.
    pub fn asks(&self) -> bool {
        match self {
            Work::Ask | Work::Continue { .. } => true,
            Work::Grade { .. } => false,
        }
    }

    /// Returns the record of a trial that was stopped between two requests.
    pub fn begun(&self) -> Option<&TranscriptRecord> {
        match self {
            Work::Continue { begun } => Some(begun),
            Work::Ask | Work::Grade { .. } => None,
        }
    }
}

/// A file by its path and the digest of its bytes.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct FileDigest {
    /// The path of the file, absolute.
    pub path: Arc<std::path::Path>,
    /// The digest of its bytes, as 32 hexadecimal digits.
    pub digest: String,
}

impl Trial {
    /// Returns the name of this trial, for events.
    pub fn name(&self) -> TrialName {
        TrialName {
            eval_file: Arc::clone(&self.file.name),
            eval_id: self.case.id.clone(),
            target: Arc::clone(&self.target),
            trial: self.number,
        }
    }
}

/// The name of a trial within a run.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct TrialName {
    /// The eval file, relative to the project root.
    pub eval_file: Arc<str>,
    /// The id of the case.
    pub eval_id: String,
    /// The target.
    pub target: Arc<str>,
    /// The number of the repeat, from 1.
    pub trial: u32,
}

impl From<&ResultRecord> for TrialName {
    fn from(record: &ResultRecord) -> TrialName {
        TrialName {
            eval_file: Arc::clone(&record.eval_file),
            eval_id: record.eval_id.clone(),
            target: Arc::clone(&record.target),
            trial: record.trial,
        }
    }
}

/// One step of a trial, in the order in which they happen. Nothing has been written or reported yet.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Step {
    /// The target answered. The answer is recorded before it is graded.
    Answered(Arc<TranscriptRecord>),
    /// The trial ended: the answer was graded, or an error occurred.
    Ended(Box<ResultRecord>),
}

/// The result of a trial. Nothing has been written or reported yet.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Outcome {
    /// The answer, unless the target gave none or it was recorded before.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub transcript: Option<Arc<TranscriptRecord>>,
    /// The result, unless the run was stopped first.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub result: Option<Box<ResultRecord>>,
}

impl Extend<Step> for Outcome {
    fn extend<T: IntoIterator<Item = Step>>(&mut self, steps: T) {
        for step in steps {
            match step {
                Step::Answered(record) => self.transcript = Some(record),
                Step::Ended(record) => self.result = Some(record),
            }
        }
    }
}
