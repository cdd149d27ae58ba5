//! The translation of a list of assertions.

use agentv_syntax::{NodeKind, Placed, PlacedField, PlacedValue};

use super::promptfoo;
use super::table::{self, Entry};
use crate::dialect::notes::Notes;
use crate::dialect::source::Translation;

/// A translation of assertions.
pub(in super::super) struct Assertions<'t, 'a> {
    pub(super) translation: &'t mut Translation<'a>,
    pub(super) notes: &'t mut Notes,
    /// The files that are being included, the innermost last.
    pub(super) included: Vec<std::path::PathBuf>,
    pub(in super::super) words: Words,
    /// The target that judges, if an assertion names none.
    pub(in super::super) judge: Option<PlacedField>,
    /// The prompt of judges, if an assertion has none.
    pub(in super::super) rubric_prompt: Option<PlacedField>,
}

/// The tool whose words assertions are written in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in super::super) enum Words {
    Agentv,
    Promptfoo {
        /// True if every assertion must pass.
        is_each_required: bool,
    },
}

/// The fields that all assertions have.
const COMMON: [&str; 7] = [
    "type",
    "name",
    "metric",
    "weight",
    "required",
    "min_score",
    "negate",
];

impl<'t, 'a> Assertions<'t, 'a> {
    pub(in super::super) fn new(
        translation: &'t mut Translation<'a>,
        notes: &'t mut Notes,
    ) -> Assertions<'t, 'a> {
        Assertions {
            translation,
            notes,
            included: Vec::new(),
            words: Words::Agentv,
            judge: None,
            rubric_prompt: None,
        }
    }

    /// Returns our name of a kind of assertion, in either spelling.
    pub(in super::super) fn our_kind(theirs: &str) -> Option<&'static str> {
        table::entry(&theirs.replace('_', "-")).map(|entry| entry.ours)
    }

    /// Returns the types of assertions.
    pub(in super::super) fn types() -> Vec<&'static str> {
        table::names().collect()
    }

    /// Translates a list. Texts alone are the items of one checklist, at the place of the first.
    pub(in super::super) fn list(&mut self, list: &Placed) -> Vec<Placed> {
        if list.kind() != NodeKind::Array {
            self.notes.wrong_type(list, "an array of assertions");
            return Vec::new();
        }
        let items = self.with_includes(list);
        let texts: Vec<Placed> = items
            .iter()
            .filter(|item| is_filled(item))
            .cloned()
            .collect();
        let mut checklist = checklist(texts);
        let mut translated = Vec::new();
        for item in items {
            if item.kind() == NodeKind::String {
                translated.extend(checklist.take());
            } else {
                translated.extend(self.one(item));
            }
        }
        translated
    }

    /// Translates one assertion; `None` if it cannot be honoured.
    pub(super) fn one(&mut self, mut item: Placed) -> Option<Placed> {
        if item.kind() != NodeKind::Object {
            self.notes
                .wrong_type(&item, "an assertion (a text, or a mapping with `type`)");
            return None;
        }
        let Some(kind) = item.given("type").and_then(Placed::as_str) else {
            // The evaluators of ours report a type that is missing or wrong.
            return Some(item);
        };
        let kebab = kind.replace('_', "-");
        let (negated, name) = match kebab.strip_prefix("not-") {
            Some(rest) => (true, rest),
            None => (false, kebab.as_str()),
        };
        let entry = match self.words {
            Words::Agentv => table::entry(name),
            Words::Promptfoo { .. } => promptfoo::entry(name),
        };
        let Some(entry) = entry else {
            return self.unknown(item);
        };
        let tag = item.take("type")?;
        let mut ours = Placed::map(item.span.clone());
        let mine = Placed::text(tag.value.span.clone(), entry.ours);
        ours.put("type", tag.span, mine);
        self.common(&mut item, &mut ours, negated);
        self.apply(entry, &mut item, &mut ours)?;
        if let Words::Promptfoo { is_each_required } = self.words {
            promptfoo::complete(self, &mut item, &mut ours, is_each_required);
        }
        for field in item.fields() {
            ours.put_as(field.name.clone(), field.clone());
        }
        Some(ours)
    }

    /// Moves the fields that all assertions have.
    fn common(&mut self, item: &mut Placed, ours: &mut Placed, negated: bool) {
        let name = item.take("name");
        let metric = item.take("metric");
        if let Some(name) = name.or(metric) {
            ours.put_as("name", name);
        }
        if let Some(weight) = item.take("weight") {
            ours.put_as("weight", weight);
        }
        let least = item.take("min_score");
        if let Some(required) = item.take("required") {
            self.required(required, least, ours);
        } else if let Some(least) = least {
            ours.put_as("min_score", least);
        }
        let negate = item.take("negate");
        let span = negate
            .as_ref()
            .map_or(ours.span.clone(), |it| it.span.clone());
        let negate = negate.is_some_and(|negate| negate.value.as_bool() == Some(true));
        if negate != negated {
            ours.put("negate", span.clone(), flag(span, true));
        }
    }

    /// Moves `required`. A number requires that score.
    fn required(
        &mut self,
        mut required: PlacedField,
        least: Option<PlacedField>,
        ours: &mut Placed,
    ) {
        let span = required.value.span.clone();
        let number = matches!(required.value.value, PlacedValue::Number(_));
        let score = number.then(|| required.clone());
        if number {
            required.value = flag(span, true);
        }
        ours.put_as("required", required);
        if let Some(score) = least.or(score) {
            ours.put_as("min_score", score);
        }
    }

    /// Moves the options of one kind.
    fn apply(&mut self, entry: &Entry, item: &mut Placed, ours: &mut Placed) -> Option<()> {
        for (theirs, mine) in entry.options {
            if let Some(field) = item.take(theirs) {
                ours.put_as(*mine, field);
            }
        }
        for name in entry.flags {
            let span = ours.span.clone();
            ours.put(*name, span.clone(), flag(span, true));
        }
        (entry.rest)(self, item, ours)
    }

    /// Refuses an assertion that is not known. One of our own kinds stays as it is.
    fn unknown(&mut self, item: Placed) -> Option<Placed> {
        let kind = item.given("type")?;
        let name = kind.as_str()?;
        if let Some(script) = self.custom(name) {
            return Some(script.around(item));
        }
        let span = kind.span.clone();
        if self.words != Words::Agentv {
            let instead = promptfoo::advice(name);
            self.notes.unsupported(name, span, &instead);
            return None;
        }
        let nearest = agentv_syntax::nearest(name, table::names());
        let instead = match nearest {
            Some(nearest) => format!("did you mean `{nearest}`?"),
            None => "write the check as a `code_judge` script".to_owned(),
        };
        self.notes.unsupported(name, span, &instead);
        None
    }
}

