//! The targets that a run can ask: those of a file, and the built-in ones.

use std::cell::RefCell;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use agentv_core::{Digest, Execution, Secrets, Target};
use agentv_syntax::{Code, Diagnostic, Severity};

use super::aliases::canonical;
use super::built_in;
use super::entry::{Entry, entries, entries_of, text_of};
use super::error::TargetError;
use super::fields::{FieldError, Fields, fill, snake_case};
use super::limits::limits;
use super::settings::{SettingError, Settings};
use super::stand_in::{self, Delay};
use crate::kinds::ProviderKind;
use crate::secrets::OpenValue;
use crate::{Environment, SuiteProviders, Surroundings, targets_file};

/// The fields that cannot change the answers of a target: they set how fast and how often it is asked,
/// and which target judges it.
const NOT_IN_ANSWERS: &[&str] = &[
    "name",
    "provider",
    "judge_target",
    "workers",
    "timeout_seconds",
    "requests_per_minute",
    "tokens_per_minute",
    "max_retries",
    "retry_initial_delay_ms",
    "retry_max_delay_ms",
    "retry_backoff_factor",
    "retry_status_codes",
    "delay_ms",
    "delay_min_ms",
    "delay_max_ms",
    "healthcheck",
    "keep_temp_files",
    // The files count, and not the patterns that find them.
    "inputs",
    "verbose",
    "price",
    "stream",
    "idle_seconds",
    "proxy",
];

/// The field that names another target to use in place of this one.
pub(crate) const USE_TARGET: &str = "use_target";

const JUDGE_TARGET: &str = "judge_target";

/// The most names that lead from one target to another.
const MOST_ALIASES: usize = 10;

/// The targets that a run can ask: those of a file, if there is one, and the built-in ones.
///
/// ```
/// use agentv_providers::{Environment, Surroundings, Targets};
///
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let folder = std::env::current_dir()?;
/// let surroundings = Surroundings {
///     root: folder.clone(),
///     working_dir: folder.clone(),
///     folder,
/// };
/// let targets = Targets::built_in(&surroundings);
/// let resolved = targets.resolve("echo", &Environment::default())?;
/// assert_eq!(resolved.target.kind, "echo");
/// let unknown = targets.resolve("ecko", &Environment::default()).unwrap_err();
/// assert_eq!(unknown.hint.as_deref(), Some("did you mean `echo`?"));
/// # Ok(())
/// # }
/// ```
#[derive(Debug)]
pub struct Targets {
    file: Option<File>,
    /// The suite that defines targets of its own.
    suite: Option<File>,
    surroundings: Surroundings,
}

#[derive(Debug)]
struct File {
    shown: Arc<str>,
    folder: PathBuf,
    entries: Vec<Entry>,
    warnings: Vec<Diagnostic>,
}

/// A target of a file, as a list shows it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ListedTarget<'t> {
    /// The name of the target.
    pub name: &'t str,
    /// The kind of the provider, or its name in the file if there is no such kind.
    pub kind: &'t str,
    /// The model, as it is written.
    pub model: Option<&'t str>,
    /// The line, from 1, on which the target begins.
    pub line: u64,
}

/// A target that is ready to be asked.
#[derive(Debug)]
pub struct ResolvedTarget {
    /// The target.
    pub target: Target,
    /// The values that must not be written anywhere.
    pub secrets: Secrets,
    /// The values that are not hidden, because they are short or read like words.
    pub not_hidden: Vec<OpenValue>,
    /// Warnings for the user.
    pub warnings: Vec<String>,
}

impl Targets {
    /// Returns the built-in targets: `echo`, `mock` and `VENDOR:MODEL`.
    pub fn built_in(surroundings: &Surroundings) -> Targets {
        Targets {
            file: None,
            suite: None,
            surroundings: surroundings.clone(),
        }
    }

