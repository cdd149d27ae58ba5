//! Walks a value and its shape side by side.

use smallvec::SmallVec;

use super::cache::CheckCache;
use super::hints::{
    article, did_you_mean, is_boundless_number, quote_hint, shortened, tag_hint, zeros_hint,
};
use super::names::{is_one_of, key_name};
use super::path::{At, START, Step, push_key};
use super::table::GroupSet;
use crate::code::Code;
use crate::problem::Problem;
use crate::registry::{Definitions, Registry};
use crate::rubric::is_rubric;
use crate::shape::{Field, Form, Kind, Others, Record, Shape, Text, may_name_a_file};
use crate::suggest::{self, nearest};
use crate::tree::{Node, NodeKind};

/// A value that names a file.
#[derive(Debug, Clone)]
pub struct FileReference<'t> {
    /// The value.
    pub node: Node<'t>,
    /// The kind of text that it is.
    pub text: Text,
    /// The field.
    pub path: String,
    /// A further check of the text, whether it is in the value or in the file.
    pub check: Option<fn(Node<'_>) -> Option<Problem>>,
}

/// Compares `node` with `shape` and adds problems to `problems`.
pub fn check(node: Node<'_>, shape: &Shape, definitions: Definitions, problems: &mut Vec<Problem>) {
    let mut cache = CheckCache::default();
    Checker::new(definitions, problems, &mut cache).value(node, shape);
}

/// Keys that a record does not know.
type Keys<'t> = SmallVec<[Node<'t>; 4]>;

/// A walk over a value and its shape side by side.
pub struct Checker<'t, 'p> {
    definitions: Definitions,
    /// The field and the element that the value is, if it is checked apart from the rest.
    base: (Option<&'static str>, Option<usize>),
    problems: &'p mut Vec<Problem>,
    cache: &'p mut CheckCache,
    files: Option<&'p mut Vec<FileReference<'t>>>,
    /// True within the options of an evaluator, where `camelCase` names stand for `snake_case` ones.
    takes_camel_case: bool,
}

impl<'t, 'p> Checker<'t, 'p> {
    /// Returns a checker that adds to `problems`.
    pub fn new(
        definitions: Definitions,
        problems: &'p mut Vec<Problem>,
        cache: &'p mut CheckCache,
    ) -> Self {
        Checker {
            definitions,
            base: (None, None),
            problems,
            cache,
            files: None,
            takes_camel_case: false,
        }
    }

    /// Also collects every value that names a file.
    pub fn collect_files(mut self, files: &'p mut Vec<FileReference<'t>>) -> Self {
        self.files = Some(files);
        self
    }

    /// Sets the field that the checked value is in.
    pub fn inside(mut self, name: &'static str) -> Self {
        self.base.0 = Some(name);
        self
    }

    /// Sets the index of the checked value.
    pub fn at_index(mut self, index: usize) -> Self {
        self.base.1 = Some(index);
        self
    }

    /// Compares `node` with `shape`.
    pub fn value(&mut self, node: Node<'t>, shape: &Shape) {
        self.value_at(node, shape, &START);
    }

    fn value_at(&mut self, node: Node<'t>, shape: &Shape, at: &At<'_, 't>) {
        for form in shape.forms {
            match (form, node.kind()) {
                (Form::Any, _) | (Form::Bool, NodeKind::Bool) => return,
                (Form::Number { min, max, integer }, NodeKind::Number) => {
                    return self.number(node, shape, *min..=*max, *integer, at);
                }
                (Form::Text(text), NodeKind::String) => return self.text(node, shape, *text, at),
                (Form::List { items, at_least }, NodeKind::Array) => {
                    return self.list(node, shape, items, *at_least, at);
                }
                (Form::Record(record), NodeKind::Object) => {
                    return self.record_at(node, record, &[], at);
                }
                (Form::Map(values), NodeKind::Object) => return self.map(node, values, at),
                (Form::Evaluator, NodeKind::Object) => {
                    return self.tagged(node, self.definitions.evaluators, at);
                }
                (Form::Target, NodeKind::Object) => {
                    return self.tagged(node, self.definitions.targets, at);
                }
                (
                    Form::Refused {
                        kind: refused,
                        hint,
                    },
                    kind,
                ) if kind == *refused => {
                    let (found, hint) = (kind.described().to_owned(), Some((*hint).to_owned()));
                    return self.mismatch(Code::WrongType, node, shape.expected, found, hint, at);
                }
                (Form::Checked { form, check }, kind) if form.takes(kind) => {
                    return self.checked(node, shape, form, *check, at);
                }
                _ => {}
            }
        }
        let found = if is_boundless_number(node, shape) {
            format!("{}, which is not a finite number", shortened(&node.text()))
        } else {
            node.kind().described().to_owned()
        };
        let hint = quote_hint(node, shape).or_else(|| zeros_hint(node, shape));
        self.mismatch(Code::WrongType, node, shape.expected, found, hint, at);
    }

