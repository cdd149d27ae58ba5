//! Completion of fields, kinds, values, targets and files.

use std::fs;
use std::ops::Range;
use std::path::Path;

use agentv_providers::built_in;
use agentv_syntax::{Form, Registry, Text};
use gen_lsp_types::{
    CompletionItem, CompletionItemKind, CompletionItemTextEdit, Documentation, MarkupContent,
    MarkupKind, Position, TextEdit,
};
use serde_json::Value;

use super::context::Context;
use crate::loose::{LooseTree, Spot, SpotKind, Step, with_cursor};
use crate::meaning::{Known, Language, ShapePlace, keys_of_schemas, schemas_at};
use crate::targets::defined_targets;

/// The most files of a folder that are suggested.
const MOST_FILES: usize = 500;

/// Returns the words that can be written at a position.
pub(crate) fn complete(context: &Context<'_>, position: Position) -> Vec<CompletionItem> {
    let offset = context.offset(position);
    let marked = with_cursor(context.text(), offset);
    let tree = context.outline(&marked, offset);
    let Some(spot) = tree.spot(offset) else {
        return Vec::new();
    };
    let (typed, span) = spot.typed();
    let (typed, span) = (typed.to_owned(), span);
    let words = Words {
        context,
        tree: &tree,
        spot: &spot,
        typed,
    };
    let suggestions = words.all();
    let edit = |suggestion: Suggestion| suggestion.item(context, &span);
    suggestions.into_iter().map(edit).collect()
}

/// Something that can be written.
struct Suggestion {
    label: String,
    /// The text to insert, if it is not the label.
    insert: Option<String>,
    kind: CompletionItemKind,
    detail: String,
    doc: String,
}

impl Suggestion {
    fn item(self, context: &Context<'_>, span: &Range<usize>) -> CompletionItem {
        let range = context.encoding.range(context.text(), span);
        let new_text = self.insert.unwrap_or_else(|| self.label.clone());
        CompletionItem {
            label: self.label,
            kind: Some(self.kind),
            detail: Some(self.detail).filter(|detail| !detail.is_empty()),
            documentation: Some(self.doc).filter(|doc| !doc.is_empty()).map(|doc| {
                Documentation::MarkupContent(MarkupContent {
                    kind: MarkupKind::Markdown,
                    value: doc,
                })
            }),
            text_edit: Some(CompletionItemTextEdit::TextEdit(TextEdit {
                range,
                new_text,
            })),
            ..CompletionItem::default()
        }
    }
}

struct Words<'w> {
    context: &'w Context<'w>,
    tree: &'w LooseTree,
    spot: &'w Spot<'w>,
    /// The part of the word before the cursor.
    typed: String,
}

