//! The targets of a run, ready to be asked.

use std::collections::{BTreeSet, HashMap};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use agentv_core::{Execution, RanTarget, Secrets, Target};
use agentv_dataset::Project as ProjectFolder;
use agentv_providers::{Delay, Environment, Surroundings, TargetError, Targets, facts};
use agentv_runner::{Assignment, EvalFile, FileJudges, Survey};

use super::known::read;
use crate::error::ProjectError;
use crate::eval_files::EvalFiles;
use crate::fd_limit::FdLimit;
use crate::notices::Notices;
use crate::options::LimitOptions;
use crate::project::Project;

/// The targets of a run, and which case is asked of which.
pub(crate) struct ResolvedTargets {
    pub(crate) targets: Vec<Target>,
    /// Those that judge and answer no case.
    pub(crate) judges: Vec<Target>,
    pub(crate) assignment: Assignment,
    /// The variables around each eval file, by its index.
    pub(crate) environments: HashMap<usize, Environment>,
    pub(crate) secrets: Secrets,
}

/// Makes every target ready that the cases need, and no other; then the judges that their evaluators
/// are going to ask.
pub(crate) fn resolve(
    asking: Asking<'_>,
    chosen_targets: &[String],
    files: &EvalFiles,
    survey: &Survey,
    notices: &mut dyn Notices,
) -> Result<ResolvedTargets, ProjectError> {
    let mut resolving = Resolving::new(asking, notices);
    resolving.resolved.assignment.chosen = chosen_targets.to_vec();
    for ((file, project), names) in files.projects().zip(&survey.targets) {
        if names.is_empty() {
            continue;
        }
        let place = resolving.place(project)?;
        resolving.surround(file, &place.environment);
        for name in names {
            let named_in = chosen_targets.is_empty().then_some(&*file.name);
            let lane = resolving.lane(&place, name, named_in)?;
            let assignment = &mut resolving.resolved.assignment;
            assignment.assign(file.index, name.clone(), lane);
        }
    }
    if asking.rehearsal.is_none() {
        resolving.judges(files, survey)?;
    }
    let ResolvedTargets {
        targets, judges, ..
    } = &mut resolving.resolved;
    let trials = usize::try_from(survey.trials).unwrap_or(usize::MAX);
    FdLimit::of_this_process().fit(targets, judges, trials, resolving.notices)?;
    Ok(resolving.resolved)
}

/// An eval file whose answers are graded, and what that takes.
pub(crate) struct GradedFile<'a> {
    pub(crate) file: &'a EvalFile,
    pub(crate) project: ProjectFolder,
    pub(crate) judges: &'a FileJudges,
}

/// The judges of answers that are there already.
pub(crate) struct ResolvedJudges {
    pub(crate) judges: Vec<Target>,
    pub(crate) assignment: Assignment,
    /// Who judges the answers of each target where an evaluator names nobody.
    pub(crate) usual: HashMap<(usize, String), String>,
    /// The variables of each eval file, by its index.
    pub(crate) environments: HashMap<usize, Environment>,
    pub(crate) secrets: Secrets,
}