impl Assertions<'_, '_> {
    /// Returns the assertion that a text in a cell is: `contains: Paris`, or the text that the answer
    /// equals.
    pub(in super::super) fn of_text(cell: &Placed) -> Placed {
        let text = cell.as_str().unwrap_or_default();
        let known = text.split_once(':').and_then(|(kind, value)| {
            let kind = kind.trim();
            let plain = kind.strip_prefix("not-").unwrap_or(kind);
            table::entry(plain)
                .is_some()
                .then_some((kind, value.trim()))
        });
        let (kind, value) = known.unwrap_or(("equals", text));
        let span = cell.span.clone();
        let mut assertion = Placed::map(span.clone());
        assertion.put("type", span.clone(), Placed::text(span.clone(), kind));
        let is_list = kind.ends_with("-any") || kind.ends_with("-all");
        let value = if is_list {
            let items = value.split(',').map(str::trim);
            let items = items.map(|item| Placed::text(span.clone(), item));
            Placed::list(span.clone(), items.collect())
        } else {
            Placed::text(span.clone(), value)
        };
        assertion.put("value", span, value);
        assertion
    }
}

/// Returns a flag that the user did not write, at the place of what it stands for.
pub(super) fn flag(span: std::ops::Range<usize>, value: bool) -> Placed {
    let value = PlacedValue::Bool(value);
    Placed { span, value }
}

fn is_filled(item: &Placed) -> bool {
    item.as_str().is_some_and(|text| !text.trim().is_empty())
}

/// Returns the checklist of texts, which weighs as much as it has items.
fn checklist(mut texts: Vec<Placed>) -> Option<Placed> {
    let first = texts.first()?.span.clone();
    for item in &mut texts {
        if let PlacedValue::Text(text) = &mut item.value {
            *text = text.trim().to_owned();
        }
    }
    let mut ours = Placed::map(first.clone());
    ours.put("type", first.clone(), Placed::text(first.clone(), "rubric"));
    if texts.len() > 1 {
        let weight = PlacedValue::Number(texts.len().to_string());
        let weight = Placed {
            span: first.clone(),
            value: weight,
        };
        ours.put("weight", first.clone(), weight);
    }
    ours.put("rubrics", first.clone(), Placed::list(first, texts));
    Some(ours)
}

impl Assertions<'_, '_> {
    /// Returns the fields of an assertion that belong to its kind.
    pub(super) fn own_fields(item: &Placed) -> Vec<PlacedField> {
        let fields = item.fields().iter();
        let own = fields.filter(|field| !COMMON.contains(&field.name.as_str()));
        own.cloned().collect()
    }
}
