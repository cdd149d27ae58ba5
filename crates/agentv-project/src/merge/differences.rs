//! Differences between runs that shards of one run never have.

use std::collections::BTreeSet;

use agentv_core::{RanFile, RanTarget, RunRecord};

use crate::run_folders::FoundRun;

/// The most differences that are reported.
const MOST: usize = 10;

/// Returns the differences between the first run and each other, in words.
pub(super) fn differences(sources: &[FoundRun]) -> Vec<String> {
    let Some((first, others)) = sources.split_first() else {
        return Vec::new();
    };
    let mut found: Vec<String> = sources.iter().filter_map(mixture).collect();
    for other in others {
        let runs = format!("`{}` and `{}`", first.folder.id(), other.folder.id());
        for what in between(&first.record, &other.record) {
            found.push(format!("runs {runs} have different {what}"));
        }
    }
    found.truncate(MOST);
    found
}

/// Describes a run that has results of several versions of its files, targets or settings.
fn mixture(source: &FoundRun) -> Option<String> {
    (!source.record.earlier.is_empty()).then(|| {
        let id = source.folder.id();
        format!(
            "run `{id}` has results of earlier versions of its cases, targets or settings (resume it \
             without `--eval-id` and `--limit`)"
        )
    })
}

/// Returns the parts in which two records differ.
fn between(one: &RunRecord, other: &RunRecord) -> Vec<String> {
    let mut differ = of_files(&one.files, &other.files);
    if sorted(&one.chosen_targets) != sorted(&other.chosen_targets) {
        let shown = |record: &RunRecord| {
            if record.chosen_targets.is_empty() {
                "those that the cases name".to_owned()
            } else {
                record.chosen_targets.join(", ")
            }
        };
        differ.push(format!("targets: {}; {}", shown(one), shown(other)));
    }
    differ.extend(of_targets(
        "settings of target",
        &one.targets,
        &other.targets,
    ));
    differ.extend(of_targets("settings of judge", &one.judges, &other.judges));
    let mut read = BTreeSet::new();
    for (path, digest) in &one.read_files {
        if other.read_files.get(path).is_some_and(|it| it != digest) {
            read.insert(path.as_str());
        }
    }
    for (path, text) in &one.evaluator_files {
        if other.evaluator_files.get(path).is_some_and(|it| it != text) {
            read.insert(path.trim_start_matches('/'));
        }
    }
    let names_file = !read.is_empty();
    differ.extend(
        read.into_iter()
            .map(|path| format!("content of `{path}`, which a case or an evaluator reads")),
    );
    let digests = one
        .read_files_digest
        .as_ref()
        .zip(other.read_files_digest.as_ref());
    if !names_file && digests.is_some_and(|(one, other)| one != other) {
        differ.push("content of a file that a case or an evaluator reads".to_owned());
    }
    let settings = [
        (one.trials != other.trials, "numbers of trials"),
        (one.judge != other.judge, "`--judge`"),
        (one.dry_run != other.dry_run, "answers: one is a dry run"),
        (
            one.pass_threshold != other.pass_threshold,
            "`--pass-threshold`",
        ),
        (
            one.stop_on_required != other.stop_on_required,
            "`--stop-on-required`",
        ),
        (
            sorted(&one.eval_ids) != sorted(&other.eval_ids),
            "`--eval-id`",
        ),
        (one.limit != other.limit, "`--limit`"),
        (one.balance != other.balance, "`--balance`"),
        (
            one.evaluators_file != other.evaluators_file,
            "`--evaluators`",
        ),
        (
            one.graded_from.is_some() != other.graded_from.is_some(),
            "origins: one is a grading",
        ),
        (one.rerun_of != other.rerun_of, "`--rerun-failed`"),
    ];
    let settings = settings.into_iter().filter(|(differs, _)| *differs);
    differ.extend(settings.map(|(_, what)| what.to_owned()));
    differ
}

fn of_files(one: &[RanFile], other: &[RanFile]) -> Vec<String> {
    let paths = |files: &[RanFile]| -> BTreeSet<String> {
        files.iter().map(|file| file.path.clone()).collect()
    };
    if paths(one) != paths(other) {
        return vec!["eval files".to_owned()];
    }
    let mut differ = Vec::new();
    for file in one {
        let Some(same) = other.iter().find(|same| same.path == file.path) else {
            continue;
        };
        if file.digest != same.digest {
            differ.push(format!("versions of `{}`", file.path));
        } else if file.settings_digest != same.settings_digest {
            let path = &file.path;
            differ.push(format!(
                "settings for `{path}` (sidecar or `.agentv/config.yaml`)"
            ));
        }
    }
    differ
}

/// Returns the targets that both runs have, with other settings. A shard has only those of its cases.
fn of_targets(what: &str, one: &[RanTarget], other: &[RanTarget]) -> Vec<String> {
    let is_other = |target: &&RanTarget| {
        let same = other.iter().find(|other| other.name == target.name);
        same.is_some_and(|same| same != *target)
    };
    let differ = one.iter().filter(is_other);
    differ
        .map(|target| format!("{what} `{}`", target.name))
        .collect()
}

fn sorted(texts: &[String]) -> Vec<&String> {
    let mut texts: Vec<&String> = texts.iter().collect();
    texts.sort_unstable();
    texts
}
