//! The variables of a test: those of files, and the combinations of lists.

use agentv_syntax::{NodeKind, Placed, PlacedField, PlacedValue};

use super::super::agentv_5::over;
use super::super::notes::Notes;
use super::super::source::Translation;
use super::super::template;

/// A test with one value for each variable.
pub(super) struct Combination {
    pub(super) test: Placed,
    pub(super) vars: Placed,
    pub(super) notes: Notes,
    /// The number of the combination, from 0, if there are several.
    pub(super) number: Option<usize>,
}

/// Returns a test over the default test, once for each combination of the lists in its variables.
pub(super) fn combinations(
    translation: &mut Translation<'_>,
    test: Placed,
    defaults: &Placed,
) -> Vec<Combination> {
    let own = test.span.clone();
    let mut notes = Notes::default();
    if test.kind() != NodeKind::Object {
        notes.wrong_type(&test, "a test (a mapping)");
        return vec![Combination {
            vars: Placed::map(own.clone()),
            test: Placed::map(own),
            notes,
            number: None,
        }];
    }
    let mut test = test;
    let mut vars = test.take("vars");
    if let Some(field) = &mut vars {
        of_files(translation, &mut field.value, &mut notes);
        test.put_as("vars", field.clone());
    }
    let options = merged_options(defaults, &test);
    let mut test = over(defaults.clone(), test);
    test.span = own.clone();
    if let Some(options) = options {
        test.take("options");
        test.put_as("options", options);
    }
    let vars = test.take("vars");
    let mut vars = vars.map_or_else(|| Placed::map(own), |field| field.value);
    let mut expands = true;
    if let Some(options) = test.given("options") {
        let off = options
            .given("disableVarExpansion")
            .and_then(Placed::as_bool);
        expands = off != Some(true);
    }
    of_files(translation, &mut vars, &mut notes);
    let mut all = vec![Placed::map(vars.span.clone())];
    for field in vars.fields() {
        let values = values_of(translation, field, expands, &mut notes);
        all = all
            .into_iter()
            .flat_map(|before| with_each(before, field, &values))
            .collect();
    }
    let several = all.len() > 1;
    let made = all
        .into_iter()
        .enumerate()
        .map(|(number, vars)| Combination {
            test: test.clone(),
            // Values may refer to other variables.
            vars: template::filled(vars.clone(), &vars),
            notes: notes.of_case(number),
            number: several.then_some(number),
        });
    made.collect()
}

/// Returns the options of a test over those of the default test, key by key.
fn merged_options(defaults: &Placed, test: &Placed) -> Option<PlacedField> {
    let field_of = |map: &Placed| {
        let mut fields = map.fields().iter();
        fields.find(|field| field.name == "options").cloned()
    };
    let (below, own) = (field_of(defaults)?, field_of(test)?);
    let mut merged = own.clone();
    for field in below.value.fields() {
        if own.value.given(&field.name).is_none() {
            merged.value.put_as(field.name.clone(), field.clone());
        }
    }
    Some(merged)
}

fn with_each(before: Placed, field: &PlacedField, values: &[Placed]) -> Vec<Placed> {
    let with = |value: &Placed| {
        let mut map = before.clone();
        map.put(field.name.clone(), field.span.clone(), value.clone());
        map
    };
    values.iter().map(with).collect()
}

/// Returns the values of a variable. A list of texts has several.
fn values_of(
    translation: &mut Translation<'_>,
    field: &PlacedField,
    expands: bool,
    notes: &mut Notes,
) -> Vec<Placed> {
    let value = &field.value;
    let is_text = |item: &Placed| item.kind() == NodeKind::String;
    if expands && value.items().first().is_some_and(is_text) {
        let items = value.items().iter();
        return items
            .flat_map(|item| of_file(translation, item, notes))
            .collect();
    }
    of_file(translation, value, notes)
}

/// Reads the variables themselves from the files that they name.
fn of_files(translation: &mut Translation<'_>, vars: &mut Placed, notes: &mut Notes) {
    let Some(path) = vars.as_str().map(str::to_owned) else {
        return;
    };
    let path = path.strip_prefix("file://").unwrap_or(&path).to_owned();
    let reference = vars.clone();
    let read = paths(translation, &path)
        .into_iter()
        .filter_map(|path| translation.read(&path, &reference));
    let read: Vec<Placed> = read.collect();
    if read.is_empty() {
        notes.wrong_type(
            &reference,
            "variables (a mapping, or the path of a file with them)",
        );
    }
    *vars = Placed::map(reference.span);
    for content in read {
        for field in content.fields() {
            vars.put_as(field.name.clone(), field.clone());
        }
    }
}

/// Returns a value, or the content of the files that it names.
fn of_file(translation: &mut Translation<'_>, value: &Placed, notes: &mut Notes) -> Vec<Placed> {
    let Some(path) = value.as_str().and_then(|text| text.strip_prefix("file://")) else {
        return vec![value.clone()];
    };
    let ends = |ends: &[&str]| ends.iter().any(|end| path.ends_with(end));
    if ends(&[".js", ".cjs", ".mjs", ".ts", ".py", ".rb"]) {
        let instead = "write the value itself, or name a file that holds it";
        notes.unsupported(path, value.span.clone(), instead);
        return vec![value.clone()];
    }
    if ends(&[
        ".png", ".jpg", ".jpeg", ".gif", ".webp", ".pdf", ".mp3", ".wav", ".mp4",
    ]) {
        let instead =
            "write the input in agentv's own format, with a block `{type: image, value: PATH}`";
        notes.unsupported(path, value.span.clone(), instead);
        return vec![value.clone()];
    }
    let files = paths(translation, path);
    let found = files
        .iter()
        .filter_map(|file| content(translation, file, value, notes));
    let found: Vec<Placed> = found.collect();
    if files.is_empty() {
        let message = format!("no file matches `{path}`");
        let problem = agentv_syntax::Problem::error(
            agentv_syntax::Code::FileNotFound,
            value.span.clone(),
            message,
        );
        notes.0.push(problem);
    }
    found
}

fn content(
    translation: &mut Translation<'_>,
    file: &std::path::Path,
    value: &Placed,
    notes: &mut Notes,
) -> Option<Placed> {
    let name = file.to_string_lossy();
    if [".yaml", ".yml", ".json"]
        .iter()
        .any(|end| name.ends_with(end))
    {
        let read = translation.read(file, value)?;
        // A variable is a text in a prompt.
        let text = match read.value {
            PlacedValue::Text(text) => text,
            other => Placed {
                span: 0..0,
                value: other,
            }
            .to_value()
            .to_string(),
        };
        return Some(Placed::text(value.span.clone(), text));
    }
    let text = translation.text_of(file, value, notes)?;
    Some(Placed::text(value.span.clone(), text.trim()))
}

fn paths(translation: &Translation<'_>, path: &str) -> Vec<std::path::PathBuf> {
    let folder = &translation.files.project().folder;
    let whole = folder.join(path);
    if whole.exists() || !path.contains(['*', '?', '{']) {
        vec![whole]
    } else {
        crate::discover::matching(folder, path)
    }
}
