//! A case as written: checked, and its variants told apart.

use agentv_syntax::{
    Checker, Code, Found, Guesses, Node, NodeKind, Problem, Severity, Text, check_keys,
};

use super::agentmark;
use super::evaluators::{check_evaluator_names, check_rubrics, text_or_file};
use super::messages::{self, Files};
use crate::case::Context;
use crate::options::Rules;
use crate::shapes::{CASE_FIELDS, ROW_FIELDS};

/// A case that has nothing wrong with it.
#[derive(Debug, Clone, Copy)]
pub(crate) struct WrittenCase<'t> {
    pub(crate) node: Node<'t>,
    pub(crate) input: Input<'t>,
    pub(crate) expected: Expected<'t>,
}

/// What a target is asked, as written.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Input<'t> {
    /// One user message.
    Text(Node<'t>),
    Messages(Node<'t>),
    /// The `input` object of an AgentMark row.
    Row(Node<'t>),
}

/// What a good answer looks like, as written.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Expected<'t> {
    Nothing,
    /// The content of one assistant message.
    Content(Node<'t>),
    Message(Node<'t>),
    Messages(Node<'t>),
}

/// Checks the case `node` and says everything that is wrong with it.
///
/// `None` when the case cannot be used; warnings alone do not stand in the way.
pub(crate) fn read<'t>(
    node: Node<'t>,
    context: &Context,
    guesses: &mut Guesses,
    problems: &mut Vec<Problem>,
) -> Option<WrittenCase<'t>> {
    let first = problems.len();
    check_keys(node, problems);
    if context.rules == Rules::AgentMark {
        agentmark::check_strictly(node, problems);
    }
    let input = node.given("input_messages").or_else(|| node.given("input"));
    let is_row = input.is_some_and(|input| input.kind() == NodeKind::Object)
        && node.given("input_messages").is_none();
    let record = if is_row { &ROW_FIELDS } else { &CASE_FIELDS };
    let mut found = Vec::new();
    if context.rules == Rules::Agentv || is_row {
        Checker::new(context.definitions, problems, guesses)
            .collect_files(&mut found)
            .record_without(node, record, &overruled(node));
    }
    check_spellings(node, problems);
    let expected = expected_output(node, context, guesses, problems);
    let mut files = Files::new(context, problems);
    if let Some(messages) = input.filter(|input| input.kind() == NodeKind::Array) {
        files.check(messages, input_name(node));
    }
    match expected {
        Expected::Messages(list) => files.check(list, expected_name(node)),
        Expected::Message(message) => files.check_message(message, "expected_output"),
        Expected::Content(_) | Expected::Nothing => {}
    }
    if let Some(input) = input.filter(|_| is_row) {
        agentmark::check_row(node, input, context, problems);
    }
    check_rubrics(node, problems);
    check_evaluator_names(node, problems);
    check_files(&found, context, problems);
    let usable = problems[first..]
        .iter()
        .all(|problem| problem.severity == Severity::Warning);
    let input = match input?.kind() {
        NodeKind::String => Input::Text(input?),
        NodeKind::Object => Input::Row(input?),
        _ => Input::Messages(input?),
    };
    usable.then_some(WrittenCase {
        node,
        input,
        expected,
    })
}

/// The fields whose values do not count because the other spelling is there as well.
fn overruled(node: Node<'_>) -> Vec<&'static str> {
    SPELLINGS
        .iter()
        .filter(|(used, other)| node.given(used).is_some() && node.get(other).is_some())
        .map(|(_, other)| *other)
        .collect()
}

/// Field names of the same meaning: where both stand, the first is used.
const SPELLINGS: [(&str, &str); 3] = [
    ("input_messages", "input"),
    ("expected_messages", "expected_output"),
    ("expected_outcome", "outcome"),
];

fn check_spellings(node: Node<'_>, problems: &mut Vec<Problem>) {
    for (used, ignored) in SPELLINGS {
        let (Some(_), Some(other)) = (node.given(used), node.given(ignored)) else {
            continue;
        };
        let message = format!("`{used}` and `{ignored}` are both given, `{ignored}` is ignored");
        let problem = Problem::warning(Code::BothSpellings, other.span(), message);
        problems.push(problem.at(ignored).hint("keep one of the two"));
    }
}

fn input_name(node: Node<'_>) -> &'static str {
    match node.given("input_messages") {
        Some(_) => "input_messages",
        None => "input",
    }
}

fn expected_name(node: Node<'_>) -> &'static str {
    match node.given("expected_messages") {
        Some(_) => "expected_messages",
        None => "expected_output",
    }
}

fn expected_output<'t>(
    node: Node<'t>,
    context: &Context,
    guesses: &mut Guesses,
    problems: &mut Vec<Problem>,
) -> Expected<'t> {
    if let Some(messages) = node.given("expected_messages") {
        return Expected::Messages(messages);
    }
    let Some(output) = node.given("expected_output") else {
        return Expected::Nothing;
    };
    let mut check_message = |message: Node<'t>, index: Option<usize>, problems: &mut Vec<_>| {
        let mut checker =
            Checker::new(context.definitions, problems, guesses).inside("expected_output");
        if let Some(index) = index {
            checker = checker.at_index(index);
        }
        checker.value(message, &crate::shapes::MESSAGE);
    };
    match output.kind() {
        NodeKind::Object if messages::is_message(output) => {
            check_message(output, None, problems);
            Expected::Message(output)
        }
        NodeKind::Array => {
            let count = output
                .items()
                .filter(|item| messages::is_message(*item))
                .count();
            if count == 0 && !output.is_empty() {
                messages::warn_of_near_messages(output, problems);
                return Expected::Content(output);
            }
            if count < output.len() {
                problems.push(mixed(output));
                return Expected::Nothing;
            }
            for (index, item) in output.items().enumerate() {
                check_message(item, Some(index), problems);
            }
            Expected::Messages(output)
        }
        _ => Expected::Content(output),
    }
}

/// Some elements are messages and some are not: which was meant cannot be told.
fn mixed(output: Node<'_>) -> Problem {
    let odd = output
        .items()
        .enumerate()
        .find(|(_, item)| !messages::is_message(*item));
    let (index, item) = odd.unwrap_or((0, output));
    let expected = "a message like the other elements (`role` and `content` or `tool_calls`)";
    let found = item.kind().described();
    Problem {
        expected: Some(expected.to_owned()),
        found: Some(found.to_owned()),
        ..Problem::error(
            Code::MixedMessages,
            item.span(),
            format!("expected {expected}, found {found} that is none"),
        )
    }
    .at(format!("expected_output[{index}]"))
    .hint("write an array of messages only, or one of structured data only")
}

/// Looks up the files that evaluators refer to.
fn check_files(found: &[Found<'_>], context: &Context, problems: &mut Vec<Problem>) {
    for Found { node, text, path } in found {
        let value = node.text();
        let refused = match text {
            Text::File => context.files.find(&value).err(),
            Text::TextOrFile => text_or_file(&value, &context.files).err(),
            Text::Folder => context.files.find_folder(&value).err(),
            _ => None,
        };
        problems.extend(refused.map(|problem| problem.at(*node, path.clone())));
    }
}
