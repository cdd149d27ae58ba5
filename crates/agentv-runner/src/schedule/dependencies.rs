//! Trials that begin only after others have ended.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::ControlFlow;
use std::sync::{Mutex, PoisonError};

use agentv_core::{DependencyFailure, ResultRecord, Stage, Status, Timing, Trial, TrialName};
use tokio::sync::watch;

use crate::assignment::Assignment;
use crate::case_source::{CaseSource, SourceError};
use crate::schedule::lane::Lane;
use crate::schedule::selection::Selection;
use crate::trial::records::errored_record;

/// The trials of a run that others depend on.
#[derive(Debug)]
pub(crate) struct Dependencies {
    /// Each with its end.
    trials: Mutex<BTreeMap<TrialName, Option<End>>>,
    /// True if the run has all cases of its files.
    is_whole: bool,
    ends: watch::Sender<()>,
}

/// The end of a trial that others depend on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum End {
    Answered,
    Errored,
}

/// The state of the trials that a trial depends on.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Readiness {
    /// They have ended, or are not part of the run: those are listed.
    Ready { absent: Vec<String> },
    /// Some have not ended.
    Waiting,
    /// They have ended, and these cases errored, or did not run although all cases do.
    Failed(Vec<String>),
}

impl Dependencies {
    /// Finds the trials that others depend on, in two passes over the cases.
    ///
    /// # Errors
    /// Fails if a file can no longer be read.
    pub(crate) fn of(
        source: &dyn CaseSource,
        selection: &Selection,
        assignment: &Assignment,
        lanes: &[std::sync::Arc<Lane>],
        trials: u32,
    ) -> Result<Dependencies, SourceError> {
        let mut needed: BTreeSet<(usize, String)> = BTreeSet::new();
        source.visit(&mut |file, case| {
            needed.extend(case.depends_on.into_iter().map(|id| (file.index, id)));
            ControlFlow::Continue(())
        })?;
        let mut found = BTreeMap::new();
        let mut selector = selection.selector();
        source.visit(&mut |file, case| {
            let is_taken = selector.takes(&file.name, &case.id);
            if !is_taken || !needed.contains(&(file.index, case.id.clone())) {
                return ControlFlow::Continue(());
            }
            let taking = lanes
                .iter()
                .filter(|lane| assignment.assigns(file, &case, lane.index));
            for lane in taking {
                for trial in 1..=trials {
                    let chosen = selection.trials.as_ref();
                    let has = |chosen: &crate::ChosenTrials| {
                        chosen.has(&file.name, &case.id, &lane.name, trial)
                    };
                    if chosen.is_none_or(has) {
                        let name = TrialName {
                            eval_file: file.name.clone(),
                            eval_id: case.id.clone(),
                            target: lane.name.clone(),
                            trial,
                        };
                        found.insert(name, None);
                    }
                }
            }
            ControlFlow::Continue(())
        })?;
        Ok(Dependencies {
            trials: Mutex::new(found),
            is_whole: selection.is_all(),
            ends: watch::Sender::new(()),
        })
    }

    /// Returns a receiver that changes whenever a trial ends that others depend on.
    pub(crate) fn ends(&self) -> watch::Receiver<()> {
        self.ends.subscribe()
    }

    /// Notes the end of a trial.
    pub(crate) fn end(&self, record: &ResultRecord) {
        let end = if record.status == Status::Error {
            End::Errored
        } else {
            End::Answered
        };
        let mut trials = self.trials.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = trials.get_mut(&TrialName::from(record)) {
            *known = Some(end);
            drop(trials);
            self.ends.send_replace(());
        }
    }

    /// Returns the state of the trials that a trial depends on: those of the same target and number, or, for a
    /// case that has none on this target, those of all its targets.
    pub(crate) fn readiness(&self, trial: &Trial) -> Readiness {
        let trials = self.trials.lock().unwrap_or_else(PoisonError::into_inner);
        let (mut failed, mut absent) = (Vec::new(), Vec::new());
        for id in &trial.case.depends_on {
            let mut name = TrialName {
                eval_id: id.clone(),
                ..trial.name()
            };
            let ends: Vec<Option<End>> = match trials.get(&name) {
                Some(end) => vec![*end],
                None => {
                    // The names of a case's trials follow each other.
                    name.target = "".into();
                    name.trial = 0;
                    let of_case = trials.range(&name..);
                    let of_case = of_case.take_while(|(other, _)| {
                        other.eval_file == name.eval_file && other.eval_id == name.eval_id
                    });
                    of_case.map(|(_, end)| *end).collect()
                }
            };
            if ends.is_empty() {
                absent.push(id.clone());
            } else if ends.contains(&None) {
                return Readiness::Waiting;
            } else if ends.contains(&Some(End::Errored)) {
                failed.push(id.clone());
            }
        }
        if self.is_whole {
            failed.append(&mut absent);
        }
        if failed.is_empty() {
            Readiness::Ready { absent }
        } else {
            Readiness::Failed(failed)
        }
    }
}

/// Returns the end of a trial whose dependencies failed; `None` if it runs all the same.
pub(crate) fn refused(trial: &Trial, failed: &[String]) -> Option<ResultRecord> {
    let word = match trial.case.on_dependency_failure {
        DependencyFailure::Skip => "skipped",
        DependencyFailure::Fail => "failed",
        DependencyFailure::Run => return None,
    };
    let names: Vec<String> = failed.iter().map(|id| format!("`{id}`")).collect();
    let message = format!(
        "{word}: the case depends on {}, which errored or did not run",
        names.join(", ")
    );
    let timing = Timing::default();
    Some(errored_record(trial, Stage::Dependency, message, timing, 0))
}
