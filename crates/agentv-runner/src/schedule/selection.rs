//! The selection of cases and trials.

use std::collections::HashSet;
use std::fmt;
use std::str::FromStr;
use std::sync::Arc;

use globset::GlobSet;

/// The selection of cases and trials.
#[derive(Debug, Clone, Default)]
pub struct Selection {
    /// Only cases of these eval files.
    pub eval_files: Option<Arc<HashSet<String>>>,
    /// Only cases with matching ids.
    pub eval_ids: Option<GlobSet>,
    /// Only the cases of one shard.
    pub shard: Option<Shard>,
    /// At most this many of those.
    pub limit: Option<u64>,
    /// Only these trials.
    pub trials: Option<ChosenTrials>,
}

impl Selection {
    /// Returns a selector for one pass over the files.
    pub fn selector(&self) -> Selector<'_> {
        Selector {
            selection: self,
            taken: 0,
        }
    }
}

impl Selection {
    /// Returns true if all cases and trials are selected.
    pub fn is_all(&self) -> bool {
        let Selection {
            eval_files,
            eval_ids,
            shard,
            limit,
            trials,
        } = self;
        eval_files.is_none()
            && eval_ids.is_none()
            && shard.is_none()
            && limit.is_none()
            && trials.is_none()
    }

    /// Returns true if a case is selected in another shard, whatever the limit.
    pub(crate) fn has_in_other_shard(&self, eval_file: &str, eval_id: &str) -> bool {
        let is_other = |shard: Shard| !shard.takes(eval_file, eval_id);
        self.shard.is_some_and(is_other) && self.matches(eval_file, Some(eval_id))
    }

    /// Returns true if a case is selected, unless the limit is reached before it.
    fn includes(&self, eval_file: &str, eval_id: Option<&str>) -> bool {
        let is_of_shard = |shard: Shard| match eval_id {
            Some(eval_id) => shard.takes(eval_file, eval_id),
            None => shard.index == 1,
        };
        self.shard.is_none_or(is_of_shard) && self.matches(eval_file, eval_id)
    }

    /// Returns true if a case is selected in some shard. One without an id may be any.
    fn matches(&self, eval_file: &str, eval_id: Option<&str>) -> bool {
        let files = self.eval_files.as_ref();
        let is_meant = |eval_id: &str| {
            let (ids, trials) = (self.eval_ids.as_ref(), self.trials.as_ref());
            ids.is_none_or(|ids| ids.is_match(eval_id))
                && trials.is_none_or(|trials| trials.has_case(eval_file, eval_id))
        };
        files.is_none_or(|files| files.contains(eval_file)) && eval_id.is_none_or(is_meant)
    }
}

/// Selects the cases of one pass over the files, in order.
#[derive(Debug)]
pub struct Selector<'s> {
    selection: &'s Selection,
    taken: u64,
}

impl Selector<'_> {
    /// Returns true if the next case of the pass is selected.
    pub fn takes(&mut self, eval_file: &str, eval_id: &str) -> bool {
        let taken = self.selection.includes(eval_file, Some(eval_id)) && !self.is_done();
        self.taken += u64::from(taken);
        taken
    }

    /// Returns true if a case that cannot be used would be selected at this point of the pass. It does
    /// not count towards the limit. One without an id may be any case: it belongs to the first shard.
    pub fn takes_unusable(&self, eval_file: &str, eval_id: Option<&str>) -> bool {
        self.selection.includes(eval_file, eval_id) && !self.is_done()
    }

    /// Returns true if no further case of the pass can be selected.
    pub fn is_done(&self) -> bool {
        let limit = self.selection.limit;
        limit.is_some_and(|limit| self.taken >= limit)
    }
}

/// One of several equal shares of the cases.
///
/// The shard of a case depends on its file and id alone: it is the same on every machine, whatever
/// cases are added.
///
/// ```
/// use agentv_runner::Shard;
///
/// let shards: Vec<Shard> = ["1/2", "2/2"].iter().map(|shard| shard.parse().unwrap()).collect();
/// let takes = |id: &str| shards.iter().filter(|shard| shard.takes("a.yaml", id)).count();
/// assert!((0..100).all(|number| takes(&number.to_string()) == 1));
/// assert!("3/2".parse::<Shard>().is_err());
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Shard {
    index: u64,
    count: u64,
}

impl Shard {
    /// Returns true if a case belongs to this shard.
    pub fn takes(self, eval_file: &str, eval_id: &str) -> bool {
        digest_of(&[eval_file, eval_id]) % self.count == self.index - 1
    }
}

impl fmt::Display for Shard {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.index, self.count)
    }
}

impl FromStr for Shard {
    type Err = ShardError;

    fn from_str(text: &str) -> Result<Shard, ShardError> {
        let parsed = text.split_once('/').and_then(|(index, count)| {
            Some(Shard {
                index: index.trim().parse().ok()?,
                count: count.trim().parse().ok()?,
            })
        });
        match parsed {
            Some(shard) if (1..=shard.count).contains(&shard.index) => Ok(shard),
            _ => Err(ShardError),
        }
    }
}

/// A text that does not name a shard.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("expected I/N with I from 1 to N, such as 1/4")]
pub struct ShardError;

/// Trials that were chosen one by one, such as those that failed before. Holds 8 bytes each.
#[derive(Debug, Clone, Default)]
pub struct ChosenTrials {
    cases: HashSet<u64>,
    trials: HashSet<u64>,
    targets: HashSet<String>,
}

impl ChosenTrials {
    /// Notes that `target` has results: only its chosen trials are selected.
    pub fn know_target(&mut self, target: &str) {
        if !self.targets.contains(target) {
            self.targets.insert(target.to_owned());
        }
    }

    /// Chooses a trial.
    pub fn choose(&mut self, eval_file: &str, eval_id: &str, target: &str, trial: u32) {
        self.cases.insert(digest_of(&[eval_file, eval_id]));
        let trial = trial.to_string();
        self.trials
            .insert(digest_of(&[eval_file, eval_id, target, &trial]));
    }

    /// Returns true if nothing was chosen.
    pub fn is_empty(&self) -> bool {
        self.cases.is_empty()
    }

    fn has_case(&self, eval_file: &str, eval_id: &str) -> bool {
        self.cases.contains(&digest_of(&[eval_file, eval_id]))
    }

    /// Returns true if a trial of a chosen case is selected: it was chosen, or its target has no
    /// results.
    pub(crate) fn has(&self, eval_file: &str, eval_id: &str, target: &str, trial: u32) -> bool {
        !self.targets.contains(target)
            || self.trials.contains(&digest_of(&[
                eval_file,
                eval_id,
                target,
                &trial.to_string(),
            ]))
    }
}

/// Returns a digest of texts, the same on every machine.
fn digest_of(texts: &[&str]) -> u64 {
    let mut hasher = blake3::Hasher::new();
    for text in texts {
        hasher.update(&(text.len() as u64).to_le_bytes());
        hasher.update(text.as_bytes());
    }
    let mut bytes = [0; 8];
    hasher.finalize_xof().fill(&mut bytes);
    u64::from_le_bytes(bytes)
}
