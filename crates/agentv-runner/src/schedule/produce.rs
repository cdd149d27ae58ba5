//! From cases to trials: what is done, and what each of the others still needs.

use std::ops::ControlFlow;
use std::sync::{Arc, OnceLock};

use agentv_core::{EvalCase, EvaluatorSpec};
use tokio::sync::mpsc::Sender;

use crate::eval_file::{CaseSource, EvalFile};
use crate::resume::previous_run::PreviousRun;
use crate::resume::reuse::reuse;
use crate::run::Assignment;
use crate::run_state::{RunError, RunState};
use crate::schedule::channel::ChannelSender;
use crate::schedule::lane::Lane;
use crate::schedule::selection::Selection;
use crate::trial::grade::Graders;
use crate::trial::job::{Job, Work};
use crate::trial::keys::{GradedBy, Keys};

/// What the trials of one lane are made from.
pub(crate) struct Producer {
    pub(crate) run: Arc<RunState>,
    pub(crate) source: Arc<dyn CaseSource>,
    pub(crate) selection: Arc<Selection>,
    pub(crate) assignment: Arc<Assignment>,
    pub(crate) previous_run: Arc<PreviousRun>,
    pub(crate) lane: Arc<Lane>,
    pub(crate) trials: u32,
    /// Which trials of the lane were done before, in order, once that was told.
    pub(crate) done: OnceLock<Vec<bool>>,
}

/// A trial of the lane, with its keys.
struct Trial<'a> {
    file: &'a Arc<EvalFile>,
    case: &'a Arc<EvalCase>,
    number: u32,
    answer_key: String,
    grade_key: String,
}

type Each<'e> = dyn FnMut(Trial<'_>) -> Result<ControlFlow<()>, RunError> + 'e;

impl Producer {
    /// Tells every trial of the lane that was done before, so that a run which is stopped again
    /// knows of all of them. Says whether there is anything left that the target must be asked.
    pub(crate) fn recall(&self) -> bool {
        if self.previous_run.is_empty() {
            return true;
        }
        let mut asks = false;
        let mut done = Vec::new();
        self.each_trial(&mut |trial| {
            let found = self.previous_run.result(&trial.grade_key)?;
            done.push(found.is_some());
            match found {
                Some(found) => {
                    reuse(
                        &self.run,
                        &self.previous_run,
                        found,
                        trial.case,
                        &trial.answer_key,
                    )?;
                }
                None => asks |= !self.previous_run.has_transcript(&trial.answer_key)?,
            }
            Ok(ControlFlow::Continue(()))
        });
        let _ = self.done.set(done);
        asks
    }

    /// Streams the cases of the lane, and sends what is to be done for them, in order. Waits while
    /// nobody takes it.
    pub(crate) fn produce(&self, jobs: &Sender<Job>) {
        let mut jobs = ChannelSender::new(jobs);
        let mut done = self.done.get().into_iter().flatten();
        self.each_trial(&mut |trial| {
            if done.next() == Some(&true) {
                return Ok(ControlFlow::Continue(()));
            }
            let transcript = self.previous_run.transcript(&trial.answer_key)?;
            let job = Job {
                file: Arc::clone(trial.file),
                case: Arc::clone(trial.case),
                lane: Arc::clone(&self.lane),
                trial: trial.number,
                answer_key: trial.answer_key,
                grade_key: trial.grade_key,
                work: transcript.map_or(Work::Ask, |record| Work::Grade(Box::new(record))),
                dry_run: self.run.dry_run,
            };
            Ok(jobs.send(job))
        });
    }

    /// Goes through the trials of the lane, in order, until the run is stopped. An error ends it.
    fn each_trial(&self, each: &mut Each<'_>) {
        let mut keys = Keys::of(&self.lane.target);
        let mut shared = Shared::default();
        let mut selector = self.selection.selector();
        let mut failed = None;
        let visited = self.source.visit(&mut |file, case| {
            if self.run.stop.is_stopped() || selector.is_done() {
                return ControlFlow::Break(());
            }
            if !selector.takes(&file.name, &case.id)
                || !self.assignment.assigns(file, &case, self.lane.index)
            {
                return ControlFlow::Continue(());
            }
            self.trials_of(file, case, &mut keys, &mut shared, each)
                .unwrap_or_else(|error| {
                    failed = Some(error);
                    ControlFlow::Break(())
                })
        });
        if let Err(error) = visited {
            self.run.fail(RunError::Source(error));
        }
        if let Some(error) = failed {
            self.run.fail(error);
        }
    }

    fn trials_of(
        &self,
        file: &Arc<EvalFile>,
        case: EvalCase,
        keys: &mut Keys,
        shared: &mut Shared,
        each: &mut Each<'_>,
    ) -> Result<ControlFlow<()>, RunError> {
        let by = shared.of(file, &case, || {
            graded_by(&self.run, &self.lane, file, &case)
        });
        let keys = keys.of_case(file, &case, &by);
        let case = &Arc::new(case);
        for number in 1..=self.trials {
            let chosen = self.selection.trials.as_ref();
            let is_chosen = chosen
                .is_none_or(|chosen| chosen.has(&file.name, &case.id, &self.lane.name, number));
            if !is_chosen {
                continue;
            }
            let (answer_key, grade_key) = keys.of_trial(number);
            let flow = each(Trial {
                file,
                case,
                number,
                answer_key,
                grade_key,
            })?;
            if flow.is_break() {
                return Ok(flow);
            }
        }
        Ok(ControlFlow::Continue(()))
    }
}

/// What the grades of cases depend on that share evaluators, as most cases of a file do: found once.
#[derive(Default)]
struct Shared(Option<(usize, Arc<[EvaluatorSpec]>, Arc<GradedBy>)>);

impl Shared {
    fn of(
        &mut self,
        file: &EvalFile,
        case: &EvalCase,
        find: impl FnOnce() -> GradedBy,
    ) -> Arc<GradedBy> {
        // A checklist is the case's own.
        if !case.rubrics.is_empty() {
            return Arc::new(find());
        }
        if let Some((index, evaluators, by)) = &self.0
            && *index == file.index
            && Arc::ptr_eq(evaluators, &case.evaluators)
        {
            return Arc::clone(by);
        }
        let by = Arc::new(find());
        self.0 = Some((file.index, Arc::clone(&case.evaluators), Arc::clone(&by)));
        by
    }
}

/// What the grade of a case depends on beyond the case.
pub(crate) fn graded_by(run: &RunState, lane: &Lane, file: &EvalFile, case: &EvalCase) -> GradedBy {
    let graders = &run.graders;
    let judges = graders.judges(case).unwrap_or_default();
    GradedBy {
        files: graders.files(file, case),
        judges: run.identities(file, lane, &judges),
        stops_on_required: run.stop_on_required && may_spare(graders.as_ref(), case),
    }
}

/// Whether a required evaluator of a case may spare others that take more.
fn may_spare(graders: &dyn Graders, case: &EvalCase) -> bool {
    let required = case.evaluators.iter().filter(|spec| spec.required);
    let Some(least) = required.map(|spec| graders.effort(spec)).min() else {
        return false;
    };
    let specs = case.graders();
    specs.iter().any(|spec| graders.effort(spec) > least)
}
