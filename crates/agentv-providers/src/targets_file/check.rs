//! The checks of a whole `targets.yaml`.

use std::borrow::Cow;
use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use agentv_syntax::{Code, Definitions, Diagnostic, Lines, Node, Problem, Registry, Tree};
use agentv_syntax::{Others, Record, yaml};

use super::command;
use super::fields::{field, inside};
use super::{REGISTRY, TARGETS_FILE};
use crate::kinds;
use crate::target::built_in;
use crate::target::snake_case;

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

/// Returns everything that is wrong with a `targets.yaml`, in the order of its lines. `file` is the
/// name that the user knows it by.
pub fn check(source: &str, file: &Arc<str>) -> Vec<Diagnostic> {
    let lines = Lines::of(source);
    let mut tree = Tree::default();
    let mut problems = match yaml::parse(source, &mut tree) {
        Ok(()) => Inspection::of(source, &lines).document(tree.root()),
        Err(invalid) => vec![invalid.problem()],
    };
    problems.sort_by_key(|problem| problem.span.start);
    let placed = problems.into_iter();
    placed
        .map(|problem| lines.place(file, source, problem))
        .collect()
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
        self.spellings(target, path);
        if let Some((key, value)) = field(target, "judge_target") {
            self.judge(value, inside(path, &key.text()), names);
        }
        let provider = target.get("provider").and_then(Node::as_str);
        let facts = provider.and_then(|provider| kinds::facts(&provider));
        if !facts.is_some_and(|facts| facts.runs_commands) {
            return;
        }
        command::check_target(self.source, target, path, &mut self.problems);
        if let Some(healthcheck) = target.given("healthcheck") {
            let path = inside(path, "healthcheck");
            self.spellings(healthcheck, &path);
            command::check_healthcheck(self.source, healthcheck, &path, &mut self.problems);
        }
    }

    /// Reports a field in two spellings, such as `judgeTarget` beside `judge_target`: one of the values
    /// would be lost.
    fn spellings(&mut self, object: Node<'_>, path: &str) {
        let mut seen: HashMap<String, Cow<'_, str>> = HashMap::new();
        for (key, _) in object.fields() {
            let name = key.text();
            let Some(first) = seen.insert(snake_case(&name), name.clone()) else {
                continue;
            };
            if first != name {
                let message = format!("duplicate key `{name}`, another spelling of `{first}`");
                let problem = Problem::error(Code::DuplicateKey, key.span(), message);
                self.problems.push(problem.at(inside(path, &name)));
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
            None => format!(
                "known: {}; built in: {}, VENDOR:MODEL",
                known.join(", "),
                built_in::built_in().join(", ")
            ),
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
