//! Requirements for the results of a run.

use agentv_core::GateOutcome;
use agentv_journal::RunFolder;
use agentv_report::compare::{ComparedRun, Comparison, ComparisonSummary, compare, read_runs};
use agentv_report::{RunResults, Summary, nothing_graded};

use crate::counted::counted;
use crate::error::ProjectError;
use crate::notices::Notices;
use crate::options::GateOptions;
use crate::run_folders::{FoundRun, RunFolders};

/// The gates of a run, and the baseline that it is compared with.
#[derive(Default)]
pub(crate) struct Gates {
    options: GateOptions,
    baseline: Option<RunResults>,
    /// The missing shards of a merge; `None` if nothing is merged.
    missing_shards: Option<Vec<String>>,
    /// The way to repeat results that are out of date.
    advice: Option<String>,
    /// Set if a resume cannot repeat them all.
    needs_new_run: bool,
    /// Set for a shard without cases, which has nothing to measure: the gates are those of the merged run.
    is_empty_shard: bool,
}

/// The extent of a run.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Extent {
    /// The number of all trials.
    pub(crate) planned: u64,
    /// The number of trials per case and target.
    pub(crate) trials: u32,
    /// Set if the run was stopped before its end.
    pub(crate) is_stopped: bool,
}

/// The outcomes of the requirements of a run.
#[derive(Debug, Clone)]
pub struct JudgedGates {
    /// The gates that the request has.
    pub gates: Vec<GateOutcome>,
    /// The errors of the run, compared with the allowance.
    pub errors: GateOutcome,
    /// Set if the request names the allowance.
    names_allowance: bool,
    /// Set if a resume cannot repeat all results that are out of date.
    pub needs_new_run: bool,
}

impl JudgedGates {
    /// Returns everything that the request requires, for the summary and the record.
    pub fn required(&self) -> Vec<GateOutcome> {
        let errors = self.names_allowance.then(|| self.errors.clone());
        self.gates.iter().cloned().chain(errors).collect()
    }
}

impl Gates {
    /// Finds and reads the baseline, so that a wrong one is reported before any target is asked.
    pub(crate) fn open(
        options: &GateOptions,
        runs: &RunFolders,
        resumed: Option<&FoundRun>,
        is_dry_run: bool,
        notices: &mut dyn Notices,
    ) -> Result<Gates, ProjectError> {
        let named = options.baseline.as_deref();
        let baseline = named.map(|name| runs.results_named(name, notices));
        let baseline = baseline.transpose()?;
        if let Some(baseline) = &baseline {
            check(baseline, resumed, is_dry_run, notices)?;
        }
        Ok(Gates {
            options: options.clone(),
            baseline,
            missing_shards: None,
            advice: None,
            needs_new_run: false,
            is_empty_shard: false,
        })
    }

    /// Returns these gates with the way to repeat results that are out of date.
    pub(crate) fn with_advice(self, advice: String) -> Gates {
        Gates {
            advice: Some(advice),
            ..self
        }
    }

    /// Returns these gates for a run whose results a resume cannot all repeat.
    pub(crate) fn needing_new_run(self, needs_new_run: bool) -> Gates {
        Gates {
            needs_new_run,
            ..self
        }
    }

    /// Returns these gates for a shard without cases: they are left to the merged run.
    pub(crate) fn of_empty_shard(self) -> Gates {
        Gates {
            is_empty_shard: true,
            ..self
        }
    }

    /// Returns these gates for a merge, which must also be complete.
    pub(crate) fn of_shards(self, missing: Vec<String>) -> Gates {
        Gates {
            missing_shards: Some(missing),
            ..self
        }
    }

    /// Returns true if these are the gates of a shard without cases.
    pub(crate) fn is_of_empty_shard(&self) -> bool {
        self.is_empty_shard
    }

