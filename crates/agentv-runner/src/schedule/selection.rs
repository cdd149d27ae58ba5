//! The selection of cases and trials.

use std::collections::HashSet;
use std::sync::Arc;

use globset::GlobSet;

use crate::schedule::shard::{BalancedShards, Shard, digest_of};

/// The selection of cases and trials.
#[derive(Debug, Clone, Default)]
pub struct Selection {
    /// Only cases of these eval files.
    pub eval_files: Option<Arc<HashSet<String>>>,
    /// Only cases with matching ids.
    pub eval_ids: Option<GlobSet>,
    /// Only the cases of one shard.
    pub shard: Option<Shard>,
    /// The distribution of cases over the shards, for those that it knows.
    pub balance: Option<Arc<BalancedShards>>,
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
            balance: _,
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
        let is_other = |shard: Shard| !self.is_of_shard(shard, eval_file, eval_id);
        self.shard.is_some_and(is_other) && self.matches(eval_file, Some(eval_id))
    }

    fn is_of_shard(&self, shard: Shard, eval_file: &str, eval_id: &str) -> bool {
        let balance = self.balance.as_deref();
        let balanced = balance.and_then(|balance| balance.index_of(eval_file, eval_id));
        match balanced {
            Some(index) => index == shard.index(),
            None => shard.takes(eval_file, eval_id),
        }
    }

    /// Returns true if a case is selected, unless the limit is reached before it.
    fn includes(&self, eval_file: &str, eval_id: Option<&str>) -> bool {
        let is_of_shard = |shard: Shard| match eval_id {
            Some(eval_id) => self.is_of_shard(shard, eval_file, eval_id),
            None => shard.index() == 1,
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

/// Trials that were chosen one by one, such as those that failed before. Holds 8 bytes each.
#[derive(Debug, Clone, Default)]
pub struct ChosenTrials {
    cases: HashSet<u64>,
    /// The trials, and the cases of which all trials are chosen.
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

    /// Chooses all trials of a case.
    pub fn choose_case(&mut self, eval_file: &str, eval_id: &str) {
        let case = digest_of(&[eval_file, eval_id]);
        self.cases.insert(case);
        self.trials.insert(case);
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
            || self.trials.contains(&digest_of(&[eval_file, eval_id]))
            || self.trials.contains(&digest_of(&[
                eval_file,
                eval_id,
                target,
                &trial.to_string(),
            ]))
    }
}
