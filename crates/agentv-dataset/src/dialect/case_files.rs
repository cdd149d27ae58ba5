//! Cases in files of their own.

use std::path::{Path, PathBuf};

use agentv_syntax::{Code, NodeKind, Placed, PlacedField, PlacedValue, Problem};

use super::assertion::{Assertions, promptfoo};
use super::include::included;
use super::source::Translation;
use crate::project::Project;

/// Returns the cases as written: in the list itself, or in the files that it names.
pub(super) fn all_cases(translation: &mut Translation<'_>, tests: &Placed) -> Vec<Placed> {
    match tests.kind() {
        NodeKind::String => cases_of_path(translation, tests),
        NodeKind::Array => {
            let mut cases = Vec::new();
            for item in tests.items() {
                match item.as_str() {
                    Some(_) => cases.append(&mut cases_of_path(translation, item)),
                    None => match included(translation, item) {
                        Some(mut others) => cases.append(&mut others),
                        None => cases.push(item.clone()),
                    },
                }
            }
            cases
        }
        _ => {
            let expected = "an array of cases, or the path of a file with cases";
            translation.notes.wrong_type(tests, expected);
            Vec::new()
        }
    }
}

/// Returns the cases of the files that a path or pattern names.
pub(super) fn cases_of_path(translation: &mut Translation<'_>, reference: &Placed) -> Vec<Placed> {
    let written = reference.as_str().unwrap_or_default();
    let written = written.strip_prefix("file://").unwrap_or(written);
    let folder = translation.files.project().folder.clone();
    let path = folder.join(written);
    let mut cases = Vec::new();
    if path.is_dir() {
        for file in case_files(&path) {
            if let Some(mut case) = translation.read(&file, reference) {
                name_after_folder(&mut case, &file, translation.files.project());
                cases.push(case);
            }
        }
        return cases;
    }
    for path in matching_paths(translation, reference) {
        cases.append(&mut cases_of_file(translation, &path, reference));
    }
    cases
}

/// Returns the files that a path or pattern names. None is a problem.
pub(super) fn matching_paths(
    translation: &mut Translation<'_>,
    reference: &Placed,
) -> Vec<PathBuf> {
    let written = reference.as_str().unwrap_or_default();
    let written = written.strip_prefix("file://").unwrap_or(written);
    let folder = &translation.files.project().folder;
    let path = folder.join(written);
    let paths = if path.exists() || !written.contains(['*', '?', '{']) {
        vec![path]
    } else {
        crate::discover::matching(folder, written)
    };
    if paths.is_empty() {
        let message = format!("no file matches `{written}`");
        let span = reference.span.clone();
        translation
            .notes
            .0
            .push(Problem::error(Code::FileNotFound, span, message));
    }
    paths
}

/// Returns the cases of one file: an array of them, or one per line.
fn cases_of_file(
    translation: &mut Translation<'_>,
    path: &Path,
    reference: &Placed,
) -> Vec<Placed> {
    let extension = path.extension().and_then(|extension| extension.to_str());
    let is_code = |end: &str| ["js", "cjs", "mjs", "ts", "py", "rb", "xlsx", "xls"].contains(&end);
    if let Some(end) = extension.filter(|end| is_code(end)) {
        let name = format!("tests in a .{end} file");
        let instead = "write the tests as YAML, JSON Lines or CSV";
        translation
            .notes
            .unsupported(&name, reference.span.clone(), instead);
        return Vec::new();
    }
    let Some(mut content) = translation.read(path, reference) else {
        return Vec::new();
    };
    if let Some(tests) = content.take("tests") {
        content = tests.value;
    }
    let is_csv = path.extension().is_some_and(|extension| extension == "csv");
    match content.kind() {
        NodeKind::Array if is_csv => {
            let rows = content.items().iter();
            let is_of_promptfoo = translation.is_of_promptfoo;
            rows.map(|row| of_csv(row.clone(), is_of_promptfoo))
                .collect()
        }
        NodeKind::Array => content.items().to_vec(),
        NodeKind::Object => vec![content],
        NodeKind::Null => Vec::new(),
        _ => {
            translation.notes.wrong_type(&content, "an array of cases");
            Vec::new()
        }
    }
}

