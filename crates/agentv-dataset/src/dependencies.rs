//! The dependencies between the cases of a file: each must exist, and none may lead back to its case.

use std::collections::{BTreeSet, HashMap, HashSet};

use agentv_syntax::{Code, Node, Problem, did_you_mean, nearest};

/// The most cases of a circle that a message names.
const MOST_SHOWN: usize = 8;

/// The cases of a file, and the cases that they depend on.
#[derive(Debug, Default)]
pub(crate) struct Dependencies {
    ids: BTreeSet<String>,
    edges: HashMap<String, Vec<String>>,
    /// The cases that depend on themselves, directly or through others, or lie between two such circles.
    circular: HashSet<String>,
}

impl Dependencies {
    /// Adds a case.
    pub(crate) fn add(&mut self, id: String, depends_on: Vec<String>) {
        if !depends_on.is_empty() {
            self.edges.insert(id.clone(), depends_on);
        }
        self.ids.insert(id);
    }

    /// Looks for circles once all cases are added.
    pub(crate) fn finish(&mut self) {
        let mut left: HashSet<&str> = self.edges.keys().map(String::as_str).collect();
        let mut dependents: HashMap<&str, Vec<&str>> = HashMap::new();
        for (id, edges) in &self.edges {
            for other in edges {
                dependents.entry(other).or_default().push(id);
            }
        }
        let needs = |id: &str| self.edges.get(id).into_iter().flatten().map(String::as_str);
        let needed_by = |id: &str| dependents.get(id).into_iter().flatten().copied();
        remove_open_ends(&mut left, &needs, &needed_by);
        remove_open_ends(&mut left, &needed_by, &needs);
        self.circular = left.into_iter().map(str::to_owned).collect();
    }

    /// Returns the problems with the dependencies of a case.
    pub(crate) fn problems(&self, id: &str, written: Node<'_>) -> Vec<Problem> {
        let mut problems = Vec::new();
        for (index, other) in written.items().enumerate() {
            let name = other.text();
            if self.ids.contains(&*name) {
                continue;
            }
            let problem = Problem {
                expected: Some("the id of a case in the same file".to_owned()),
                found: Some(format!("`{name}`")),
                ..Problem::error(
                    Code::Dependency,
                    other.span(),
                    format!("no case in this file has the id `{name}`"),
                )
            };
            let problem = problem.at(format!("depends_on[{index}]"));
            let near = nearest(&name, self.ids.iter().map(String::as_str));
            problems.push(match near {
                Some(near) => problem.hint(did_you_mean(near)),
                None => problem,
            });
        }
        if self.circular.contains(id) {
            let message = match self.circle_from(id) {
                circle if circle.len() == 1 => "the case depends on itself".to_owned(),
                circle => format!("these cases depend on each other: {}", shown(&circle)),
            };
            let problem = Problem::error(Code::Dependency, written.span(), message);
            problems.push(
                problem
                    .at("depends_on")
                    .hint("remove one of the dependencies"),
            );
        }
        problems
    }

    /// Returns the cases on the way from a case into its circle.
    fn circle_from<'s>(&'s self, id: &'s str) -> Vec<&'s str> {
        let mut path = vec![id];
        while path.len() <= MOST_SHOWN {
            let last = path[path.len() - 1];
            let mut edges = self.edges.get(last).into_iter().flatten();
            let next = edges.find(|next| self.circular.contains(*next));
            match next.map(String::as_str) {
                Some(next) if path.contains(&next) => break,
                Some(next) => path.push(next),
                None => break,
            }
        }
        path
    }
}

/// Removes the nodes that have no edge to a node that is left, again and again. `reached_by` returns the nodes
/// with an edge to one.
fn remove_open_ends<'n, E, R>(
    left: &mut HashSet<&'n str>,
    edges: &dyn Fn(&'n str) -> E,
    reached_by: &dyn Fn(&'n str) -> R,
) where
    E: Iterator<Item = &'n str>,
    R: Iterator<Item = &'n str>,
{
    let count = |id: &'n str| edges(id).filter(|next| left.contains(next)).count();
    let mut counts: HashMap<&str, usize> = left.iter().map(|id| (*id, count(id))).collect();
    let open = counts.iter().filter(|(_, count)| **count == 0);
    let mut open: Vec<&str> = open.map(|(id, _)| *id).collect();
    while let Some(id) = open.pop() {
        left.remove(id);
        for before in reached_by(id) {
            if let Some(count) = counts.get_mut(before).filter(|count| **count > 0) {
                *count -= 1;
                if *count == 0 {
                    open.push(before);
                }
            }
        }
    }
}

fn shown(circle: &[&str]) -> String {
    let names = circle.iter().take(MOST_SHOWN).map(|id| format!("`{id}`"));
    let mut text = names.collect::<Vec<_>>().join(", ");
    if circle.len() > MOST_SHOWN {
        text.push_str(", …");
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    fn circular(edges: &[(&str, &[&str])]) -> Vec<String> {
        let mut dependencies = Dependencies::default();
        for (id, on) in edges {
            let on = on.iter().map(|id| (*id).to_owned()).collect();
            dependencies.add((*id).to_owned(), on);
        }
        dependencies.finish();
        let mut found: Vec<String> = dependencies.circular.into_iter().collect();
        found.sort();
        found
    }

    #[test]
    fn only_cases_of_a_circle_are_circular() {
        assert_eq!(
            circular(&[("a", &[]), ("b", &["a"]), ("c", &["a", "b"])]),
            [""; 0]
        );
        assert_eq!(circular(&[("a", &["a"])]), ["a"]);
        let edges: &[(&str, &[&str])] = &[
            ("before", &["a"]),
            ("a", &["b", "after"]),
            ("b", &["c"]),
            ("c", &["a"]),
            ("after", &[]),
        ];
        assert_eq!(circular(edges), ["a", "b", "c"]);
    }

    #[test]
    fn a_dependency_that_is_named_twice_is_one() {
        assert_eq!(circular(&[("a", &[]), ("b", &["a", "a"])]), [""; 0]);
        assert_eq!(circular(&[("a", &["b", "b"]), ("b", &["a"])]), ["a", "b"]);
    }
}
