//! The checks of a whole `targets.yaml`.

use std::borrow::Cow;
use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use agentv_syntax::{Code, Definitions, Diagnostic, Lines, Node, Problem, Registry, Severity};
use agentv_syntax::{Others, Record};

use super::dialect::parse;
use super::fields::{WrittenTarget, check_spellings, field, inside};
use super::model_check::{advice, check_model};
use super::{REGISTRY, TARGETS_FILE};
use crate::kinds;
use crate::target::built_in;
use crate::target::{canonical, snake_case};

/// The evaluators of a targets file: none.
static NO_EVALUATORS: Registry = Registry {
    noun: "evaluator",
    tag: "type",
    common: &Record {
        name: "evaluator",
        fields: &[],
        required: &[],
        others: Others::Refuse,
    },
    kinds: &[],
    camel_case: false,
    unknown: Code::UnknownEvaluator,
    check: None,
};

/// A problem in a `targets.yaml`, and the target that it belongs to.
pub(crate) struct TargetProblem {
    /// The index of the target, or `None` for the file as a whole.
    pub(crate) target: Option<usize>,
    pub(crate) diagnostic: Diagnostic,
}

/// Returns everything that is wrong with a `targets.yaml`, in the order of its lines. `file` is the
/// name that the user knows it by.
///
/// Nobody knows here which targets a run needs. So an unknown provider or field is a warning: a file
/// that was written for another version can have targets that this one does not know.
pub fn check(source: &str, file: &Arc<str>) -> Vec<Diagnostic> {
    let problems = inspect(source, file).into_iter();
    problems
        .map(|problem| unless_needed(problem.diagnostic))
        .collect()
}

/// Returns a problem of a target as it matters where nothing needs the target: an unknown provider or
/// field is a warning.
pub fn unless_needed(mut diagnostic: Diagnostic) -> Diagnostic {
    let problem = &mut diagnostic.problem;
    let code = match problem.code {
        Code::UnknownProvider => Some(Code::UnusableTarget),
        Code::UnknownField => Some(Code::UnknownNear),
        _ => None,
    };
    if let Some(code) = code {
        (problem.code, problem.severity) = (code, Severity::Warning);
    }
    diagnostic
}

/// Returns everything that is wrong with a `targets.yaml`, as it matters to a run that needs the
/// target. An unknown field is an error if its name is similar to a known one, else a warning.
pub(crate) fn inspect(source: &str, file: &Arc<str>) -> Vec<TargetProblem> {
    let lines = Lines::of(source);
    let problems = match parse(source) {
        Ok(tree) => Inspection::of(source, &lines).document(tree.root()),
        Err(invalid) => vec![invalid.problem()],
    };
    placed(problems, source, &lines, file)
}

/// Returns everything that is wrong with targets that were translated from `source`, and the problems that
/// the translation found.
pub(crate) fn inspect_tree(
    root: Node<'_>,
    source: &str,
    lines: &Lines,
    file: &Arc<str>,
    mut found: Vec<Problem>,
) -> Vec<TargetProblem> {
    found.append(&mut Inspection::of(source, lines).document(root));
    placed(found, source, lines, file)
}

/// Returns problems with their lines, in the order of those.
fn placed(
    mut problems: Vec<Problem>,
    source: &str,
    lines: &Lines,
    file: &Arc<str>,
) -> Vec<TargetProblem> {
    problems.sort_by_key(|problem| problem.span.start);
    let placed = problems.into_iter().map(|problem| {
        let problem = by_similarity(problem);
        TargetProblem {
            target: target_of(&problem.path),
            diagnostic: lines.place(file, source, problem),
        }
    });
    placed.collect()
}

