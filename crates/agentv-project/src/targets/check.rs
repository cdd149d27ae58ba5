//! A check of targets: each one is asked a small question.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use agentv_core::{Cause, Profile, ProviderError, Request, Secrets, Target};
use agentv_dataset::{FileRole, discover};
use agentv_providers::targets_file::unless_needed;
use agentv_providers::{Environment, facts};
use agentv_syntax::{Diagnostic, Severity};
use tokio::task::JoinSet;
use tokio_util::sync::CancellationToken;

use super::known::KnownTargets;
use super::resolver::open_values;
use crate::error::ProjectError;
use crate::notices::Notices;
use crate::project::Project;

const QUESTION: &str = "Reply with the word OK.";

/// A target that can be asked, or the reason why not.
type Checkable = Result<Target, CheckedTarget>;

/// Targets that are about to be checked.
pub struct TargetCheck {
    folder: Arc<Path>,
    targets: Vec<Checkable>,
    secrets: Secrets,
}

/// A target that was asked, or that could not be.
pub struct CheckedTarget {
    /// The name that the user gave it.
    pub name: String,
    /// The name of its provider.
    pub provider: String,
    /// The settings as the provider understood them, if it is that of a model.
    pub profile: Option<Profile>,
    /// The measured times, or the reason why there is no answer.
    pub answered: Result<CheckedAnswer, TargetTrouble>,
}

/// The times of an answer.
#[derive(Debug, Clone, Copy)]
pub struct CheckedAnswer {
    /// The time until the answer.
    pub latency: Duration,
    /// The part of it until the first token, in milliseconds, if the answer was streamed.
    pub first_token_ms: Option<f64>,
}

/// The reason why a target did not answer.
#[derive(Debug, thiserror::Error)]
#[error("{message}")]
pub struct TargetTrouble {
    /// A sentence for the user.
    pub message: String,
    /// A way to solve it.
    pub hint: Option<String>,
}

/// The use of a target for a check.
enum Usability {
    /// It can be asked.
    Usable,
    /// It is not checked, and a warning says why.
    Omitted,
    /// The user named it, and the file describes it wrongly.
    Refused(Vec<Diagnostic>),
}

impl KnownTargets {
    /// Makes the named targets ready, or all targets of the file if none is named. Each one is checked once.
    ///
    /// # Errors
    /// If a name is unknown, or if there is nothing to check.
    pub fn check(
        &self,
        project: &Project,
        names: &[String],
        notices: &mut dyn Notices,
    ) -> Result<TargetCheck, ProjectError> {
        let environment = self.environment(project, notices)?;
        let is_named = !names.is_empty();
        let names = self.names(names, &environment)?;
        let mut secrets = Secrets::default();
        let mut warnings: Vec<String> = Vec::new();
        let mut not_hidden = BTreeSet::new();
        let mut targets = Vec::new();
        let mut refused = Vec::new();
        for name in names {
            match self.usability(&name, is_named, &environment, notices) {
                Usability::Usable => {}
                Usability::Omitted => continue,
                Usability::Refused(problems) => {
                    targets.push(Err(self.refused(name, &problems)));
                    refused.push(problems);
                    continue;
                }
            }
            targets.push(match self.targets.resolve(&name, &environment) {
                Ok(resolved) => {
                    secrets.extend(&resolved.secrets);
                    warnings.extend(resolved.warnings);
                    not_hidden.extend(resolved.not_hidden);
                    Ok(resolved.target)
                }
                Err(error) => Err(CheckedTarget {
                    provider: self.provider_of(&name),
                    name,
                    profile: None,
                    answered: Err(TargetTrouble {
                        message: error.to_string(),
                        hint: error.hint,
                    }),
                }),
            });
        }
        warnings.sort_unstable();
        warnings.dedup();
        warnings.extend(open_values(&not_hidden, &secrets));
        warnings.into_iter().for_each(|text| notices.warn(text));
        if refused.len() == targets.len() && !refused.is_empty() {
            return Err(ProjectError::Problems(refused.concat()));
        }
        // The others are asked all the same.
        let refused = refused.into_iter().flatten();
        refused.for_each(|problem| notices.problem(problem));
        if targets.is_empty() {
            return Err(ProjectError::with_hint(
                "nothing to check: no target can be called",
                "fix what the warnings name, or name a target".to_owned(),
            ));
        }
        let folder = self.eval_folder(project, &targets);
        self.move_to(&folder, &mut targets, &environment);
        Ok(TargetCheck {
            folder: folder.into(),
            targets,
            secrets,
        })
    }

