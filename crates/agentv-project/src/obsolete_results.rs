//! Results of a resumed run whose cases no longer exist.

use std::collections::HashSet;
use std::hash::{BuildHasher, BuildHasherDefault, DefaultHasher};
use std::ops::ControlFlow;
use std::sync::Arc;

use agentv_journal::{FileError, Line, RecordFile, RunFolder};
use agentv_runner::{CaseSource, Selection, SourceError, trial_fields};
use serde::Deserialize;

use crate::eval_files::EvalFiles;

/// The cases of a resumed run, to find the results that are obsolete.
pub(crate) struct ResumedCases {
    pub(crate) files: Arc<EvalFiles>,
    pub(crate) selection: Selection,
}

/// The reason why obsolete results were not found.
#[derive(Debug, thiserror::Error)]
pub(crate) enum ObsoleteError {
    #[error(transparent)]
    Results(#[from] FileError),
    #[error(transparent)]
    Cases(#[from] SourceError),
}

/// The part of a result that names its case.
#[derive(Deserialize)]
struct Named {
    eval_file: String,
    eval_id: String,
}

impl ResumedCases {
    /// Returns the offsets of the results to keep, sorted, and the number of the others; `None` if there is
    /// none to remove. A result is
    /// obsolete if its case no longer exists, or if the case was selected and gave no such result. Results
    /// that the request merely did not select are kept.
    pub(crate) fn kept(
        &self,
        folder: &RunFolder,
        counted: &[u64],
    ) -> Result<Option<(Vec<u64>, u64)>, ObsoleteError> {
        let others = self.others(folder, counted)?;
        if others.is_empty() {
            return Ok(None);
        }
        let not_selected = self.not_selected()?;
        let opened: HashSet<&str> = self.files.names().into_iter().collect();
        let all = others.len();
        let stays = |(named, _): &(Named, u64)| {
            !opened.contains(&*named.eval_file)
                || not_selected.contains(&digest(&named.eval_file, &named.eval_id))
        };
        let kept = others.into_iter().filter(stays).map(|(_, offset)| offset);
        let mut kept: Vec<u64> = kept.collect();
        let removed = all - kept.len();
        if removed == 0 {
            return Ok(None);
        }
        kept.extend(counted);
        kept.sort_unstable();
        Ok(Some((kept, removed as u64)))
    }

    /// Returns the results that count in the folder, but that this request did not give.
    fn others(&self, folder: &RunFolder, counted: &[u64]) -> Result<Vec<(Named, u64)>, FileError> {
        let latest = folder.latest(RecordFile::Results, &trial_fields())?;
        let mut others = Vec::new();
        for line in latest.records::<Named>() {
            if let Line::Record(record) = line?
                && counted.binary_search(&record.offset).is_err()
            {
                others.push((record.value, record.offset));
            }
        }
        Ok(others)
    }

    /// Returns digests of the cases that exist and that the request does not select.
    fn not_selected(&self) -> Result<HashSet<u64>, SourceError> {
        let mut not_selected = HashSet::new();
        let mut selector = self.selection.selector();
        // The trials of a case that are repeated are known only for the run that is repeated.
        let is_rerun = self.selection.trials.is_some();
        self.files.visit(&mut |file, case| {
            if !selector.takes(&file.name, &case.id) || is_rerun {
                not_selected.insert(digest(&file.name, &case.id));
            }
            ControlFlow::Continue(())
        })?;
        Ok(not_selected)
    }
}

fn digest(eval_file: &str, eval_id: &str) -> u64 {
    BuildHasherDefault::<DefaultHasher>::default().hash_one((eval_file, eval_id))
}
