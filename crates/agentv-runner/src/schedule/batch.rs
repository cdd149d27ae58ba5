//! The trials of targets that are asked once for all cases of an eval file.

use agentv_core::Trial;

/// The trials of one eval file, gathered until the next file begins.
#[derive(Debug, Default)]
pub(crate) struct Batch {
    trials: Vec<Trial>,
}

impl Batch {
    /// Adds a trial. Returns the gathered ones if it belongs to another file.
    pub(crate) fn add(&mut self, trial: Trial) -> Vec<Trial> {
        let first = self.trials.first();
        let is_other = first.is_some_and(|first| first.file.index != trial.file.index);
        let gathered = if is_other {
            std::mem::take(&mut self.trials)
        } else {
            Vec::new()
        };
        self.trials.push(trial);
        gathered
    }

    /// Takes out the trials that are left.
    pub(crate) fn take_rest(&mut self) -> Vec<Trial> {
        std::mem::take(&mut self.trials)
    }
}
