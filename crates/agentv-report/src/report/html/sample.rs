//! Which trials of a run too large for a page are shown.

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
        /// The digests of trials that did not pass, in one run at least, sorted.
        notable: Vec<u64>,
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
        // Trials of several targets share a digest: as many fewer of them are chosen.
        let trials = runs.iter().map(|run| run.len()).max().unwrap_or(0);
        let most = most * (notable.len() + others.len()) / trials.max(1);
        Ok(Sample::Some {
            notable_below: bound(&notable, most),
            others_below: bound(&others, most.saturating_sub(notable.len())),
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

/// The digest of a trial, an even number.
fn digest(eval_file: &str, eval_id: &str, trial: u32) -> u64 {
    let mut hasher = DefaultHasher::new();
    (eval_file, eval_id, trial).hash(&mut hasher);
    hasher.finish() & !NOTABLE
}

/// What is added to the digest of a trial that did not pass.
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

    /// The digests of trials that did not pass once at least, and of the others, sorted, each once.
    fn divide(self) -> (Vec<u64>, Vec<u64>) {
        let Digests(mut all) = self;
        all.sort_unstable();
        // The one that is marked follows the one that is not.
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

/// The bound below which at most so many of the digests, which are sorted, lie.
fn bound(digests: &[u64], most: usize) -> u64 {
    digests.get(most).copied().unwrap_or(u64::MAX)
}
