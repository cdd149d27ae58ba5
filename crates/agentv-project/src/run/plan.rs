//! The plan of a run, from its options and from the run that it resumes or repeats.

use std::sync::Arc;

use agentv_core::{Balance, PassThreshold, RunRecord};
use agentv_runner::Selection;
use globset::{Glob, GlobSet, GlobSetBuilder};

use super::failed_trials::FailedTrials;
use super::options::{RunOptions, SelectionOptions};
use super::resumed::{refuse_other_request, selection_before};
use crate::error::ProjectError;
use crate::eval_files::EvalFiles;
use crate::notices::Notices;
use crate::options::Resume;
use crate::run_folders::{FoundRun, RunFolders};
use crate::shards::{balanced_shards, refuse_other_balance};
use crate::tags::each_once;

/// The plan of a run.
pub(super) struct Plan {
    /// The targets to call for every case. If empty, each case is sent to the target that it names.
    pub(super) chosen_targets: Vec<String>,
    pub(super) trials: u32,
    pub(super) selection: Selection,
    /// The run whose failed and errored trials are run again.
    pub(super) rerun_of: Option<String>,
    /// These trials.
    failed: Option<FailedTrials>,
    /// The tags of the run: those of the run that is resumed or repeated, and new ones.
    pub(super) tags: Vec<String>,
    /// The run that is resumed.
    pub(super) resumed: Option<FoundRun>,
    /// The cases that the resumed run had before.
    pub(super) selected_before: Option<Selection>,
    /// The settings for grading.
    pub(super) grading: GradingSettings,
    /// The distribution of cases over shards, if an earlier run decides it.
    pub(super) balance: Option<Balance>,
}

/// The settings for grading that the request has, or else the run that is resumed or repeated.
pub(super) struct GradingSettings {
    /// The target that judges answers, unless an evaluator names another.
    pub(super) judge: Option<String>,
    /// Allows several targets to grade their own answers.
    pub(super) allow_self_judging: bool,
    /// The lowest score that passes.
    pub(super) pass_threshold: Option<PassThreshold>,
    /// Asks no judge about an answer that fails a required check.
    pub(super) stop_on_required: bool,
}

impl GradingSettings {
    fn of(options: &RunOptions, before: Option<&RunRecord>) -> GradingSettings {
        let judge = options.judge.clone();
        let threshold = options.load.pass_threshold;
        GradingSettings {
            judge: judge.or_else(|| before.and_then(|before| before.judge.clone())),
            allow_self_judging: options.allow_self_judging
                || before.is_some_and(|before| before.allow_self_judging),
            pass_threshold: threshold.or_else(|| before.and_then(|before| before.pass_threshold)),
            stop_on_required: options.stop_on_required
                || before.is_some_and(|before| before.stop_on_required),
        }
    }
}

impl Plan {
    /// Finds the runs that the options name, and combines their requests with the options.
    pub(super) fn of(
        options: &RunOptions,
        files: &EvalFiles,
        runs: &RunFolders,
        notices: &mut dyn Notices,
    ) -> Result<Plan, ProjectError> {
        let repeated = match &options.rerun_failed {
            Some(name) => Some(runs.find(name, notices)?),
            None => None,
        };
        let named = match options.resumed() {
            Some(Resume::Named(name)) => Some(runs.find(&name, notices)?),
            Some(Resume::Newest) | None => None,
        };
        for run in repeated.iter().chain(&named) {
            run.refuse_calibration()?;
        }
        if let Some(named) = &named {
            named.refuse_grading()?;
            refuse_other_request(named, options, &files.names())?;
        }
        let rerun_of = match (&repeated, &named) {
            (Some(run), _) => Some(run.folder.id().to_string()),
            (None, Some(run)) => run.record.rerun_of.clone(),
            (None, None) => None,
        };
        // A run that is named is resumed as it was, and trials are repeated as they were, unless the options
        // differ.
        let repeats = repeated.as_ref().or(named.as_ref());
        let repeats = repeats.map(|run| run.record.clone());
        let before = repeats.clone().unwrap_or_default();
        let chosen_targets = match options.chosen_targets.as_slice() {
            [] => before.chosen_targets,
            chosen => chosen.to_vec(),
        };
        let trials = options.trials.unwrap_or(before.trials.max(1));
        let mut selection = selection(&options.selection)?;
        if let Some(named) = &named {
            // A shard stays a shard.
            let shard = named.record.shard.as_deref();
            let shard = shard.and_then(|shard| shard.parse().ok());
            selection.shard = selection.shard.or(shard);
        }
        let mut failed = None;
        if let Some(name) = &rerun_of {
            let repeated = match repeated {
                Some(repeated) => repeated,
                None => runs.find(name, notices)?,
            };
            let found = FailedTrials::of(&repeated)?;
            selection.trials = Some(found.chosen.clone());
            failed = Some(found);
        }
        let wanted = Wanted {
            files: files.names(),
            chosen_targets: &chosen_targets,
            trials,
            shard: options.selection.shard.map(|shard| shard.to_string()),
            dry_run: options.dry_run.is_some(),
            is_whole: narrowing_flags(&options.selection).is_empty(),
        };
        let resumed = match (options.resumed(), named) {
            (_, Some(named)) => Some(named),
            (Some(Resume::Newest), None) => Some(wanted.find(runs)?),
            (Some(Resume::Named(_)) | None, None) => None,
        };
        let balance = balance(&mut selection, options, resumed.as_ref(), runs, notices)?;
        let before = resumed.as_ref().map(|run| &run.record);
        let grading = GradingSettings::of(options, before.or(repeats.as_ref()));
        let tags_before = before.or(repeats.as_ref()).map(|run| &run.tags);
        let tags = each_once(tags_before.into_iter().flatten().chain(&options.tags));
        let selected_before = before.map(|before| selection_before(before, &selection));
        Ok(Plan {
            selected_before: selected_before.transpose()?,
            chosen_targets,
            trials,
            selection,
            rerun_of,
            failed,
            tags,
            resumed,
            grading,
            balance,
        })
    }
}

