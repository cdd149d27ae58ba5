//! The trials of one lane: the cases of its files, minus the work that the journal holds.

use std::ops::ControlFlow;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock};

use agentv_core::{AnswerKeys, EvalCase, EvalFile, Identities, Trial, TrialKeys, Work};

use crate::case_source::CaseSource;
use crate::consumer::Consumer;
use crate::failure::RunError;
use crate::resume::previous_run::PreviousRun;
use crate::resume::reuse::reuse;
use crate::schedule::comparisons::compared_cases;
use crate::schedule::dependencies::Dependencies;
use crate::schedule::lane::Lane;
use crate::schedule::selection::Selection;
use crate::schedule::source::{
    CurrentTrial, Grading, SendItem, SourceItem, TrialSource, VisitCurrent,
};
use crate::trial::execute::Executor;
use crate::trial::records::cached_record;
use crate::workspace::needs_workspace;

/// The trials of one lane, made from cases.
pub(crate) struct CaseTrials {
    pub(crate) executor: Arc<Executor>,
    pub(crate) consumer: Arc<Consumer>,
    pub(crate) source: Arc<dyn CaseSource>,
    pub(crate) selection: Arc<Selection>,
    pub(crate) previous_run: Arc<PreviousRun>,
    pub(crate) lane: Arc<Lane>,
    /// The number of trials per case.
    pub(crate) trials: u32,
    pub(crate) dry_run: bool,
    /// The trials that were done before, in order, once they were reported.
    pub(crate) done: OnceLock<Vec<bool>>,
    /// Set once answers of a program that cannot be tracked were reported.
    pub(crate) said_untracked: AtomicBool,
}

type VisitTrial<'e> = dyn FnMut(Trial) -> Result<ControlFlow<()>, RunError> + 'e;

/// The cases that a pass visits.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Scope {
    /// Those that the request selects, until the run is stopped.
    Selected,
    /// All cases of the run's files, selected or not.
    All,
}

/// The trials that were done before, by what happens to them now.
#[derive(Default)]
struct Recalled {
    reused: u64,
    asked_again: u64,
    graded_again: u64,
}

/// The state of one pass over the cases.
#[derive(Default)]
struct CaseWalk {
    identities: Identities,
    grading: Grading,
    /// The index of the present file, and the number of its cases so far.
    position: (usize, u64),
}

impl CaseWalk {
    /// Counts a case, and returns its number in its file.
    fn count(&mut self, file: usize) -> u64 {
        if self.position.0 != file {
            self.position = (file, 0);
        }
        self.position.1 += 1;
        self.position.1
    }
}

impl TrialSource for CaseTrials {
    fn recall(&self) -> Result<bool, RunError> {
        if self.previous_run.is_empty() {
            return Ok(true);
        }
        let mut asks = false;
        let mut recalled = Recalled::default();
        let mut done = Vec::new();
        self.each_trial(Scope::Selected, &mut |trial| {
            // Another answer may have changed, so those that are compared are graded together again.
            let graders = self.executor.graders.as_ref();
            let found = match compared_cases(graders, &trial.case) {
                Some(_) => None,
                None => self.previous_run.result(&trial.keys.grade)?,
            };
            done.push(found.is_some());
            match found {
                Some(found) => {
                    recalled.reused += 1;
                    let include_trace = self.executor.include_trace;
                    let previous_run = &self.previous_run;
                    reuse(
                        &self.consumer,
                        previous_run,
                        found,
                        (&trial, None),
                        include_trace,
                    )?;
                }
                None if !self.has_usable_answer(&trial)? => {
                    asks = true;
                    recalled.asked_again += u64::from(self.previous_run.was_answered(&trial)?);
                }
                None => {
                    recalled.reused += 1;
                    recalled.graded_again += u64::from(self.previous_run.had_result(&trial)?);
                }
            }
            Ok(ControlFlow::Continue(()))
        })?;
        let _ = self.done.set(done);
        self.notice_changes(&recalled);
        Ok(asks)
    }

    fn produce(&self, send: &mut SendItem<'_>) -> Result<(), RunError> {
        let mut done = self.done.get().into_iter().flatten();
        self.each_trial(Scope::Selected, &mut |mut trial| {
            if done.next() == Some(&true) {
                return Ok(ControlFlow::Continue(()));
            }
            trial.work = self.work_of(&trial)?;
            Ok(send(SourceItem::Trial(trial)))
        })
    }

    fn dependencies(&self) -> Result<Option<Dependencies>, RunError> {
        let executor = &self.executor;
        let lanes = executor.answering_lanes();
        let (source, assignment) = (&*self.source, &*executor.assignment);
        let found = Dependencies::of(source, &self.selection, assignment, lanes, self.trials)?;
        Ok(Some(found))
    }

    fn current_trials(&self, visit: &mut VisitCurrent<'_>) -> Result<(), RunError> {
        self.each_trial(Scope::All, &mut |trial| {
            visit(&CurrentTrial::of(&trial));
            Ok(ControlFlow::Continue(()))
        })
    }
}

impl CaseTrials {
    /// Reports the changes that cause work again, and answers of a program that cannot be tracked.
    fn notice_changes(&self, recalled: &Recalled) {
        let (name, changes) = (&*self.lane.name, self.previous_run.changes());
        let notice = |count: u64, what: &str, reason: Option<&String>| {
            let Some(reason) = reason.filter(|_| count > 0) else {
                return;
            };
            let answers = match count {
                1 => "1 answer is".to_owned(),
                count => format!("{count} answers are"),
            };
            self.consumer.notice(&format!("{answers} {what}: {reason}"));
        };
        notice(
            recalled.asked_again,
            "requested again",
            changes.answers.get(name),
        );
        notice(
            recalled.graded_again,
            "graded again",
            changes.grades.get(name),
        );
        if recalled.reused > 0 {
            self.notice_untracked();
        }
    }

