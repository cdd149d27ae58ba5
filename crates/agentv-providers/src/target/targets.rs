//! The targets that a run can ask: those of a file, and the built-in ones.

use std::cell::RefCell;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use agentv_core::{Execution, Extra, Secrets, Target};
use agentv_syntax::{Code, Diagnostic, Lines, Node, Problem, Severity, Tree, yaml};
use serde_json::Value;

use crate::fields::{FieldError, Fields, fill, snake_case};
use crate::kinds::{self, ProviderKind};
use crate::limits::limits;
use crate::settings::{SettingError, Settings};
use crate::stand_in::{self, Delay};
use crate::target_error::TargetError;
use crate::{Environment, Surroundings, built_in, targets_file};

/// The fields that say only how fast, how often and by whom the target is asked or judged, and
/// cannot change its answers.
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
    "price",
];

/// The targets that a run can ask: those of one file, where there is one, and the built-in ones.
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
    surroundings: Surroundings,
}

#[derive(Debug)]
struct File {
    shown: Arc<str>,
    folder: PathBuf,
    entries: Vec<Entry>,
    warnings: Vec<Diagnostic>,
}

/// A target as it is written.
#[derive(Debug)]
struct Entry {
    name: String,
    kind: &'static ProviderKind,
    fields: Extra,
    line: u64,
    /// The lines of its fields, by their names in snake_case.
    lines: Vec<(String, u64)>,
}

/// A target of a file, as a list shows it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ListedTarget<'t> {
    /// Its name.
    pub name: &'t str,
    /// The kind of its provider.
    pub kind: &'static str,
    /// The model that it asks, as written.
    pub model: Option<&'t str>,
    /// The line, from 1, on which it begins.
    pub line: u64,
}

/// A target that is ready to be asked.
#[derive(Debug)]
pub struct ResolvedTarget {
    /// The target.
    pub target: Target,
    /// What must not be written anywhere when it is asked.
    pub secrets: Secrets,
    /// What the user should know.
    pub warnings: Vec<String>,
}

impl Targets {
    /// The built-in targets alone: `echo`, `mock` and `VENDOR:MODEL`.
    pub fn built_in(surroundings: &Surroundings) -> Targets {
        Targets {
            file: None,
            surroundings: surroundings.clone(),
        }
    }

    /// The targets of the file at `path`, which the user calls `shown`, beside the built-in ones.
    ///
    /// # Errors
    /// When the file cannot be used: everything that is wrong with it, in the order of its lines.
    pub fn read(
        path: &Path,
        shown: &Arc<str>,
        surroundings: &Surroundings,
    ) -> Result<Targets, Vec<Diagnostic>> {
        let source =
            text_of(path, shown).map_err(|problem| vec![Diagnostic::of_file(shown, problem)])?;
        let warnings = targets_file::check(&source, shown);
        let refused = |diagnostic: &Diagnostic| diagnostic.severity() != Severity::Warning;
        if warnings.iter().any(refused) {
            return Err(warnings);
        }
        let folder = path.parent().unwrap_or(Path::new("."));
        let folder = match folder.as_os_str().is_empty() {
            true => surroundings.working_dir.clone(),
            false => surroundings.working_dir.join(folder),
        };
        Ok(Targets {
            file: Some(File {
                shown: Arc::clone(shown),
                folder,
                entries: entries(&source),
                warnings,
            }),
            surroundings: surroundings.clone(),
        })
    }

    /// What is not quite right in the file.
    pub fn warnings(&self) -> &[Diagnostic] {
        self.file.as_ref().map_or(&[], |file| &file.warnings)
    }

    /// The file, as the user calls it.
    pub fn file(&self) -> Option<&Arc<str>> {
        self.file.as_ref().map(|file| &file.shown)
    }

