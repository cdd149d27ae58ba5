//! Dataset-level fields: the defaults of every case.

use std::path::PathBuf;
use std::sync::Arc;

use agentv_core::{EvaluatorSpec, Execution, Extra, PassThreshold, WorkspaceSpec};
use agentv_syntax::{
    CheckCache, Checker, Code, Definitions, Node, NodeKind, Problem, Record, TemplateError,
    check_keys, check_number_like, repeated_key,
};
use serde_json::Value;

use crate::case::{
    RowPrompt, WorkspaceSettings, check_depth, check_files, check_workspace, own_threshold,
    resolved_specs, text_or_file,
};
use crate::files::FileLibrary;

/// The defaults of every case.
#[derive(Debug)]
pub(crate) struct Defaults {
    pub(crate) dataset: String,
    pub(crate) description: String,
    pub(crate) execution: Execution,
    /// The dataset's list of evaluators, `execution.evaluators` before `evaluators`.
    pub(crate) evaluators: Option<Arc<[EvaluatorSpec]>>,
    /// The one kind of evaluator, if it is named.
    pub(crate) evaluator: Option<String>,
    /// The lowest score that passes, `execution.pass_threshold` before `pass_threshold`.
    pub(crate) pass_threshold: Option<PassThreshold>,
    pub(crate) workspace: Option<DefaultWorkspace>,
    pub(crate) prompt: Prompt,
    /// The file that holds the prompt, if the dataset names one.
    pub(crate) prompt_file: Option<PathBuf>,
}

/// The workspace of cases that have none of their own.
#[derive(Debug)]
pub(crate) struct DefaultWorkspace {
    pub(crate) settings: WorkspaceSettings,
    pub(crate) resolved: Arc<WorkspaceSpec>,
}

/// The `prompt` that AgentMark rows fill.
#[derive(Debug)]
pub(crate) enum Prompt {
    Absent,
    /// It is invalid. This was reported once, and rows do not report it again.
    Unusable,
    Template(Arc<RowPrompt>),
}

impl Defaults {
    /// Returns the defaults if nothing is written: the dataset is named after its file.
    pub(crate) fn named(dataset: &str) -> Defaults {
        Defaults {
            dataset: dataset.to_owned(),
            description: String::new(),
            execution: Execution::default(),
            evaluators: None,
            evaluator: None,
            pass_threshold: None,
            workspace: None,
            prompt: Prompt::Absent,
            prompt_file: None,
        }
    }

    /// Reads the header of a suite or a sidecar. Problems are added to `problems`, and the rest is used.
    pub(crate) fn read(
        header: Node<'_>,
        record: &'static Record,
        file_name: &str,
        definitions: Definitions,
        files: &FileLibrary,
        problems: &mut Vec<Problem>,
    ) -> Defaults {
        if header.is_null() && record.required.is_empty() {
            return Defaults::named(file_name);
        }
        if header.kind() != NodeKind::Object {
            let message = format!("expected a mapping, found {}", header.kind().described());
            problems.push(Problem::error(Code::WrongType, header.span(), message));
            return Defaults::named(file_name);
        }
        check_header_keys(header, problems);
        let mut found = Vec::new();
        Checker::new(definitions, problems, &mut CheckCache::default())
            .collect_files(&mut found)
            .record(header, record);
        check_files(&found, files, problems);
        check_header_numbers(header, problems);
        let text = |name: &str| {
            let value = header.given(name)?.as_str()?;
            (!value.is_empty()).then(|| value.into_owned())
        };
        let execution = header.given("execution");
        let list = execution
            .and_then(|execution| execution.given("evaluators"))
            .or_else(|| header.given("evaluators"));
        Defaults {
            dataset: text("dataset").unwrap_or_else(|| file_name.to_owned()),
            description: text("description").unwrap_or_default(),
            execution: merged_execution(execution, text("target")),
            evaluators: list
                .filter(|list| list.kind() == NodeKind::Array)
                .map(|list| resolved_specs(list, definitions.evaluators, files).into()),
            evaluator: text("evaluator"),
            pass_threshold: own_threshold(execution, header.given("pass_threshold")),
            workspace: default_workspace(header, files, problems),
            prompt_file: header
                .given("prompt")
                .and_then(|prompt| prompt_file(prompt, files)),
            prompt: match header.given("prompt") {
                None => Prompt::Absent,
                Some(prompt) => match row_prompt(prompt, files, problems) {
                    Some(template) => Prompt::Template(Arc::new(template)),
                    None => Prompt::Unusable,
                },
            },
        }
    }
}

