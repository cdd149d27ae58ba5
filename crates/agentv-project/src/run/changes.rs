//! Changes of targets since the run that is resumed.

use std::collections::HashMap;

use agentv_core::RanTarget;

/// The most files and fields that a reason names.
const MOST_NAMED: usize = 3;

/// Returns the reasons for which earlier answers of targets are out of date, by the target's name.
pub(super) fn changes_of<'t>(
    before: impl Iterator<Item = &'t RanTarget>,
    now: &[RanTarget],
) -> HashMap<String, String> {
    let changes = before.filter_map(|before| {
        let now = now.iter().find(|now| now.name == before.name)?;
        Some((before.name.clone(), change(before, now)?))
    });
    changes.collect()
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
