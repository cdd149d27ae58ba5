//! The evaluators and rubrics of a case, with their files.

use std::collections::{HashMap, HashSet};

use agentv_core::{EvaluatorSpec, Extra, Rubric, ScoreRange};
use agentv_syntax::{
    Code, Draft, FileReference, Form, Kind, Node, NodeKind, Problem, Record, Registry, Shape, Text,
    may_name_a_file, snake_case,
};
use serde_json::Value;

use super::messages::extra;
use super::read::Fields;
use crate::files::{FileLibrary, FileProblem};

/// Returns the evaluators of a checked list, with names, shorthands expanded, and paths from the root.
pub(crate) fn resolved_specs(
    list: Node<'_>,
    registry: &'static Registry,
    files: &FileLibrary,
) -> Vec<EvaluatorSpec> {
    let project = files.project();
    // Inside the root a path starts there; outside it is absolute.
    let from_root = |path: String| {
        Some(if path.starts_with('/') {
            path
        } else {
            format!("/{path}")
        })
    };
    let resolver = EvaluatorDrafts {
        registry,
        rewrite: &|text, written| {
            from_root(match text {
                Text::File => files.find(written).ok()?.path.clone(),
                Text::TextOrFile => text_or_file(written, files).ok()??,
                Text::Folder => files.find_folder(written).ok()?,
                _ => return None,
            })
        },
        // A script runs beside the eval file, and must still do so when the case is elsewhere.
        default_cwd: Some(format!("/{}", project.display(&project.folder))),
    };
    let written: Vec<Extra> = list
        .items()
        .map(|node| match resolver.evaluator(node).into_value() {
            Value::Object(options) => options,
            _ => Extra::new(),
        })
        .collect();
    named_specs(written)
}

/// Turns written options into specs, and gives a free name to those without one of their own.
fn named_specs(written: Vec<Extra>) -> Vec<EvaluatorSpec> {
    let mut taken: HashSet<String> = written.iter().filter_map(name_of).collect();
    let mut used: HashSet<String> = HashSet::new();
    let mut numbers = HashMap::new();
    let specs = written.into_iter().map(|mut options| {
        options.retain(|_, value| !value.is_null());
        let kind = match options.shift_remove("type") {
            Some(Value::String(kind)) => kind,
            _ => String::new(),
        };
        let name = match name_of(&options) {
            Some(name) if used.insert(name.clone()) => name,
            given => {
                let base = given.as_deref().unwrap_or(&kind);
                free_name(base, &mut taken, &mut numbers)
            }
        };
        options.shift_remove("name");
        let weight = options.shift_remove("weight");
        let required = options.shift_remove("required");
        EvaluatorSpec {
            name,
            kind,
            weight: weight.as_ref().and_then(Value::as_f64).unwrap_or(1.0),
            required: required
                .as_ref()
                .and_then(Value::as_bool)
                .unwrap_or_default(),
            options,
        }
    });
    specs.collect()
}

fn name_of(options: &Extra) -> Option<String> {
    let name = options.get("name").and_then(Value::as_str);
    name.map(str::to_owned)
}

/// Returns the type's name, with `-2`, `-3`, … if it is taken.
fn free_name(
    kind: &str,
    taken: &mut HashSet<String>,
    numbers: &mut HashMap<String, usize>,
) -> String {
    let next = numbers.entry(kind.to_owned()).or_insert(1);
    loop {
        let name = match *next {
            1 => kind.to_owned(),
            number => format!("{kind}-{number}"),
        };
        *next += 1;
        if taken.insert(name.clone()) {
            return name;
        }
    }
}

/// A copier of evaluators that rewrites their paths.
pub(crate) struct EvaluatorDrafts<'r> {
    pub(crate) registry: &'static Registry,
    /// Returns the new path for a written one; `None` keeps it.
    pub(crate) rewrite: &'r dyn Fn(Text, &str) -> Option<String>,
    /// The folder that scripts run in if none is written. With one, shorthands are expanded.
    pub(crate) default_cwd: Option<String>,
}

