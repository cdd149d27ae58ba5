//! The preview of a regrading: its work, counted before anything is asked.

use std::collections::HashSet;
use std::ops::ControlFlow;
use std::sync::Arc;

use agentv_core::{Digest, EvalCase, EvalFile, EvaluatorError, EvaluatorSpec, Identities, Judge};
use agentv_journal::RecordFile;
use serde::Deserialize;
use serde::de::IgnoredAny;

use crate::case_source::{CaseSource, SourceError};
use crate::regrade::regrading::{GradedWith, Mark, Regrading};
use crate::regrade::source_run::{LastRecord, SourceRun, trial_key};
use crate::schedule::selection::Selection;
use crate::schedule::survey::FileJudges;
use crate::trial::grade::{Graders, judges_asked};

/// The work of a regrading, counted before anything is asked.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct RegradePreview {
    /// The number of selected trials.
    pub trials: u64,
    /// The number of those without an answer: they are carried over as errors.
    pub without_answer: u64,
    /// The number of cases with another input today, by eval file.
    pub changed: Vec<u64>,
    /// The number of cases that are no longer in their eval files, by eval file.
    pub gone: Vec<u64>,
    /// The judges that will be asked, by eval file.
    pub judges: Vec<FileJudges>,
}

/// Decides for every trial of `source_run` whether it is graded, and by which evaluators. `files`
/// are its eval files, in the order of [`SourceRun::files`].
///
/// # Errors
/// Fails if a file cannot be read, or if an evaluator cannot be used.
pub fn plan_regrading(
    source_run: SourceRun,
    files: Vec<Arc<EvalFile>>,
    with: GradedWith,
    selection: &Selection,
    graders: &dyn Graders,
) -> Result<(Regrading, RegradePreview), SourceError> {
    let marks = vec![Mark::default(); source_run.trials().len()];
    let regrading = Regrading {
        source_run,
        marks,
        files,
        with,
        pass_threshold: None,
    };
    let count = regrading.files.len();
    let mut planning = Planning {
        chooser: Chooser {
            selection,
            cases: HashSet::new(),
        },
        graders,
        preview: RegradePreview {
            changed: vec![0; count],
            gone: vec![0; count],
            judges: vec![FileJudges::default(); count],
            ..RegradePreview::default()
        },
        regrading,
    };
    if let GradedWith::Today(source) = &planning.regrading.with {
        let source = Arc::clone(source);
        planning.look_at_cases(source.as_ref())?;
    }
    planning.look_at_answers()?;
    planning.look_at_errors()?;
    let (trials, marks) = (
        planning.regrading.source_run.trials(),
        &planning.regrading.marks,
    );
    let selected = || trials.iter().zip(marks).filter(|(_, mark)| mark.selected);
    planning.preview.trials = selected().count() as u64;
    let errors = selected().filter(|(trial, _)| trial.last_record() != LastRecord::Answer);
    planning.preview.without_answer = errors.count() as u64;
    Ok((planning.regrading, planning.preview))
}

struct Planning<'a> {
    chooser: Chooser<'a>,
    graders: &'a dyn Graders,
    preview: RegradePreview,
    regrading: Regrading,
}

/// Selects cases. If a limit is set, the first cases win.
struct Chooser<'a> {
    selection: &'a Selection,
    cases: HashSet<Digest>,
}

impl Chooser<'_> {
    fn takes(&mut self, file: &str, id: &str) -> bool {
        let ids = self.selection.eval_ids.as_ref();
        if !ids.is_none_or(|ids| ids.is_match(id)) {
            return false;
        }
        let Some(limit) = self.selection.limit else {
            return true;
        };
        let case = trial_key(file, id, "", 0);
        let has_room = (self.cases.len() as u64) < limit;
        self.cases.contains(&case) || has_room && self.cases.insert(case)
    }
}

/// The part of a recorded answer that decides how it is graded.
#[derive(Deserialize)]
struct Recorded<C> {
    eval_file: String,
    eval_id: String,
    target: String,
    #[serde(default)]
    case: C,
}

#[derive(Deserialize, Default)]
struct RecordedCase {
    #[serde(default)]
    evaluators: Vec<EvaluatorSpec>,
    #[serde(default)]
    rubrics: Vec<IgnoredAny>,
}