    /// Reads the targets of the file at `path`, which the user knows as `shown`, and adds the built-in
    /// ones.
    ///
    /// The problems of single targets matter only to a run that [needs](Self::problems_of) them.
    ///
    /// # Errors
    /// If the file cannot be used. The diagnostics list everything that is wrong with the file as a
    /// whole, in the order of its lines.
    pub fn read(
        path: &Path,
        shown: &Arc<str>,
        surroundings: &Surroundings,
    ) -> Result<Targets, Vec<Diagnostic>> {
        let source =
            text_of(path, shown).map_err(|problem| vec![Diagnostic::of_file(shown, problem)])?;
        let problems = targets_file::inspect(&source, shown);
        let of_file = problems.iter().filter(|problem| problem.target.is_none());
        let warnings: Vec<Diagnostic> = of_file.map(|problem| problem.diagnostic.clone()).collect();
        if warnings.iter().any(is_refusal) {
            return Err(warnings);
        }
        let folder = path.parent().unwrap_or(Path::new("."));
        let folder = if folder.as_os_str().is_empty() {
            surroundings.working_dir.clone()
        } else {
            surroundings.working_dir.join(folder)
        };
        Ok(Targets {
            file: Some(File {
                shown: Arc::clone(shown),
                folder,
                entries: entries(&source, &problems),
                warnings,
            }),
            suite: None,
            surroundings: surroundings.clone(),
        })
    }

    /// Adds the targets that a suite in `folder` defines itself. They come before others of the same name.
    pub fn add_suite(&mut self, suite: SuiteProviders<'_>, folder: &Path) {
        let translated = targets_file::translated(suite);
        let root = translated.tree.root();
        self.suite = Some(File {
            shown: Arc::clone(suite.file),
            folder: folder.to_owned(),
            entries: entries_of(root, &translated.lines, &translated.problems),
            warnings: Vec::new(),
        });
    }

    /// Returns the problems of the targets that a suite defines, as they matter where nothing needs them.
    pub fn problems_of_suite(&self) -> Vec<Diagnostic> {
        let entries = self.suite.iter().flat_map(|suite| &suite.entries);
        let problems = entries.flat_map(|entry| &entry.problems);
        let warnings = problems.cloned().map(|mut problem| {
            problem.problem.severity = Severity::Warning;
            if problem.problem.code == Code::Unsupported {
                problem.problem.code = Code::UnusableTarget;
            }
            targets_file::unless_needed(problem)
        });
        warnings.collect()
    }

    /// Returns the problems of the target of this name, in the order of the file. It can be used if all
    /// of them are warnings.
    pub fn problems_of(&self, name: &str) -> Vec<&Diagnostic> {
        let Some((file, _)) = self.found(name) else {
            return Vec::new();
        };
        let named = file.entries.iter().filter(|entry| entry.name == name);
        named.flat_map(|entry| &entry.problems).collect()
    }

    /// Returns the warnings about the file as a whole.
    pub fn warnings(&self) -> &[Diagnostic] {
        self.file.as_ref().map_or(&[], |file| &file.warnings)
    }

    /// Returns the name of the file, as the user knows it.
    pub fn file(&self) -> Option<&Arc<str>> {
        self.file.as_ref().map(|file| &file.shown)
    }