/// Makes every judge ready that is going to be asked, and no other target. `always` judges in place of
/// every other; `ran` are the targets that answered, as they were recorded.
pub(crate) fn resolve_judges(
    asking: Asking<'_>,
    files: &[GradedFile<'_>],
    always: Option<&str>,
    ran: &[RanTarget],
    notices: &mut dyn Notices,
) -> Result<ResolvedJudges, ProjectError> {
    let mut resolving = Resolving::new(asking, notices);
    let mut usual = HashMap::new();
    for GradedFile {
        file,
        project,
        judges,
    } in files
    {
        if judges.judged.is_empty() && judges.named.is_empty() {
            let environment = resolving.variables(&asking.project.surroundings_of(project))?;
            resolving.surround(file, &environment);
            continue;
        }
        let place = resolving.place(project)?;
        resolving.surround(file, &place.environment);
        let mut names = judges.named.clone();
        for target in &judges.judged {
            let judge = judge_of(target, &place, ran);
            let judge = judge.map_err(|error| refused_judge(error, &file.name))?;
            names.insert(judge.clone());
            usual.insert((file.index, target.clone()), judge);
        }
        for name in names {
            let asked = always.unwrap_or(&name);
            let lane = resolving.judge_lane(&place, asked, &file.name)?;
            let assignment = &mut resolving.resolved.assignment;
            assignment.assign(file.index, name, lane);
        }
    }
    let judges = &mut resolving.resolved.judges;
    FdLimit::of_this_process().fit(&mut [], judges, usize::MAX, resolving.notices)?;
    Ok(ResolvedJudges {
        judges: resolving.resolved.judges,
        assignment: resolving.resolved.assignment,
        environments: resolving.resolved.environments,
        usual,
        secrets: resolving.resolved.secrets,
    })
}

/// Who judges the answers of a target: whom today's targets file says, or, where it does not have the
/// target, whom the run says that asked it.
fn judge_of(target: &str, place: &Place, ran: &[RanTarget]) -> Result<String, TargetError> {
    let is_listed = place.targets.listed().any(|listed| listed.name == target);
    let judge = match is_listed {
        true => place.targets.judge_of(target, &place.environment)?,
        false => {
            let mut ran = ran.iter();
            let ran = ran.find(|ran| ran.name == target);
            ran.and_then(|ran| ran.judge_target.clone())
        }
    };
    Ok(judge.unwrap_or_else(|| target.to_owned()))
}

fn refused_judge(error: TargetError, file: &str) -> ProjectError {
    ProjectError::with_hint(format!("{error} (judge of cases in `{file}`)"), error.hint)
}

/// What to do about a judge that is not defined.
const DEFINE_JUDGE: &str = "define it in a targets file and name that file with `--targets`";

/// Where targets come from: a targets file, and the variables that it may use.
type PlaceKey = (Option<PathBuf>, Option<PathBuf>, PathBuf);

struct Place {
    key: PlaceKey,
    targets: Targets,
    environment: Environment,
}

/// What the command line says of how targets are found and asked.
#[derive(Clone, Copy)]
pub(crate) struct Asking<'a> {
    pub(crate) project: &'a Project,
    /// The file that defines them, in place of the nearest.
    pub(crate) targets_file: Option<&'a Path>,
    pub(crate) limits: &'a LimitOptions,
    /// How long mocks in their places take, where nobody is asked.
    pub(crate) rehearsal: Option<Delay>,
}

impl Asking<'_> {
    /// Whether a target would run a command that came with the files of others. What the command line
    /// names is the user's own.
    fn forbids(&self, target: &Target) -> bool {
        let runs_commands = facts(&target.kind).is_some_and(|facts| facts.runs_commands);
        self.limits.no_scripts && self.targets_file.is_none() && runs_commands
    }
}

/// What to do about a target that runs a command.
fn trust(place: &Place) -> Option<String> {
    let file = agentv_process::quote(place.targets.file()?);
    Some(format!(
        "read the targets file; if you trust it, add `--targets {file}`"
    ))
}

struct Resolving<'a> {
    asking: Asking<'a>,
    notices: &'a mut dyn Notices,
    places: HashMap<PlaceKey, Arc<Place>>,
    lanes: HashMap<(PlaceKey, String), usize>,
    resolved: ResolvedTargets,
}