impl EvaluatorDrafts<'_> {
    pub(crate) fn evaluator(&self, node: Node<'_>) -> Draft {
        let tag = node.get(self.registry.tag).and_then(Node::as_str);
        let Some(kind) = tag.and_then(|tag| self.registry.kind(&tag)) else {
            return self.shorthand(node).unwrap_or_else(|| Draft::from(node));
        };
        let fields = node.fields().map(|(key, value)| {
            let name = self.option_name(kind, node, key.text().into_owned());
            let value = match kind.options.field(&name) {
                Some(field) => self.value_in(value, field.shape, true),
                None if name == self.registry.tag => Draft::text(kind.name),
                None => Draft::from(value),
            };
            (name, value)
        });
        self.with_folder(kind, fields.collect())
    }

    /// Returns the name of an option: `timeoutSeconds` stands for `timeout_seconds`, unless that is given,
    /// too. Names that are not options are the user's own.
    fn option_name(&self, kind: &Kind, node: Node<'_>, written: String) -> String {
        let is_known = |name: &str| {
            kind.options.field(name).is_some() || self.registry.common.field(name).is_some()
        };
        known_name(node, written, is_known)
    }

    /// Expands a shorthand: `contains: Paris` is `type: contains, value: Paris`.
    fn shorthand(&self, node: Node<'_>) -> Option<Draft> {
        let (key, value) = node.fields().next()?;
        let kind = self.registry.kind(&key.text())?;
        let field = kind.options.field(kind.shorthand?)?;
        let value = self.value_in(value, field.shape, true);
        if self.default_cwd.is_none() {
            return Some(Draft::Object(vec![(key.text().into_owned(), value)]));
        }
        let tag = (self.registry.tag.to_owned(), Draft::text(kind.name));
        Some(self.with_folder(kind, vec![tag, (field.name.to_owned(), value)]))
    }

    fn with_folder(&self, kind: &Kind, mut fields: Vec<(String, Draft)>) -> Draft {
        let is_given = fields
            .iter()
            .any(|(name, value)| name == "cwd" && *value != Draft::Null);
        if let Some(folder) = &self.default_cwd
            && kind.options.field("cwd").is_some()
            && !is_given
        {
            fields.retain(|(name, _)| name != "cwd");
            fields.push(("cwd".to_owned(), Draft::text(folder)));
        }
        Draft::Object(fields)
    }

    /// Adds the folder to a record with a script, which also runs beside the eval file.
    fn with_record_folder(&self, record: &Record, mut fields: Vec<(String, Draft)>) -> Draft {
        let given = |wanted: &str| {
            let mut given = fields.iter();
            given.any(|(name, value)| name == wanted && *value != Draft::Null)
        };
        let has_script = given("script") || given("path");
        if let Some(folder) = &self.default_cwd
            && record.field("cwd").is_some()
            && has_script
            && !given("cwd")
        {
            fields.push(("cwd".to_owned(), Draft::text(folder)));
        }
        Draft::Object(fields)
    }

    /// Copies a value of this shape, with evaluators and paths in it rewritten.
    pub(crate) fn value(&self, node: Node<'_>, shape: &Shape) -> Draft {
        self.value_in(node, shape, false)
    }

    /// Copies a value that may be within an evaluator, where `camelCase` names stand for `snake_case` ones.
    fn value_in(&self, node: Node<'_>, shape: &Shape, in_evaluator: bool) -> Draft {
        for form in shape.forms {
            match (form.written(), node.kind()) {
                (Form::Text(text), NodeKind::String) => {
                    let written = node.text();
                    let rewritten = (self.rewrite)(*text, &written);
                    return Draft::String(rewritten.unwrap_or_else(|| written.into_owned()));
                }
                (Form::List { items, .. }, NodeKind::Array) => {
                    let items = node
                        .items()
                        .map(|item| self.value_in(item, items, in_evaluator));
                    return Draft::Array(items.collect());
                }
                (Form::Evaluator, NodeKind::Object) => return self.evaluator(node),
                (Form::Record(record), NodeKind::Object) => {
                    let fields = node.fields().map(|(key, value)| {
                        let written = key.text().into_owned();
                        let is_known = |name: &str| in_evaluator && record.field(name).is_some();
                        let name = known_name(node, written, is_known);
                        let value = match record.field(&name) {
                            Some(field) => self.value_in(value, field.shape, in_evaluator),
                            None => Draft::from(value),
                        };
                        (name, value)
                    });
                    return self.with_record_folder(record, fields.collect());
                }
                _ => {}
            }
        }
        Draft::from(node)
    }
}

