//! Cases that a suite takes from others: `include` with `select`.

use std::path::Path;

use agentv_syntax::{NodeKind, Placed};
use globset::Glob;

use super::agentv_5::over;
use super::case_files::{cases_of_path, matching_paths};
use super::source::Translation;

/// Returns the cases that an element of `tests` includes; `None` if it is a case itself.
pub(super) fn included(translation: &mut Translation<'_>, item: &Placed) -> Option<Vec<Placed>> {
    let reference = item.given("include")?.clone();
    if reference.as_str().is_none() {
        translation
            .notes
            .wrong_type(&reference, "the path of a file with cases");
        return Some(Vec::new());
    }
    let is_suite = item.given("type").and_then(Placed::as_str) == Some("suite");
    let cases = if is_suite {
        of_suites(translation, &reference)
    } else {
        cases_of_path(translation, &reference)
    };
    for field in item.fields() {
        if !["include", "select", "type"].contains(&field.name.as_str()) {
            let instead = "write it in the cases, or for the whole suite";
            translation
                .notes
                .unsupported(&field.name, field.span.clone(), instead);
        }
    }
    let selection = match item.given("select") {
        Some(written) => Selection::read(written, translation),
        None => Selection::default(),
    };
    let chosen = cases.into_iter().filter(|case| selection.includes(case));
    Some(chosen.collect())
}

/// Returns the cases of other suites, each with what its suite gives to all.
fn of_suites(translation: &mut Translation<'_>, reference: &Placed) -> Vec<Placed> {
    let mut cases = Vec::new();
    for path in matching_paths(translation, reference) {
        cases.append(&mut of_suite(translation, &path, reference));
    }
    cases
}

fn of_suite(translation: &mut Translation<'_>, path: &Path, reference: &Placed) -> Vec<Placed> {
    let Some(mut suite) = translation.read(path, reference) else {
        return Vec::new();
    };
    let mut shared = match suite.take("default_test") {
        Some(defaults) if defaults.value.kind() == NodeKind::Object => defaults.value,
        _ => Placed::map(suite.span.clone()),
    };
    for name in ["assert", "prompts", "threshold", "environment"] {
        if let Some(field) = suite.take(name).filter(|_| shared.given(name).is_none()) {
            shared.put_as(name, field);
        }
    }
    let tests = suite.take("tests");
    for name in ["input", "input_files", "scenarios", "extensions"] {
        if let Some(field) = suite.take(name) {
            let instead = "run that suite by itself";
            translation.notes.unsupported(name, field.span, instead);
        }
    }
    let tests = tests
        .map(|tests| tests.value.items().to_vec())
        .unwrap_or_default();
    let cases = tests
        .into_iter()
        .filter(|test| test.kind() == NodeKind::Object);
    cases
        .map(|test| {
            let span = test.span.clone();
            let mut case = over(shared.clone(), test);
            case.span = span;
            case
        })
        .collect()
}

/// The cases that are taken.
#[derive(Default)]
struct Selection {
    ids: Vec<globset::GlobMatcher>,
    tags: Vec<String>,
    metadata: Option<Placed>,
}

impl Selection {
    fn read(written: &Placed, translation: &mut Translation<'_>) -> Selection {
        let mut selection = Selection::default();
        let ids = match written.kind() {
            NodeKind::Object => written.given("test_ids").cloned(),
            _ => Some(written.clone()),
        };
        for id in ids.iter().flat_map(texts) {
            match Glob::new(&id) {
                Ok(glob) => selection.ids.push(glob.compile_matcher()),
                Err(_) => translation
                    .notes
                    .wrong_type(written, "ids of cases, or patterns"),
            }
        }
        selection.tags = written.given("tags").map(texts).unwrap_or_default();
        selection.metadata = written.given("metadata").cloned();
        selection
    }

    fn includes(&self, case: &Placed) -> bool {
        let id = case
            .given("id")
            .and_then(Placed::as_str)
            .unwrap_or_default();
        let metadata = case.given("metadata");
        let tags = case.given("tags").or_else(|| metadata?.given("tags"));
        let tags = tags.map(texts).unwrap_or_default();
        let has_all = self
            .metadata
            .iter()
            .flat_map(|wanted| wanted.fields())
            .all(|wanted| {
                let own = metadata.and_then(|metadata| metadata.given(&wanted.name));
                own.is_some_and(|own| own.to_value() == wanted.value.to_value())
            });
        (self.ids.is_empty() || self.ids.iter().any(|glob| glob.is_match(id)))
            && (self.tags.is_empty() || self.tags.iter().any(|tag| tags.contains(tag)))
            && has_all
    }
}

/// Returns a text, or the texts of a list.
fn texts(value: &Placed) -> Vec<String> {
    match value.as_str() {
        Some(text) => vec![text.to_owned()],
        None => value
            .items()
            .iter()
            .filter_map(|item| Some(item.as_str()?.to_owned()))
            .collect(),
    }
}
