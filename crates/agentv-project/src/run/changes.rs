//! Changes of targets since the run that is resumed.

use std::collections::{HashMap, HashSet};

use agentv_core::{PassThreshold, RanTarget, RunRecord, Target};
use agentv_providers::facts;
use agentv_runner::Changes;

/// The most files and fields that a reason names.
const MOST_NAMED: usize = 3;

/// Returns the reasons for which earlier answers and grades are out of date, by the target's name, and the
/// targets whose programs are not known. `targets` are those of the run now.
pub(super) fn changes_of(before: &RunRecord, now: &RunRecord, targets: &[Target]) -> Changes {
    let threshold = threshold_change(before.pass_threshold, now.pass_threshold);
    let mut changes = Changes::default();
    for target in &before.targets {
        let Some(today) = now.targets.iter().find(|now| now.name == target.name) else {
            continue;
        };
        let named = |reason: String| (target.name.clone(), reason);
        changes.answers.extend(change(target, today).map(named));
        let graded = judge_change(target, today).or_else(|| threshold.clone());
        changes.grades.extend(graded.map(named));
    }
    changes.untracked = untracked_of(now, targets);
    changes
}

/// Returns the targets of a run whose programs are not known. `targets` are those of the run now.
pub(super) fn untracked_of(now: &RunRecord, targets: &[Target]) -> HashSet<String> {
    let has_inline_program = |name: &str| {
        let mut named = targets.iter().filter(|target| target.name == name);
        named.any(|target| target.provider.has_inline_program())
    };
    let untracked = now.targets.iter().filter(|target| is_untracked(target));
    let untracked = untracked.filter(|target| !has_inline_program(&target.name));
    untracked.map(|target| target.name.clone()).collect()
}

/// Checks for a target that runs a command of which no file is known.
fn is_untracked(target: &RanTarget) -> bool {
    let runs_commands = facts(&target.provider).is_some_and(|facts| facts.runs_commands);
    runs_commands && target.program.is_empty()
}

fn judge_change(before: &RanTarget, now: &RanTarget) -> Option<String> {
    let judge = |target: &RanTarget| match &target.judge_target {
        Some(judge) => format!("`{judge}`"),
        None => "the target itself".to_owned(),
    };
    let (was, is, name) = (judge(before), judge(now), &now.name);
    (was != is).then(|| format!("the judge of `{name}` is now {is}, not {was}"))
}

fn threshold_change(before: Option<PassThreshold>, now: Option<PassThreshold>) -> Option<String> {
    let shown = |threshold: Option<PassThreshold>| match threshold {
        Some(threshold) => threshold.to_string(),
        None => "that of the files".to_owned(),
    };
    let (was, is) = (shown(before), shown(now));
    (was != is).then(|| format!("the lowest score that passes is now {is}, not {was}"))
}

fn change(before: &RanTarget, now: &RanTarget) -> Option<String> {
    let name = &now.name;
    if before.provider != now.provider {
        return Some(format!("the provider of `{name}` changed"));
    }
    let files = different(before.program.iter(), now.program.iter());
    let fields = different(before.settings.iter(), now.settings.iter());
    match (files.as_slice(), fields.as_slice()) {
        ([], []) if before.settings_digest == now.settings_digest => None,
        ([], []) => Some(format!("a variable in the settings of `{name}` changed")),
        (files, []) => Some(format!(
            "the program of `{name}` changed ({})",
            listed(files)
        )),
        (_, fields) => Some(format!(
            "the settings of `{name}` changed ({})",
            listed(fields)
        )),
    }
}

/// Returns the keys whose values differ, or that only one side has.
fn different<'v, V: PartialEq + 'v>(
    before: impl Iterator<Item = (&'v String, &'v V)>,
    now: impl Iterator<Item = (&'v String, &'v V)>,
) -> Vec<&'v str> {
    let before: HashMap<_, _> = before.collect();
    let now: HashMap<_, _> = now.collect();
    let keys = before.keys().chain(now.keys());
    let mut different: Vec<&str> = keys
        .filter(|key| before.get(*key) != now.get(*key))
        .map(|key| key.as_str())
        .collect();
    different.sort_unstable();
    different.dedup();
    different
}

fn listed(names: &[&str]) -> String {
    let named = names.iter().take(MOST_NAMED);
    let named: Vec<String> = named.map(|name| format!("`{name}`")).collect();
    match names.len().saturating_sub(MOST_NAMED) {
        0 => named.join(", "),
        others => format!("{} and {others} more", named.join(", ")),
    }
}
