//! Skipped cases that a selection has.

use std::ops::ControlFlow;

use agentv_core::SkippedCase;
use agentv_dataset::{Checked, Dataset, LoadError};
use agentv_runner::{Selection, Selector};

/// A pass over the files of a request that counts the skipped cases which one of its selections has.
pub(crate) struct SkippedCounting<'s> {
    selections: &'s [&'s Selection],
    selectors: Vec<Selector<'s>>,
}

/// The skipped cases of one file that are selected.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct CountedSkipped {
    /// Their number.
    pub(crate) skipped: u64,
    /// The first line after the last selected case, if a limit ends the selection in this file or before.
    pub(crate) end: Option<u64>,
}

impl<'s> SkippedCounting<'s> {
    pub(crate) fn new(selections: &'s [&'s Selection]) -> SkippedCounting<'s> {
        let selectors = selections.iter().map(|selection| selection.selector());
        SkippedCounting {
            selections,
            selectors: selectors.collect(),
        }
    }

    /// Counts the skipped cases of the next file.
    pub(crate) fn of_file(
        &mut self,
        name: &str,
        dataset: &Dataset,
        checked: &Checked,
    ) -> Result<CountedSkipped, LoadError> {
        let mut counted = CountedSkipped::default();
        let selectors = &mut self.selectors;
        if selectors.iter().all(Selector::is_done) {
            counted.end = Some(0);
            return Ok(counted);
        }
        dataset.each_row(checked, &mut |row| {
            if selectors.iter().all(Selector::is_done) {
                counted.end = row.line.or(counted.end);
                return ControlFlow::Break(());
            }
            let id = row.id.as_deref();
            match id.filter(|_| row.is_usable) {
                Some(id) => selectors.iter_mut().for_each(|selector| {
                    selector.takes(name, id);
                }),
                None => {
                    let takes = |selector: &Selector<'_>| selector.takes_unusable(name, id);
                    counted.skipped += u64::from(selectors.iter().any(takes));
                }
            }
            ControlFlow::Continue(())
        })?;
        Ok(counted)
    }

    /// Returns true if a skipped case is selected, and begins before the line `end`.
    pub(crate) fn includes(&self, name: &str, case: &SkippedCase, end: Option<u64>) -> bool {
        let is_before_end = end.is_none_or(|end| case.line.is_some_and(|line| line < end));
        let mut selections = self.selections.iter();
        is_before_end
            && selections.any(|selection| {
                let selector = selection.selector();
                selector.takes_unusable(name, case.id.as_deref())
            })
    }
}