impl<'a> Resolving<'a> {
    fn new(asking: Asking<'a>, notices: &'a mut dyn Notices) -> Resolving<'a> {
        Resolving {
            asking,
            notices,
            places: HashMap::new(),
            lanes: HashMap::new(),
            resolved: ResolvedTargets {
                targets: Vec::new(),
                judges: Vec::new(),
                assignment: Assignment::default(),
                environments: HashMap::new(),
                secrets: Secrets::default(),
            },
        }
    }

    /// The targets around an eval file; read once, however many files use them.
    fn place(&mut self, project: &ProjectFolder) -> Result<Arc<Place>, ProjectError> {
        let surroundings = self.asking.project.surroundings_of(project);
        let file = match self.asking.targets_file {
            Some(file) => Some(file.to_owned()),
            None => surroundings.targets_file(),
        };
        let dotenv = surroundings.dotenv_file();
        let key = (file, dotenv, project.root.clone());
        if let Some(place) = self.places.get(&key) {
            return Ok(Arc::clone(place));
        }
        let place = Arc::new(self.read(key.clone(), &surroundings)?);
        self.places.insert(key, Arc::clone(&place));
        Ok(place)
    }

    fn read(&mut self, key: PlaceKey, surroundings: &Surroundings) -> Result<Place, ProjectError> {
        let targets = read(key.0.as_deref(), surroundings, self.notices)?;
        Ok(Place {
            key,
            targets,
            environment: self.variables(surroundings)?,
        })
    }

    /// Gives the scripts of an eval file the variables around it, whose secrets they may print.
    fn surround(&mut self, file: &EvalFile, environment: &Environment) {
        let (secrets, _) = environment.secrets();
        self.resolved.secrets.extend(&secrets);
        let environments = &mut self.resolved.environments;
        environments.insert(file.index, environment.clone());
    }

    /// The variables of this process, and those of the `.env` around an eval file.
    fn variables(&self, surroundings: &Surroundings) -> Result<Environment, ProjectError> {
        let process = self.asking.project.environment();
        match surroundings.dotenv_file() {
            Some(dotenv) => process
                .with_dotenv(&dotenv)
                .map_err(ProjectError::from_error),
            None => Ok(process.clone()),
        }
    }

    /// Makes the judges ready; after all targets, whose places come first.
    fn judges(&mut self, files: &EvalFiles, survey: &Survey) -> Result<(), ProjectError> {
        for ((file, project), judges) in files.projects().zip(&survey.judges) {
            let judged = judges.judged.iter();
            let usual = judged.map(|name| self.usual_judge(file, name));
            let names: BTreeSet<String> = usual.chain(judges.named.iter().cloned()).collect();
            if names.is_empty() {
                continue;
            }
            let place = self.place(project)?;
            for name in names {
                let lane = self.judge_lane(&place, &name, &file.name)?;
                let assignment = &mut self.resolved.assignment;
                assignment.assign(file.index, name, lane);
            }
        }
        Ok(())
    }

    /// The target that judges the answers of the one that a file calls `name`.
    fn usual_judge(&self, file: &EvalFile, name: &str) -> String {
        let at = self.resolved.assignment.target(file.index, name);
        let target = at.and_then(|at| self.resolved.targets.get(at));
        let judge = target.and_then(|target| target.judge_target.clone());
        judge.unwrap_or_else(|| name.to_owned())
    }

    /// The place of a judge, among the targets or behind them.
    fn judge_lane(&mut self, place: &Place, name: &str, file: &str) -> Result<usize, ProjectError> {
        let key = (place.key.clone(), name.to_owned());
        if let Some(lane) = self.lanes.get(&key) {
            return Ok(*lane);
        }
        let target = self.ready(place, name, Some(("judge", file)))?;
        let lane = self.resolved.targets.len() + self.resolved.judges.len();
        self.resolved.judges.push(target);
        self.lanes.insert(key, lane);
        Ok(lane)
    }

    /// The place of a target among those of the run.
    /// `named_in` is the eval file whose cases name it.
    fn lane(
        &mut self,
        place: &Place,
        name: &str,
        named_in: Option<&str>,
    ) -> Result<usize, ProjectError> {
        let key = (place.key.clone(), name.to_owned());
        if let Some(lane) = self.lanes.get(&key) {
            return Ok(*lane);
        }
        let target = self.ready(place, name, named_in.map(|file| ("target", file)))?;
        let lane = self.resolved.targets.len();
        self.resolved.targets.push(target);
        self.lanes.insert(key, lane);
        Ok(lane)
    }

    /// A target that can be asked, within what the command line says; `needed` says as what, and by
    /// which eval file.
    fn ready(
        &mut self,
        place: &Place,
        name: &str,
        needed: Option<(&str, &str)>,
    ) -> Result<Target, ProjectError> {
        let message = |error: String| match needed {
            Some(("judge", file)) => format!("{error} (judge of cases in `{file}`)"),
            Some((_, file)) => format!("{error} (target of cases in `{file}`)"),
            None => error,
        };
        let refused = |error: TargetError| {
            let message = message(error.to_string());
            // What to do about a target that is asked does not help with one that judges.
            let is_missing = !place.targets.knows(name);
            let is_usual = name == Execution::DEFAULT_TARGET || place.targets.file().is_none();
            let hint = match needed {
                Some(("judge", _)) if is_missing && is_usual => Some(DEFINE_JUDGE.to_owned()),
                _ => error.hint,
            };
            ProjectError::with_hint(message, hint)
        };
        // A rehearsal needs no key, but the names must be right, where there are any.
        let rehearsal = self
            .asking
            .rehearsal
            .filter(|_| place.targets.knows(name) || place.targets.file().is_none());
        let mut target = if let Some(delay) = rehearsal {
            place.targets.stand_in(name, delay)
        } else {
            let resolved = place.targets.resolve(name, &place.environment);
            let resolved = resolved.map_err(refused)?;
            if self.asking.forbids(&resolved.target) {
                let why = format!("target `{name}` runs a command, which `--no-scripts` forbids");
                return Err(ProjectError::with_hint(message(why), trust(place)));
            }
            for warning in resolved.warnings {
                self.notices.warn(warning);
            }
            self.resolved.secrets.extend(&resolved.secrets);
            resolved.target
        };
        self.asking.limits.apply(&mut target);
        // Settings are not logged: they may hold secrets.
        let (role, _) = needed.unwrap_or(("target", ""));
        let (provider, limits) = (&target.kind, &target.limits);
        tracing::info!(name, role, %provider, workers = limits.workers, timeout = ?limits.timeout, "target resolved");
        Ok(target)
    }
}
