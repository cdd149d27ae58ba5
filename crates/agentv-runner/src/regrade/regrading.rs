//! The answers of an earlier run, joined with the cases that grade them now.

use std::ops::ControlFlow;
use std::sync::Arc;

use agentv_core::{
    CaseIdentity, EvalCase, EvalFile, EvaluatorSpec, Outdated, PassThreshold, ResultRecord, Stage,
    Status, Timing, Transcript, TranscriptRecord, TrialError,
};
use agentv_journal::{RecordFile, RecordsAt};
use serde::Deserialize;

use crate::case_source::{CaseSource, SourceError};
use crate::regrade::answers::{AnswerSource, GivenRecord, VisitGiven};
use crate::regrade::source_run::{LastRecord, SourceRun, SourceTrial, trial_key};

/// The evaluators for the answers of an earlier run.
pub enum GradedWith {
    /// Those of the cases today if their input is unchanged, else those recorded.
    Today(Arc<dyn CaseSource>),
    /// These evaluators, for all cases.
    These(Arc<[EvaluatorSpec]>),
}

/// The answers of an earlier run and their evaluators, as planned by [`plan_regrading`].
///
/// [`plan_regrading`]: crate::plan_regrading
pub struct Regrading {
    pub(crate) source_run: SourceRun,
    /// The eval files, in the order of [`SourceRun::files`].
    pub(crate) files: Vec<Arc<EvalFile>>,
    pub(crate) with: GradedWith,
    /// The lowest score that passes, in place of the recorded ones.
    pub(crate) pass_threshold: Option<PassThreshold>,
    /// The decision on each trial of the source run.
    pub(crate) marks: Vec<Mark>,
}

/// The answers that a pass visits.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Scope {
    /// All of them.
    All,
    /// The selected ones.
    Selected,
}

impl Scope {
    fn has(self, mark: Mark) -> bool {
        mark.selected || self == Scope::All
    }
}

/// The decision on a trial.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Mark {
    /// True if its eval file still has its case.
    pub(crate) is_there: bool,
    /// True if it is graded by its case as written today.
    pub(crate) today: bool,
    pub(crate) selected: bool,
}

/// The part of a record that is read if its case is known.
#[derive(Deserialize)]
struct RecordedAnswer {
    timestamp: String,
    answer_key: String,
    transcript: Transcript,
    #[serde(default)]
    timing: Timing,
    attempts: u32,
    #[serde(default)]
    cached: bool,
    #[serde(default)]
    redacted: bool,
    #[serde(default)]
    dry_run: bool,
    #[serde(default)]
    position: Option<u64>,
}

impl Regrading {
    /// Returns the same answers, which pass from this score if it is given.
    pub fn passing_from(self, pass_threshold: Option<PassThreshold>) -> Regrading {
        Regrading {
            pass_threshold,
            ..self
        }
    }

