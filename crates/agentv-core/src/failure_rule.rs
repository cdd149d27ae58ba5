//! The rules for a failure within a case, or in a case that it depends on.

use serde::{Deserialize, Serialize};

/// The effect on a case if one that it depends on errored.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum DependencyFailure {
    /// The target is not asked: the trial ends with an error that says `skipped`.
    #[default]
    Skip,
    /// The target is not asked: the trial ends with an error that says `failed`.
    Fail,
    /// The target is asked as usual.
    Run,
}

impl DependencyFailure {
    /// The names of all rules, as written.
    pub const NAMES: &[&str] = &["skip", "fail", "run"];

    /// Returns the rule of this name.
    pub fn of_name(name: &str) -> Option<DependencyFailure> {
        match name {
            "skip" => Some(DependencyFailure::Skip),
            "fail" => Some(DependencyFailure::Fail),
            "run" => Some(DependencyFailure::Run),
            _ => None,
        }
    }

    /// Returns true if this is the rule of a case that names none.
    pub fn is_default(&self) -> bool {
        *self == DependencyFailure::default()
    }
}

/// The effect on a conversation if the answer to a turn does not pass.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum TurnFailure {
    /// The next turn is asked as usual.
    #[default]
    Continue,
    /// No further turn is asked. The evaluators of those turns score 0.
    Stop,
}

impl TurnFailure {
    /// The names of all rules, as written.
    pub const NAMES: &[&str] = &["continue", "stop"];

    /// Returns the rule of this name.
    pub fn of_name(name: &str) -> Option<TurnFailure> {
        match name {
            "continue" => Some(TurnFailure::Continue),
            "stop" => Some(TurnFailure::Stop),
            _ => None,
        }
    }

    /// Returns true if this is the rule of a case that names none.
    pub fn is_default(&self) -> bool {
        *self == TurnFailure::default()
    }
}
