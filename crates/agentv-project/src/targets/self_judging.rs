//! Targets that would grade their own answers, side by side with others.

use std::collections::BTreeSet;

use crate::error::ProjectError;

/// The usual judges of the targets of a request: pairs of a target and its judge. A target may have
/// different judges for different eval files.
#[derive(Debug, Default)]
pub(super) struct UsualJudges(BTreeSet<(String, String)>);

impl UsualJudges {
    pub(super) fn add(&mut self, target: &str, judge: &str) {
        self.0.insert((target.to_owned(), judge.to_owned()));
    }

    /// Refuses several targets if one would grade its own answers, unless all have the same judge:
    /// their scores could not be compared.
    pub(super) fn refuse_self_judging(&self) -> Result<(), ProjectError> {
        let judges: BTreeSet<&String> = self.0.iter().map(|(_, judge)| judge).collect();
        let targets: BTreeSet<&String> = self.0.iter().map(|(target, _)| target).collect();
        let own = self.0.iter().filter(|(target, judge)| target == judge);
        let own: Vec<String> = own.map(|(target, _)| format!("`{target}`")).collect();
        if own.is_empty() || judges.len() < 2 || targets.len() < 2 {
            return Ok(());
        }
        let message = match own.as_slice() {
            [one] => format!("target {one} would grade its own answers, and others would not"),
            several => format!(
                "targets {} would grade their own answers",
                several.join(", ")
            ),
        };
        let hint = "scores of different judges cannot be compared: choose one judge for all targets with \
                    `--judge NAME` or `judge_target` in `.agentv/config.yaml`, or add \
                    `--allow-self-judging`";
        Err(ProjectError::with_hint(message, Some(hint.to_owned())))
    }
}
