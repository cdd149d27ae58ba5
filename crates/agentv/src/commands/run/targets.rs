//! The targets of a run, ready to be asked.

use std::collections::{BTreeSet, HashMap};
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use agentv_core::{Secrets, Target};
use agentv_dataset::Project;
use agentv_providers::{Delay, Environment, Surroundings, TargetError, Targets};
use agentv_runner::{Assignment, EvalFile, Survey};

use super::files::EvalFiles;
use super::plan::Plan;
use super::refused::Refused;
use crate::arguments::RunArguments;
use crate::diagnostics::Teller;
use crate::output;

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
    arguments: &RunArguments,
    plan: &Plan,
    files: &EvalFiles,
    survey: &Survey,
) -> Result<ResolvedTargets, Refused> {
    let mut resolving = Resolving {
        arguments,
        working_dir: std::env::current_dir()
            .and_then(std::fs::canonicalize)
            .unwrap_or_default(),
        process: Environment::of_process(),
        places: HashMap::new(),
        lanes: HashMap::new(),
        resolved: ResolvedTargets {
            targets: Vec::new(),
            judges: Vec::new(),
            assignment: Assignment {
                chosen: plan.chosen_targets.clone(),
                ..Assignment::default()
            },
            environments: HashMap::new(),
            secrets: Secrets::default(),
        },
    };
    for ((file, project), names) in files.projects().zip(&survey.targets) {
        if names.is_empty() {
            continue;
        }
        let place = resolving.place(project)?;
        resolving.surround(file, &place);
        for name in names {
            let named_in = plan.chosen_targets.is_empty().then_some(&*file.name);
            let lane = resolving.lane(&place, name, named_in)?;
            let assigned = &mut resolving.resolved.assignment.targets;
            assigned.insert((file.index, name.clone()), lane);
        }
    }
    if !arguments.dry_run {
        resolving.judges(files, survey)?;
    }
    Ok(resolving.resolved)
}

/// Where targets come from: a targets file, and the variables that it may use.
type PlaceKey = (Option<PathBuf>, Option<PathBuf>, PathBuf);

struct Place {
    key: PlaceKey,
    targets: Targets,
    environment: Environment,
}

struct Resolving<'a> {
    arguments: &'a RunArguments,
    working_dir: PathBuf,
    process: Environment,
    places: HashMap<PlaceKey, Arc<Place>>,
    lanes: HashMap<(PlaceKey, String), usize>,
    resolved: ResolvedTargets,
}

impl Resolving<'_> {
    /// The targets around an eval file; read once, however many files use them.
    fn place(&mut self, project: &Project) -> Result<Arc<Place>, Refused> {
        let surroundings = Surroundings {
            folder: project.folder.clone(),
            root: project.root.clone(),
            working_dir: self.working_dir.clone(),
        };
        let file = match &self.arguments.targets {
            Some(file) => Some(file.clone()),
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

    fn read(&self, key: PlaceKey, surroundings: &Surroundings) -> Result<Place, Refused> {
        let targets = match &key.0 {
            Some(file) => {
                let shown = file.strip_prefix(&self.working_dir).unwrap_or(file);
                let shown: Arc<str> = shown.to_string_lossy().into();
                Targets::read(file, &shown, surroundings).map_err(Refused::diagnostics)?
            }
            None => Targets::built_in(surroundings),
        };
        let teller = Teller::for_loading();
        targets
            .warnings()
            .iter()
            .for_each(|warning| teller.tell_error(warning));
        let environment = match &key.1 {
            Some(dotenv) => self
                .process
                .with_dotenv(dotenv)
                .map_err(|error| Refused::because(error.to_string()))?,
            None => self.process.clone(),
        };
        Ok(Place {
            key,
            targets,
            environment,
        })
    }

    /// Gives the scripts of an eval file the variables around it, whose secrets they may print.
    fn surround(&mut self, file: &EvalFile, place: &Place) {
        let (secrets, _) = place.environment.secrets();
        self.resolved.secrets.extend(&secrets);
        let environments = &mut self.resolved.environments;
        environments.insert(file.index, place.environment.clone());
    }

    /// Makes the judges ready; after all targets, whose places come first.
    fn judges(&mut self, files: &EvalFiles, survey: &Survey) -> Result<(), Refused> {
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
                let assigned = &mut self.resolved.assignment.targets;
                assigned.insert((file.index, name), lane);
            }
        }
        Ok(())
    }

    /// The target that judges the answers of the one that a file calls `name`.
    fn usual_judge(&self, file: &EvalFile, name: &str) -> String {
        let assigned = &self.resolved.assignment.targets;
        let at = assigned.get(&(file.index, name.to_owned()));
        let target = at.and_then(|at| self.resolved.targets.get(*at));
        let judge = target.and_then(|target| target.judge_target.clone());
        judge.unwrap_or_else(|| name.to_owned())
    }

    /// The place of a judge, among the targets or behind them.
    fn judge_lane(&mut self, place: &Place, name: &str, file: &str) -> Result<usize, Refused> {
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
    ) -> Result<usize, Refused> {
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
    ) -> Result<Target, Refused> {
        let refused = |error: TargetError| {
            let message = match needed {
                Some(("judge", file)) => format!("{error} (judges cases of `{file}`)"),
                Some((_, file)) => format!("{error} (asked by cases of `{file}`)"),
                None => error.to_string(),
            };
            Refused::with_hint(message, error.hint)
        };
        // A rehearsal needs no key, but the names must be right, where there are any.
        let rehearsed =
            self.arguments.dry_run && (place.targets.knows(name) || place.targets.file().is_none());
        let mut target = if rehearsed {
            place.targets.stand_in(name, delay(self.arguments))
        } else {
            let resolved = place.targets.resolve(name, &place.environment);
            let resolved = resolved.map_err(refused)?;
            resolved
                .warnings
                .iter()
                .for_each(|warning| output::warning(warning));
            self.resolved.secrets.extend(&resolved.secrets);
            resolved.target
        };
        limit(&mut target, self.arguments);
        Ok(target)
    }
}

/// What the command line says goes before what the targets file says.
fn limit(target: &mut Target, arguments: &RunArguments) {
    let limits = &mut target.limits;
    if let Some(workers) = arguments.workers {
        limits.workers = usize::try_from(workers).unwrap_or(usize::MAX);
    }
    if let Some(timeout) = arguments.timeout {
        limits.timeout = timeout;
    }
    if let Some(max_retries) = arguments.max_retries {
        limits.retry.max_retries = max_retries;
    }
}

fn delay(arguments: &RunArguments) -> Delay {
    let fixed = arguments.dry_run_delay;
    let shortest = fixed.or(arguments.dry_run_delay_min).unwrap_or_default();
    let longest = fixed.or(arguments.dry_run_delay_max).unwrap_or(shortest);
    Delay {
        min: Duration::from_millis(shortest),
        max: Duration::from_millis(longest.max(shortest)),
    }
}