    /// The targets of the file, in its order.
    pub fn listed(&self) -> impl Iterator<Item = ListedTarget<'_>> {
        self.entries().iter().map(|entry| ListedTarget {
            name: &entry.name,
            kind: entry.kind.kind.name,
            model: ["model", "deployment"]
                .iter()
                .find_map(|field| entry.fields.get(*field)?.as_str()),
            line: entry.line,
        })
    }

    /// Whether there is a target of this name.
    pub fn knows(&self, name: &str) -> bool {
        self.entry(name).is_some() || built_in::exists(name)
    }

    /// Makes a target ready to be asked. Nothing is asked yet.
    ///
    /// # Errors
    /// When there is none of this name, a variable that it needs is not there, or its provider
    /// cannot be made from what is written.
    pub fn resolve(
        &self,
        name: &str,
        environment: &Environment,
    ) -> Result<ResolvedTarget, TargetError> {
        if let Some(entry) = self.entry(name) {
            return self.resolve_entry(entry, environment);
        }
        let Some((kind, fields)) = built_in::target(name) else {
            return Err(self.unknown(name));
        };
        let fields = Fields {
            values: fields,
            variables: Vec::new(),
        };
        let built = self.build(name, kind, fields, environment);
        built.map_err(|error| TargetError {
            target: name.to_owned(),
            file: None,
            line: None,
            message: said(name, &error),
            hint: error.hint,
        })
    }

    /// A mock in the place of the target of this name, whatever that is: for a rehearsal.
    pub fn stand_in(&self, name: &str, delay: Delay) -> Target {
        let entry = self.entry(name);
        let judge = entry.and_then(|entry| {
            let mut fields = entry.fields.iter();
            let judge = fields.find(|(key, _)| snake_case(key) == "judge_target");
            judge.and_then(|(_, value)| value.as_str())
        });
        stand_in::target(name, judge, delay)
    }

    /// The target that judges the answers of the one of this name, where it says so. Nothing else of
    /// it is looked at: a key that it needs may be missing.
    ///
    /// # Errors
    /// When a variable that stands in its `judge_target` is not there.
    pub fn judge_of(
        &self,
        name: &str,
        environment: &Environment,
    ) -> Result<Option<String>, TargetError> {
        let Some(entry) = self.entry(name) else {
            return Ok(None);
        };
        let mut fields = entry.fields.clone();
        fields.retain(|key, _| snake_case(key) == "judge_target");
        let filled = fill(entry.kind.kind, &fields, environment);
        let filled = filled.map_err(|error| self.not_filled(entry, error))?;
        let judge = filled.values.get("judge_target");
        Ok(judge.and_then(|judge| judge.as_str()).map(str::to_owned))
    }

    fn entries(&self) -> &[Entry] {
        self.file.as_ref().map_or(&[], |file| &file.entries)
    }

    fn entry(&self, name: &str) -> Option<&Entry> {
        self.entries().iter().find(|entry| entry.name == name)
    }

    fn resolve_entry(
        &self,
        entry: &Entry,
        environment: &Environment,
    ) -> Result<ResolvedTarget, TargetError> {
        let fields = fill(entry.kind.kind, &entry.fields, environment);
        let fields = fields.map_err(|error| self.not_filled(entry, error))?;
        self.build(&entry.name, entry.kind, fields, environment)
            .map_err(|error| self.not_filled(entry, FieldError::Wrong(error)))
    }

    /// Why an entry cannot be used, with its place in the file.
    fn not_filled(&self, entry: &Entry, error: FieldError) -> TargetError {
        let name = &entry.name;
        let (field, message, hint) = match error {
            FieldError::Missing { field, variable } => (
                Some(field),
                format!("target `{name}`: the variable `{variable}` is not set"),
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
            file: self.file().cloned(),
            line: Some(entry.line_of(field.as_deref())),
            message,
            hint,
        }
    }

    fn build(
        &self,
        name: &str,
        provider: &'static ProviderKind,
        fields: Fields,
        environment: &Environment,
    ) -> Result<ResolvedTarget, SettingError> {
        let Fields { values, variables } = fields;
        let folder = match &self.file {
            Some(file) => &file.folder,
            None => &self.surroundings.root,
        };
        let mut settings = Settings {
            name: name.to_owned(),
            fields: values,
            environment: environment.clone(),
            folder: folder.clone(),
            surroundings: self.surroundings.clone(),
            timeout: provider.limits.timeout,
            taken: RefCell::new(variables),
        };
        let limits = limits(&settings, provider.limits);
        let limits = limits.map_err(|error| settings.without_secrets(error))?;
        settings.timeout = limits.timeout;
        let built = (provider.build)(&settings);
        let built = built.map_err(|error| settings.without_secrets(error))?;

        let mut secret = settings.secret_values();
        if settings.flag("provider_batching")? == Some(true) && built.batch().is_none() {
            secret.warnings.push(format!(
                "`provider_batching` of target `{name}` has no effect: `{}` is asked one by one",
                provider.kind.name
            ));
        }
        let mut answering = settings.fields.clone();
        answering.retain(|field, _| !NOT_IN_ANSWERS.contains(&field.as_str()));
        Ok(ResolvedTarget {
            target: Target {
                name: name.to_owned(),
                kind: provider.kind.name.to_owned(),
                settings: secret.hidden(&answering),
                judge_target: settings.text("judge_target").map(str::to_owned),
                limits,
                provider: built,
            },
            secrets: secret.secrets,
            warnings: secret.warnings,
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
            None => "no `targets.yaml` was found".to_owned(),
        };
        let message = match self.file() {
            Some(_) => format!("no target is called `{name}` in {place}"),
            None => format!("no target is called `{name}`: {place}"),
        };
        let hint = match built_in::meant(name, &known) {
            Some(guess) => format!("did you mean `{guess}`?"),
            None if name == Execution::DEFAULT_TARGET => choosing(&known),
            None => listing(&known),
        };
        TargetError {
            target: name.to_owned(),
            file: None,
            line: None,
            message,
            hint: Some(hint),
        }
    }
}

impl Entry {
    fn line_of(&self, field: Option<&str>) -> u64 {
        let mut lines = self.lines.iter();
        let found = lines.find(|(name, _)| Some(name.as_str()) == field);
        found.map_or(self.line, |(_, line)| *line)
    }
}

fn said(name: &str, error: &SettingError) -> String {
    match &error.field {
        Some(field) => format!("target `{name}`: `{field}`: {}", error.message),
        None => format!("target `{name}`: {}", error.message),
    }
}

/// What to do when the target of cases that name none is not defined.
fn choosing(known: &[&str]) -> String {
    let choice = match known {
        [] => "`--target openai:gpt-5`".to_owned(),
        [first, ..] => format!("`--target {first}`"),
    };
    format!(
        "cases that name no target ask the one called `default`: choose another with {choice}, \
         name one in the eval file (`execution.target`), or define `default` in `targets.yaml`; {}",
        listing(known)
    )
}

fn listing(known: &[&str]) -> String {
    let built_in = "built in: echo, mock, VENDOR:MODEL";
    match known {
        [] => built_in.to_owned(),
        known => format!("known: {}; {built_in}", known.join(", ")),
    }
}

fn text_of(path: &Path, shown: &Arc<str>) -> Result<String, Problem> {
    let unreadable = |what: String| Problem::fatal(Code::Unreadable, 0..0, what);
    let found = fs::metadata(path).map_err(|error| match error.kind() {
        std::io::ErrorKind::NotFound => unreadable(format!("there is no targets file `{shown}`")),
        _ => unreadable(format!("cannot be read: {error}")),
    })?;
    if !found.is_file() {
        return Err(unreadable("is not a regular file".to_owned()));
    }
    let bytes = fs::read(path).map_err(|error| unreadable(format!("cannot be read: {error}")))?;
    String::from_utf8(bytes)
        .map_err(|_| Problem::fatal(Code::NotUtf8, 0..0, "the text is not UTF-8"))
}

/// The targets of a file that has been checked.
fn entries(source: &str) -> Vec<Entry> {
    let lines = Lines::of(source);
    let mut tree = Tree::default();
    if yaml::parse(source, &mut tree).is_err() {
        return Vec::new();
    }
    let targets = tree.root().get("targets");
    let targets = targets.into_iter().flat_map(Node::items);
    targets.filter_map(|target| entry(target, &lines)).collect()
}

fn entry(target: Node<'_>, lines: &Lines) -> Option<Entry> {
    let line_of = |node: Node<'_>| lines.number(node.span().start);
    let fields = target.to_map();
    let text = |name: &str| fields.get(name).and_then(Value::as_str);
    Some(Entry {
        name: text("name")?.to_owned(),
        kind: kinds::named(text("provider")?)?,
        line: line_of(target),
        lines: target
            .fields()
            .map(|(key, _)| (snake_case(&key.text()), line_of(key)))
            .collect(),
        fields,
    })
}
