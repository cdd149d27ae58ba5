//! Targets of a run, made ready one by one.

use std::collections::{BTreeSet, HashMap};
use std::path::PathBuf;
use std::sync::Arc;

use agentv_core::{Digest, Execution, Secrets, Target};
use agentv_dataset::Project as ProjectFolder;
use agentv_providers::{Environment, OpenValue, Surroundings, TargetError, Targets};
use agentv_runner::{Assignment, EvalFile};
use agentv_syntax::{Diagnostic, Severity};

use super::known::{read, warn_of_lines, with_dotenv};
use super::need::Need;
use super::open_suite::OpenSuite;
use super::options::TargetOptions;
use super::program::ProgramReader;
use crate::error::ProjectError;
use crate::notices::Notices;
use crate::worker::WorkerLane;

/// The advice for a judge that is not defined.
const DEFINE_JUDGE: &str = "define it in a targets file and name that file with `--targets`";

/// The targets and judges of a run, and the assignment of cases to them.
pub(crate) struct ResolvedTargets {
    pub(crate) targets: Vec<Target>,
    /// Targets that only judge.
    pub(crate) judges: Vec<Target>,
    pub(crate) assignment: Assignment,
    /// The variables of each eval file, by its index.
    pub(crate) environments: HashMap<usize, Environment>,
    pub(crate) secrets: Secrets,
    /// The values that are not hidden in some place.
    pub(super) not_hidden: BTreeSet<OpenValue>,
    /// The files that define the targets and their variables, and the programs of the targets.
    pub(crate) read_files: Vec<PathBuf>,
    /// The `.env` files among them.
    dotenv_files: Vec<PathBuf>,
}

impl ResolvedTargets {
    /// Returns the files that workers on other machines need: all but those with variables.
    pub(crate) fn shared_files(&self) -> Vec<PathBuf> {
        let files = self.read_files.iter();
        let shared = files.filter(|file| !self.dotenv_files.contains(file));
        shared.cloned().collect()
    }

    /// Returns the targets and judges as workers on other machines need them.
    pub(crate) fn worker_lanes(&self) -> Vec<WorkerLane> {
        let lanes = self.targets.iter().chain(&self.judges).enumerate();
        let lanes = lanes.map(|(position, target)| {
            let limits = &target.limits;
            WorkerLane {
                name: target.name.clone(),
                uses: self.assignment.uses_of(position),
                has_shared_limits: limits.has_own_workers
                    || limits.requests_per_minute.is_some()
                    || limits.tokens_per_minute.is_some(),
            }
        });
        lanes.collect()
    }
}

/// The files that define what a name of a target means: places with equal keys have equal targets.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(super) struct PlaceKey {
    targets_file: Option<PathBuf>,
    dotenv_file: Option<PathBuf>,
    root: PathBuf,
    /// The suite that defines targets of its own.
    suite: Option<PathBuf>,
    /// The judge of targets that name none.
    pub(super) judge: Option<String>,
}

/// The targets and variables around an eval file.
pub(super) struct TargetsPlace {
    pub(super) key: PlaceKey,
    pub(super) targets: Targets,
    pub(super) environment: Environment,
}

/// A resolver of targets. It reads each targets file once and resolves each target once.
pub(super) struct Resolver<'a> {
    options: TargetOptions<'a>,
    pub(super) notices: &'a mut dyn Notices,
    places: HashMap<PlaceKey, Arc<TargetsPlace>>,
    /// The position of each target among the lanes of the run: targets first, then judges.
    lanes: HashMap<(PlaceKey, String), usize>,
    /// The first name of each kind of provider and settings.
    identities: HashMap<(PlaceKey, String, Digest), String>,
    /// The first name with the same settings, by name.
    meanings: HashMap<(PlaceKey, String), String>,
    programs: ProgramReader,
    /// The suites that define targets of their own, by the index of the eval file.
    pub(super) suites: HashMap<usize, OpenSuite<'a>>,
    /// Set while targets are made ready that the request does not need: nothing is said about them.
    pub(super) is_silent: bool,
    pub(super) resolved: ResolvedTargets,
}