    /// Compares a value with a form, and if it has that form, runs the check. A text that may name a file
    /// is left to the code that looks for the file.
    fn checked(
        &mut self,
        node: Node<'t>,
        shape: &Shape,
        form: &'static Form,
        check: fn(Node<'_>) -> Option<Problem>,
        at: &At<'_, 't>,
    ) {
        let before = self.problems.len();
        let found_before = self.files.as_ref().map_or(0, |found| found.len());
        let written = Shape {
            expected: shape.expected,
            forms: std::slice::from_ref(form),
        };
        self.value_at(node, &written, at);
        let found = self.files.as_mut().map(|found| &mut found[found_before..]);
        for found in found.into_iter().flatten() {
            found.check = Some(check);
        }
        // Only the code that looks for files knows if such a text is the name of one.
        let is_for_later =
            matches!(form, Form::Text(Text::TextOrFile)) && may_name_a_file(&node.text());
        if self.problems.len() == before
            && !is_for_later
            && let Some(problem) = check(node)
        {
            self.report_inside(problem, at);
        }
    }

    fn number(
        &mut self,
        node: Node<'t>,
        shape: &Shape,
        range: std::ops::RangeInclusive<f64>,
        integer: bool,
        at: &At<'_, 't>,
    ) {
        let Some(value) = node.as_f64() else { return };
        if !range.contains(&value) || (integer && value.fract() != 0.0) {
            let found = if value.is_finite() {
                node.text().into_owned()
            } else {
                format!("{}, which is too large", shortened(&node.text()))
            };
            self.mismatch(Code::OutOfRange, node, shape.expected, found, None, at);
        }
    }

    fn text(&mut self, node: Node<'t>, shape: &Shape, text: Text, at: &At<'_, 't>) {
        match text {
            Text::Any => {}
            Text::File | Text::TextOrFile | Text::Folder | Text::FolderToCopy => {
                if self.files.is_some() {
                    let path = self.rendered_path(at);
                    if let Some(files) = &mut self.files {
                        files.push(FileReference {
                            node,
                            text,
                            path,
                            check: None,
                        });
                    }
                }
            }
            Text::Filled => {
                if node.is_text("") {
                    let found = "an empty string".to_owned();
                    self.mismatch(Code::OutOfRange, node, shape.expected, found, None, at);
                }
            }
            Text::OneOf(words) => {
                if !is_one_of(node, words) {
                    let found = shortened(&node.text());
                    let hint = did_you_mean(&node.text(), words.iter().copied());
                    self.mismatch(Code::UnknownValue, node, shape.expected, found, hint, at);
                }
            }
            Text::Reference(words) => self.reference(node, shape, words, at),
            Text::EvaluatorType => self.kind_name(node, self.definitions.evaluators, at),
            Text::EvaluatorAlone => self.kind_without_options(node, at),
        }
    }

    fn reference(
        &mut self,
        node: Node<'t>,
        shape: &Shape,
        words: &'static [&'static str],
        at: &At<'_, 't>,
    ) {
        let text = node.text();
        if holds_reference(&text) || words.contains(&text.as_ref()) {
            return;
        }
        if !words.is_empty() {
            let hint = did_you_mean(&text, words.iter().copied());
            let found = shortened(&text);
            return self.mismatch(Code::UnknownValue, node, shape.expected, found, hint, at);
        }
        let found = format!("the string {}", shortened(&text));
        let quoted = text.parse::<f64>().is_ok_and(f64::is_finite)
            || matches!(text.as_ref(), "true" | "false");
        let hint = quoted.then(|| "write it without quotes".to_owned());
        self.mismatch(Code::WrongType, node, shape.expected, found, hint, at);
    }

