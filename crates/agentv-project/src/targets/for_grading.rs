//! The judges of answers that were recorded earlier.

use std::collections::HashMap;
use std::path::PathBuf;

use agentv_core::{RanTarget, Secrets, Target};
use agentv_dataset::Project as ProjectFolder;
use agentv_providers::{Environment, TargetError};
use agentv_runner::{Assignment, EvalFile, FileJudges};

use super::need::Need;
use super::open_suite::OpenSuite;
use super::options::TargetOptions;
use super::resolver::{Resolver, TargetsPlace};
use super::self_judging::UsualJudges;
use crate::error::ProjectError;
use crate::fd_limit::FdLimit;
use crate::notices::Notices;

/// An eval file whose answers are graded, with the judges that this takes.
pub(crate) struct GradedFile<'a> {
    pub(crate) file: &'a EvalFile,
    pub(crate) folder: ProjectFolder,
    pub(crate) judges: &'a FileJudges,
}

/// The judges of answers that were recorded earlier.
pub(crate) struct ResolvedJudges {
    pub(crate) judges: Vec<Target>,
    pub(crate) assignment: Assignment,
    /// The name of the judge of each target's answers, by eval file, unless an evaluator names another.
    pub(crate) usual: HashMap<(usize, String), String>,
    /// The variables of each eval file, by its index.
    pub(crate) environments: HashMap<usize, Environment>,
    pub(crate) secrets: Secrets,
    /// The files that define the judges and their variables.
    pub(crate) read_files: Vec<PathBuf>,
}

/// Makes every judge ready that is going to be asked, and no other target. `always` replaces every other
/// judge. `suites` define targets of their own, by the indices of their files. `ran` are the recorded targets
/// that answered.
pub(crate) fn resolve_judges<'a>(
    options: TargetOptions<'a>,
    suites: HashMap<usize, OpenSuite<'a>>,
    files: &[GradedFile<'_>],
    always: Option<&str>,
    ran: &[RanTarget],
    notices: &'a mut dyn Notices,
) -> Result<ResolvedJudges, ProjectError> {
    let mut resolver = Resolver::new(options, notices);
    resolver.suites = suites;
    let mut usual = HashMap::new();
    let mut usual_judges = UsualJudges::default();
    for GradedFile {
        file,
        folder,
        judges,
    } in files
    {
        if judges.judged.is_empty() && judges.named.is_empty() {
            let environment = resolver.variables(&options.project.surroundings_of(folder))?;
            resolver.set_environment(file, &environment);
            continue;
        }
        let place = resolver.place(file, folder)?;
        resolver.set_environment(file, &place.environment);
        let mut names = judges.named.clone();
        for target in &judges.judged {
            let chosen = options.judge.map(|judge| Ok(judge.to_owned()));
            let judge = chosen.unwrap_or_else(|| usual_judge(target, &place, ran));
            let judge = judge.map_err(|error| {
                let message = Need::JudgeOf(&file.name).explain(&error);
                ProjectError::with_hint(message, error.hint)
            })?;
            resolver.note_alias(&place, file, target);
            resolver.note_alias(&place, file, &judge);
            let assignment = &resolver.resolved.assignment;
            usual_judges.add(file.index, target, &judge, assignment);
            names.insert(judge.clone());
            usual.insert((file.index, target.clone()), judge);
        }
        for name in names {
            resolver.assign_judge(&place, file, &name, always.unwrap_or(&name))?;
        }
    }
    if !options.allow_self_judging {
        usual_judges.refuse_self_judging()?;
    }
    resolver.warn_of_open_values();
    let judges = &mut resolver.resolved.judges;
    FdLimit::of_this_process().fit(&mut [], judges, usize::MAX, resolver.notices)?;
    let resolved = resolver.finish();
    Ok(ResolvedJudges {
        judges: resolved.judges,
        assignment: resolved.assignment,
        environments: resolved.environments,
        usual,
        secrets: resolved.secrets,
        read_files: resolved.read_files,
    })
}

/// Returns the name of the target that judges the answers of a target: that of today's targets file, or that
/// of the recorded run if the file does not list the target.
fn usual_judge(
    target: &str,
    place: &TargetsPlace,
    ran: &[RanTarget],
) -> Result<String, TargetError> {
    let is_listed = place.targets.listed().any(|listed| listed.name == target);
    let judge = if is_listed {
        place.targets.judge_of(target, &place.environment)?
    } else {
        let ran = ran.iter().find(|ran| ran.name == target);
        ran.and_then(|ran| ran.judge_target.clone())
    };
    let judge = judge.or_else(|| place.key.judge.clone());
    Ok(judge.unwrap_or_else(|| target.to_owned()))
}
