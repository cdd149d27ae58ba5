//! The choice of trials, if a run is too large for a page.

use std::hash::{DefaultHasher, Hash, Hasher};

use agentv_core::{ResultRecord, Status};
use agentv_journal::Latest;
use serde::Deserialize;

use crate::report::ReportFailure;

/// The trials that a page shows: all, or those that did not pass and a sample of the others.
///
/// Two runs have the same sample, and a trial that did not pass in one run is shown for both, so
/// that trials can be compared. The sample is spread evenly over the cases and chosen by their
/// names.
#[derive(Debug)]
pub(super) enum Sample {
    /// All of them.
    All,
    /// The trials whose digest is below the bound of their kind.
    Some {
        /// The sorted digests of trials that did not pass in at least one run.
        notable: Vec<u64>,
        notable_below: u64,
        others_below: u64,
    },
}

/// The part of a result that decides if it is shown.
#[derive(Deserialize)]
struct Ending {
    eval_file: String,
    eval_id: String,
    trial: u32,
    status: Status,
}

impl Sample {
    /// Chooses the sample for some runs, with at most `most` trials of each.
    pub(super) fn of<'a>(
        runs: impl Iterator<Item = &'a Latest>,
        most: usize,
    ) -> Result<Sample, ReportFailure> {
        let runs: Vec<&Latest> = runs.collect();
        if runs.iter().all(|run| run.len() <= most) {
            return Ok(Sample::All);
        }
        let mut all = Digests::default();
        for run in &runs {
            let mut run = run.reopen()?;
            for offset in run.offsets() {
                if let Ok(ending) = serde_json::from_str(run.text_at(offset)?) {
                    all.add(&ending);
                }
            }
        }
        let (notable, others) = all.divide();
        // Trials of several targets share a digest, so fewer digests are chosen.
        let trials = runs.iter().map(|run| run.len()).max().unwrap_or(0);
        let most = most * (notable.len() + others.len()) / trials.max(1);
        Ok(Sample::Some {
            notable_below: bound(&notable, most),
            others_below: bound(&others, most.saturating_sub(notable.len())),
            notable,
        })
    }

    /// Checks if a trial is shown.
    pub(super) fn has(&self, record: &ResultRecord) -> bool {
        match self {
            Sample::All => true,
            Sample::Some {
                notable,
                notable_below,
                others_below,
            } => {
                let digest = digest(&record.eval_file, &record.eval_id, record.trial);
                let below = match notable.binary_search(&digest) {
                    Ok(_) => notable_below,
                    Err(_) => others_below,
                };
                digest < *below
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

/// Returns the digest of a trial, which is an even number.
fn digest(eval_file: &str, eval_id: &str, trial: u32) -> u64 {
    let mut hasher = DefaultHasher::new();
    (eval_file, eval_id, trial).hash(&mut hasher);
    hasher.finish() & !NOTABLE
}

/// The bit that marks the digest of a trial that did not pass.
const NOTABLE: u64 = 1;

/// The digests of all trials, in eight bytes each.
#[derive(Default)]
struct Digests(Vec<u64>);

impl Digests {
    fn add(&mut self, ending: &Ending) {
        let digest = digest(&ending.eval_file, &ending.eval_id, ending.trial);
        let notable = u64::from(is_notable(ending.status)) * NOTABLE;
        self.0.push(digest | notable);
    }

    /// Returns the sorted distinct digests of trials that did not always pass, and of the others.
    fn divide(self) -> (Vec<u64>, Vec<u64>) {
        let Digests(mut all) = self;
        all.sort_unstable();
        // A marked digest follows the unmarked one.
        all.dedup_by(|later, kept| {
            let same = *later & !NOTABLE == *kept & !NOTABLE;
            if same {
                *kept = *later;
            }
            same
        });
        let notable = all.iter().filter(|digest| **digest & NOTABLE != 0);
        let notable = notable.map(|digest| digest & !NOTABLE).collect();
        all.retain(|digest| digest & NOTABLE == 0);
        (notable, all)
    }
}

/// Returns the bound below which at most this many of the sorted digests lie.
fn bound(digests: &[u64], most: usize) -> u64 {
    digests.get(most).copied().unwrap_or(u64::MAX)
}