/// Checks for a problem that an older name of a field causes.
fn is_of_alias(target: Node<'_>, problem: &Problem) -> bool {
    let Some(kind) = target.get("provider").and_then(Node::as_str) else {
        return false;
    };
    let Some(kind) = REGISTRY.kind(&kind) else {
        return false;
    };
    let is_known = |name: &str| {
        let common = REGISTRY.common.field(name);
        common.or_else(|| kind.options.field(name)).is_some()
    };
    let mut aliases = target.fields().filter_map(|(key, value)| {
        let written = snake_case(&key.text());
        let name = canonical(&written);
        let is_alias = name != written && is_known(name) && !value.is_null();
        is_alias.then(|| (key.span(), name.to_owned()))
    });
    match problem.code {
        Code::UnknownField => aliases.any(|(span, _)| span == problem.span),
        Code::MissingField => aliases.any(|(_, name)| {
            let mut groups = kind.options.required.iter();
            let missing = problem.path.rsplit('.').next().unwrap_or_default();
            groups.any(|group| group.contains(&name.as_str()) && group.contains(&missing))
        }),
        _ => false,
    }
}

/// Returns the entries of a target's `tools`.
fn tools_of(target: Node<'_>) -> impl Iterator<Item = Node<'_>> {
    let tools = target.get("tools").into_iter();
    tools.flat_map(Node::items)
}

/// Makes a warning of an unknown field that is similar to no known one.
fn by_similarity(problem: Problem) -> Problem {
    let is_similar = |hint: &String| hint.starts_with("did you mean");
    if problem.code != Code::UnknownField || problem.hint.as_ref().is_some_and(is_similar) {
        return problem;
    }
    Problem {
        code: Code::UnknownNear,
        severity: Severity::Warning,
        message: format!("{}; it has no effect", problem.message),
        ..problem
    }
}

/// Returns the index in a path such as `targets[2].name`.
fn target_of(path: &str) -> Option<usize> {
    let (index, _) = path.strip_prefix("targets[")?.split_once(']')?;
    index.parse().ok()
}

/// The checks of one file.
struct Inspection<'s> {
    source: &'s str,
    lines: &'s Lines,
    problems: Vec<Problem>,
}

impl<'s> Inspection<'s> {
    fn of(source: &'s str, lines: &'s Lines) -> Self {
        Inspection {
            source,
            lines,
            problems: Vec::new(),
        }
    }

    fn document(mut self, root: Node<'_>) -> Vec<Problem> {
        let definitions = Definitions {
            evaluators: &NO_EVALUATORS,
            targets: &REGISTRY,
        };
        agentv_syntax::check(root, &TARGETS_FILE, definitions, &mut self.problems);
        self.accept_aliases(root);
        self.advise(root);
        self.repeated_keys(root);
        agentv_syntax::check_number_like(root, &mut self.problems);
        if let Some(targets) = root.get("targets") {
            let names = self.names(targets);
            for (index, target) in targets.items().enumerate() {
                self.target(target, &format!("targets[{index}]"), &names);
            }
        }
        self.problems
    }

    /// Removes the problems of older names of fields: that they are unknown, and that the field is
    /// missing.
    fn accept_aliases(&mut self, root: Node<'_>) {
        let targets = root.get("targets").into_iter().flat_map(Node::items);
        let targets: Vec<Node<'_>> = targets.collect();
        self.problems.retain(|problem| {
            let target = target_of(&problem.path).and_then(|index| targets.get(index));
            !target.is_some_and(|target| is_of_alias(*target, problem))
        });
    }