impl Plan {
    /// Opens the other files of the resumed run, and applies the plan to all files: the threshold, and the
    /// selection of skipped cases. Warns about cases that cannot be repeated.
    pub(super) fn open_files(
        &mut self,
        files: &mut EvalFiles,
        options: &RunOptions,
        notices: &mut dyn Notices,
    ) -> Result<(), ProjectError> {
        if let Some(resumed) = &self.resumed {
            let named = files.names().into_iter().map(str::to_owned);
            self.selection.eval_files = Some(Arc::new(named.collect()));
            files.open_others(&resumed.record.files, &options.load);
        }
        if let Some(failed) = &self.failed {
            failed.warn_of_others(files, notices)?;
        }
        if let Some(threshold) = self.grading.pass_threshold {
            files.pass_from(threshold);
        }
        let selections = self.selected_before.iter().chain([&self.selection]);
        let selections: Vec<&Selection> = selections.collect();
        files.select_skipped(&selections)
    }

    /// Returns the files of the resumed run that cannot be used today, quoted.
    pub(super) fn unusable_files(&self, files: &EvalFiles) -> Vec<String> {
        let open = files.names();
        let record = self.resumed.as_ref().map(|run| &run.record);
        let ran = record.into_iter().flat_map(|record| &record.files);
        ran.filter(|file| !open.contains(&&*file.path))
            .map(|file| format!("`{}`", file.path))
            .collect()
    }

    /// Returns the way to repeat results that are out of date: without the options that narrow the work.
    pub(super) fn advice(&self, options: &RunOptions, files: &EvalFiles) -> String {
        let record = self.resumed.as_ref().map(|run| &run.record);
        let is_shard = record.is_some_and(|record| record.shard.is_some());
        let mut flags = narrowing_flags(&options.selection);
        if options.selection.shard.is_some() && !is_shard {
            flags.push("`--shard`");
        }
        let open = files.names();
        let unusable = self.unusable_files(files);
        if !unusable.is_empty() {
            return format!("start a new run: {} cannot be used", unusable.join(", "));
        }
        let named = self.selection.eval_files.as_ref();
        let is_named = |file: &&str| named.is_none_or(|named| named.contains(*file));
        match (flags.is_empty(), open.iter().all(is_named)) {
            (true, true) => "resume the run".to_owned(),
            (true, false) => "resume with all files of the run".to_owned(),
            (false, true) => format!("resume without {}", flags.join(" and ")),
            (false, false) => {
                let flags = flags.join(" and ");
                format!("resume with all files of the run, without {flags}")
            }
        }
    }
}

/// The properties that make a run the same as another.
struct Wanted<'a> {
    files: Vec<&'a str>,
    chosen_targets: &'a [String],
    trials: u32,
    shard: Option<String>,
    dry_run: bool,
    /// True if all cases are wanted.
    is_whole: bool,
}

