//! The trials of a grading: answers that exist, each with the case that it is graded by.

use std::collections::HashMap;
use std::ops::ControlFlow;
use std::sync::Arc;

use agentv_core::{EvalFile, Identities, Outdated, TranscriptRecord, Trial, TrialKeys, Work};

use crate::consumer::Consumer;
use crate::failure::RunError;
use crate::regrade::answers::{AnswerSource, GivenRecord};
use crate::resume::previous_run::PreviousRun;
use crate::resume::reuse::reuse;
use crate::schedule::source::{
    CurrentTrial, Grading, SendItem, SourceItem, TrialSource, VisitCurrent,
};
use crate::trial::execute::Executor;

/// The facts that matter of a target that gave an answer and is not asked.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct GradedTarget {
    /// The judge for evaluators that name none (default: the target itself).
    pub judge: Option<String>,
    /// True if the target got the paths of files instead of their text.
    pub reads_files: bool,
}

/// The trials of a grading.
pub(crate) struct AnswerTrials {
    pub(crate) executor: Arc<Executor>,
    pub(crate) consumer: Arc<Consumer>,
    pub(crate) source: Arc<dyn AnswerSource>,
    pub(crate) previous_run: Arc<PreviousRun>,
    /// The targets that gave the answers, by the index of their eval file and their name.
    pub(crate) targets: HashMap<(usize, String), GradedTarget>,
}

type VisitAnswer<'e> = dyn FnMut(&Arc<EvalFile>, GivenRecord, &mut AnswerWalk) -> Result<ControlFlow<()>, RunError>
    + 'e;

/// The state of one pass over the answers.
#[derive(Default)]
struct AnswerWalk {
    identities: Identities,
    targets: HashMap<(usize, Arc<str>), AnsweredBy>,
}

/// A target that gave answers, within a walk.
struct AnsweredBy {
    judge: Arc<str>,
    reads_files: bool,
    grading: Grading,
}

impl TrialSource for AnswerTrials {
    fn recall(&self) -> Result<bool, RunError> {
        if self.previous_run.is_empty() {
            return Ok(false);
        }
        self.each(&mut |file, given, walk| {
            match given {
                GivenRecord::Error(record) => {
                    if self.previous_run.has_record(&record.grade_key)? {
                        self.consumer.report_result(record, true);
                    }
                }
                GivenRecord::Answer(record) => {
                    let outdated = record.outdated.then_some(Outdated::Answer);
                    let trial = self.trial(file, record.into(), walk);
                    if let Some(found) = self.previous_run.result(&trial.keys.grade)? {
                        let include_trace = self.executor.include_trace;
                        let previous_run = &self.previous_run;
                        reuse(
                            &self.consumer,
                            previous_run,
                            found,
                            (&trial, outdated),
                            include_trace,
                        )?;
                    }
                }
            }
            Ok(ControlFlow::Continue(()))
        })?;
        Ok(false)
    }

    fn produce(&self, send: &mut SendItem<'_>) -> Result<(), RunError> {
        self.each(&mut |file, given, walk| {
            let answer: Arc<TranscriptRecord> = match given {
                GivenRecord::Answer(record) => record.into(),
                GivenRecord::Error(record) => {
                    if self.previous_run.has_record(&record.grade_key)? {
                        return Ok(ControlFlow::Continue(()));
                    }
                    return Ok(send(SourceItem::Done(record)));
                }
            };
            let trial = self.trial(file, answer, walk);
            if self.previous_run.has_result(&trial.keys.grade)? {
                return Ok(ControlFlow::Continue(()));
            }
            Ok(send(SourceItem::Trial(self.unless_recorded(trial)?)))
        })
    }

    fn current_trials(&self, visit: &mut VisitCurrent<'_>) -> Result<(), RunError> {
        let mut walk = AnswerWalk::default();
        self.source.visit_all(&mut |file, given| {
            match given {
                GivenRecord::Answer(record) if !record.outdated => {
                    let trial = self.trial(file, record.into(), &mut walk);
                    visit(&CurrentTrial::of(&trial));
                }
                GivenRecord::Error(record) if record.outdated.is_none() => {
                    visit(&CurrentTrial {
                        eval_file: &record.eval_file,
                        eval_id: &record.eval_id,
                        position: record.position,
                        answer_key: &record.answer_key,
                        grade_key: &record.grade_key,
                    });
                }
                GivenRecord::Answer(_) | GivenRecord::Error(_) => {}
            }
            ControlFlow::Continue(())
        })?;
        Ok(())
    }
}

impl AnswerTrials {
    /// Visits all answers, in order, until the grading is stopped. An error ends it.
    fn each(&self, each: &mut VisitAnswer<'_>) -> Result<(), RunError> {
        let mut walk = AnswerWalk::default();
        let mut failed = None;
        self.source.visit(&mut |file, given| {
            if self.executor.stop.is_stopped() {
                return ControlFlow::Break(());
            }
            each(file, given, &mut walk).unwrap_or_else(|error| {
                failed = Some(error);
                ControlFlow::Break(())
            })
        })?;
        failed.map_or(Ok(()), Err)
    }

    fn trial(
        &self,
        file: &Arc<EvalFile>,
        answer: Arc<TranscriptRecord>,
        walk: &mut AnswerWalk,
    ) -> Trial {
        let target = (file.index, Arc::clone(&answer.target));
        let by = walk.targets.entry(target).or_insert_with(|| {
            let known = self.targets.get(&(file.index, answer.target.to_string()));
            let judge = known.and_then(|known| known.judge.as_deref());
            let judge = judge.map_or_else(|| Arc::clone(&answer.target), Arc::from);
            let reads_files = known.is_some_and(|known| known.reads_files);
            AnsweredBy {
                judge,
                reads_files,
                grading: Grading::default(),
            }
        });
        let parts = by
            .grading
            .of_case(&self.executor, file, &by.judge, &answer.case);
        let identity = answer.identity;
        let identity = identity.unwrap_or_else(|| walk.identities.of_case(&answer.case));
        Trial {
            file: Arc::clone(file),
            case: Arc::clone(&answer.case),
            position: answer.position,
            target: Arc::clone(&answer.target),
            number: answer.trial,
            keys: TrialKeys::new(answer.answer_key.clone(), identity.grading, parts.by),
            identity,
            files: parts.files,
            judge: Arc::clone(&by.judge),
            reads_files: by.reads_files,
            dry_run: answer.dry_run,
            rivals: Arc::default(),
            is_compared: false,
            work: Work::Grade {
                answer,
                recorded: false,
            },
        }
    }

    /// Notes whether the journal holds the answer of a trial, with the same case.
    fn unless_recorded(&self, mut trial: Trial) -> Result<Trial, RunError> {
        let before = self.previous_run.transcript(&trial.keys.answer)?;
        if let Work::Grade { recorded, .. } = &mut trial.work {
            *recorded = before.is_some_and(|before| before.case == trial.case);
        }
        Ok(trial)
    }
}
