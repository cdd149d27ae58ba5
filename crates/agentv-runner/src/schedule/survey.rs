//! What a run is going to do, counted before anything is asked.

use std::collections::BTreeSet;
use std::ops::ControlFlow;

use agentv_core::{EvalCase, Judge, Source};

use crate::eval_file::{CaseSource, SourceError};
use crate::schedule::selection::Selection;
use crate::trial::grade::Graders;

/// What a run is going to do.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Survey {
    /// The cases that are selected.
    pub cases: u64,
    /// The trials that they make.
    pub trials: u64,
    /// The names of the targets that are asked, for each eval file by its index.
    pub targets: Vec<BTreeSet<String>>,
    /// The judges that are asked, for each eval file by its index.
    pub judges: Vec<FileJudges>,
}

/// The judges that the cases of an eval file need.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct FileJudges {
    /// Those that evaluators name.
    pub named: BTreeSet<String>,
    /// The targets whose answers are judged by their usual judges.
    pub judged: BTreeSet<String>,
}

/// Goes through all cases once. `chosen` are the targets that every case is asked of; where empty,
/// the one that it names.
///
/// # Errors
/// When a file cannot be read any more, or an evaluator cannot be used.
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

/// Where a case stands, for people.
fn place_of(case: &EvalCase) -> String {
    let id = &case.id;
    match &case.source {
        Some(Source { file, line }) => format!("{file}:{line}: case `{id}`"),
        None => format!("case `{id}`"),
    }
}