impl<'a> Resolver<'a> {
    pub(super) fn new(options: TargetOptions<'a>, notices: &'a mut dyn Notices) -> Resolver<'a> {
        Resolver {
            options,
            notices,
            places: HashMap::new(),
            lanes: HashMap::new(),
            identities: HashMap::new(),
            meanings: HashMap::new(),
            programs: ProgramReader::default(),
            suites: HashMap::new(),
            is_silent: false,
            resolved: ResolvedTargets {
                targets: Vec::new(),
                judges: Vec::new(),
                assignment: Assignment::default(),
                environments: HashMap::new(),
                secrets: Secrets::default(),
                not_hidden: BTreeSet::new(),
                read_files: Vec::new(),
                dotenv_files: Vec::new(),
            },
        }
    }

    /// Returns everything that was made ready.
    pub(super) fn finish(self) -> ResolvedTargets {
        let mut resolved = self.resolved;
        resolved.read_files.extend(self.programs.into_files());
        resolved
    }

    /// Returns the targets and variables around an eval file.
    pub(super) fn place(
        &mut self,
        file: &EvalFile,
        folder: &ProjectFolder,
    ) -> Result<Arc<TargetsPlace>, ProjectError> {
        let suite = self.suites.get(&file.index).copied();
        let surroundings = self.options.project.surroundings_of(folder);
        let named = self.options.file.map(ToOwned::to_owned);
        let key = PlaceKey {
            targets_file: named.or_else(|| surroundings.targets_file()),
            dotenv_file: surroundings.dotenv_file(),
            root: folder.root.clone(),
            suite: suite.map(|suite| suite.path.to_owned()),
            judge: folder.judge_target(),
        };
        if let Some(place) = self.places.get(&key) {
            return Ok(Arc::clone(place));
        }
        let targets_file = key.targets_file.iter().cloned();
        self.resolved.read_files.extend(targets_file);
        let mut targets = read(key.targets_file.as_deref(), &surroundings, self.notices)?;
        if let Some(suite) = suite {
            suite.add_to(&mut targets, &folder.folder);
        }
        let place = Arc::new(TargetsPlace {
            targets,
            environment: self.variables(&surroundings)?,
            key: key.clone(),
        });
        self.places.insert(key, Arc::clone(&place));
        Ok(place)
    }

    /// Returns the variables of the process, and those of the `.env` file around an eval file.
    pub(super) fn variables(
        &mut self,
        surroundings: &Surroundings,
    ) -> Result<Environment, ProjectError> {
        let project = self.options.project;
        let Some(dotenv) = surroundings.dotenv_file() else {
            return Ok(project.environment().clone());
        };
        let variables = with_dotenv(project, &dotenv)?;
        if !self.resolved.read_files.contains(&dotenv) {
            warn_of_lines(&variables, project, self.notices);
        }
        self.resolved.dotenv_files.push(dotenv.clone());
        self.resolved.read_files.push(dotenv);
        Ok(variables)
    }

    /// Passes the variables around an eval file to its scripts, and hides their secrets.
    pub(super) fn set_environment(&mut self, file: &EvalFile, environment: &Environment) {
        let (secrets, not_hidden) = environment.secrets();
        self.resolved.secrets.extend(&secrets);
        self.resolved.not_hidden.extend(not_hidden);
        let environments = &mut self.resolved.environments;
        environments.insert(file.index, environment.clone());
    }

    /// Makes a target ready, and assigns the cases of `file` that name it.
    pub(super) fn assign_target(
        &mut self,
        place: &TargetsPlace,
        file: &EvalFile,
        name: &str,
        need: Need<'_>,
    ) -> Result<(), ProjectError> {
        let lane = match self.known_lane(place, name) {
            Some(lane) => lane,
            None => {
                let target = self.ready(place, name, need)?;
                self.resolved.targets.push(target);
                self.add_lane(place, name, self.resolved.targets.len() - 1)
            }
        };
        self.note_alias(place, file, name);
        self.assign(file, name, lane);
        Ok(())
    }

    /// Notes the target that a name stands for: the one that it uses, or one with the same settings.
    pub(super) fn note_alias(&mut self, place: &TargetsPlace, file: &EvalFile, name: &str) {
        let Ok(used) = place.targets.used(name, &place.environment) else {
            return;
        };
        let meant = self.same_as(place, used);
        if meant != name {
            let aliases = &mut self.resolved.assignment.aliases;
            let of_file = aliases.entry(file.index).or_default();
            of_file.insert(name.to_owned(), meant);
        }
    }

    /// Returns the first name of the request that has the settings of this one.
    fn same_as(&mut self, place: &TargetsPlace, name: String) -> String {
        let key = (place.key.clone(), name);
        if let Some(known) = self.meanings.get(&key) {
            return known.clone();
        }
        // In a dry run, mocks replace all targets.
        let is_dry = self.options.dry_run.is_some();
        let resolved = place.targets.resolve(&key.1, &place.environment);
        let Some(target) = resolved.ok().filter(|_| !is_dry).map(|found| found.target) else {
            return key.1;
        };
        let identity = (place.key.clone(), target.kind, target.settings_digest);
        let first = self.identities.entry(identity);
        let first = first.or_insert_with(|| key.1.clone()).clone();
        self.meanings.insert(key, first.clone());
        first
    }

    /// Makes a judge ready, and assigns the evaluators of `file` that call it `name`. All targets must be
    /// ready before the first judge: judges have the lanes after them.
    pub(super) fn assign_judge(
        &mut self,
        place: &TargetsPlace,
        file: &EvalFile,
        name: &str,
        judge: &str,
    ) -> Result<(), ProjectError> {
        let lane = match self.known_lane(place, judge) {
            Some(lane) => lane,
            None => {
                let target = self.ready(place, judge, Need::JudgeOf(&file.name))?;
                self.resolved.judges.push(target);
                let lanes = self.resolved.targets.len() + self.resolved.judges.len();
                self.add_lane(place, judge, lanes - 1)
            }
        };
        self.note_alias(place, file, judge);
        self.assign(file, name, lane);
        Ok(())
    }

    /// Assigns the target that `file` calls `name`, with its program.
    fn assign(&mut self, file: &EvalFile, name: &str, lane: usize) {
        let resolved = &mut self.resolved;
        let mut targets = resolved.targets.iter().chain(&resolved.judges);
        let assignment = &mut resolved.assignment;
        assignment.assign(file.index, name.to_owned(), lane);
        let key = (file.index, lane);
        if let Some(target) = targets
            .nth(lane)
            .filter(|_| !assignment.programs.contains_key(&key))
        {
            let (program, warnings) = self.programs.read(target, &file.folder);
            if !self.is_silent {
                let warnings = warnings.into_iter();
                warnings.for_each(|text| self.notices.warn(text));
            }
            assignment.programs.insert(key, program);
        }
    }

    /// Warns about the values that are not removed from results.
    pub(super) fn warn_of_open_values(&mut self) {
        let resolved = &self.resolved;
        if let Some(warning) = open_values(&resolved.not_hidden, &resolved.secrets) {
            self.notices.warn(warning);
        }
    }

    fn known_lane(&self, place: &TargetsPlace, name: &str) -> Option<usize> {
        let key = (place.key.clone(), name.to_owned());
        self.lanes.get(&key).copied()
    }

    fn add_lane(&mut self, place: &TargetsPlace, name: &str, lane: usize) -> usize {
        let key = (place.key.clone(), name.to_owned());
        self.lanes.insert(key, lane);
        lane
    }

    /// Makes a target ready to be asked, within the limits of the request.
    pub(super) fn ready(
        &mut self,
        place: &TargetsPlace,
        name: &str,
        need: Need<'_>,
    ) -> Result<Target, ProjectError> {
        self.report_problems(place, name)?;
        // A dry run needs no key, but names must be right if there is a targets file.
        let is_plausible = place.targets.knows(name) || place.targets.file().is_none();
        let mut target = match self.options.dry_run.filter(|_| is_plausible) {
            Some(delay) => {
                let environment = &place.environment;
                let (target, secrets) = place.targets.stand_in(name, delay, environment);
                self.resolved.secrets.extend(&secrets);
                target
            }
            None => self.resolve(place, name, need)?,
        };
        self.options.limits.apply(&mut target);
        let chosen = self.options.judge.map(str::to_owned);
        let named = chosen.or(target.judge_target.take());
        target.judge_target = named.or_else(|| place.key.judge.clone());
        // Settings are not logged: they may hold secrets.
        tracing::info!(
            name,
            role = need.role(),
            provider = target.kind,
            workers = target.limits.workers,
            timeout = ?target.limits.timeout,
            "target resolved"
        );
        Ok(target)
    }

    /// Reports the problems of a target that is needed.
    fn report_problems(&mut self, place: &TargetsPlace, name: &str) -> Result<(), ProjectError> {
        let problems = place.targets.problems_of(name);
        let is_error = |problem: &&Diagnostic| problem.severity() != Severity::Warning;
        if problems.iter().any(is_error) {
            let problems = problems.into_iter().cloned();
            return Err(ProjectError::Problems(problems.collect()));
        }
        for problem in problems.into_iter().filter(|_| !self.is_silent) {
            self.notices.problem(problem.clone());
        }
        Ok(())
    }

    fn resolve(
        &mut self,
        place: &TargetsPlace,
        name: &str,
        need: Need<'_>,
    ) -> Result<Target, ProjectError> {
        let resolved = place.targets.resolve(name, &place.environment);
        let resolved = resolved.map_err(|error| unresolved(place, name, need, error))?;
        if self.options.forbid(&resolved.target) {
            let reason = format!("target `{name}` runs a command, which `--no-scripts` forbids");
            return Err(ProjectError::with_hint(
                need.explain(reason),
                advice_to_trust(place),
            ));
        }
        for warning in resolved.warnings.into_iter().filter(|_| !self.is_silent) {
            self.notices.warn(warning);
        }
        self.resolved.secrets.extend(&resolved.secrets);
        self.resolved.not_hidden.extend(resolved.not_hidden);
        Ok(resolved.target)
    }
}

