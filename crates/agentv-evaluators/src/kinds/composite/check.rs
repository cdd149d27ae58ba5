//! Checks of the options of a `composite` together.

use agentv_syntax::{Code, Node, Problem};

use super::MOST_NESTED;
use super::members::names;

/// Returns a problem of options that are each valid, but not together.
pub(crate) fn problem(options: Node<'_>) -> Option<Problem> {
    too_deep(options)
        .or_else(|| lacking(options))
        .or_else(|| repeated_name(options))
        .or_else(|| idle_weight(options))
}

/// Refuses composites that are nested too deeply. Only the one that is a level too deep is
/// reported, not those around it.
fn too_deep(options: Node<'_>) -> Option<Problem> {
    if levels(options, MOST_NESTED + 2) != MOST_NESTED + 1 {
        return None;
    }
    let message = format!("composites can be nested at most {MOST_NESTED} levels deep");
    Some(Problem::error(Code::TooDeep, options.span(), message))
}

/// Returns the nesting depth of composites, counted up to `most`.
fn levels(composite: Node<'_>, most: usize) -> usize {
    let Some(members) = composite.given("evaluators").filter(|_| most > 0) else {
        return 0;
    };
    let inside = members.items().map(|member| levels(member, most - 1));
    1 + inside.max().unwrap_or(0)
}

/// Checks that a script or judge as aggregator has its `path` or `prompt`.
fn lacking(options: Node<'_>) -> Option<Problem> {
    let aggregator = options.given("aggregator")?;
    let kind = aggregator.given("type")?.as_str()?;
    let needed = match kind.as_ref() {
        "code_judge" => "path",
        "llm_judge" => "prompt",
        "threshold" => "threshold",
        _ => return None,
    };
    if aggregator.given(needed).is_some() {
        return None;
    }
    let message = format!("missing {needed}, which the aggregator `{kind}` requires");
    let problem = Problem::error(Code::MissingField, aggregator.span(), message);
    Some(problem.at("aggregator"))
}

/// Returns the names of members, written or made.
fn member_names(options: Node<'_>) -> Vec<String> {
    let members = options
        .given("evaluators")
        .into_iter()
        .flat_map(Node::items);
    let members = members.map(|member| {
        let text = |node: Node<'_>| node.text().into_owned();
        let short = member.fields().next().map(|(kind, _)| text(kind));
        let kind = member.given("type").map(text).or(short);
        (member.given("name").map(text), kind.unwrap_or_default())
    });
    names(&members.collect::<Vec<_>>())
}

/// Warns about members of the same name. The later one is renamed, so that results can be distinguished.
fn repeated_name(options: Node<'_>) -> Option<Problem> {
    let names = member_names(options);
    let members = options.given("evaluators")?.items();
    let mut named = members
        .zip(names)
        .enumerate()
        .filter_map(|(at, (member, new))| {
            let written = member.given("name")?;
            (!written.is_text(&new)).then_some((at, written, new))
        });
    let (at, written, new) = named.next()?;
    let message = format!(
        "another evaluator of the composite is named `{}`: this one is called `{new}` in results",
        written.text()
    );
    let problem = Problem::warning(Code::RenamedEvaluator, written.span(), message);
    Some(problem.at(format!("evaluators[{at}].name")))
}

/// Warns about a weight for a member that does not exist.
fn idle_weight(options: Node<'_>) -> Option<Problem> {
    let weights = options.given("aggregator")?.given("weights")?;
    let names = member_names(options);
    let mut keys = weights.fields().map(|(key, _)| key);
    let unknown = keys.find(|key| !names.iter().any(|name| key.is_text(name)))?;
    let message = format!(
        "no evaluator in `evaluators` is named `{}`: the weight has no effect",
        unknown.text()
    );
    Some(
        Problem::warning(Code::Unused, unknown.span(), message)
            .at("aggregator.weights")
            .hint(format!("known: {}", names.join(", "))),
    )
}
