//! The survey of a run: its work, counted before anything is asked.

use std::collections::BTreeSet;
use std::ops::ControlFlow;

use agentv_core::{EvalCase, Judge, Source};

use crate::eval_file::{CaseSource, SourceError};
use crate::schedule::selection::Selection;
use crate::trial::grade::Graders;

/// The work of a run, counted before anything is asked.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Survey {
    /// The number of selected cases.
    pub cases: u64,
    /// The number of their trials.
    pub trials: u64,
    /// The names of the targets, by the index of the eval file.
    pub targets: Vec<BTreeSet<String>>,
    /// The judges, by the index of the eval file.
    pub judges: Vec<FileJudges>,
}

/// The judges that the cases of an eval file need.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct FileJudges {
    /// The judges that evaluators name.
    pub named: BTreeSet<String>,
    /// The targets whose answers are graded by their usual judge.
    pub judged: BTreeSet<String>,
}

/// Visits all cases once. `chosen` are the targets for every case (default: the target that the
/// case names).
///
/// # Errors
/// Fails if a file can no longer be read, or if an evaluator cannot be used.
pub fn survey(
    source: &dyn CaseSource,
    selection: &Selection,
    graders: &dyn Graders,
    chosen: &[String],
    trials: u32,
) -> Result<Survey, SourceError> {
    let mut survey = Survey::default();
    let mut selector = selection.selector();
    let mut unusable = None;
    source.visit(&mut |file, case| {
        if selector.is_done() {
            return ControlFlow::Break(());
        }
        if !selector.takes(&file.name, &case.id) {
            return ControlFlow::Continue(());
        }
        survey.cases += 1;
        if survey.targets.len() <= file.index {
            survey.targets.resize_with(file.index + 1, BTreeSet::new);
            survey
                .judges
                .resize_with(file.index + 1, FileJudges::default);
        }
        let checked = graders.check(file, &case);
        let judges = match checked.and_then(|()| graders.judges(&case)) {
            Ok(judges) => judges,
            Err(reason) => {
                unusable = Some(format!("{}: {reason}", place_of(&case)));
                return ControlFlow::Break(());
            }
        };
        let file_judges = &mut survey.judges[file.index];
        let mut is_usual = false;
        for judge in judges {
            match judge {
                Judge::Usual => is_usual = true,
                Judge::Named(name) => {
                    file_judges.named.insert(name);
                }
            }
        }
        let own = [case.execution.target];
        let targets = if chosen.is_empty() { &own } else { chosen };
        for (place, target) in targets.iter().enumerate() {
            if targets[..place].contains(target) {
                continue;
            }
            if !survey.targets[file.index].contains(target) {
                survey.targets[file.index].insert(target.clone());
            }
            let judged = &mut survey.judges[file.index].judged;
            if is_usual && !judged.contains(target) {
                judged.insert(target.clone());
            }
            survey.trials += match &selection.trials {
                None => u64::from(trials),
                Some(only) => (1..=trials)
                    .filter(|trial| only.has(&file.name, &case.id, target, *trial))
                    .count() as u64,
            };
        }
        ControlFlow::Continue(())
    })?;
    match unusable {
        Some(reason) => Err(SourceError(reason)),
        None => Ok(survey),
    }
}

/// Returns the position of a case, for messages.
fn place_of(case: &EvalCase) -> String {
    let id = &case.id;
    match &case.source {
        Some(Source { file, line }) => format!("{file}:{line}: case `{id}`"),
        None => format!("case `{id}`"),
    }
}
