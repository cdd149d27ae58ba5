//! `.agentv/config.yaml`: settings of the project.

use std::path::Path;
use std::sync::Arc;

use agentv_core::PassThreshold;
use agentv_syntax::{Code, Diagnostic, Node, Problem};

use crate::case::own_threshold;
use crate::dataset::check_document;
use crate::format::Document;
use crate::guidelines::Guidelines;
use crate::options::LoadOptions;
use crate::project::Project;
use crate::shapes::CONFIG;
use crate::unsaved::UnsavedTexts;

/// The settings of a project.
#[derive(Debug)]
pub(crate) struct Settings {
    pub(crate) guidelines: Guidelines,
    pub(crate) pass_threshold: Option<PassThreshold>,
}

/// Reads the settings of a project. Problems go to `diagnostics`, and the rest is used.
pub(crate) fn settings(
    project: &Project,
    options: &LoadOptions,
    diagnostics: &mut Vec<Diagnostic>,
) -> Settings {
    let none = || Settings {
        guidelines: Guidelines::none(project.clone()),
        pass_threshold: None,
    };
    let Some(path) = project.config_file() else {
        return none();
    };
    let shown = path.strip_prefix(&options.working_dir).unwrap_or(&path);
    let file: Arc<str> = shown.to_string_lossy().into();
    let document = match Document::open(&path, &file, &options.unsaved) {
        Ok(document) => document,
        Err(diagnostic) => {
            diagnostics.push(diagnostic);
            return none();
        }
    };
    diagnostics.extend(check_document(&document, &CONFIG, options));
    let threshold = document.root().given("pass_threshold");
    let settings = Settings {
        pass_threshold: own_threshold(None, threshold),
        ..none()
    };
    match compile(project, document.root()) {
        Ok(guidelines) => Settings {
            guidelines,
            ..settings
        },
        Err(problem) => {
            diagnostics.push(document.place_problem(problem));
            settings
        }
    }
}

/// Returns the judge that the settings of a project name. Settings that cannot be read name none; the
/// problem is reported when the eval file is opened.
pub(crate) fn judge_target(project: &Project) -> Option<String> {
    let path = project.config_file()?;
    let shown: Arc<str> = path.to_string_lossy().into();
    let document = Document::open(&path, &shown, &UnsavedTexts::default()).ok()?;
    let judge = document.root().given("judge_target")?.as_str()?;
    Some(judge.into_owned()).filter(|judge| !judge.is_empty())
}

fn compile(project: &Project, root: Node<'_>) -> Result<Guidelines, Problem> {
    let list = root.given("guideline_patterns");
    let items: Vec<_> = list.into_iter().flat_map(Node::items).collect();
    let patterns: Vec<_> = items.iter().map(|item| item.text().into_owned()).collect();
    Guidelines::new(project.clone(), &patterns).map_err(|invalid| {
        let index = invalid.index;
        let span = items.get(index).map_or(0..0, |item| item.span());
        Problem::error(Code::InvalidPattern, span, invalid.to_string())
            .at(format!("guideline_patterns[{index}]"))
    })
}

/// Returns the problems of a settings file.
pub(crate) fn check(path: &Path, file: &Arc<str>, options: &LoadOptions) -> Vec<Diagnostic> {
    let document = match Document::open(path, file, &options.unsaved) {
        Ok(document) => document,
        Err(diagnostic) => return vec![diagnostic],
    };
    let mut diagnostics = check_document(&document, &CONFIG, options);
    let folder = path.parent().unwrap_or(Path::new("."));
    let refused = compile(&Project::around(folder), document.root()).err();
    diagnostics.extend(refused.map(|problem| document.place_problem(problem)));
    diagnostics
}