    /// Returns the trials that a case has in the source run: position, target and number.
    pub(crate) fn trials_of<'o>(
        &'o self,
        file: &EvalFile,
        case: &EvalCase,
    ) -> impl Iterator<Item = (usize, &'o Arc<str>, u32)> {
        let asked = self.source_run.files().get(file.index);
        let trials = asked.into_iter().flat_map(|asked| {
            let targets = asked.targets.iter();
            targets.flat_map(|target| (1..=asked.trials).map(move |trial| (target, trial)))
        });
        let key = move |target: &str, trial| trial_key(&file.name, &case.id, target, trial);
        trials
            .filter_map(move |(target, trial)| {
                let at = self.source_run.find(key(target, trial))?;
                Some((at, target, trial))
            })
            .collect::<Vec<_>>()
            .into_iter()
    }

    /// Returns the trials that meet a condition, in the order of their records.
    pub(crate) fn in_order(&self, is_meant: impl Fn(SourceTrial, Mark) -> bool) -> Vec<usize> {
        let trials = self.source_run.trials();
        let all = trials.iter().zip(&self.marks).enumerate();
        let meant = all.filter(|(_, (trial, mark))| is_meant(**trial, **mark));
        let mut meant: Vec<usize> = meant.map(|(at, _)| at).collect();
        meant.sort_unstable_by_key(|at| trials[*at].offset());
        meant
    }

    /// Returns the eval file of this name.
    pub(crate) fn file(&self, name: &str) -> Option<&Arc<EvalFile>> {
        self.files.iter().find(|file| &*file.name == name)
    }

    fn visit_in(&self, scope: Scope, visit: &mut VisitGiven<'_>) -> Result<(), SourceError> {
        let mut places = self.places(RecordFile::Transcripts)?;
        if let GradedWith::Today(source) = &self.with {
            let flow = self.visit_today(source.as_ref(), scope, &mut places, visit)?;
            if flow.is_break() {
                return Ok(());
            }
        }
        if self.visit_recorded(scope, &mut places, visit)?.is_break() {
            return Ok(());
        }
        self.visit_errors(scope, visit)
    }

    fn visit_today(
        &self,
        source: &dyn CaseSource,
        scope: Scope,
        places: &mut RecordsAt,
        visit: &mut VisitGiven<'_>,
    ) -> Result<ControlFlow<()>, SourceError> {
        let mut flow = ControlFlow::Continue(());
        let mut failed = None;
        source.visit(&mut |file, case| {
            let case = Arc::new(case);
            for (at, target, trial) in self.trials_of(file, &case) {
                let mark = self.marks[at];
                if !mark.today || !scope.has(mark) {
                    continue;
                }
                match places.get::<RecordedAnswer>(self.source_run.trials()[at].offset()) {
                    Ok(answer) => {
                        let record = record_of(answer.value, file, &case, target, trial);
                        let record = self.dated(at, record);
                        flow = visit(file, GivenRecord::Answer(Box::new(record)));
                    }
                    Err(error) => {
                        failed = Some(SourceError::from(error));
                        flow = ControlFlow::Break(());
                    }
                }
                if flow.is_break() {
                    break;
                }
            }
            flow
        })?;
        failed.map_or(Ok(flow), Err)
    }

    fn visit_recorded(
        &self,
        scope: Scope,
        places: &mut RecordsAt,
        visit: &mut VisitGiven<'_>,
    ) -> Result<ControlFlow<()>, SourceError> {
        let recorded = |trial: SourceTrial, mark: Mark| {
            scope.has(mark) && !mark.today && trial.last_record() == LastRecord::Answer
        };
        for at in self.in_order(recorded) {
            let offset = self.source_run.trials()[at].offset();
            let mut record = places.get::<TranscriptRecord>(offset)?.value;
            self.change_grading(&mut record);
            let record = self.dated(at, record);
            let Some(file) = self.file(&record.eval_file) else {
                continue;
            };
            if visit(file, GivenRecord::Answer(Box::new(record))).is_break() {
                return Ok(ControlFlow::Break(()));
            }
        }
        Ok(ControlFlow::Continue(()))
    }

    /// Replaces the evaluators and the threshold of a recorded case, if others are given.
    fn change_grading(&self, record: &mut TranscriptRecord) {
        if let GradedWith::These(evaluators) = &self.with {
            let case = Arc::make_mut(&mut record.case);
            case.evaluators = Arc::clone(evaluators);
            case.rubrics.clear();
            record.identity = None;
        }
        if self.pass_threshold.is_some() {
            Arc::make_mut(&mut record.case).pass_threshold = self.pass_threshold;
            record.identity = None;
        }
    }

    /// Notes in an answer that the source run has paid it, if it has marked it as out of date, and the place
    /// of the case by its results.
    fn dated(&self, at: usize, record: TranscriptRecord) -> TranscriptRecord {
        let trial = self.source_run.trials()[at];
        TranscriptRecord {
            outdated: trial.is_outdated(),
            position: trial.position.map(u64::from).or(record.position),
            of_other_run: true,
            ..record
        }
    }

    fn visit_errors(&self, scope: Scope, visit: &mut VisitGiven<'_>) -> Result<(), SourceError> {
        let errors = self
            .in_order(|trial, mark| scope.has(mark) && trial.last_record() != LastRecord::Answer);
        let mut places = self.places(RecordFile::Results)?;
        for at in errors {
            let trial = self.source_run.trials()[at];
            let record = places.get::<ResultRecord>(trial.offset());
            let mut record = record?.value;
            if trial.last_record() == LastRecord::Lost {
                record = without_answer(record);
            }
            // Nothing is left of an old grade.
            let of_answer = |outdated: &Outdated| *outdated == Outdated::Answer;
            record.outdated = record.outdated.filter(of_answer);
            record.of_other_run = true;
            record.replaced_cost_usd = None;
            let Some(file) = self.file(&record.eval_file) else {
                continue;
            };
            if visit(file, GivenRecord::Error(Box::new(record))).is_break() {
                break;
            }
        }
        Ok(())
    }

    pub(crate) fn places(&self, file: RecordFile) -> Result<RecordsAt, SourceError> {
        Ok(self.source_run.places(file)?)
    }
}

impl AnswerSource for Regrading {
    fn visit(&self, visit: &mut VisitGiven<'_>) -> Result<(), SourceError> {
        self.visit_in(Scope::Selected, visit)
    }

    fn visit_all(&self, visit: &mut VisitGiven<'_>) -> Result<(), SourceError> {
        self.visit_in(Scope::All, visit)
    }
}

fn record_of(
    answer: RecordedAnswer,
    file: &EvalFile,
    case: &Arc<EvalCase>,
    target: &Arc<str>,
    trial: u32,
) -> TranscriptRecord {
    TranscriptRecord {
        timestamp: answer.timestamp,
        eval_file: Arc::clone(&file.name),
        position: answer.position,
        eval_id: case.id.clone(),
        target: Arc::clone(target),
        trial,
        answer_key: answer.answer_key,
        identity: Some(CaseIdentity::of(case)),
        case: Arc::clone(case),
        transcript: answer.transcript,
        timing: answer.timing,
        attempts: answer.attempts,
        cached: answer.cached,
        redacted: answer.redacted,
        dry_run: answer.dry_run,
        error: None,
        unfinished: false,
        outdated: false,
        of_other_run: true,
    }
}

/// Turns the result of a trial whose answer is missing into an error. Its old grade does not apply.
fn without_answer(record: ResultRecord) -> ResultRecord {
    let message = "its answer is missing from the transcripts, so it cannot be graded \
                   again"
        .to_owned();
    ResultRecord {
        status: Status::Error,
        score: None,
        hits: Vec::new(),
        misses: Vec::new(),
        reasoning: None,
        evaluator_results: Vec::new(),
        error: Some(TrialError {
            stage: Stage::Evaluator,
            message,
        }),
        ..record
    }
}