/// Returns the workspace of a header, unless something is wrong with it.
fn default_workspace(
    header: Node<'_>,
    files: &FileLibrary,
    problems: &mut Vec<Problem>,
) -> Option<DefaultWorkspace> {
    let node = header.given("workspace")?;
    let first = problems.len();
    check_workspace(Some(node), files, problems);
    if problems.len() > first || node.kind() != NodeKind::Object {
        return None;
    }
    match WorkspaceSettings::read(node, files) {
        Ok(settings) => Some(DefaultWorkspace {
            resolved: settings.clone().resolved(),
            settings,
        }),
        Err(problem) => {
            problems.push(problem.at_folder(node, "workspace.from"));
            None
        }
    }
}

/// Checks the keys outside the cases of a suite, which are checked one by one.
fn check_header_keys(header: Node<'_>, problems: &mut Vec<Problem>) {
    problems.extend(header.repeated_key().map(|key| repeated_key(header, key)));
    for (key, value) in header.fields() {
        if !key.is_text("evalcases") {
            let first = problems.len();
            check_keys(value, problems);
            check_depth(value, problems);
            put_inside(&key.text(), &mut problems[first..]);
        }
    }
}

/// Makes the paths of problems with a field's value those of the header.
fn put_inside(field: &str, problems: &mut [Problem]) {
    for problem in problems {
        problem.path = match problem.path.as_str() {
            "" => field.to_owned(),
            path if path.starts_with('[') => format!("{field}{path}"),
            path => format!("{field}.{path}"),
        };
    }
}

/// Warns of texts outside the cases that look like numbers.
fn check_header_numbers(header: Node<'_>, problems: &mut Vec<Problem>) {
    for (key, value) in header.fields() {
        if !key.is_text("evalcases") {
            let first = problems.len();
            check_number_like(value, problems);
            put_inside(&key.text(), &mut problems[first..]);
        }
    }
}

fn merged_execution(execution: Option<Node<'_>>, target: Option<String>) -> Execution {
    let mut extra: Extra = execution.map(Node::to_map).unwrap_or_default();
    extra.shift_remove("evaluators");
    extra.shift_remove("pass_threshold");
    let own_target = match extra.shift_remove("target") {
        Some(Value::String(target)) => Some(target),
        _ => None,
    };
    Execution {
        target: own_target
            .or(target)
            .unwrap_or_else(|| Execution::DEFAULT_TARGET.to_owned()),
        extra,
    }
}

/// Returns the file that a prompt names; `None` if it is the text itself.
fn prompt_file(node: Node<'_>, files: &FileLibrary) -> Option<PathBuf> {
    let written = node.as_str()?;
    text_or_file(&written, files).ok().flatten()?;
    let located = files.find(&written).ok()?;
    Some(located.absolute.clone())
}

fn row_prompt(
    node: Node<'_>,
    files: &FileLibrary,
    problems: &mut Vec<Problem>,
) -> Option<RowPrompt> {
    let written = node.as_str()?;
    let text: Arc<str> = match text_or_file(&written, files) {
        Ok(Some(_)) => files
            .find(&written)
            .and_then(|file| files.text(&file))
            .ok()?,
        Ok(None) => written.as_ref().into(),
        Err(_) => return None,
    };
    match RowPrompt::parse(&text) {
        Ok(prompt) => Some(prompt),
        Err(TemplateError { reason, line }) => {
            let place = line.map(|line| format!(" (line {line} of the template)"));
            let message = format!(
                "not a valid template: {reason}{}",
                place.unwrap_or_default()
            );
            problems.push(Problem::error(Code::InvalidTemplate, node.span(), message).at("prompt"));
            None
        }
    }
}
