//! The targets and judges of a run.

use std::collections::BTreeSet;

use agentv_runner::{EvalFile, FileJudges, FileNeeds, Survey};

use super::need::Need;
use super::options::TargetOptions;
use super::resolver::{ResolvedTargets, Resolver};
use super::self_judging::UsualJudges;
use crate::error::ProjectError;
use crate::eval_files::EvalFiles;
use crate::fd_limit::FdLimit;
use crate::notices::Notices;

/// Makes every target ready that the cases need, and no other, and then the judges that their evaluators
/// ask. Those of results that a resumed run only keeps are made ready too, if possible: their settings
/// decide if the results are current.
pub(crate) fn resolve_targets<'a>(
    options: TargetOptions<'a>,
    chosen_targets: &[String],
    files: &'a EvalFiles,
    survey: &Survey,
    notices: &'a mut dyn Notices,
) -> Result<ResolvedTargets, ProjectError> {
    let mut resolver = Resolver::new(options, notices);
    resolver.resolved.assignment.chosen = chosen_targets.to_vec();
    resolver.suites = files.suites();
    for ((file, folder), needs) in files.folders().zip(survey.selected.files()) {
        if needs.targets.is_empty() {
            continue;
        }
        let place = resolver.place(file, folder)?;
        resolver.set_environment(file, &place.environment);
        for name in &needs.targets {
            let need = if chosen_targets.is_empty() {
                Need::AskedBy(&file.name)
            } else {
                Need::Chosen
            };
            resolver.assign_target(&place, file, name, need)?;
        }
    }
    resolve_kept(&mut resolver, files, survey, Role::Target);
    note_judges(&mut resolver, files, survey)?;
    if options.dry_run.is_none() {
        if !options.allow_self_judging {
            usual_judges(&resolver, files, survey).refuse_self_judging()?;
        }
        for ((file, folder), needs) in files.folders().zip(survey.selected.files()) {
            let names = judges_of(&resolver, file, &needs.judges);
            if names.is_empty() {
                continue;
            }
            let place = resolver.place(file, folder)?;
            for name in names {
                resolver.assign_judge(&place, file, &name, &name)?;
            }
        }
        resolve_kept(&mut resolver, files, survey, Role::Judge);
    }
    resolver.warn_of_open_values();
    let ResolvedTargets {
        targets, judges, ..
    } = &mut resolver.resolved;
    let trials = usize::try_from(survey.trials).unwrap_or(usize::MAX);
    FdLimit::of_this_process().fit(targets, judges, trials, resolver.notices)?;
    Ok(resolver.finish())
}

/// Notes the targets that the names of judges stand for.
fn note_judges(
    resolver: &mut Resolver<'_>,
    files: &EvalFiles,
    survey: &Survey,
) -> Result<(), ProjectError> {
    for ((file, folder), needs) in files.folders().zip(survey.selected.files()) {
        for name in judges_of(resolver, file, &needs.judges) {
            let place = resolver.place(file, folder)?;
            resolver.note_alias(&place, file, &name);
        }
    }
    Ok(())
}

/// The part that a target plays.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Role {
    Target,
    Judge,
}

/// Makes the targets or the judges of results ready that are only kept. Warns about those that cannot be
/// used: results of theirs cannot be compared with their settings.
fn resolve_kept(resolver: &mut Resolver<'_>, files: &EvalFiles, survey: &Survey, role: Role) {
    resolver.is_silent = true;
    let mut unusable = Vec::new();
    for ((file, folder), needs) in files.folders().zip(survey.only_before.files()) {
        let names = kept_names(resolver, file, needs, role);
        for name in names {
            let assigned = resolver.place(file, folder).and_then(|place| {
                resolver.set_environment(file, &place.environment);
                match role {
                    Role::Target => {
                        let need = Need::AskedBy(&file.name);
                        resolver.assign_target(&place, file, &name, need)
                    }
                    Role::Judge => resolver.assign_judge(&place, file, &name, &name),
                }
            });
            if let Err(error) = assigned {
                unusable.push(format!(
                    "earlier results count as out of date, because a target cannot be used: {error}"
                ));
            }
        }
    }
    resolver.is_silent = false;
    unusable.sort_unstable();
    unusable.dedup();
    for warning in unusable {
        resolver.notices.warn(warning);
    }
}

/// Returns the targets or judges of kept results that are not ready yet for their eval file.
fn kept_names(
    resolver: &Resolver<'_>,
    file: &EvalFile,
    needs: &FileNeeds,
    role: Role,
) -> BTreeSet<String> {
    let names = match role {
        Role::Target => needs.targets.clone(),
        Role::Judge => judges_of(resolver, file, &needs.judges),
    };
    let assignment = &resolver.resolved.assignment;
    let is_open = |name: &String| assignment.target(file.index, name).is_none();
    names.into_iter().filter(is_open).collect()
}

/// Returns the judges that cases of an eval file need.
fn judges_of(resolver: &Resolver<'_>, file: &EvalFile, judges: &FileJudges) -> BTreeSet<String> {
    let judged = judges.judged.iter();
    let usual = judged.map(|target| usual_judge(resolver, file, target));
    usual.chain(judges.named.iter().cloned()).collect()
}

fn usual_judges(resolver: &Resolver<'_>, files: &EvalFiles, survey: &Survey) -> UsualJudges {
    let mut judges = UsualJudges::default();
    for ((file, _), needs) in files.folders().zip(survey.selected.files()) {
        for target in &needs.judges.judged {
            let judge = usual_judge(resolver, file, target);
            judges.add(file.index, target, &judge, &resolver.resolved.assignment);
        }
    }
    judges
}

/// Returns the name of the target that judges the answers of a target unless an evaluator names another.
fn usual_judge(resolver: &Resolver<'_>, file: &EvalFile, target: &str) -> String {
    let lane = resolver.resolved.assignment.target(file.index, target);
    let resolved = lane.and_then(|lane| resolver.resolved.targets.get(lane));
    let judge = resolved.and_then(|resolved| resolved.judge_target.clone());
    judge.unwrap_or_else(|| target.to_owned())
}