    /// Returns the targets of the file, in its order.
    pub fn listed(&self) -> impl Iterator<Item = ListedTarget<'_>> {
        self.entries().iter().map(|entry| ListedTarget {
            name: &entry.name,
            kind: entry
                .kind
                .map_or(entry.provider.as_str(), |kind| kind.kind.name),
            model: entry.model(),
            line: entry.line,
        })
    }

    /// Checks whether there is a target of this name.
    pub fn knows(&self, name: &str) -> bool {
        self.entry(name).is_some() || built_in::exists(name)
    }

    /// Prepares a target. This makes no request.
    ///
    /// # Errors
    /// If there is no target of this name, a variable that it needs is not set, or its provider cannot
    /// be built from its fields.
    pub fn resolve(
        &self,
        name: &str,
        environment: &Environment,
    ) -> Result<ResolvedTarget, TargetError> {
        self.resolve_in(&self.surroundings.folder, name, environment)
    }

    /// Prepares a target for eval files in another folder, which its commands start from.
    ///
    /// # Errors
    /// As [`resolve`](Self::resolve).
    pub fn resolve_in(
        &self,
        folder: &Path,
        name: &str,
        environment: &Environment,
    ) -> Result<ResolvedTarget, TargetError> {
        let used = self.used(name, environment)?;
        if let Some(entry) = self.entry(&used) {
            return self.resolve_entry(folder, entry, name, environment);
        }
        let Some((kind, fields)) = built_in::target(&used) else {
            return Err(self.unknown(&used));
        };
        let fields = Fields {
            written: fields.clone(),
            values: fields,
            ..Fields::default()
        };
        let built = self.build(folder, (name, kind), fields, environment);
        built.map_err(|error| TargetError {
            target: name.to_owned(),
            file: None,
            line: None,
            message: said(name, &error),
            hint: error.hint,
            is_missing_variable: false,
        })
    }

    /// Returns the name of the target that is used for this name: itself, or the one that it names.
    ///
    /// # Errors
    /// If a variable in `use_target` is not set, or the names lead to each other.
    pub fn used(&self, name: &str, environment: &Environment) -> Result<String, TargetError> {
        let mut used = name.to_owned();
        for _ in 0..MOST_ALIASES {
            let Some(entry) = self.entry(&used) else {
                return Ok(used);
            };
            let Some(other) = self.text_of(entry, USE_TARGET, environment)? else {
                return Ok(used);
            };
            used = other;
        }
        let Some(entry) = self.entry(name) else {
            return Ok(used);
        };
        let message = "the targets that it names lead to each other";
        let wrong = SettingError::of(USE_TARGET, message);
        Err(self.not_filled(entry, FieldError::Wrong(wrong)))
    }

    /// Returns a field that holds text. The other fields are not read, so a key may be missing.
    fn text_of(
        &self,
        entry: &Entry,
        name: &str,
        environment: &Environment,
    ) -> Result<Option<String>, TargetError> {
        let mut fields = entry.fields.clone();
        fields.retain(|key, _| canonical(&snake_case(key)) == name);
        if fields.is_empty() {
            return Ok(None);
        }
        let Some(kind) = entry.kind else {
            return Err(self.unknown_provider(entry));
        };
        let filled = fill(kind.kind, &fields, &[], environment);
        let filled = filled.map_err(|error| self.not_filled(entry, error))?;
        let text = filled.values.get(name);
        Ok(text.and_then(|text| text.as_str()).map(str::to_owned))
    }

    /// Returns a mock in place of the target of this name, for a rehearsal, and the values that must not be
    /// written anywhere. It shows the request that the target would send, even if the target has no key.
    pub fn stand_in(
        &self,
        name: &str,
        delay: Delay,
        environment: &Environment,
    ) -> (Target, Secrets) {
        let entry = self.entry(name);
        let judge = entry.and_then(|entry| {
            let mut fields = entry.fields.iter();
            let judge = fields.find(|(key, _)| canonical(&snake_case(key)) == "judge_target");
            judge.and_then(|(_, value)| value.as_str())
        });
        let real = self.resolve(name, environment);
        let real = real.or_else(|_| self.without_key(name, environment));
        let (provider, secrets) = match real {
            Ok(real) => (Some(real.target.provider), real.secrets),
            Err(_) => (None, Secrets::default()),
        };
        (stand_in::target(name, judge, delay, provider), secrets)
    }

    /// Prepares a target as if it had a key.
    fn without_key(
        &self,
        name: &str,
        environment: &Environment,
    ) -> Result<ResolvedTarget, TargetError> {
        let used = self.used(name, environment)?;
        let (kind, mut fields, exact) = match self.entry(&used) {
            Some(entry) => {
                let kind = entry.kind.ok_or_else(|| self.unknown_provider(entry))?;
                (kind, entry.fields.clone(), entry.exact.as_slice())
            }
            None => {
                let (kind, fields) = built_in::target(&used).ok_or_else(|| self.unknown(&used))?;
                (kind, fields, Default::default())
            }
        };
        fields.retain(|key, _| snake_case(key) != "api_key");
        if kind.kind.options.field("api_key").is_some() {
            fields.insert("api_key".to_owned(), "not set".into());
        }
        let unknown = |_| self.unknown(&used);
        let fields = fill(kind.kind, &fields, exact, environment).map_err(unknown)?;
        let folder = &self.surroundings.folder;
        let built = self.build(folder, (name, kind), fields, environment);
        built.map_err(|_| self.unknown(&used))
    }

    /// Returns the `judge_target` of the target of this name. Its other fields are not read, so a key
    /// may be missing.
    ///
    /// # Errors
    /// If a variable in its `judge_target` is not set.
    pub fn judge_of(
        &self,
        name: &str,
        environment: &Environment,
    ) -> Result<Option<String>, TargetError> {
        let own = match self.entry(name) {
            Some(entry) => self.text_of(entry, JUDGE_TARGET, environment)?,
            None => return Ok(None),
        };
        let used = self.used(name, environment)?;
        match self.entry(&used).filter(|_| own.is_none() && used != name) {
            Some(entry) => self.text_of(entry, JUDGE_TARGET, environment),
            None => Ok(own),
        }
    }

    fn entries(&self) -> &[Entry] {
        self.file.as_ref().map_or(&[], |file| &file.entries)
    }

    fn entry(&self, name: &str) -> Option<&Entry> {
        self.found(name).map(|(_, entry)| entry)
    }

    /// Returns the target of this name, and the file that defines it.
    fn found(&self, name: &str) -> Option<(&File, &Entry)> {
        let files = self.suite.iter().chain(&self.file);
        let mut entries =
            files.flat_map(|file| file.entries.iter().map(move |entry| (file, entry)));
        entries.find(|(_, entry)| entry.name == name)
    }

    /// Returns the file that defines the target of this name, as the user knows it.
    fn file_of(&self, name: &str) -> Option<&Arc<str>> {
        self.found(name).map(|(file, _)| &file.shown)
    }

    /// Prepares the target of an entry, under this name.
    fn resolve_entry(
        &self,
        folder: &Path,
        entry: &Entry,
        name: &str,
        environment: &Environment,
    ) -> Result<ResolvedTarget, TargetError> {
        let mut problems = self.problems_of(&entry.name).into_iter();
        if let Some(problem) = problems.find(|problem| is_refusal(problem)) {
            return Err(TargetError {
                target: entry.name.clone(),
                file: self.file_of(&entry.name).cloned(),
                line: problem.line,
                message: problem.sentence(),
                hint: problem.problem.hint.clone(),
                is_missing_variable: false,
            });
        }
        let Some(kind) = entry.kind else {
            return Err(self.unknown_provider(entry));
        };
        let fields = fill(kind.kind, &entry.fields, &entry.exact, environment);
        let fields = fields.map_err(|error| self.not_filled(entry, error))?;
        self.build(folder, (name, kind), fields, environment)
            .map_err(|error| self.not_filled(entry, FieldError::Wrong(error)))
    }

    fn unknown_provider(&self, entry: &Entry) -> TargetError {
        let message = format!("unknown provider `{}`", entry.provider);
        let wrong = SettingError::of("provider", message);
        self.not_filled(entry, FieldError::Wrong(wrong))
    }

    /// Adds the place in the file to an error of an entry.
    fn not_filled(&self, entry: &Entry, error: FieldError) -> TargetError {
        let name = &entry.name;
        let is_missing_variable = matches!(error, FieldError::Missing { .. });
        let (field, message, hint) = match error {
            FieldError::Missing {
                ref field,
                ref variable,
            } => (
                Some(field.clone()),
                format!("target `{name}`: {error}"),
                Some(format!(
                    "set `{variable}` in the environment or in a `.env` file"
                )),
            ),
            FieldError::Wrong(error) => {
                let message = said(name, &error);
                (error.field, message, error.hint)
            }
        };
        TargetError {
            target: name.clone(),
            file: self.file_of(name).cloned(),
            line: Some(entry.line_of(field.as_deref())),
            message,
            hint,
            is_missing_variable,
        }
    }

    fn build(
        &self,
        eval_folder: &Path,
        (name, provider): (&str, &'static ProviderKind),
        fields: Fields,
        environment: &Environment,
    ) -> Result<ResolvedTarget, SettingError> {
        let Fields {
            values,
            mut written,
            exact,
            variables,
        } = fields;
        let folder = match self
            .found(name)
            .map(|(file, _)| file)
            .or(self.file.as_ref())
        {
            Some(file) => &file.folder,
            None => &self.surroundings.root,
        };
        let mut settings = Settings {
            name: name.to_owned(),
            fields: values,
            exact,
            environment: environment.clone(),
            folder: folder.clone(),
            surroundings: Surroundings {
                folder: eval_folder.to_owned(),
                ..self.surroundings.clone()
            },
            timeout: provider.limits.timeout,
            taken: RefCell::new(variables),
        };
        let limits = limits(&settings, provider.limits);
        let limits = limits.map_err(|error| settings.without_secrets(error))?;
        settings.timeout = limits.timeout;
        let built = (provider.build)(&settings);
        let built = built.map_err(|error| settings.without_secrets(error))?;

        let secret = settings.secret_values();
        let mut warnings = Vec::new();
        if settings.flag("provider_batching")? == Some(true) && built.batch().is_none() {
            warnings.push(format!(
                "`provider_batching` of target `{name}` has no effect: provider `{}` does not \
                 support it",
                provider.kind.name
            ));
        }
        let mut answering = settings.fields.clone();
        let digits = settings.exact.iter();
        answering.extend(
            digits
                .filter(|(name, _)| !NOT_IN_ANSWERS.contains(&name.as_str()))
                .map(|(name, exact)| (format!("digits of {name}"), exact.numbers().into())),
        );
        for fields in [&mut answering, &mut written] {
            fields.retain(|field, _| !NOT_IN_ANSWERS.contains(&field.as_str()));
        }
        Ok(ResolvedTarget {
            target: Target {
                name: name.to_owned(),
                kind: provider.kind.name.to_owned(),
                settings: secret.recorded(&written),
                settings_digest: Digest::of_settings(&secret.identifying(&answering)),
                judge_target: settings.text("judge_target").map(str::to_owned),
                limits,
                provider: built,
            },
            not_hidden: secret.not_hidden(),
            secrets: secret.secrets,
            warnings,
        })
    }

    fn unknown(&self, name: &str) -> TargetError {
        let known: Vec<&str> = self
            .entries()
            .iter()
            .map(|entry| entry.name.as_str())
            .collect();
        let place = match self.file() {
            Some(file) => format!("`{file}`"),
            None => "there is no `targets.yaml`".to_owned(),
        };
        let message = match self.file() {
            Some(_) => format!("target `{name}` not found in {place}"),
            None => format!("target `{name}` not found: {place}"),
        };
        let hint = match built_in::meant(name, &known) {
            Some(guess) => format!("did you mean `{guess}`?"),
            None if name == Execution::DEFAULT_TARGET => choosing(&known),
            None if name.contains(':') => built_in::vendor_listing(),
            None => built_in::listing(&known),
        };
        TargetError {
            target: name.to_owned(),
            file: None,
            line: None,
            message,
            hint: Some(hint),
            is_missing_variable: false,
        }
    }
}

/// Checks for a problem that makes a target or a file unusable.
fn is_refusal(diagnostic: &Diagnostic) -> bool {
    diagnostic.severity() != Severity::Warning
}

fn said(name: &str, error: &SettingError) -> String {
    match &error.field {
        Some(field) => format!("target `{name}`: `{field}`: {}", error.message),
        None => format!("target `{name}`: {}", error.message),
    }
}

/// Returns advice for cases that name no target if `default` is not defined.
fn choosing(known: &[&str]) -> String {
    let choice = match known {
        [] => "`--target openai:gpt-5`".to_owned(),
        [first, ..] => format!("`--target {first}`"),
    };
    format!(
        "cases that do not name a target use `default`: choose a target with {choice}, name one \
         in the eval file (`execution.target`), or define `default` in `targets.yaml`; {}",
        built_in::listing(known)
    )
}
