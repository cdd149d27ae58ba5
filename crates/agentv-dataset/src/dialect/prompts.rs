//! The prompts of a suite, which its cases fill.

use agentv_syntax::{Code, Missing, NodeKind, Placed, PlacedField, Problem, Template};

use super::notes::Notes;
use super::source::Translation;
use super::template;

/// A prompt.
#[derive(Debug, Clone)]
pub(super) struct Prompt {
    /// The name, for the ids of cases if there are several prompts.
    label: Option<String>,
    template: Placed,
}

impl Prompt {
    /// Returns the end of the id of a case with this prompt, the `index`th from 0.
    pub(super) fn suffix(&self, index: usize) -> String {
        let label = self
            .label
            .clone()
            .unwrap_or_else(|| (index + 1).to_string());
        format!("-{label}")
    }

    /// Returns a prompt without a name.
    pub(super) fn of(template: Placed) -> Prompt {
        let label = None;
        Prompt { label, template }
    }

    /// Returns the template.
    pub(super) fn template(&self) -> &Placed {
        &self.template
    }

    /// Checks if a test that names its prompts means this one.
    pub(super) fn is_called(&self, name: &str) -> bool {
        let label = self.label.as_deref().or_else(|| self.template.as_str());
        match (label, name.strip_suffix('*')) {
            (Some(label), Some(start)) => label.starts_with(start),
            (Some(label), None) => label == name || label.starts_with(&format!("{name}:")),
            (None, _) => false,
        }
    }

    /// Fills in the prompt for a case.
    pub(super) fn filled(&self, variables: &Placed, notes: &mut Notes) -> Placed {
        fill(self.template.clone(), variables, notes)
    }
}

/// Fills in a template: a variable alone becomes its value, anything else a text. The values themselves
/// are not templates.
pub(super) fn fill(value: Placed, variables: &Placed, notes: &mut Notes) -> Placed {
    let is_full = |text: &str| text.contains("{%") || !template::has_names_only(text);
    let Some(text) = value.as_str().filter(|text| is_full(text)) else {
        return chat(template::filled(value, variables));
    };
    let parsed = Template::parse(text, Missing::Empty);
    match parsed.and_then(|parsed| parsed.fill(variables.to_value())) {
        Ok(new) => chat(Placed::text(value.span, new)),
        Err(error) => {
            let message = format!("cannot fill in the template: {}", error.reason);
            let span = value.span.clone();
            notes
                .0
                .push(Problem::error(Code::InvalidTemplate, span, message));
            value
        }
    }
}

/// Fills in a template, in all of its texts: a variable without a value is empty.
pub(super) fn fill_all(value: Placed, variables: &Placed, notes: &mut Notes) -> Placed {
    let mut filled = template::rendered(value, variables, notes);
    if filled.kind() == NodeKind::Object {
        let text = filled.to_value().to_string();
        filled = Placed::text(filled.span, text);
    }
    chat(filled)
}

/// Returns the messages of a text that is a JSON array of them.
fn chat(mut filled: Placed) -> Placed {
    let Some(text) = filled.as_str().map(str::trim) else {
        return filled;
    };
    if !text.starts_with('[') || !text.contains("\"role\"") {
        return filled;
    }
    if let Ok(value) = serde_json::from_str::<serde_json::Value>(text)
        && value
            .as_array()
            .is_some_and(|items| items.iter().all(|item| item.get("role").is_some()))
    {
        filled = Placed::of_value(filled.span.clone(), &value);
    }
    filled
}

/// Reads the prompts of a suite.
pub(super) fn read(translation: &mut Translation<'_>, prompts: &Placed) -> Vec<Prompt> {
    match prompts.kind() {
        NodeKind::Array => {
            let items = prompts.items().iter();
            items.flat_map(|item| one(translation, item)).collect()
        }
        NodeKind::Object if !is_labelled(prompts) => {
            let fields = prompts.fields().iter();
            fields
                .flat_map(|field| of_labelled_file(translation, field))
                .collect()
        }
        _ => one(translation, prompts),
    }
}

/// Checks if an object is one prompt: other keys are the paths of files.
fn is_labelled(prompt: &Placed) -> bool {
    let mut fields = prompt.fields().iter();
    fields.any(|field| ["raw", "id", "path", "template"].contains(&field.name.as_str()))
}

/// Returns the prompts of a file that is written as `PATH: LABEL`.
fn of_labelled_file(translation: &mut Translation<'_>, field: &PlacedField) -> Vec<Prompt> {
    let path = field.name.strip_prefix("file://").unwrap_or(&field.name);
    let path = Placed::text(field.span.clone(), format!("file://{path}"));
    let label = field.value.as_str().map(str::to_owned);
    let templates = of_text(translation, &path).into_iter();
    let prompts = templates.map(|template| Prompt {
        label: label.clone(),
        template,
    });
    prompts.collect()
}

/// Returns the prompts of one element: a text is one, and a file may have several.
fn one(translation: &mut Translation<'_>, prompt: &Placed) -> Vec<Prompt> {
    if prompt.as_str().is_some() {
        let templates = of_text(translation, prompt).into_iter();
        return templates.map(Prompt::of).collect();
    }
    if prompt.kind() == NodeKind::Array {
        return vec![Prompt::of(prompt.clone())];
    }
    labelled(translation, prompt).unwrap_or_default()
}

