//! Targets that would grade their own answers, side by side with others.

use std::collections::BTreeSet;

use agentv_runner::Assignment;

use crate::error::ProjectError;

/// The usual judges of the targets of a request. A target may have different judges for different eval
/// files.
#[derive(Debug, Default)]
pub(super) struct UsualJudges(BTreeSet<Judged>);

#[derive(Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Judged {
    target: String,
    /// The judge, by the name of the target that it stands for.
    judge: String,
    /// True if the target judges itself.
    is_own: bool,
}

impl UsualJudges {
    /// Adds a target of an eval file with its judge.
    pub(super) fn add(&mut self, file: usize, target: &str, judge: &str, assignment: &Assignment) {
        let judge = assignment.meant(file, judge);
        self.0.insert(Judged {
            target: target.to_owned(),
            is_own: assignment.meant(file, target) == judge,
            judge: judge.to_owned(),
        });
    }

    /// Refuses several targets if one would grade its own answers, unless all have the same judge:
    /// their scores could not be compared.
    pub(super) fn refuse_self_judging(&self) -> Result<(), ProjectError> {
        let judges: BTreeSet<&String> = self.0.iter().map(|judged| &judged.judge).collect();
        let targets: BTreeSet<&String> = self.0.iter().map(|judged| &judged.target).collect();
        let own = self.0.iter().filter(|judged| judged.is_own);
        let own: Vec<String> = own.map(|judged| format!("`{}`", judged.target)).collect();
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