/// Returns a warning about values that are not removed from results, by their names.
pub(super) fn open_values(values: &BTreeSet<OpenValue>, secrets: &Secrets) -> Option<String> {
    let open = values.iter().filter(|value| !value.is_hidden_by(secrets));
    let mut names: Vec<&str> = open.map(|value| value.name.as_str()).collect();
    names.dedup();
    let (whose, are) = match names.as_slice() {
        [] => return None,
        [_] => (
            "the value of",
            "it is short, or reads like a word or a path",
        ),
        _ => (
            "the values of",
            "they are short, or read like words or paths",
        ),
    };
    let names = names.join(", ");
    Some(format!(
        "{whose} {names} will not be removed from results and reports: {are}"
    ))
}

fn unresolved(
    place: &TargetsPlace,
    name: &str,
    need: Need<'_>,
    error: TargetError,
) -> ProjectError {
    let is_missing = !place.targets.knows(name);
    let is_usual = name == Execution::DEFAULT_TARGET || place.targets.file().is_none();
    let hint = match need {
        // The advice for a target that answers does not help with one that judges.
        Need::JudgeOf(_) if is_missing && is_usual => Some(DEFINE_JUDGE.to_owned()),
        _ => error.hint.clone(),
    };
    ProjectError::with_hint(need.explain(error), hint)
}

/// Returns the advice for a target that runs a command.
fn advice_to_trust(place: &TargetsPlace) -> Option<String> {
    let file = agentv_process::quote(place.targets.file()?);
    Some(format!(
        "read the targets file; if you trust it, add `--targets {file}`"
    ))
}