    /// Reports once that answers are reused of a program that cannot be tracked.
    fn notice_untracked(&self) {
        let name = &*self.lane.name;
        let is_untracked = self.previous_run.changes().untracked.contains(name);
        if is_untracked && !self.said_untracked.swap(true, Ordering::Relaxed) {
            self.consumer.notice(&format!(
                "the command of target `{name}` names no file of the project, so a change of its program \
                 is not noticed: list its files in `inputs`"
            ));
        }
    }

    /// Returns true if the journal holds an answer that can be graded.
    fn has_usable_answer(&self, trial: &Trial) -> Result<bool, RunError> {
        Ok(!self.is_lost(trial)? && self.previous_run.has_transcript(&trial.keys.answer)?)
    }

    /// Returns true if an answer of the journal is useless because its workspace is gone and the trial has
    /// no result that counts. If it has one, an edited evaluator must not pay for another answer: it
    /// reports an error.
    fn is_lost(&self, trial: &Trial) -> Result<bool, RunError> {
        Ok(self.is_graded_in_workspace(&trial.case)
            && !self.previous_run.was_graded(&trial.keys.answer)?)
    }

    /// Returns true if evaluators of a case work in the workspace that its trials have.
    fn is_graded_in_workspace(&self, case: &EvalCase) -> bool {
        let provider = self.lane.target.provider.as_ref();
        needs_workspace(case.workspace.as_deref(), provider) && {
            let graders = &self.executor.graders;
            let mut evaluators = case.evaluators.iter();
            evaluators.any(|spec| graders.needs_workspace(spec))
        }
    }

    /// Returns the work that a trial needs: none of it that this run or the cache has an answer for.
    fn work_of(&self, trial: &Trial) -> Result<Work, RunError> {
        if self.is_lost(trial)? {
            return Ok(Work::Ask);
        }
        match self.previous_run.record(&trial.keys.answer)?.map(Arc::new) {
            Some(begun) if begun.unfinished => return Ok(Work::Continue { begun }),
            Some(answer) if answer.error.is_none() => {
                let recorded = true;
                return Ok(Work::Grade { answer, recorded });
            }
            // The transcript of an errored trial is not an answer.
            Some(_) | None => {}
        }
        if self.is_graded_in_workspace(&trial.case) {
            return Ok(Work::Ask);
        }
        let cached = self.consumer.cached_answer(&trial.keys.answer);
        if cached.is_some() {
            self.notice_untracked();
        }
        Ok(cached.map_or(Work::Ask, |answer| Work::Grade {
            answer: Arc::new(cached_record(trial, answer)),
            recorded: false,
        }))
    }

    /// Visits the trials of the lane, in order. An error ends it.
    fn each_trial(&self, scope: Scope, each: &mut VisitTrial<'_>) -> Result<(), RunError> {
        let mut walk = CaseWalk::default();
        let mut selector = self.selection.selector();
        let mut failed = None;
        self.source.visit(&mut |file, case| {
            let is_selecting = scope == Scope::Selected;
            if is_selecting && (self.executor.stop.is_stopped() || selector.is_done()) {
                return ControlFlow::Break(());
            }
            let position = walk.count(file.index);
            let assignment = &self.executor.assignment;
            if is_selecting && !selector.takes(&file.name, &case.id)
                || !assignment.assigns(file, &case, self.lane.index)
            {
                return ControlFlow::Continue(());
            }
            let visited = self.trials_of(file, (position, case), scope, &mut walk, each);
            visited.unwrap_or_else(|error| {
                failed = Some(error);
                ControlFlow::Break(())
            })
        })?;
        failed.map_or(Ok(()), Err)
    }

    fn trials_of(
        &self,
        file: &Arc<EvalFile>,
        (position, case): (u64, EvalCase),
        scope: Scope,
        walk: &mut CaseWalk,
        each: &mut VisitTrial<'_>,
    ) -> Result<ControlFlow<()>, RunError> {
        let lane = &self.lane;
        let grading = walk
            .grading
            .of_case(&self.executor, file, &lane.judge, &case);
        let identity = walk.identities.of_case(&case);
        let mut answers = AnswerKeys::new(
            lane.digest(file.index),
            &file.name,
            &case.id,
            identity.question,
        );
        let case = Arc::new(case);
        for number in 1..=self.trials {
            let chosen = self.selection.trials.as_ref();
            let chosen = chosen.filter(|_| scope == Scope::Selected);
            let is_chosen =
                chosen.is_none_or(|chosen| chosen.has(&file.name, &case.id, &lane.name, number));
            if !is_chosen {
                continue;
            }
            let answer = answers.of_trial(number);
            let flow = each(Trial {
                file: Arc::clone(file),
                case: Arc::clone(&case),
                position: Some(position),
                target: Arc::clone(&lane.name),
                number,
                work: Work::Ask,
                keys: TrialKeys::new(answer, identity.grading, grading.by),
                identity,
                files: Arc::clone(&grading.files),
                judge: Arc::clone(&lane.judge),
                reads_files: lane.target.provider.reads_files(),
                dry_run: self.dry_run,
                rivals: Arc::default(),
                is_compared: false,
            })?;
            if flow.is_break() {
                return Ok(flow);
            }
        }
        Ok(ControlFlow::Continue(()))
    }
}