    /// Returns the gate of a run that lacks trials, or of a merge that lacks shards.
    fn judge_completeness(&self, summary: &Summary, planned: u64) -> Option<GateOutcome> {
        let missing = self.missing_shards.as_deref();
        let lacks = planned.saturating_sub(summary.trials);
        let mut found = Vec::new();
        if let Some(missing @ [_, ..]) = missing {
            let number = missing.len() as u64;
            found.push(format!("{} missing", counted(number, "shard")));
        }
        if lacks > 0 {
            let advice = self.advice.as_deref().filter(|_| missing.is_none());
            let advice = advice.map(|advice| format!(" ({advice})"));
            let trials = counted(lacks, "trial");
            found.push(format!("{trials} not run{}", advice.unwrap_or_default()));
        }
        let required = match missing {
            Some(_) => "results of all shards and trials",
            None => "results of all trials",
        };
        (!found.is_empty()).then(|| GateOutcome {
            gate: GateOutcome::COMPLETE.to_owned(),
            required: required.to_owned(),
            found: found.join(", "),
            met: false,
        })
    }

    /// Returns the gate of a run with results of an earlier version of its files, targets or settings.
    fn judge_currency(&self, summary: &Summary) -> Option<GateOutcome> {
        let advice = self.advice.as_deref().unwrap_or("resume the run");
        let results = counted(summary.outdated, "result");
        (summary.outdated > 0).then(|| GateOutcome {
            gate: GateOutcome::CURRENT.to_owned(),
            required: "results of the current cases, targets and settings".to_owned(),
            found: format!("{results} of an earlier version ({advice})"),
            met: false,
        })
    }

    /// Returns the name of the baseline.
    pub(crate) fn baseline(&self) -> Option<&str> {
        self.baseline.as_ref().map(RunResults::name)
    }

    /// Compares the results of the run in `folder` with all requirements.
    pub(crate) fn judge(
        &self,
        summary: &Summary,
        extent: Extent,
        folder: &RunFolder,
        notices: &mut dyn Notices,
    ) -> JudgedGates {
        let Extent {
            planned,
            trials,
            is_stopped,
        } = extent;
        let mut gates = Vec::new();
        if !self.is_empty_shard {
            gates = self.options.spec.judge(summary, trials);
            let drop = self.baseline.as_ref();
            gates.extend(
                drop.into_iter()
                    .flat_map(|baseline| self.judge_drop(baseline, folder, notices)),
            );
        }
        if summary.outdated > 0 {
            // Figures of several versions say nothing about any of them.
            let results = counted(summary.outdated, "result");
            for gate in gates.iter_mut().filter(|gate| gate.met) {
                gate.met = false;
                gate.found
                    .push_str(&format!(", with {results} of an earlier version"));
            }
        }
        gates.extend(self.judge_currency(summary));
        // A run that was stopped says so by its exit code.
        if !is_stopped {
            gates.extend(self.judge_completeness(summary, planned));
        }
        let allowance = self.options.max_errors;
        let errors = allowance.unwrap_or_default().judge(summary, planned);
        if gates.is_empty() && errors.met && !self.is_empty_shard {
            gates.extend(nothing_graded(summary, trials));
        }
        JudgedGates {
            gates,
            errors,
            names_allowance: allowance.is_some(),
            needs_new_run: self.needs_new_run,
        }
    }

    fn judge_drop(
        &self,
        baseline: &RunResults,
        folder: &RunFolder,
        notices: &mut dyn Notices,
    ) -> Vec<GateOutcome> {
        let gate = self.options.drop;
        let name = format!("`{}`", baseline.name());
        let results = RunResults::of_folder(folder).map_err(|error| error.to_string());
        let runs = results.and_then(|results| {
            let runs = [baseline.clone(), results];
            read_runs(&runs).map_err(|error| error.to_string())
        });
        let runs = match runs {
            Ok(runs) => runs,
            Err(why) => return vec![gate.not_judged(&name, why)],
        };
        match compare(&runs[0], &runs[1], 0.0) {
            Ok(comparison) => {
                warn_of_few_grades(comparison.summary(), notices);
                if let Some(judges) = &comparison.summary().different_judges {
                    notices.warn(judges.in_words([&name, "this run"]));
                }
                warn_of_changes(&comparison, &name, notices);
                warn_of_skipped_evaluators(&runs, notices);
                gate.judge(comparison.figures(), &name)
            }
            Err(nothing) => vec![gate.not_judged(&name, nothing.to_string())],
        }
    }
}

