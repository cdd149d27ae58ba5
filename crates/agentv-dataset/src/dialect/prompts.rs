//! The prompts of a suite, which its cases fill.

use agentv_syntax::{Code, Missing, NodeKind, Placed, Problem, Template};

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
            items.filter_map(|item| one(translation, item)).collect()
        }
        _ => one(translation, prompts).into_iter().collect(),
    }
}

fn one(translation: &mut Translation<'_>, prompt: &Placed) -> Option<Prompt> {
    if prompt.as_str().is_some() {
        return Some(Prompt {
            label: None,
            template: of_text(translation, prompt)?,
        });
    }
    if prompt.kind() == NodeKind::Array {
        return Some(Prompt {
            label: None,
            template: prompt.clone(),
        });
    }
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
    let template = if is_path {
        let path = text.as_str()?;
        let path = path.strip_prefix("file://").unwrap_or(path);
        of_file(translation, text, path)?
    } else {
        of_text(translation, text)?
    };
    Some(Prompt {
        label: label.map(str::to_owned),
        template,
    })
}

/// Returns the prompt that a text is, or that the file has that it names.
fn of_text(translation: &mut Translation<'_>, text: &Placed) -> Option<Placed> {
    let written = text.as_str()?;
    match written.strip_prefix("file://") {
        Some(path) => of_file(translation, text, path),
        None => Some(text.clone()),
    }
}

fn of_file(translation: &mut Translation<'_>, reference: &Placed, path: &str) -> Option<Placed> {
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
        return translation.read(&located.absolute, reference);
    }
    let text = translation.files.text(&located).ok()?;
    translation.other_files.push(located.absolute.clone());
    Some(Placed::text(reference.span.clone(), text.trim_end()))
}
