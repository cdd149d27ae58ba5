//! Sources of trials: streams of the work that is left, and of the results that exist.

use std::ops::ControlFlow;
use std::sync::Arc;

use agentv_core::{
    Digest, EvalCase, EvalFile, EvaluatorSpec, FileDigest, GradedBy, ResultRecord, Trial,
};

use crate::failure::RunError;
use crate::schedule::dependencies::Dependencies;
use crate::trial::execute::Executor;
use crate::trial::grade::Graders;

/// A stream of trials for one lane, or for none if their answers exist.
///
/// The cases of a dataset are one, minus the trials that a journal holds (run, resume). The answers of an
/// earlier run or of a file are another (`grade`, `calibrate`).
pub(crate) trait TrialSource: Send + Sync {
    /// Reports every trial that was done before, so that a run that is stopped again counts them all.
    /// Returns true if the target must be asked for others.
    fn recall(&self) -> Result<bool, RunError>;

    /// Sends what is left, in order, until `send` breaks or the run is stopped. Writes nothing.
    fn produce(&self, send: &mut SendItem<'_>) -> Result<(), RunError>;

    /// Returns the trials of the whole run that others depend on; `None` if this source asks nothing.
    fn dependencies(&self) -> Result<Option<Dependencies>, RunError> {
        Ok(None)
    }

    /// Visits all trials that the run now has, selected or not, except those whose answers are out of date.
    fn current_trials(&self, visit: &mut VisitCurrent<'_>) -> Result<(), RunError>;
}

/// The function that visits the trials that a run now has.
pub(crate) type VisitCurrent<'v> = dyn FnMut(&CurrentTrial<'_>) + 'v;

/// A trial that a run now has.
#[derive(Debug, Clone, Copy)]
pub(crate) struct CurrentTrial<'t> {
    pub(crate) eval_file: &'t str,
    pub(crate) eval_id: &'t str,
    /// The number of its case in the file.
    pub(crate) position: Option<u64>,
    pub(crate) answer_key: &'t str,
    pub(crate) grade_key: &'t str,
}

impl<'t> CurrentTrial<'t> {
    pub(crate) fn of(trial: &'t Trial) -> CurrentTrial<'t> {
        CurrentTrial {
            eval_file: &trial.file.name,
            eval_id: &trial.case.id,
            position: trial.position,
            answer_key: &trial.keys.answer,
            grade_key: &trial.keys.grade,
        }
    }
}

/// An item of a source.
#[derive(Debug)]
pub(crate) enum SourceItem {
    /// A trial to execute.
    Trial(Trial),
    /// The result of a trial that has no answer to grade: it is carried over.
    Done(Box<ResultRecord>),
}

/// The function that takes the items of a source. It waits while there is no room for more.
pub(crate) type SendItem<'s> = dyn FnMut(SourceItem) -> ControlFlow<()> + 's;

/// The parts of grades that are not in the cases, computed once for cases that share evaluators.
#[derive(Default)]
pub(crate) struct Grading(Option<(usize, Arc<[EvaluatorSpec]>, GradingParts)>);

/// The part of a grade's identity that is not in the case, and the files behind it.
#[derive(Clone)]
pub(crate) struct GradingParts {
    pub(crate) by: Digest,
    pub(crate) files: Arc<[FileDigest]>,
}

impl Grading {
    /// Returns the parts for a case. `judge` is the judge for evaluators that name none.
    pub(crate) fn of_case(
        &mut self,
        executor: &Executor,
        file: &EvalFile,
        judge: &str,
        case: &EvalCase,
    ) -> GradingParts {
        // A checklist belongs to its case alone.
        if !case.rubrics.is_empty() {
            return GradingParts::of(executor, file, judge, case);
        }
        if let Some((index, evaluators, parts)) = &self.0
            && *index == file.index
            && Arc::ptr_eq(evaluators, &case.evaluators)
        {
            return parts.clone();
        }
        let parts = GradingParts::of(executor, file, judge, case);
        self.0 = Some((file.index, Arc::clone(&case.evaluators), parts.clone()));
        parts
    }
}

impl GradingParts {
    fn of(executor: &Executor, file: &EvalFile, judge: &str, case: &EvalCase) -> GradingParts {
        let graders = executor.graders.as_ref();
        let judges = graders.judges(case).unwrap_or_default();
        let files = graders.files(file, case);
        let by = GradedBy {
            files: files.iter().map(|file| file.digest.clone()).collect(),
            judges: executor.judge_identities(file, judge, &judges),
            stops_on_required: executor.stop_on_required && may_spare(graders, case),
        };
        GradingParts {
            by: by.digest(),
            files: files.into(),
        }
    }
}

/// Returns true if a required evaluator of a case may spare others that take more effort.
fn may_spare(graders: &dyn Graders, case: &EvalCase) -> bool {
    let required = case.evaluators.iter().filter(|spec| spec.required);
    let Some(least) = required.map(|spec| graders.effort(spec)).min() else {
        return false;
    };
    let specs = case.graders();
    specs.iter().any(|spec| graders.effort(spec) > least)
}
