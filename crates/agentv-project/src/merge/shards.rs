//! The shards among the runs of a merge: missing ones, and overlapping ones.

use std::collections::{BTreeMap, BTreeSet};

use crate::notices::Notices;
use crate::run_folders::FoundRun;

/// The most missing shards that a warning names.
const MOST_NAMED: usize = 20;

/// Warns about missing shards. Returns their names; of very many, the first.
pub(super) fn warn_of_missing(sources: &[FoundRun], notices: &mut dyn Notices) -> Vec<String> {
    let shards = sources.iter().filter_map(|source| {
        let (index, count) = source.record.shard.as_deref()?.split_once('/')?;
        Some((count.parse::<u64>().ok()?, index.parse::<u64>().ok()?))
    });
    let mut found: BTreeMap<u64, BTreeSet<u64>> = BTreeMap::new();
    shards.for_each(|(count, index)| {
        found.entry(count).or_default().insert(index);
    });
    let mut all = Vec::new();
    for (count, there) in found {
        let missing = (1..=count).filter(|index| !there.contains(index));
        // The record of a foreign run may name any number of shards.
        let named: Vec<String> = missing
            .take(MOST_NAMED + 1)
            .map(|index| format!("{index}/{count}"))
            .collect();
        if !named.is_empty() {
            warn(&named, notices);
            all.extend(named.into_iter().take(MOST_NAMED));
        }
    }
    all
}

fn warn(missing: &[String], notices: &mut dyn Notices) {
    let more = if missing.len() > MOST_NAMED {
        ", …"
    } else {
        ""
    };
    let (shards, them) = match missing.len() {
        1 => ("shard", "it"),
        _ => ("shards", "them"),
    };
    let missing = missing[..missing.len().min(MOST_NAMED)].join(", ") + more;
    notices.warn(format!(
        "no run found for {shards} {missing}: run {them} with `--shard`, then merge again"
    ));
}

/// Warns about runs of the same shard.
pub(super) fn warn_of_overlapping(sources: &[FoundRun], notices: &mut dyn Notices) {
    let mut by_shard: BTreeMap<&str, Vec<String>> = BTreeMap::new();
    for source in sources {
        let shard = source.record.shard.as_deref().unwrap_or_default();
        let id = format!("`{}`", source.folder.id());
        by_shard.entry(shard).or_default().push(id);
    }
    for (shard, runs) in by_shard.into_iter().filter(|(_, runs)| runs.len() > 1) {
        let runs = runs.join(", ");
        let what = match shard {
            "" => "are not shards".to_owned(),
            shard => format!("are all shard {shard}"),
        };
        notices.warn(format!(
            "runs {runs} {what}: if a trial has several results, the newest is used"
        ));
    }
}