    fn list(
        &mut self,
        node: Node<'t>,
        shape: &Shape,
        items: &Shape,
        at_least: usize,
        at: &At<'_, 't>,
    ) {
        if (at_least > 0 && node.is_empty()) || (at_least > 1 && node.len() < at_least) {
            let found = match node.len() {
                0 => "an empty array".to_owned(),
                length => format!("an array of {length}"),
            };
            self.mismatch(Code::OutOfRange, node, shape.expected, found, None, at);
        }
        for (index, item) in node.items().enumerate() {
            self.value_at(item, items, &at.then(Step::Index(index)));
        }
    }

    fn map(&mut self, node: Node<'t>, values: &Shape, at: &At<'_, 't>) {
        if matches!(values.forms, [Form::Any]) {
            return;
        }
        for (key, value) in node.fields() {
            self.value_at(value, values, &at.then(Step::Key(key)));
        }
    }

    /// Compares an object with a record.
    pub fn record(&mut self, node: Node<'t>, record: &'static Record) {
        self.record_without(node, record, &[]);
    }

    /// Compares an object with a record, except for the values of some fields.
    pub fn record_without(&mut self, node: Node<'t>, record: &'static Record, ignored: &[&str]) {
        self.record_at(node, record, ignored, &START);
    }

    fn record_at(
        &mut self,
        node: Node<'t>,
        record: &'static Record,
        ignored: &[&str],
        at: &At<'_, 't>,
    ) {
        let table = self.cache.table_of(record);
        let may_be_camel = self.takes_camel_case || is_rubric(record);
        let mut given: GroupSet = 0;
        let mut unknown = Keys::new();
        for (key, value) in written_fields(node) {
            let table = self.cache.table(table);
            let known = table.find(key).or_else(|| {
                may_be_camel
                    .then(|| table.find_name(key_name(key).as_bytes()))
                    .flatten()
            });
            let Some(known) = known else {
                unknown.push(key);
                continue;
            };
            given |= known.groups;
            if known.surely_takes(value) {
                continue;
            }
            let field = known.field;
            if ignored.is_empty() || !ignored.contains(&field.name) {
                self.field(key, value, field, at);
            }
        }
        if given != self.cache.table(table).required {
            self.missing_groups(node, record.required.iter(), given, &mut unknown, at);
        }
        for key in unknown {
            self.unknown_field(
                key,
                record.others,
                record.name,
                || record.fields.iter().map(|field| field.name),
                at,
            );
        }
    }

    fn field(&mut self, key: Node<'t>, value: Node<'t>, field: &Field, at: &At<'_, 't>) {
        self.value_at(value, field.shape, &at.then(Step::Key(key)));
    }

    fn tagged(&mut self, node: Node<'t>, registry: &'static Registry, at: &At<'_, 't>) {
        let Some(tag) = node.get(registry.tag) else {
            return self.untagged(node, registry, at);
        };
        if tag.kind() != NodeKind::String {
            let found = tag.kind().described().to_owned();
            let at = at.then(Step::Name(registry.tag));
            return self.mismatch(Code::WrongType, tag, "a string", found, None, &at);
        }
        let Some(kind) = self.cache.kind(registry, tag) else {
            return self.kind_name(tag, registry, &at.then(Step::Name(registry.tag)));
        };
        self.options(node, registry, kind, at);
    }

    /// Checks an object without a tag: `contains: Paris` in place of `type: contains, value: Paris`.
    fn untagged(&mut self, node: Node<'t>, registry: &'static Registry, at: &At<'_, 't>) {
        let short = (node.len() == 1)
            .then(|| node.fields().next())
            .flatten()
            .and_then(|(key, value)| {
                let kind = registry.kind(&key.text())?;
                Some((key, value, kind.options.field(kind.shorthand?)?))
            });
        match short {
            Some((key, value, field)) => self.field(key, value, field, at),
            None => {
                let mut unknown: Keys<'t> = node.fields().map(|(key, _)| key).collect();
                let hint = unknown
                    .iter()
                    .find_map(|key| tag_hint(registry, &key.text()));
                self.missing(node, registry.tag, &[registry.tag], &mut unknown, at);
                if let Some(problem) = self.problems.last_mut()
                    && problem.hint.is_none()
                {
                    problem.hint = hint;
                }
            }
        }
    }