impl Planning<'_> {
    /// Finds the trials of the cases as they are written today.
    fn look_at_cases(&mut self, source: &dyn CaseSource) -> Result<(), SourceError> {
        let mut failed = None;
        let mut identities = Identities::default();
        source.visit(
            &mut |file, case| match self.look_at_case(file, &case, &mut identities) {
                Ok(()) => ControlFlow::Continue(()),
                Err(error) => {
                    failed = Some(error);
                    ControlFlow::Break(())
                }
            },
        )?;
        failed.map_or(Ok(()), Err)
    }

    fn look_at_case(
        &mut self,
        file: &EvalFile,
        case: &EvalCase,
        identities: &mut Identities,
    ) -> Result<(), SourceError> {
        let found = self.regrading.trials_of(file, case);
        let found: Vec<(usize, Arc<str>)> = found
            .map(|(at, target, _)| (at, Arc::clone(target)))
            .collect();
        if found.is_empty() {
            return Ok(());
        }
        let selected = self.chooser.takes(&file.name, &case.id);
        let question = identities.of_case(case).question;
        let mut is_changed = false;
        for (at, target) in found {
            let trial = self.regrading.source_run.trials()[at];
            let today = trial.last_record() == LastRecord::Answer && trial.question == question;
            is_changed |= !today && trial.last_record() == LastRecord::Answer;
            self.regrading.marks[at] = Mark {
                is_there: true,
                today,
                selected,
            };
            if today && selected {
                let judges = self.graders.judges(case);
                let judges = judges.map_err(|reason| of_case(&case.id, reason))?;
                self.note(file.index, &target, judges);
            }
        }
        self.preview.changed[file.index] += u64::from(is_changed && selected);
        Ok(())
    }

    /// Examines the answers that are graded as recorded, or by given evaluators.
    fn look_at_answers(&mut self) -> Result<(), SourceError> {
        let regrading = &self.regrading;
        let open = regrading.in_order(|trial, mark| {
            trial.last_record() == LastRecord::Answer
                && !mark.today
                && (mark.selected || !mark.is_there)
        });
        if open.is_empty() {
            return Ok(());
        }
        let given = match &regrading.with {
            GradedWith::Today(_) => None,
            GradedWith::These(evaluators) => {
                let judges = judges_asked(self.graders, evaluators, false);
                Some(judges.map_err(SourceError::Evaluators)?)
            }
        };
        let mut places = regrading.places(RecordFile::Transcripts)?;
        let mut gone = HashSet::new();
        for at in open {
            let offset = self.regrading.source_run.trials()[at].offset();
            let (line, judges) = match &given {
                Some(judges) => {
                    let line = places.get::<Recorded<Passed>>(offset);
                    let line = line?.value;
                    (
                        (line.eval_file, line.eval_id, line.target),
                        Ok(judges.clone()),
                    )
                }
                None => {
                    let line = places.get::<Recorded<RecordedCase>>(offset);
                    let line = line?.value;
                    let has_rubrics = !line.case.rubrics.is_empty();
                    let judges = judges_asked(self.graders, &line.case.evaluators, has_rubrics);
                    ((line.eval_file, line.eval_id, line.target), judges)
                }
            };
            let (file, id, target) = line;
            let Some(index) = self.regrading.file(&file).map(|file| file.index) else {
                continue;
            };
            let mark = &mut self.regrading.marks[at];
            if !mark.is_there {
                mark.selected = self.chooser.takes(&file, &id);
                if !mark.selected {
                    continue;
                }
                if given.is_none() && gone.insert(trial_key(&file, &id, "", 0)) {
                    self.preview.gone[index] += 1;
                }
            }
            self.note(
                index,
                &target,
                judges.map_err(|reason| of_case(&id, reason))?,
            );
        }
        Ok(())
    }

    /// Selects among the trials that have no answer and no case today.
    fn look_at_errors(&mut self) -> Result<(), SourceError> {
        let regrading = &self.regrading;
        let open = regrading
            .in_order(|trial, mark| trial.last_record() != LastRecord::Answer && !mark.is_there);
        let mut places = regrading.places(RecordFile::Results)?;
        for at in open {
            let offset = self.regrading.source_run.trials()[at].offset();
            let line = places.get::<Recorded<Passed>>(offset)?.value;
            self.regrading.marks[at].selected = self.chooser.takes(&line.eval_file, &line.eval_id);
        }
        Ok(())
    }

    fn note(&mut self, file: usize, target: &str, judges: Vec<Judge>) {
        let noted = &mut self.preview.judges[file];
        for judge in judges {
            match judge {
                Judge::Usual if !noted.judged.contains(target) => {
                    noted.judged.insert(target.to_owned());
                }
                Judge::Usual => {}
                Judge::Named(name) => {
                    noted.named.insert(name);
                }
            }
        }
    }
}

/// A case that is skipped while reading.
#[derive(Deserialize, Default)]
#[serde(from = "IgnoredAny")]
struct Passed;

impl From<IgnoredAny> for Passed {
    fn from(_: IgnoredAny) -> Passed {
        Passed
    }
}

fn of_case(id: &str, source: EvaluatorError) -> SourceError {
    let case = format!("case `{id}`");
    SourceError::Case { case, source }
}