impl Wanted<'_> {
    /// Finds the newest run of the same files, targets and trials. If all cases are wanted, a run of all of
    /// them comes before one of some.
    fn find(&self, runs: &RunFolders) -> Result<FoundRun, ProjectError> {
        let is_whole = |record: &RunRecord| record.eval_ids.is_empty() && record.limit.is_none();
        let of_shard = |record: &RunRecord| self.is_met_by(record, &self.shard);
        let mut newest = runs.find_newest(|record| of_shard(record) && is_whole(record))?;
        if newest.is_none() || !self.is_whole {
            newest = runs.find_newest(of_shard)?;
        }
        if newest.is_none() && self.shard.is_some() {
            // A shard of a whole run narrows the work.
            newest = runs.find_newest(|record| self.is_met_by(record, &None))?;
        }
        newest.ok_or_else(|| {
            ProjectError::with_hint(
                format!(
                    "no run with these files, targets and trials found in `{}`",
                    runs.shown().display()
                ),
                Some(
                    "omit `--resume` to start a new one, or name one with `--resume=RUN`"
                        .to_owned(),
                ),
            )
        })
    }

    fn is_met_by(&self, record: &RunRecord, shard: &Option<String>) -> bool {
        let files = record.files.iter().map(|file| file.path.as_str());
        let targets = record.chosen_targets.iter().map(String::as_str);
        let wanted = self.chosen_targets.iter().map(String::as_str);
        sorted(files) == sorted(self.files.iter().copied())
            && sorted(targets) == sorted(wanted)
            && record.trials == self.trials
            && record.shard == *shard
            && record.dry_run == self.dry_run
            && record.merged_from.is_empty()
            // A rerun is another question, and is resumed by its name.
            && record.rerun_of.is_none()
            && record.graded_from.is_none()
            && record.calibrated_with.is_none()
    }
}

/// Returns the options that select some of the cases, as users write them. A shard is not among them.
pub(crate) fn narrowing_flags(options: &SelectionOptions) -> Vec<&'static str> {
    let flags = [
        (!options.eval_ids.is_empty(), "`--eval-id`"),
        (options.limit.is_some(), "`--limit`"),
    ];
    let given = flags.into_iter().filter(|(is_given, _)| *is_given);
    given.map(|(_, flag)| flag).collect()
}

pub(super) fn sorted<'t>(texts: impl Iterator<Item = &'t str>) -> Vec<&'t str> {
    let mut texts: Vec<_> = texts.collect();
    texts.sort_unstable();
    texts
}

/// Distributes the cases over shards by the run that the request names, or that the resumed run was
/// distributed by.
fn balance(
    selection: &mut Selection,
    options: &RunOptions,
    resumed: Option<&FoundRun>,
    runs: &RunFolders,
    notices: &mut dyn Notices,
) -> Result<Option<Balance>, ProjectError> {
    let before = resumed.and_then(|run| run.record.balance.as_ref());
    let name = options.selection.balance.as_deref();
    let name = name.or(before.map(|before| before.run.as_str()));
    let (Some(name), Some(shard)) = (name, selection.shard) else {
        return Ok(None);
    };
    let (balance, shards) = balanced_shards(name, shard, runs, notices)?;
    if let Some(run) = resumed {
        refuse_other_balance(run, &balance)?;
    }
    selection.balance = Some(shards);
    Ok(Some(balance))
}

/// Makes the selection of cases ready, without any choice of trials.
pub(crate) fn selection(options: &SelectionOptions) -> Result<Selection, ProjectError> {
    Ok(Selection {
        eval_files: None,
        eval_ids: matching(&options.eval_ids)?,
        shard: options.shard,
        balance: None,
        limit: options.limit,
        trials: None,
    })
}

/// Compiles the globs of ids; `None` if there are none.
pub(super) fn matching(patterns: &[String]) -> Result<Option<GlobSet>, ProjectError> {
    let mut globs = GlobSetBuilder::new();
    for pattern in patterns {
        let glob = Glob::new(pattern).map_err(|error| {
            ProjectError::because(format!("--eval-id `{pattern}`: {}", error.kind()))
        })?;
        globs.add(glob);
    }
    let globs = globs.build().map_err(ProjectError::from_error)?;
    Ok((!patterns.is_empty()).then_some(globs))
}

/// Returns the options that leave no case, for a sentence.
pub(crate) fn reasons(options: &SelectionOptions) -> Vec<String> {
    let mut reasons: Vec<String> = Vec::new();
    if !options.eval_ids.is_empty() {
        let patterns = options.eval_ids.join(" --eval-id ");
        reasons.push(format!("`--eval-id {patterns}`"));
    }
    reasons.extend(options.shard.map(|shard| format!("`--shard {shard}`")));
    reasons.extend(options.limit.map(|limit| format!("`--limit {limit}`")));
    reasons
}