    fn options(
        &mut self,
        node: Node<'t>,
        registry: &'static Registry,
        kind: &'static Kind,
        at: &At<'_, 't>,
    ) {
        let before = self.problems.len();
        let is_evaluator = std::ptr::eq(registry, self.definitions.evaluators);
        let camel_case = is_evaluator && registry.camel_case;
        let outside = std::mem::replace(&mut self.takes_camel_case, camel_case);
        let table = self.cache.table_of_kind(registry, kind);
        let mut given: GroupSet = 0;
        let mut unknown = Keys::new();
        for (key, value) in written_fields(node) {
            let table = self.cache.table(table);
            // Most names are written as they are known.
            let known = table.find(key).or_else(|| {
                let may_be_camel = registry.camel_case;
                may_be_camel
                    .then(|| table.find_name(key_name(key).as_bytes()))
                    .flatten()
            });
            let Some(known) = known else {
                unknown.push(key);
                continue;
            };
            given |= known.groups;
            if known.surely_takes(value) {
                continue;
            }
            let field = known.field;
            self.field(key, value, field, at);
        }
        self.takes_camel_case = outside;
        if given != self.cache.table(table).required {
            let groups = registry.common.required.iter().chain(kind.options.required);
            self.missing_groups(node, groups, given, &mut unknown, at);
        }
        for key in unknown {
            self.unknown_field(
                key,
                kind.options.others,
                kind.name,
                || {
                    let own = kind.options.fields.iter();
                    own.chain(registry.common.fields).map(|field| field.name)
                },
                at,
            );
        }
        if let Some(check) = registry.check
            && self.problems.len() == before
            && let Some(problem) = check(kind, node)
        {
            self.report_inside(problem, at);
        }
    }

    /// Checks a kind that is only named: it has no options, so it must not need any.
    fn kind_without_options(&mut self, node: Node<'t>, at: &At<'_, 't>) {
        let registry = self.definitions.evaluators;
        let Some(kind) = registry.kind(&node.text()) else {
            return self.kind_name(node, registry, at);
        };
        if let Some([option, ..]) = kind.options.required.first() {
            let message = format!("`{}` needs `{option}`", kind.name);
            let hint = format!(
                "write `evaluators: [{{type: {}, {option}: …}}]` instead of `evaluator`",
                kind.name
            );
            let problem = Problem::error(Code::MissingField, node.span(), message);
            self.report(problem.hint(hint), at);
        }
    }

    fn kind_name(&mut self, node: Node<'t>, registry: &'static Registry, at: &At<'_, 't>) {
        if self.cache.kind(registry, node).is_some() {
            return;
        }
        let name = node.text();
        let known: Vec<_> = registry.kinds.iter().map(|kind| kind.name).collect();
        let hint = did_you_mean(&name, registry.names())
            .unwrap_or_else(|| format!("known: {}", known.join(", ")));
        let noun = registry.noun;
        let problem = Problem {
            expected: Some(format!("the name of {} {noun}", article(noun))),
            found: Some(shortened(&name)),
            ..Problem::error(
                registry.unknown,
                node.span(),
                format!("unknown {noun} {}", shortened(&name)),
            )
        };
        self.report(problem.hint(hint), at);
    }

