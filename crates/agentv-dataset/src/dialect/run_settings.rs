//! Settings of a run that a suite itself may give.

/// Settings that a suite of another dialect gives for its runs. Flags of the command line override them.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct RunSettings {
    /// The targets that answer every case.
    pub targets: Vec<String>,
    /// The number of trials of every case.
    pub trials: Option<u32>,
    /// The number of trials at a time.
    pub workers: Option<u32>,
    /// The most that a run may cost, in US dollars.
    pub budget: Option<f64>,
    /// The longest time of an attempt, in seconds.
    pub timeout_seconds: Option<f64>,
    /// The target that judges answers.
    pub judge: Option<String>,
}

impl RunSettings {
    /// Removes the settings in which another file differs, and returns their names.
    pub fn retain_common(&mut self, other: &RunSettings) -> Vec<&'static str> {
        let mut differing = Vec::new();
        if self.targets != other.targets {
            self.targets.clear();
            differing.push("targets");
        }
        if self.trials != other.trials {
            self.trials = None;
            differing.push("trials");
        }
        if self.workers != other.workers {
            self.workers = None;
            differing.push("workers");
        }
        if self.budget != other.budget {
            self.budget = None;
            differing.push("budget");
        }
        if self.timeout_seconds != other.timeout_seconds {
            self.timeout_seconds = None;
            differing.push("timeout");
        }
        if self.judge != other.judge {
            self.judge = None;
            differing.push("judge");
        }
        differing
    }
}
