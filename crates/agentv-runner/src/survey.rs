//! What a run is going to do, counted before anything is asked.

use std::collections::BTreeSet;
use std::ops::ControlFlow;

use crate::eval_file::{CaseSource, SourceError};
use crate::selection::Selection;

/// What a run is going to do.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Survey {
    /// The cases that are selected.
    pub cases: u64,
    /// The trials that they make.
    pub trials: u64,
    /// The names of the targets that are asked, for each eval file by its index.
    pub targets: Vec<BTreeSet<String>>,
}

/// Goes through all cases once. `chosen` are the targets that every case is asked of; where empty,
/// the one that it names.
///
/// # Errors
/// When a file cannot be read any more.
pub fn survey(
    source: &dyn CaseSource,
    selection: &Selection,
    chosen: &[String],
    trials: u32,
) -> Result<Survey, SourceError> {
    let mut survey = Survey::default();
    let mut selector = selection.selector();
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
            survey.trials += match &selection.trials {
                None => u64::from(trials),
                Some(only) => (1..=trials)
                    .filter(|trial| only.has(&file.name, &case.id, target, *trial))
                    .count() as u64,
            };
        }
        ControlFlow::Continue(())
    })?;
    Ok(survey)
}
