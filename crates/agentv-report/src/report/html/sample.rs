//! Which trials of a run too large for a page are shown.

use std::collections::HashMap;
use std::hash::{DefaultHasher, Hash, Hasher};

use agentv_core::{ResultRecord, Status};
use agentv_journal::Latest;
use serde::Deserialize;

use crate::report::ReportFailure;

/// The trials that a page shows: all, or those that did not pass and a sample of the others.
///
/// Two runs have the same sample, and what did not pass in one is shown of both, so that trials find
/// each other. A sample is spread evenly over the cases; it is chosen by their names.
#[derive(Debug)]
pub(super) enum Sample {
    /// All of them.
    All,
    /// The ones whose digest is below the bound of their kind.
    Some {
        /// The digests of trials that did not pass, in one run at least.
        notable: HashMap<u64, bool>,
        notable_below: u64,
        others_below: u64,
    },
}

/// What of a result says whether it is shown.
#[derive(Deserialize)]
struct Ending {
    eval_file: String,
    eval_id: String,
    trial: u32,
    status: Status,
}

impl Sample {
    /// The sample for some runs, of which the page shows `most` trials each.
    pub(super) fn of<'a>(
        runs: impl Iterator<Item = &'a Latest>,
        most: usize,
    ) -> Result<Sample, ReportFailure> {
        let runs: Vec<&Latest> = runs.collect();
        if runs.iter().all(|run| run.len() <= most) {
            return Ok(Sample::All);
        }
        let mut notable = HashMap::new();
        for run in &runs {
            let mut run = run.again()?;
            for offset in run.offsets() {
                let Ok(ending) = serde_json::from_str::<Ending>(run.text_at(offset)?) else {
                    continue;
                };
                let digest = digest(&ending.eval_file, &ending.eval_id, ending.trial);
                *notable.entry(digest).or_default() |= is_notable(ending.status);
            }
        }
        // Trials of several targets share a digest: as many fewer of them are chosen.
        let trials = runs.iter().map(|run| run.len()).max().unwrap_or(0);
        let most = most * notable.len() / trials.max(1);
        let count = notable.values().filter(|notable| **notable).count();
        let bound_of = |kind: bool, most: usize| {
            let digests = notable.iter().filter(|(_, notable)| **notable == kind);
            bound(digests.map(|(digest, _)| *digest).collect(), most)
        };
        Ok(Sample::Some {
            notable_below: bound_of(true, most),
            others_below: bound_of(false, most.saturating_sub(count)),
            notable,
        })
    }

    /// Whether a trial is shown.
    pub(super) fn has(&self, record: &ResultRecord) -> bool {
        match self {
            Sample::All => true,
            Sample::Some {
                notable,
                notable_below,
                others_below,
            } => {
                let digest = digest(&record.eval_file, &record.eval_id, record.trial);
                let is_notable = notable.get(&digest).copied().unwrap_or_default();
                digest
                    < if is_notable {
                        *notable_below
                    } else {
                        *others_below
                    }
            }
        }
    }
}

fn is_notable(status: Status) -> bool {
    match status {
        Status::Fail | Status::Error | Status::Borderline => true,
        Status::Pass | Status::Ungraded => false,
    }
}

fn digest(eval_file: &str, eval_id: &str, trial: u32) -> u64 {
    let mut hasher = DefaultHasher::new();
    (eval_file, eval_id, trial).hash(&mut hasher);
    hasher.finish()
}

/// The bound below which at most so many of the digests lie.
fn bound(mut digests: Vec<u64>, most: usize) -> u64 {
    if digests.len() <= most {
        return u64::MAX;
    }
    *digests.select_nth_unstable(most).1
}
