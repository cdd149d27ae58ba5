//! A project made ready: eval files, targets, graders, gates and run folders.
//!
//! Every command, server or worker that does something with a project starts here. The crate needs no
//! terminal: it takes options as data, prints nothing, and hands warnings to the caller.
//!
//! The nouns:
//!
//! - a [`Project`] is a working folder with its environment variables;
//! - [`RunOptions`], [`GradeOptions`] and [`CalibrateOptions`] are requests, as data;
//! - a [`PreparedRun`], [`PreparedGrading`] or [`PreparedCalibration`] is a request that was checked in full:
//!   nothing has been asked or written. Its `begin` creates and locks the run folder, and returns the spec to
//!   execute with an [`OpenRun`], which writes the end of the run;
//! - [`RunFolders`] find the runs of a project by name or by content;
//! - [`Notices`] receive warnings as soon as they are known;
//! - a [`ProjectError`] is the reason why a request was refused.
//!
//! ```
//! use agentv_project::{Notice, Project};
//! use agentv_providers::Environment;
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let folder = tempfile::tempdir()?;
//! let root = folder.path().canonicalize()?;
//! std::fs::create_dir(root.join(".agentv"))?;
//! let project = Project::at(root, Environment::default());
//! let mut notices: Vec<Notice> = Vec::new();
//! let error = project.run_folders()?.find("latest", &mut notices).unwrap_err();
//! assert_eq!(error.to_string(), "run `latest` not found in `.agentv/results`");
//! # Ok(())
//! # }
//! ```

mod calibrate;
mod conversion;
mod counted;
mod error;
mod eval_files;
mod eval_variables;
mod fd_limit;
mod gates;
mod generate;
mod grade;
mod graders;
mod merge;
mod notices;
mod obsolete_results;
mod open_run;
mod options;
mod output_files;
mod project;
mod prune;
mod results;
mod run;
mod run_folders;
mod shards;
mod skipped_cases;
mod skipped_counting;
mod tags;
mod targets;
mod validate;
mod worker;

pub use calibrate::{
    CalibrateOptions, Calibration, HumanLabel, JudgedAnswer, JudgedAnswers, PreparedCalibration,
};
pub use conversion::comments_on;
pub use counted::counted;
pub use error::ProjectError;
pub use eval_files::{EvalFiles, FilesRequest};
pub use gates::{
    JudgedGates, warn_of_damage, warn_of_few_grades, warn_of_outdated, warn_of_skipped_evaluators,
    warn_of_unfinished,
};
pub use generate::{
    Author, DraftedCases, DraftedRubrics, GenerateError, draft_cases, draft_rubrics,
};
pub use grade::{GradeOptions, PreparedGrading};
pub use merge::{MergeOptions, PreparedMerge};
pub use notices::{Notice, Notices};
pub use open_run::{OpenRun, Outline, RunEnd};
pub use options::{GateOptions, LimitOptions, Resume};
pub use output_files::OutputFile;
pub use project::{DEFINITIONS, Project};
pub use prune::{PruneOptions, PrunedRun};
pub use results::each_result;
pub use run::{PreparedRun, RunOptions, SelectionOptions};
pub use run_folders::{FoundRun, RunFolders};
pub use targets::{CheckedAnswer, CheckedTarget, KnownTargets, TargetCheck, TargetTrouble};
pub use validate::{validate, with_targets_files, without_own_sidecars};
pub use worker::{
    NeededFile, NeededTree, PreparedWorker, Roots, RunNeeds, TrialNeeds, TrialNeedsError,
    WorkerLane, WorkerSpec, is_executable,
};
