//! The request of a run that is resumed: it is narrowed or widened, but never another one.

use std::sync::Arc;

use agentv_core::RunRecord;
use agentv_runner::{Selection, Shard};

use super::options::{RunOptions, SelectionOptions};
use super::plan::{matching, sorted};
use crate::counted::counted;
use crate::error::ProjectError;
use crate::run_folders::FoundRun;

/// Refuses to resume a run of other targets, trials or files: that would be another run.
pub(super) fn refuse_other_request(
    run: &FoundRun,
    options: &RunOptions,
    files: &[&str],
) -> Result<(), ProjectError> {
    let record = &run.record;
    let names = |names: &[String]| sorted(names.iter().map(String::as_str)).join("`, `");
    let asked = names(&options.chosen_targets);
    let ran = names(&record.chosen_targets);
    if !options.chosen_targets.is_empty() && asked != ran {
        let ran = if record.chosen_targets.is_empty() {
            "the targets that its cases name".to_owned()
        } else {
            format!("`{ran}`")
        };
        let what = format!("calls {ran}, not `{asked}`");
        return Err(refused(run, &what, "`--target`"));
    }
    if let Some(trials) = options.trials.filter(|trials| *trials != record.trials) {
        let has = counted(u64::from(record.trials), "trial");
        let what = format!("has {has} per case, not {trials}");
        return Err(refused(run, &what, "`--trials`"));
    }
    if options.dry_run.is_some() != record.dry_run {
        let (what, flag) = if record.dry_run {
            ("is a dry run", "add `--dry-run`")
        } else {
            ("is not a dry run", "omit `--dry-run`")
        };
        let hint = format!("{flag} to resume it, or omit `--resume` to start a new run");
        let message = format!("run `{}` {what}", run.folder.id());
        return Err(ProjectError::with_hint(message, Some(hint)));
    }
    let shard = options.selection.shard.map(|shard| shard.to_string());
    if let (Some(has), Some(asked)) = (&record.shard, shard)
        && *has != asked
    {
        let what = format!("is shard {has}, not {asked}");
        return Err(refused(run, &what, "`--shard`"));
    }
    let is_of = |file: &&str| record.files.iter().any(|ran| ran.path == **file);
    if !record.files.is_empty() && !files.iter().any(is_of) {
        let ran: Vec<String> = record.files.iter().map(|file| file.path.clone()).collect();
        let what = format!(
            "has the eval files `{}`, not `{}`",
            names(&ran),
            files.join("`, `")
        );
        let message = format!("run `{}` {what}", run.folder.id());
        let hint = "name its files, or omit `--resume` to start a new run".to_owned();
        return Err(ProjectError::with_hint(message, Some(hint)));
    }
    Ok(())
}

fn refused(run: &FoundRun, what: &str, flag: &str) -> ProjectError {
    let message = format!("run `{}` {what}", run.folder.id());
    let hint = format!("omit {flag} to resume it, or omit `--resume` to start a new run");
    ProjectError::with_hint(message, Some(hint))
}

/// Returns the selection of a run that is resumed: it has the cases that it had, and those of the request.
pub(crate) fn joined_selection(
    before: &RunRecord,
    now: &SelectionOptions,
) -> (Vec<String>, Option<u64>) {
    let narrows_shard = now.shard.is_some() && before.shard.is_none();
    let is_all = |eval_ids: &[String], limit: Option<u64>| eval_ids.is_empty() && limit.is_none();
    let had_all = is_all(&before.eval_ids, before.limit);
    if had_all || is_all(&now.eval_ids, now.limit) && !narrows_shard {
        return (Vec::new(), None);
    }
    let mut eval_ids = before.eval_ids.clone();
    let only_ids = before.limit.is_none() && now.limit.is_none();
    if only_ids && !eval_ids.is_empty() && !now.eval_ids.is_empty() && !narrows_shard {
        let more = now.eval_ids.iter();
        let more = more.filter(|pattern| !before.eval_ids.contains(pattern));
        eval_ids.extend(more.cloned());
    }
    (eval_ids, before.limit)
}

/// Returns the selection that a run had before it is resumed.
pub(super) fn selection_before(
    record: &RunRecord,
    now: &Selection,
) -> Result<Selection, ProjectError> {
    let shard = record.shard.as_deref();
    let files = record.files.iter().map(|file| file.path.clone());
    Ok(Selection {
        eval_files: Some(Arc::new(files.collect())),
        eval_ids: matching(&record.eval_ids)?,
        shard: shard.and_then(|shard| shard.parse::<Shard>().ok()),
        balance: now.balance.clone(),
        limit: record.limit,
        trials: now.trials.clone(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn selected(
        before: (&[&str], Option<u64>),
        now: (&[&str], Option<u64>),
    ) -> (Vec<String>, Option<u64>) {
        let texts = |texts: &[&str]| texts.iter().map(|text| (*text).to_owned()).collect();
        let record = RunRecord {
            eval_ids: texts(before.0),
            limit: before.1,
            ..RunRecord::default()
        };
        let now = SelectionOptions {
            eval_ids: texts(now.0),
            limit: now.1,
            ..SelectionOptions::default()
        };
        joined_selection(&record, &now)
    }

    #[test]
    fn a_resumed_run_has_the_cases_that_it_had_and_those_of_the_request() {
        let all: (&[&str], Option<u64>) = (&[], None);
        let ids = |ids: &[&str]| ids.iter().map(|id| (*id).to_owned()).collect::<Vec<_>>();
        assert_eq!(selected(all, (&["a"], None)), (ids(&[]), None));
        assert_eq!(selected((&["a"], Some(3)), all), (ids(&[]), None));
        assert_eq!(
            selected((&["a*"], None), (&["b", "a*"], None)),
            (ids(&["a*", "b"]), None)
        );
        assert_eq!(
            selected((&[], Some(5)), (&["a"], None)),
            (ids(&[]), Some(5))
        );
        assert_eq!(
            selected((&["a"], Some(5)), (&["a"], Some(5))),
            (ids(&["a"]), Some(5))
        );
    }
}
