//! The targets and judges of a run.

use std::collections::{BTreeMap, BTreeSet};

use agentv_runner::{EvalFile, Survey};

use super::need::Need;
use super::options::TargetOptions;
use super::resolver::{ResolvedTargets, Resolver};
use crate::error::ProjectError;
use crate::eval_files::EvalFiles;
use crate::fd_limit::FdLimit;
use crate::notices::Notices;

/// Makes every target ready that the cases need, and no other, and then the judges that their evaluators
/// ask.
pub(crate) fn resolve_targets(
    options: TargetOptions<'_>,
    chosen_targets: &[String],
    files: &EvalFiles,
    survey: &Survey,
    notices: &mut dyn Notices,
) -> Result<ResolvedTargets, ProjectError> {
    let mut resolver = Resolver::new(options, notices);
    resolver.resolved.assignment.chosen = chosen_targets.to_vec();
    for ((file, folder), names) in files.folders().zip(&survey.targets) {
        if names.is_empty() {
            continue;
        }
        let place = resolver.place(folder)?;
        resolver.set_environment(file, &place.environment);
        for name in names {
            let need = if chosen_targets.is_empty() {
                Need::AskedBy(&file.name)
            } else {
                Need::Chosen
            };
            resolver.assign_target(&place, file, name, need)?;
        }
    }
    if options.dry_run.is_none() {
        if !options.allow_self_judging {
            refuse_self_judging(&resolver, files, survey)?;
        }
        resolve_judges(&mut resolver, files, survey)?;
    }
    resolver.warn_of_open_values();
    let ResolvedTargets {
        targets, judges, ..
    } = &mut resolver.resolved;
    let trials = usize::try_from(survey.trials).unwrap_or(usize::MAX);
    FdLimit::of_this_process().fit(targets, judges, trials, resolver.notices)?;
    Ok(resolver.finish())
}

fn resolve_judges(
    resolver: &mut Resolver<'_>,
    files: &EvalFiles,
    survey: &Survey,
) -> Result<(), ProjectError> {
    for ((file, folder), judges) in files.folders().zip(&survey.judges) {
        let judged = judges.judged.iter();
        let usual = judged.map(|target| usual_judge(resolver, file, target));
        let names: BTreeSet<String> = usual.chain(judges.named.iter().cloned()).collect();
        if names.is_empty() {
            continue;
        }
        let place = resolver.place(folder)?;
        for name in names {
            resolver.assign_judge(&place, file, &name, &name)?;
        }
    }
    Ok(())
}

/// Refuses several targets if one would grade its own answers, unless all have the same judge:
/// their scores could not be compared.
fn refuse_self_judging(
    resolver: &Resolver<'_>,
    files: &EvalFiles,
    survey: &Survey,
) -> Result<(), ProjectError> {
    let mut judges: BTreeMap<&str, String> = BTreeMap::new();
    for ((file, _), file_judges) in files.folders().zip(&survey.judges) {
        for target in &file_judges.judged {
            judges.insert(target, usual_judge(resolver, file, target));
        }
    }
    let distinct: BTreeSet<&String> = judges.values().collect();
    let own = judges.iter().filter(|(target, judge)| *target == judge);
    let own: Vec<String> = own.map(|(target, _)| format!("`{target}`")).collect();
    if own.is_empty() || distinct.len() < 2 {
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

/// Returns the name of the target that judges the answers of a target unless an evaluator names another.
fn usual_judge(resolver: &Resolver<'_>, file: &EvalFile, target: &str) -> String {
    let lane = resolver.resolved.assignment.target(file.index, target);
    let resolved = lane.and_then(|lane| resolver.resolved.targets.get(lane));
    let judge = resolved.and_then(|resolved| resolved.judge_target.clone());
    judge.unwrap_or_else(|| target.to_owned())
}
