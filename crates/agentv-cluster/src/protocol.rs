//! The messages between the coordinating process and workers.

use std::sync::Arc;

use agentv_core::{ResultRecord, RunEvent, TranscriptRecord, Trial};
use agentv_project::TrialNeeds;
use agentv_runner::CallOutcome;
use serde::{Deserialize, Serialize};

/// A run that is going. Workers learn of runs by this, and that they are over.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Announcement {
    /// The id of the run.
    pub run: String,
    /// The version of agentv that coordinates it.
    pub version: String,
    /// The host and the process that coordinate it.
    pub coordinator: String,
    /// The state of the run.
    pub state: RunState,
}

/// The state of a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum RunState {
    /// Trials may begin.
    Going,
    /// No further trial may begin.
    Stopping,
    /// The run is over: what is in flight is not wanted.
    Over,
}

/// A worker, and its work.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct WorkerReport {
    /// The id of the worker, unique.
    pub id: String,
    /// Its host.
    pub host: String,
    /// Its process.
    pub pid: u32,
    /// Its version of agentv.
    pub version: String,
    /// The number of trials that it works on at a time.
    pub slots: usize,
    /// The trials that it works on.
    pub busy: Vec<BusyTrial>,
    /// The number of trials that it has ended.
    pub done: u64,
    /// The trials that it ended per minute, lately.
    pub per_minute: f64,
    /// The runs that it works for.
    pub runs: Vec<WorkerRun>,
    /// True if it takes no further trials.
    pub is_leaving: bool,
}

/// A trial that a worker works on.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct BusyTrial {
    /// The id of the case.
    pub eval_id: String,
    /// The target.
    pub target: Arc<str>,
    /// The number of the repeat, from 1.
    pub trial: u32,
    /// The seconds since it began.
    pub seconds: f64,
}

/// A run that a worker works for, or refuses.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct WorkerRun {
    /// The id of the run.
    pub run: String,
    /// The reason why the worker refuses it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub refused: Option<String>,
    /// The targets that it cannot ask, by their lanes, with the reasons.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub lacking: Vec<(usize, String)>,
}

/// A trial, with its needs.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Order {
    /// The key of the trial within its run.
    pub key: String,
    /// The trial.
    pub trial: Trial,
    /// True if its grading needs no judge and no command. If its answer costs nothing either, the answer and
    /// the result are sent together.
    pub is_quick: bool,
    /// The files that it needs.
    #[serde(default)]
    pub needs: TrialNeeds,
}

/// News of a trial.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct News {
    /// The key of the trial.
    pub key: String,
    /// The id of the worker.
    pub worker: String,
    /// The news.
    pub what: What,
}

/// News of a trial, as a worker reports them.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum What {
    /// The target answered. The answer is not graded yet.
    Answered(Arc<TranscriptRecord>),
    /// The trial ended.
    Ended {
        /// The answer that was graded, unless the coordinating process sent it to this worker.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        answer: Option<Arc<TranscriptRecord>>,
        /// The result.
        result: Box<ResultRecord>,
    },
    /// The worker could not execute the trial, and another attempt may succeed.
    Failed {
        /// The reason.
        reason: String,
    },
    /// The worker leaves and hands the trial back.
    HandedBack {
        /// The sequence number of the trial's message.
        sequence: u64,
    },
}

/// Something that happens to a trial in flight, for the display.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Event {
    /// Work on these trials began.
    Begun {
        /// The keys of the trials.
        keys: Vec<String>,
    },
    /// An event of the trial, such as a retry.
    OfTrial(Box<RunEvent>),
}

/// A request of a worker, which the coordinator answers.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum WorkerRequest {
    /// A trial was delivered before: has it an answer, or a result?
    State {
        /// The key of the trial.
        key: String,
        /// The id of the worker.
        worker: String,
        /// The number of times that the trial was given to a worker.
        deliveries: i64,
    },
    /// May a call be made?
    Enter {
        /// The id of the worker.
        worker: String,
        /// A number of the call that the worker chose.
        call: u64,
        /// The lane of the target.
        lane: usize,
        /// The tokens that the call is expected to take.
        tokens: u64,
    },
    /// A call ended.
    Leave {
        /// The id of the worker.
        worker: String,
        /// The number of the call.
        call: u64,
        /// Its outcome.
        outcome: CallOutcome,
    },
}

/// The state of a trial, for a worker that got it again.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum TrialState {
    /// It is to be executed.
    Open,
    /// Its answer is recorded and is to be graded.
    Answered(Arc<TranscriptRecord>),
    /// It is not wanted: it has ended, or the run is being stopped.
    Unwanted,
    /// It may be the reason why its workers were lost. Another such trial is in work: ask again soon.
    Wait,
}