/// Returns the test that a row of a CSV file is: its columns are variables, and those that begin with
/// `__` say more about the test.
fn of_csv(mut row: Placed, is_of_promptfoo: bool) -> Placed {
    let span = row.span.clone();
    let mut test = Placed::map(span.clone());
    let mut assertions = Vec::new();
    let special: Vec<String> = row
        .fields()
        .iter()
        .map(|field| field.name.clone())
        .filter(|name| name.starts_with("__"))
        .collect();
    for name in special {
        let Some(field) = row.take(&name) else {
            continue;
        };
        if name.starts_with("__expected") && is_of_promptfoo {
            if field
                .value
                .as_str()
                .is_some_and(|cell| !cell.trim().is_empty())
            {
                assertions.push(promptfoo::of_cell(&field.value));
            }
        } else if name.starts_with("__expected") {
            assertions.push(Assertions::of_text(&field.value));
        } else if is_of_promptfoo && put_column(&mut test, &field) {
            continue;
        } else if name == "__description" {
            test.put_as("description", field);
        } else if name == "__id" {
            test.put_as("id", field);
        } else {
            test.put_as(name, field);
        }
    }
    test.put("vars", span.clone(), row);
    if is_of_promptfoo {
        configure(&mut test, &mut assertions);
    }
    if !assertions.is_empty() {
        test.put("assert", span.clone(), Placed::list(span, assertions));
    }
    test
}

/// Gives assertions the name in `__metric`, and the thresholds in `__config:__expected2:threshold`.
fn configure(test: &mut Placed, assertions: &mut [Placed]) {
    let metric = test.take("__metric");
    for assertion in assertions.iter_mut() {
        if let Some(metric) = &metric {
            assertion.put_as("metric", metric.clone());
        }
    }
    for (index, assertion) in assertions.iter_mut().enumerate() {
        let mut names = vec![format!("__config:__expected{}:threshold", index + 1)];
        if index == 0 {
            names.push("__config:__expected:threshold".to_owned());
        }
        let field = names.iter().find_map(|name| test.take(name));
        let number = field
            .as_ref()
            .and_then(|field| field.value.as_str()?.trim().parse::<f64>().ok());
        if let (Some(field), Some(number)) = (field, number) {
            assertion.take("threshold");
            let span = field.value.span.clone();
            let value = PlacedValue::Number(number.to_string());
            assertion.put("threshold", field.span, Placed { span, value });
        }
    }
}

/// Puts what a special column of promptfoo says about a test. Returns false if it knows no such column.
fn put_column(test: &mut Placed, field: &PlacedField) -> bool {
    let text = field.value.as_str().unwrap_or_default().trim();
    let mut put_inside = |map: &str, name: &str| {
        let mut inside = test.take(map).unwrap_or_else(|| PlacedField {
            name: map.to_owned(),
            span: field.span.clone(),
            value: Placed::map(field.span.clone()),
        });
        inside.value.put_as(name, field.clone());
        test.put_as(map, inside);
    };
    match field.name.as_str() {
        "__prefix" | "__suffix" => put_inside("options", field.name.trim_start_matches('_')),
        "__threshold" => {
            if !text.is_empty() {
                let value = match text.parse::<f64>() {
                    Ok(_) => PlacedValue::Number(text.to_owned()),
                    Err(_) => PlacedValue::Text(text.to_owned()),
                };
                let span = field.value.span.clone();
                test.put("threshold", field.span.clone(), Placed { span, value });
            }
        }
        "__providerOutput" => {
            if !text.is_empty() {
                test.put_as("providerOutput", field.clone());
            }
        }
        name => match name.strip_prefix("__metadata:") {
            Some(key) if !text.is_empty() => put_inside("metadata", key),
            Some(_) => {}
            None => return false,
        },
    }
    true
}

/// Returns the case files in the folders of a folder, in order.
fn case_files(folder: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    let mut folders: Vec<PathBuf> = entries.map(|entry| entry.path()).collect();
    folders.sort();
    let names = ["case.yaml", "case.yml"];
    let files = folders.iter().filter_map(|folder| {
        let mut files = names.iter().map(|name| folder.join(name));
        files.find(|file| file.is_file())
    });
    files.collect()
}

/// Gives a case without an id the name of its folder, and the workspace beside it.
fn name_after_folder(case: &mut Placed, file: &Path, project: &Project) {
    let folder = file.parent();
    let name = folder.and_then(Path::file_name).unwrap_or_default();
    let span = case.span.start..case.span.start;
    if case.given("id").is_none() {
        case.take("id");
        let id = Placed::text(span.clone(), name.to_string_lossy());
        case.put("id", span.clone(), id);
    }
    let beside = folder.map(|folder| folder.join("workspace"));
    if let Some(beside) =
        beside.filter(|beside| beside.is_dir() && case.given("workspace").is_none())
    {
        let mut workspace = Placed::map(span.clone());
        let from_root = format!("/{}", project.display(&beside));
        let path = Placed::text(span.clone(), from_root);
        workspace.put("template", span.clone(), path);
        case.put("workspace", span, workspace);
    }
}
