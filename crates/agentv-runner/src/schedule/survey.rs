//! The survey of a run: its work, counted before anything is asked.

use std::collections::BTreeSet;
use std::ops::ControlFlow;

use agentv_core::{EvalCase, EvalFile, Judge, Source};

use crate::case_source::{CaseSource, SourceError};
use crate::schedule::selection::{Selection, Selector};
use crate::trial::grade::Graders;

/// The work of a run, counted before anything is asked.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Survey {
    /// The number of selected cases.
    pub cases: u64,
    /// The number of their trials.
    pub trials: u64,
    /// The number of trials that a resumed run selected before, as the files are now.
    pub trials_before: u64,
    /// The number of those that are not selected now.
    pub trials_only_before: u64,
    /// True if a selected case asks for a workspace.
    pub has_workspaces: bool,
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

/// Visits all cases once. `before` is what a resumed run selected before, which is counted too. `chosen` are the targets for every case (default: the target that the
/// case names).
///
/// # Errors
/// Fails if a file can no longer be read, or if an evaluator cannot be used.
pub fn survey(
    source: &dyn CaseSource,
    selection: &Selection,
    before: Option<&Selection>,
    graders: &dyn Graders,
    chosen: &[String],
    trials: u32,
) -> Result<Survey, SourceError> {
    let mut survey = Survey::default();
    let mut selector = selection.selector();
    let mut selector_before = before.map(Selection::selector);
    let mut unusable = None;
    source.visit(&mut |file, case| {
        let is_done = |selector: &Selector<'_>| selector.is_done();
        if is_done(&selector) && selector_before.as_ref().is_none_or(is_done) {
            return ControlFlow::Break(());
        }
        let is_taken = selector.takes(&file.name, &case.id);
        if let Some(before) = &mut selector_before
            && before.takes(&file.name, &case.id)
        {
            let number = count_trials(selection, file, &case, chosen, trials);
            survey.trials_before += number;
            survey.trials_only_before += if is_taken { 0 } else { number };
        }
        if !is_taken {
            return ControlFlow::Continue(());
        }
        survey.cases += 1;
        survey.has_workspaces |= case.workspace.is_some();
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
                unusable = Some((place_of(&case), reason));
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
        survey.trials += count_trials(selection, file, &case, chosen, trials);
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
        }
        ControlFlow::Continue(())
    })?;
    match unusable {
        Some((case, source)) => Err(SourceError::Case { case, source }),
        None => Ok(survey),
    }
}

/// Returns the number of trials of a case, on each of its targets once.
fn count_trials(
    selection: &Selection,
    file: &EvalFile,
    case: &EvalCase,
    chosen: &[String],
    trials: u32,
) -> u64 {
    let own = std::slice::from_ref(&case.execution.target);
    let targets = if chosen.is_empty() { own } else { chosen };
    let targets: BTreeSet<&String> = targets.iter().collect();
    let of_target = |target: &&String| match &selection.trials {
        None => u64::from(trials),
        Some(only) => {
            let has = |trial: &u32| only.has(&file.name, &case.id, target, *trial);
            (1..=trials).filter(has).count() as u64
        }
    };
    targets.iter().map(of_target).sum()
}

/// Returns the position of a case, for messages.
fn place_of(case: &EvalCase) -> String {
    let id = &case.id;
    match &case.source {
        Some(Source { file, line }) => format!("{file}:{line}: case `{id}`"),
        None => format!("case `{id}`"),
    }
}