fn check(
    baseline: &RunResults,
    resumed: Option<&FoundRun>,
    is_dry_run: bool,
    notices: &mut dyn Notices,
) -> Result<(), ProjectError> {
    let is_same = resumed.is_some_and(|run| run.folder.id().as_str() == baseline.name());
    if is_same {
        return Err(ProjectError::with_hint(
            "the baseline is the same run as the one to resume",
            Some("name a different run with `--baseline`".to_owned()),
        ));
    }
    let runs = read_runs(std::slice::from_ref(baseline));
    let runs = runs.map_err(|error| ProjectError::because(format!("baseline: {error}")))?;
    for run in &runs {
        warn_of_unfinished(run, notices);
        warn_of_damage(run, notices);
        warn_of_outdated(run, notices);
    }
    if runs.iter().any(ComparedRun::is_dry_run) && !is_dry_run {
        return Err(ProjectError::with_hint(
            format!(
                "baseline `{}` is a dry run: mocks answered in place of the targets",
                baseline.name()
            ),
            Some("name a run of the targets; `agentv runs` lists the runs".to_owned()),
        ));
    }
    if runs.iter().all(|run| run.totals().trials == 0) {
        return Err(ProjectError::because(format!(
            "baseline `{}` has no results",
            baseline.name()
        )));
    }
    Ok(())
}

/// Warns about cases that are not the same in the baseline, and about targets that it does not have.
fn warn_of_changes(comparison: &Comparison<'_>, name: &str, notices: &mut dyn Notices) {
    if let Some(changed) = comparison.changed_cases() {
        let cases = counted(comparison.summary().changed, "matched case");
        notices.warn(format!(
            "{cases} changed since {name} (input, expected values or evaluators): {changed}"
        ));
    }
    for target in &comparison.summary().targets_only_in_b {
        notices.warn(format!(
            "target `{target}` is not compared: {name} does not have it"
        ));
    }
}

/// Warns about runs of which some skipped evaluators after a required one had failed.
pub fn warn_of_skipped_evaluators(runs: &[ComparedRun], notices: &mut dyn Notices) {
    let with = |skips: bool| {
        let mut runs = runs.iter();
        runs.find(|run| run.stops_on_required() == Some(skips))
    };
    if let (Some(skipping), Some(other)) = (with(true), with(false)) {
        notices.warn(format!(
            "run `{}` has `--stop-on-required` and run `{}` has not: evaluators that were skipped do not \
             count, so the scores of failed cases cannot be compared",
            skipping.name(),
            other.name()
        ));
    }
}

/// Warns about a run that is not finished.
pub fn warn_of_unfinished(run: &ComparedRun, notices: &mut dyn Notices) {
    if run.is_unfinished() {
        notices.warn(format!(
            "run `{}` is not finished: it is still running or was stopped",
            run.name()
        ));
    }
}

/// Warns about lines of a run that hold no result.
pub fn warn_of_damage(run: &ComparedRun, notices: &mut dyn Notices) {
    if run.damaged_lines() > 0 {
        let lines = counted(run.damaged_lines(), "line");
        notices.warn(format!(
            "skipped {lines} of `{}` that cannot be read",
            run.name()
        ));
    }
}

/// Warns about results of a run that are of an earlier version of its files, targets or settings.
pub fn warn_of_outdated(run: &ComparedRun, notices: &mut dyn Notices) {
    if run.totals().outdated > 0 {
        let results = counted(run.totals().outdated, "result");
        notices.warn(format!(
            "run `{}` has {results} of an earlier version of its cases, targets or settings: resume it \
             to repeat them",
            run.name()
        ));
    }
}

/// Warns if a comparison uses only few of the cases that both runs have.
pub fn warn_of_few_grades(summary: &ComparisonSummary, notices: &mut dyn Notices) {
    if summary.is_mostly_without_grade() {
        let matched = counted(summary.matched, "matched case");
        notices.warn(format!(
            "only {} of {matched} have a grade in both runs: the others are not compared",
            summary.compared()
        ));
    }
}