    /// Replaces the advice for unknown fields of models, and for tools in OpenAI's own form.
    fn advise(&mut self, root: Node<'_>) {
        let targets = root.get("targets").into_iter().flat_map(Node::items);
        let targets: Vec<Node<'_>> = targets.collect();
        for problem in &mut self.problems {
            let target = target_of(&problem.path).and_then(|index| targets.get(index));
            let provider = target.and_then(|target| target.get("provider")?.as_str());
            let kind = provider.and_then(|provider| kinds::named(&provider));
            let Some(kind) = kind.filter(|kind| kind.facts.is_vendor) else {
                continue;
            };
            let name = self.source.get(problem.span.clone()).unwrap_or_default();
            let is_own = !problem.path.contains('.');
            let mut tools = target.into_iter().flat_map(|target| tools_of(*target));
            match problem.code {
                Code::UnknownField if is_own => {
                    problem.hint = advice(kind, name).or(problem.hint.take());
                }
                Code::MissingField
                    if problem.path.contains(".tools[")
                        && tools.any(|tool| tool.get("function").is_some()) =>
                {
                    let hint = "write `name`, `description` and `parameters` in the entry itself, without \
                                `function` around them";
                    problem.hint = Some(hint.to_owned());
                }
                _ => {}
            }
        }
    }

    fn repeated_keys(&mut self, root: Node<'_>) {
        // An object behind an alias is in the file once, even if it is visited several times.
        let mut known = HashSet::new();
        for object in root.objects() {
            let Some(key) = object.repeated_key() else {
                continue;
            };
            if known.insert(key.span().start) {
                let message = format!("duplicate key `{}`", key.text());
                let problem = Problem::error(Code::DuplicateKey, key.span(), message);
                self.problems.push(problem.at(root.path_to(key)));
            }
        }
    }

    /// Returns the names of all targets, and reports those that are used twice.
    fn names<'t>(&mut self, targets: Node<'t>) -> HashMap<Cow<'t, str>, Node<'t>> {
        let mut names: HashMap<Cow<'t, str>, Node<'t>> = HashMap::new();
        for (index, target) in targets.items().enumerate() {
            let Some((_, value)) = field(target, "name") else {
                continue;
            };
            let Some(name) = value.as_str() else { continue };
            let Some(first) = names.get(&name) else {
                names.insert(name, value);
                continue;
            };
            let line = self.lines.number(first.span().start);
            let problem = Problem::error(
                Code::DuplicateTarget,
                value.span(),
                format!("duplicate target name `{name}`"),
            );
            self.problems.push(
                problem
                    .at(format!("targets[{index}].name"))
                    .hint(format!("line {line} has a target with the same name")),
            );
        }
        names
    }

    fn target(&mut self, target: Node<'_>, path: &str, names: &HashMap<Cow<'_, str>, Node<'_>>) {
        check_spellings(target, path, &mut self.problems);
        if let Some((key, value)) = field(target, "judge_target") {
            self.judge(value, inside(path, &key.text()), names);
        }
        let provider = target.get("provider").and_then(Node::as_str);
        if let Some(kind) = provider.and_then(|provider| kinds::named(&provider)) {
            let written = WrittenTarget {
                source: self.source,
                node: target,
                path,
            };
            (kind.facts.check)(&written, &mut self.problems);
            if kind.facts.is_vendor {
                let of_target = |problem: &&Problem| problem.path.starts_with(path);
                let mut known = self.problems.iter().filter(of_target);
                let has_errors = known.any(|problem| problem.severity != Severity::Warning);
                check_model(kind, target, path, has_errors, &mut self.problems);
            }
        }
    }

    fn judge(&mut self, node: Node<'_>, path: String, names: &HashMap<Cow<'_, str>, Node<'_>>) {
        let Some(name) = node.as_str() else { return };
        if name.is_empty() || name.contains("${{") {
            return;
        }
        if names.contains_key(&name) || built_in::exists(&name) {
            return;
        }
        let mut known: Vec<&str> = names.keys().map(Cow::as_ref).collect();
        known.sort_unstable();
        let hint = match built_in::meant(&name, &known) {
            Some(guess) => format!("did you mean `{guess}`?"),
            None => built_in::listing(&known),
        };
        let problem = Problem {
            expected: Some("the name of a target".to_owned()),
            found: Some(format!("`{name}`")),
            ..Problem::warning(
                Code::UnknownTarget,
                node.span(),
                format!("target `{name}` not found"),
            )
        };
        self.problems.push(problem.at(path).hint(hint));
    }
}