    /// Makes the targets that run commands ready for another folder than that of the check.
    fn move_to(&self, folder: &Path, targets: &mut [Checkable], environment: &Environment) {
        if folder == self.surroundings.folder {
            return;
        }
        let runs_commands = |target: &&mut Target| target.provider.runs_commands();
        for target in targets.iter_mut().flatten().filter(runs_commands) {
            let moved = self.targets.resolve_in(folder, &target.name, environment);
            // It was ready before, and only its folder is another.
            if let Ok(moved) = moved {
                *target = moved.target;
            }
        }
    }

    /// Returns a target that the file describes wrongly.
    fn refused(&self, name: String, problems: &[Diagnostic]) -> CheckedTarget {
        let is_error = |problem: &&Diagnostic| problem.severity() != Severity::Warning;
        let problem = problems.iter().find(is_error);
        let message = problem.map(|problem| problem.problem.message.clone());
        CheckedTarget {
            provider: self.provider_of(&name),
            name,
            profile: None,
            answered: Err(TargetTrouble {
                message: message.unwrap_or_default(),
                hint: None,
            }),
        }
    }

    /// Checks that a target can be called. One that was not named and cannot be used here gets a warning:
    /// the file may have been written for another version or another machine.
    fn usability(
        &self,
        name: &str,
        is_named: bool,
        environment: &Environment,
        notices: &mut dyn Notices,
    ) -> Usability {
        let problems = self.targets.problems_of(name).into_iter().cloned();
        let is_error = |problem: &Diagnostic| problem.severity() != Severity::Warning;
        let problems: Vec<Diagnostic> = problems.collect();
        let is_usable = !problems.iter().any(is_error);
        let problems: Vec<Diagnostic> = if is_named {
            problems
        } else {
            problems.into_iter().map(unless_needed).collect()
        };
        if problems.iter().any(is_error) {
            return Usability::Refused(problems);
        }
        for problem in problems {
            notices.problem(problem);
        }
        if !is_usable {
            return Usability::Omitted;
        }
        if is_named {
            return Usability::Usable;
        }
        match self.targets.resolve(name, environment) {
            Err(error) if error.is_missing_variable => {
                notices.warn(error.to_string());
                Usability::Omitted
            }
            _ => Usability::Usable,
        }
    }

    /// Returns the folder that commands start from: as in a run, that of the eval files. Of several, the
    /// first one where every command finds its folder.
    fn eval_folder(&self, project: &Project, targets: &[Checkable]) -> PathBuf {
        let commands: Vec<&Target> = targets
            .iter()
            .flatten()
            .filter(|target| {
                target.provider.runs_commands()
                    || facts(&target.kind).is_some_and(|facts| facts.runs_commands)
            })
            .collect();
        let usual = self.surroundings.folder.clone();
        if commands.is_empty() {
            return usual;
        }
        let found = discover(std::slice::from_ref(&self.surroundings.root));
        let files = found.map(|found| found.files).unwrap_or_default();
        let evals = files.iter().filter(|file| file.role == FileRole::EvalFile);
        let mut folders: Vec<PathBuf> = Vec::new();
        for file in evals {
            let folder = file.path.parent().unwrap_or(Path::new("."));
            let Ok(folder) = project.working_dir().join(folder).canonicalize() else {
                continue;
            };
            if !folders.contains(&folder) {
                folders.push(folder);
            }
        }
        let has_all = |folder: &&PathBuf| {
            let mut cwds = commands
                .iter()
                .filter_map(|target| target.settings.get("cwd"));
            cwds.all(|cwd| cwd.as_str().is_none_or(|cwd| folder.join(cwd).is_dir()))
        };
        let fitting = folders.iter().find(has_all).or(folders.first());
        fitting.cloned().unwrap_or(usual)
    }