    /// Reports each required group without a given field.
    #[cold]
    fn missing_groups(
        &mut self,
        node: Node<'t>,
        groups: impl Iterator<Item = &'static &'static [&'static str]>,
        given: GroupSet,
        unknown: &mut Keys<'t>,
        at: &At<'_, 't>,
    ) {
        for (number, group) in groups.enumerate() {
            if given & 1 << number == 0 {
                self.missing(node, group[0], group, unknown, at);
            }
        }
    }

    fn missing(
        &mut self,
        node: Node<'t>,
        name: &'static str,
        group: &[&'static str],
        unknown: &mut Keys<'t>,
        at: &At<'_, 't>,
    ) {
        let meant = unknown
            .iter()
            .position(|key| nearest(&key.text(), group.iter().copied()).is_some());
        let start = node.span().start;
        let mut problem = Problem::error(
            Code::MissingField,
            start..start + 1,
            format!("missing {name}"),
        );
        problem.expected = Some(format!("a field `{name}`"));
        problem.found = Some("nothing".to_owned());
        if let Some(at) = meant {
            let key = unknown.remove(at);
            problem.span = key.span();
            problem.found = Some(format!("`{}`", key.text()));
            problem.hint = did_you_mean(&key.text(), group.iter().copied());
        } else if group.len() > 1 {
            let others: Vec<_> = group.iter().map(|name| format!("`{name}`")).collect();
            problem.hint = Some(format!("write one of {}", others.join(", ")));
        }
        self.report(problem, &at.then(Step::Name(name)));
    }

    fn unknown_field<I: Iterator<Item = &'static str>>(
        &mut self,
        key: Node<'t>,
        others: Others,
        owner: &'static str,
        known: impl Fn() -> I,
        at: &At<'_, 't>,
    ) {
        let name = key.text();
        let guess = self.cache.guesses.guess(owner, &name, &known);
        if others == Others::Keep && guess.is_none() {
            return;
        }
        let message = format!("unknown field `{name}` of {owner}");
        let problem = match (others, guess) {
            (Others::Keep, _) => Problem::warning(
                Code::UnknownNear,
                key.span(),
                format!("{message}; it is kept as it is"),
            ),
            (Others::Warn, _) => Problem::warning(
                Code::UnknownNear,
                key.span(),
                format!("{message}; it has no effect"),
            ),
            (Others::Refuse, _) => Problem::error(Code::UnknownField, key.span(), message),
        };
        let hint = match guess {
            Some(guess) => suggest::did_you_mean(guess),
            None => format!("known: {}", known().collect::<Vec<_>>().join(", ")),
        };
        self.report(problem.hint(hint), at);
    }

    fn mismatch(
        &mut self,
        code: Code,
        node: Node<'t>,
        expected: &str,
        found: String,
        hint: Option<String>,
        at: &At<'_, 't>,
    ) {
        let problem = Problem {
            expected: Some(expected.to_owned()),
            hint,
            ..Problem::error(
                code,
                node.span(),
                format!("expected {expected}, found {found}"),
            )
        };
        self.report(
            Problem {
                found: Some(found),
                ..problem
            },
            at,
        );
    }

    /// Adds a problem with the value at `at`.
    fn report(&mut self, problem: Problem, at: &At<'_, 't>) {
        let path = self.rendered_path(at);
        self.problems.push(problem.at(path));
    }

    /// Adds a problem whose own path starts at `at`.
    fn report_inside(&mut self, problem: Problem, at: &At<'_, 't>) {
        let mut path = self.rendered_path(at);
        match problem.path.as_str() {
            "" => {}
            inner if inner.starts_with('[') => path.push_str(inner),
            inner => push_key(&mut path, inner),
        }
        self.problems.push(problem.at(path));
    }

    fn rendered_path(&self, at: &At<'_, 't>) -> String {
        let (name, index) = self.base;
        let mut path = name.unwrap_or_default().to_owned();
        if let Some(index) = index {
            path.push_str(&format!("[{index}]"));
        }
        at.write(&mut path);
        path
    }
}

/// Returns the fields of an object that have a value: an explicit `null` is the same as none.
fn written_fields(node: Node<'_>) -> impl Iterator<Item = (Node<'_>, Node<'_>)> {
    node.fields().filter(|(_, value)| !value.is_null())
}

/// Checks if `text` has a `${{ NAME }}` in it.
fn holds_reference(text: &str) -> bool {
    text.split("${{").skip(1).any(|rest| {
        let name = rest.split_once("}}").map_or("", |(name, _)| name.trim());
        !name.is_empty() && !name.contains('}')
    })
}