impl Words<'_> {
    fn all(&self) -> Vec<Suggestion> {
        match (self.context.language(self.tree), self.spot.kind) {
            (Language::Ours(shape), SpotKind::Key) => {
                let around = &self.spot.path[..self.spot.path.len() - 1];
                let place = ShapePlace::at(shape, &self.tree.root, around);
                let keys = place.map(|place| place.keys(self.spot.object));
                self.keys(keys.unwrap_or_default(), "")
            }
            (Language::Ours(shape), SpotKind::Value) => {
                let place = ShapePlace::at(shape, &self.tree.root, &self.spot.path);
                let mut words = place.map_or_else(Vec::new, |place| self.values(&place));
                if self.names_file_block() {
                    words.extend(self.files());
                }
                words
            }
            (Language::Dialect(schema), SpotKind::Key) => {
                let around = &self.spot.path[..self.spot.path.len() - 1];
                self.keys(keys_of_schemas(&schemas_at(&schema, around)), "")
            }
            (Language::Dialect(schema), SpotKind::Value) => self.values_of_schema(&schema),
        }
    }

    /// Checks for the `value` of a block with `type: file`.
    fn names_file_block(&self) -> bool {
        let key = self.spot.path.last();
        let block = self
            .spot
            .object
            .and_then(|object| object.get("type")?.text());
        key == Some(&Step::Key("value".to_owned())) && block == Some("file")
    }

    fn is_in_json(&self) -> bool {
        self.context.document.is_lines()
    }

    /// Suggests keys that the object does not have yet.
    fn keys(&self, keys: Vec<Known>, prefix: &str) -> Vec<Suggestion> {
        let entries = self
            .spot
            .object
            .into_iter()
            .flat_map(|object| object.entries());
        let given: Vec<&str> = entries
            .filter(|entry| entry.key.inner() != self.spot.span)
            .filter_map(|entry| entry.key.text())
            .collect();
        let new = keys
            .into_iter()
            .filter(|key| !given.contains(&key.name.as_str()));
        new.map(|key| Suggestion {
            insert: Some(self.written_key(&key.name, prefix)),
            label: key.name,
            kind: CompletionItemKind::Field,
            detail: key.expected,
            doc: key.doc,
        })
        .collect()
    }

    fn written_key(&self, name: &str, prefix: &str) -> String {
        let in_quotes = self.spot.quote.is_some();
        let has_colon = self.spot.kind == SpotKind::Key && self.spot.has_colon;
        match (self.is_in_json(), in_quotes, has_colon) {
            (_, true, _) | (false, false, true) => name.to_owned(),
            (true, false, true) => format!("\"{name}\""),
            (true, false, false) => format!("\"{name}\": "),
            (false, false, false) => format!("{prefix}{name}: "),
        }
    }

    fn values(&self, place: &ShapePlace) -> Vec<Suggestion> {
        if let Some(registry) = place.names_kind_of {
            return self.kinds(registry);
        }
        let mut words = Vec::new();
        for form in place.forms() {
            match form {
                Form::Bool => words.extend(["true", "false"].map(|word| self.word(word, ""))),
                Form::Text(text) => words.extend(self.texts(*text)),
                Form::Record(_) | Form::Evaluator | Form::Target if !self.is_in_json() => {
                    words.extend(self.keys(place.keys(None), ""));
                }
                Form::List { .. } if !self.is_in_json() => {
                    let items = place.of_items();
                    let keys = items.map(|items| items.keys(None)).unwrap_or_default();
                    words.extend(self.keys(keys, "- "));
                }
                _ => {}
            }
        }
        if self.names_target() {
            words.extend(self.targets());
        }
        words
    }

    fn texts(&self, text: Text) -> Vec<Suggestion> {
        match text {
            Text::OneOf(words) | Text::Reference(words) => {
                words.iter().map(|word| self.word(word, "")).collect()
            }
            Text::EvaluatorType | Text::EvaluatorAlone => {
                self.kinds(agentv_project::DEFINITIONS.evaluators)
            }
            Text::File | Text::TextOrFile | Text::Folder | Text::FolderToCopy => self.files(),
            Text::Any | Text::Filled => Vec::new(),
        }
    }

    fn kinds(&self, registry: &'static Registry) -> Vec<Suggestion> {
        let kinds = registry.kinds.iter();
        kinds.map(|kind| self.word(kind.name, kind.doc)).collect()
    }

    /// Returns a value, with quotes if the document is JSON.
    fn word(&self, word: &str, doc: &str) -> Suggestion {
        let needs_quotes =
            self.is_in_json() && self.spot.quote.is_none() && !matches!(word, "true" | "false");
        Suggestion {
            label: word.to_owned(),
            insert: needs_quotes.then(|| format!("\"{word}\"")),
            kind: CompletionItemKind::EnumMember,
            detail: String::new(),
            doc: doc.to_owned(),
        }
    }

    /// Checks if the value is the name of a target, or one of a list of them.
    fn names_target(&self) -> bool {
        let keys = self.spot.path.iter().rev().filter_map(|step| match step {
            Step::Key(name) => Some(name.as_str()),
            Step::Index(_) => None,
        });
        keys.take(1).any(names_target)
    }

    fn targets(&self) -> Vec<Suggestion> {
        let context = self.context;
        let document = &context.document.path;
        let defined = defined_targets(document, context.working_dir, &context.unsaved);
        let defined = defined
            .into_iter()
            .map(|target| (target.name, target.summary));
        let built_in = built_in().into_iter();
        let built_in = built_in.map(|name| (name.to_owned(), "built in".to_owned()));
        let all = defined.chain(built_in).map(|(name, detail)| Suggestion {
            kind: CompletionItemKind::Value,
            detail,
            ..self.word(&name, "")
        });
        all.collect()
    }

    /// Suggests the files of the folder that was written so far.
    fn files(&self) -> Vec<Suggestion> {
        let (folder, _) = self.typed.rsplit_once('/').map_or(("", ""), |parts| parts);
        let starts = match self.typed.strip_prefix('/') {
            Some(_) => vec![self.context.root()],
            None => self.context.folders(),
        };
        let found = starts
            .into_iter()
            .map(|start| start.join(folder.trim_start_matches('/')));
        let Some(place) = found.into_iter().find(|place| place.is_dir()) else {
            return Vec::new();
        };
        let prefix = match self.typed.rfind('/') {
            Some(at) => &self.typed[..=at],
            None => "",
        };
        let names = names_in(&place);
        names
            .into_iter()
            .map(|name| Suggestion {
                kind: CompletionItemKind::File,
                ..self.word(&format!("{prefix}{name}"), "")
            })
            .collect()
    }

    fn values_of_schema(&self, schema: &Value) -> Vec<Suggestion> {
        let here = schemas_at(schema, &self.spot.path);
        let words = here
            .iter()
            .filter_map(|schema| schema["enum"].as_array())
            .flatten();
        let mut words: Vec<Suggestion> = words
            .filter_map(|word| word.as_str())
            .map(|word| self.word(word, ""))
            .collect();
        if self.names_target() {
            words.extend(self.targets());
        }
        let items = here.iter().filter_map(|schema| schema.get("items"));
        let items: Vec<&Value> = items.collect();
        if !self.is_in_json() && self.spot.object.is_none() && items.is_empty() {
            words.extend(self.keys(keys_of_schemas(&here), ""));
        }
        words
    }
}

/// Checks if a field of this name holds the name of a target.
pub(super) fn names_target(name: &str) -> bool {
    matches!(name, "target" | "targets" | "judge" | "judges") || name.ends_with("_target")
}

/// Returns the names of files and folders, folders with a slash. Hidden ones are omitted.
fn names_in(folder: &Path) -> Vec<String> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    let mut names: Vec<String> = entries
        .filter_map(|entry| {
            let name = entry.file_name().into_string().ok()?;
            let slash = if entry.path().is_dir() { "/" } else { "" };
            (!name.starts_with('.')).then(|| format!("{name}{slash}"))
        })
        .collect();
    names.sort();
    names.truncate(MOST_FILES);
    names
}