    fn names(
        &self,
        named: &[String],
        environment: &Environment,
    ) -> Result<Vec<String>, ProjectError> {
        if named.is_empty() {
            let listed = self.targets.listed().map(|target| target.name.to_owned());
            let listed: Vec<String> = listed.collect();
            if listed.is_empty() {
                return Err(ProjectError::with_hint(
                    "nothing to check: no targets.yaml found",
                    "name a target, such as `agentv targets check openai:gpt-5`".to_owned(),
                ));
            }
            return Ok(listed);
        }
        let unknown = named.iter().filter(|name| !self.targets.knows(name));
        let errors = unknown.filter_map(|name| self.targets.resolve(name, environment).err());
        let errors: Vec<_> = errors.collect();
        if !errors.is_empty() {
            return Err(ProjectError::UnknownTargets(errors));
        }
        let mut names: Vec<String> = Vec::new();
        for name in named {
            if !names.contains(name) {
                names.push(name.clone());
            }
        }
        Ok(names)
    }

    fn provider_of(&self, name: &str) -> String {
        let listed = self.targets.listed().find(|target| target.name == name);
        match listed {
            Some(target) => target.kind.to_owned(),
            None => name.split(':').next().unwrap_or_default().to_owned(),
        }
    }
}

impl TargetCheck {
    /// Returns the values that must not be shown.
    pub fn secrets(&self) -> Secrets {
        self.secrets.clone()
    }

    /// Asks all targets at the same time. Returns them in their order.
    pub async fn ask(self, timeout: Duration) -> Vec<CheckedTarget> {
        let mut asking = JoinSet::new();
        for (index, target) in self.targets.into_iter().enumerate() {
            let folder = Arc::clone(&self.folder);
            asking.spawn(async move {
                let checked = match target {
                    Ok(target) => CheckedTarget {
                        answered: ask(&target, folder, timeout).await,
                        profile: target.provider.profile(),
                        name: target.name,
                        provider: target.kind,
                    },
                    Err(checked) => checked,
                };
                (index, checked)
            });
        }
        let mut checked = asking.join_all().await;
        checked.sort_by_key(|(index, _)| *index);
        checked.into_iter().map(|(_, checked)| checked).collect()
    }
}

async fn ask(
    target: &Target,
    folder: Arc<Path>,
    timeout: Duration,
) -> Result<CheckedAnswer, TargetTrouble> {
    let request = Request {
        eval_id: "check".to_owned(),
        ..Request::of_text(QUESTION, folder, timeout)
    };
    let cancel = CancellationToken::new();
    let is_recording = facts(&target.kind).is_some_and(|facts| facts.is_recording);
    let batch = target.provider.batch();
    let reads_cases = batch.is_some_and(|batch| !batch.gets_requests());
    let asking = async {
        target.provider.prepare(&cancel).await?;
        let started = Instant::now();
        let first_token_ms = match target.provider.answer(&request, &cancel).await {
            // A recording that can be read is fine, and so is a command that answered the cases of the
            // eval file: they have no answer to this question.
            Err(error) if (is_recording || reads_cases) && error.cause == Cause::Missing => None,
            answer => answer?.first_token_ms,
        };
        Ok::<_, ProviderError>(CheckedAnswer {
            latency: started.elapsed(),
            first_token_ms,
        })
    };
    // A command has the same timeout, and its own error says more.
    let a_moment_later = timeout.saturating_add(Duration::from_millis(200));
    let patience = timeout.saturating_add(Duration::from_secs(15));
    let answered = tokio::time::timeout(patience, within(a_moment_later, &cancel, asking)).await;
    target.provider.end().await;
    match answered.unwrap_or_default() {
        Some(Ok(answer)) => Ok(answer),
        Some(Err(error)) => Err(TargetTrouble {
            message: error.message,
            hint: None,
        }),
        None => Err(TargetTrouble {
            message: format!("no answer within {timeout:?}"),
            hint: Some("`--timeout` raises the limit".to_owned()),
        }),
    }
}

/// Cancels the work when the time is over and waits until it ends; `None` if it was cancelled.
async fn within<T>(
    timeout: Duration,
    cancel: &CancellationToken,
    asking: impl Future<Output = Result<T, ProviderError>>,
) -> Option<Result<T, ProviderError>> {
    tokio::pin!(asking);
    tokio::select! {
        answered = &mut asking => return Some(answered),
        () = tokio::time::sleep(timeout) => cancel.cancel(),
    }
    match asking.await {
        Err(error) if error.cause == Cause::Cancelled => None,
        answered => Some(answered),
    }
}