/// Returns the known name that a `camelCase` one stands for, unless that is given, too.
fn known_name(node: Node<'_>, written: String, is_known: impl Fn(&str) -> bool) -> String {
    let snake = snake_case(&written).into_owned();
    if snake != written && is_known(&snake) && node.get(&snake).is_none() {
        snake
    } else {
        written
    }
}

/// Returns the file that a text-or-file option names, or `None` if the option is the text itself.
///
/// # Errors
/// Fails if the option looks like a path, but there is no such file.
pub(crate) fn text_or_file(
    value: &str,
    files: &FileLibrary,
) -> Result<Option<String>, FileProblem> {
    if !may_name_a_file(value) || value.trim().is_empty() {
        return Ok(None);
    }
    match files.find(value) {
        Ok(file) => Ok(Some(file.path.clone())),
        // A word that names no file, or happens to name a folder, is still a word.
        Err(FileProblem {
            code: Code::FileNotFound | Code::NotAFile,
            ..
        }) if !looks_like_a_path(value) => Ok(None),
        Err(problem) => Err(problem),
    }
}

/// Looks up the files and folders that evaluators and prompts refer to, and checks their texts.
pub(crate) fn check_files(
    found: &[FileReference<'_>],
    files: &FileLibrary,
    problems: &mut Vec<Problem>,
) {
    for found in found {
        let FileReference { node, text, .. } = *found;
        let value = node.text();
        let refused = match text {
            Text::File => files.find(&value).err(),
            Text::TextOrFile => match text_or_file(&value, files) {
                Ok(file) => {
                    problems.extend(match file {
                        Some(_) => remark(found, files),
                        None => remark_on_words(found, &value),
                    });
                    None
                }
                Err(problem) => Some(problem),
            },
            Text::Folder => files.find_folder(&value).err(),
            Text::FolderToCopy => {
                let refused = files.find_template(&value).err();
                problems.extend(refused.map(|problem| problem.at_folder(node, &*found.path)));
                None
            }
            _ => None,
        };
        problems.extend(refused.map(|problem| problem.at(node, found.path.clone())));
    }
}

/// Returns the problem of the text of a file, placed at the reference to the file.
fn remark(found: &FileReference<'_>, files: &FileLibrary) -> Option<Problem> {
    let remark = files.remark(&found.node.text(), found.check?)?;
    Some(Problem {
        span: found.node.span(),
        path: found.path.clone(),
        ..remark
    })
}

/// Returns the problem of a text that might have named a file, but does not. Other texts were checked
/// before.
fn remark_on_words(found: &FileReference<'_>, words: &str) -> Option<Problem> {
    let check = found.check.filter(|_| may_name_a_file(words))?;
    Some(check(found.node)?.at(found.path.clone()))
}

/// Checks if a text is one word with folders in it, or with an ending like a file name's.
fn looks_like_a_path(value: &str) -> bool {
    let extension = value.rsplit_once('.').map(|(_, extension)| extension);
    let has_extension = extension.is_some_and(|extension| {
        (1..=5).contains(&extension.len()) && extension.chars().all(char::is_alphanumeric)
    });
    !value.contains(char::is_whitespace) && (has_extension || value.contains('/'))
}

/// Returns the rubrics of a checked list.
pub(super) fn build_rubrics(list: Node<'_>) -> Vec<Rubric> {
    let mut rubrics: Vec<Rubric> = Vec::new();
    for (index, node) in list.items().enumerate() {
        let numbered = format!("rubric-{}", index + 1);
        rubrics.push(match node.kind() {
            NodeKind::Object => build_rubric(node, numbered),
            _ => Rubric {
                id: numbered,
                expected_outcome: Some(node.text().into_owned()),
                weight: 1.0,
                required: true,
                required_min_score: None,
                score_ranges: Vec::new(),
                extra: Extra::new(),
            },
        });
    }
    rubrics
}

fn build_rubric(node: Node<'_>, numbered: String) -> Rubric {
    let given = |name: &str| node.given_in_any_case(name);
    let text = |name: &str| given(name).map(|value| value.text().into_owned());
    let points = |node: Node<'_>| node.as_f64().map(|points| points as u8);
    let score_ranges = given("score_ranges").map(build_ranges);
    let score_ranges = score_ranges.unwrap_or_default();
    let outcome = text("expected_outcome");
    let outcome_name = if outcome.is_some() {
        "expected_outcome"
    } else {
        "description"
    };
    Rubric {
        id: text("id").unwrap_or(numbered),
        expected_outcome: outcome.or_else(|| text("description")),
        weight: given("weight").and_then(Node::as_f64).unwrap_or(1.0),
        required: given("required")
            .and_then(Node::as_bool)
            .unwrap_or(score_ranges.is_empty()),
        required_min_score: given("required_min_score").and_then(points),
        score_ranges,
        extra: unknown_fields(
            node,
            &[
                "id",
                outcome_name,
                "weight",
                "required",
                "required_min_score",
                "score_ranges",
            ],
        ),
    }
}

/// Returns the fields with other names than these, in any case.
fn unknown_fields(node: Node<'_>, known: &[&str]) -> Extra {
    let mut unknown = extra(node, known);
    unknown.retain(|name, _| !known.iter().any(|known| snake_case(name) == *known));
    unknown
}

/// The ranges of a checked list, or of an object that maps the lowest score of each range to its
/// meaning.
fn build_ranges(ranges: Node<'_>) -> Vec<ScoreRange> {
    if ranges.kind() != NodeKind::Object {
        return ranges.items().map(build_range).collect();
    }
    let starts = ranges.fields().filter_map(|(key, outcome)| {
        let low: u8 = key.text().trim().parse().ok()?;
        Some((low, outcome.text().into_owned()))
    });
    let mut starts: Vec<(u8, String)> = starts.collect();
    starts.sort_unstable();
    let ends = starts
        .iter()
        .skip(1)
        .map(|(next, _)| next.saturating_sub(1));
    let ends: Vec<u8> = ends.chain([10]).collect();
    let ranges = starts.into_iter().zip(ends);
    ranges
        .map(|((low, expected_outcome), high)| ScoreRange {
            score_range: [low, high],
            expected_outcome,
            extra: Extra::new(),
        })
        .collect()
}

fn build_range(range: Node<'_>) -> ScoreRange {
    let (low, high) = bounds(range).unwrap_or_default();
    let outcome = range.given_in_any_case("expected_outcome");
    ScoreRange {
        score_range: [low as u8, high as u8],
        expected_outcome: outcome.map_or_else(String::new, |value| value.text().into_owned()),
        extra: unknown_fields(range, &["score_range", "expected_outcome"]),
    }
}

fn bounds(range: Node<'_>) -> Option<(i64, i64)> {
    let mut bounds = range.given_in_any_case("score_range")?.items();
    let mut next = || bounds.next()?.as_f64().map(|bound| bound as i64);
    Some((next()?, next()?))
}

/// Refuses two evaluators of one name, which results could not tell apart.
pub(super) fn check_evaluator_names(fields: &Fields<'_>, problems: &mut Vec<Problem>) {
    for (path, list) in fields.evaluator_lists() {
        let Some(list) = list.filter(|list| list.items().nth(1).is_some()) else {
            continue;
        };
        let mut names: Vec<Node<'_>> = Vec::new();
        for (index, evaluator) in list.items().enumerate() {
            let Some(name) = evaluator.given("name") else {
                continue;
            };
            if names.iter().any(|other| other.text() == name.text()) {
                let message = format!(
                    "another evaluator is named `{}`: this one gets a number in results",
                    name.text()
                );
                let problem = Problem::warning(Code::RenamedEvaluator, name.span(), message);
                problems.push(problem.at(format!("{path}[{index}].name")));
            }
            names.push(name);
        }
    }
}