fn labelled(translation: &mut Translation<'_>, prompt: &Placed) -> Option<Vec<Prompt>> {
    for field in prompt.fields() {
        if !["raw", "id", "label", "path", "template"].contains(&field.name.as_str()) {
            let instead = "write the prompt itself, or the path of its file";
            translation
                .notes
                .unsupported(&field.name, field.span.clone(), instead);
            return None;
        }
    }
    let label = prompt.given("label").and_then(Placed::as_str);
    let text = ["raw", "template", "path", "id"]
        .into_iter()
        .find_map(|name| prompt.given(name));
    let Some(text) = text else {
        translation
            .notes
            .wrong_type(prompt, "a prompt (a text, or an object with `raw`)");
        return None;
    };
    let is_path = prompt.given("raw").is_none() && prompt.given("template").is_none();
    let templates = if is_path {
        let path = text.as_str()?;
        let path = path.strip_prefix("file://").unwrap_or(path);
        of_files(translation, text, path)
    } else {
        of_text(translation, text)
    };
    let several = templates.len() > 1;
    let prompts = templates.into_iter().enumerate().map(|(index, template)| {
        let number = if several {
            format!("-{}", index + 1)
        } else {
            String::new()
        };
        let label = label.map(|label| format!("{label}{number}"));
        Prompt { label, template }
    });
    Some(prompts.collect())
}

/// The ends of files with prompts.
const ENDS: [&str; 10] = [
    ".txt", ".md", ".json", ".yaml", ".yml", ".j2", ".jinja", ".jinja2", ".csv", ".jsonl",
];

/// Returns the prompt that a text is, or those of the files that it names.
fn of_text(translation: &mut Translation<'_>, text: &Placed) -> Vec<Placed> {
    let written = text.as_str().unwrap_or_default();
    if let Some(path) = written.strip_prefix("file://") {
        return of_files(translation, text, path);
    }
    let is_path = !written.contains('\n') && ENDS.iter().any(|end| written.ends_with(end));
    let folder = &translation.files.project().folder;
    if is_path && folder.join(written).is_file() {
        return of_files(translation, text, written);
    }
    vec![chat(text.clone())]
}

/// Returns the prompts of the files that a path or pattern names.
fn of_files(translation: &mut Translation<'_>, reference: &Placed, path: &str) -> Vec<Placed> {
    let folder = translation.files.project().folder.clone();
    if folder.join(path).exists() || !path.contains(['*', '?']) {
        return of_file(translation, reference, path).unwrap_or_default();
    }
    let files = crate::discover::matching(&folder, path);
    if files.is_empty() {
        let message = format!("no file matches `{path}`");
        let problem = Problem::error(Code::FileNotFound, reference.span.clone(), message);
        translation.notes.0.push(problem);
    }
    let shown = files
        .iter()
        .map(|file| format!("/{}", translation.files.project().display(file)));
    let shown: Vec<String> = shown.collect();
    let read = shown
        .iter()
        .filter_map(|file| of_file(translation, reference, file));
    read.flatten().collect()
}

fn of_file(
    translation: &mut Translation<'_>,
    reference: &Placed,
    path: &str,
) -> Option<Vec<Placed>> {
    let has_code = [".js", ".ts", ".mjs", ".cjs", ".py"]
        .iter()
        .any(|end| path.ends_with(end));
    if has_code {
        let instead = "write the prompt as a text or a chat in JSON or YAML";
        translation
            .notes
            .unsupported(path, reference.span.clone(), instead);
        return None;
    }
    let found = translation.files.find(path);
    let located = match found {
        Ok(located) => located,
        Err(problem) => {
            let span = reference.span.clone();
            let problem = Problem::error(problem.code, span, problem.message);
            translation.notes.0.push(problem);
            return None;
        }
    };
    if path.ends_with(".yaml") || path.ends_with(".yml") {
        return Some(vec![translation.read(&located.absolute, reference)?]);
    }
    if path.ends_with(".csv") || path.ends_with(".jsonl") {
        let rows = translation.read(&located.absolute, reference)?;
        let prompts = rows.items().iter().map(|row| match row.given("prompt") {
            Some(prompt) => prompt.clone(),
            None => row.clone(),
        });
        return Some(prompts.map(chat).collect());
    }
    let text = translation.files.text(&located).ok()?;
    translation.other_files.push(located.absolute.clone());
    let template = |text: &str| chat(Placed::text(reference.span.clone(), text));
    if path.ends_with(".txt") && text.lines().any(|line| line.trim() == "---") {
        return Some(separated(&text).iter().map(|text| template(text)).collect());
    }
    Some(vec![template(text.trim_end())])
}

/// Returns the texts between lines that are `---`.
fn separated(text: &str) -> Vec<String> {
    let mut texts = vec![String::new()];
    for line in text.lines() {
        match texts.last_mut() {
            Some(_) if line.trim() == "---" => texts.push(String::new()),
            Some(last) => {
                last.push_str(line);
                last.push('\n');
            }
            None => {}
        }
    }
    let trimmed = texts.iter().map(|text| text.trim().to_owned());
    trimmed.filter(|text| !text.is_empty()).collect()
}
