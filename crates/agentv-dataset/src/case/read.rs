//! Checks a case as written, and finds its variant.

use std::ops::Range;

use smallvec::SmallVec;

use agentv_syntax::{
    CheckCache, Checker, Code, Node, NodeKind, Problem, Severity, check_keys, check_number_like,
};

use super::agentmark;
use super::evaluators::{check_evaluator_names, check_files};
use super::messages::{self, Files};
use super::workspace::check_workspace;
use crate::case::Context;
use crate::options::Rules;
use crate::shapes::{
    CASE_FIELDS, GRADED_CASE_FIELDS, NAMELESS_CASE_FIELDS, NAMELESS_GRADED_CASE_FIELDS, ROW_FIELDS,
};

/// A case without errors.
#[derive(Debug, Clone, Copy)]
pub(crate) struct WrittenCase<'f, 't> {
    pub(crate) fields: &'f Fields<'t>,
    pub(crate) input: Input<'t>,
    pub(crate) expected: Expected<'t>,
}

/// The fields of a case that have a meaning, found in one pass. A `null` counts as not given.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Fields<'t> {
    pub(crate) node: Node<'t>,
    pub(crate) id: Option<Node<'t>>,
    pub(crate) conversation_id: Option<Node<'t>>,
    pub(crate) expected_outcome: Option<Node<'t>>,
    pub(crate) outcome: Option<Node<'t>>,
    pub(crate) input: Option<Node<'t>>,
    pub(crate) input_messages: Option<Node<'t>>,
    pub(crate) expected_output: Option<Node<'t>>,
    pub(crate) expected_messages: Option<Node<'t>>,
    pub(crate) execution: Option<Node<'t>>,
    pub(crate) evaluator: Option<Node<'t>>,
    pub(crate) evaluators: Option<Node<'t>>,
    pub(crate) rubrics: Option<Node<'t>>,
    pub(crate) turns: Option<Node<'t>>,
    pub(crate) on_turn_failure: Option<Node<'t>>,
    pub(crate) depends_on: Option<Node<'t>>,
    pub(crate) on_dependency_failure: Option<Node<'t>>,
    pub(crate) pass_threshold: Option<Node<'t>>,
    pub(crate) workspace: Option<Node<'t>>,
    /// Without effect in a case, but easily written.
    target: Option<Node<'t>>,
}

impl<'t> Fields<'t> {
    pub(crate) fn of(node: Node<'t>) -> Fields<'t> {
        let mut fields = Fields {
            node,
            id: None,
            conversation_id: None,
            expected_outcome: None,
            outcome: None,
            input: None,
            input_messages: None,
            expected_output: None,
            expected_messages: None,
            execution: None,
            evaluator: None,
            evaluators: None,
            rubrics: None,
            turns: None,
            on_turn_failure: None,
            depends_on: None,
            on_dependency_failure: None,
            pass_threshold: None,
            workspace: None,
            target: None,
        };
        for (key, value) in node.fields().filter(|(_, value)| !value.is_null()) {
            let decoded;
            let name = match key.plain() {
                Some(name) => name,
                None => {
                    decoded = key.text();
                    decoded.as_bytes()
                }
            };
            let place = match name {
                b"id" => &mut fields.id,
                b"conversation_id" => &mut fields.conversation_id,
                b"expected_outcome" => &mut fields.expected_outcome,
                b"outcome" => &mut fields.outcome,
                b"input" => &mut fields.input,
                b"input_messages" => &mut fields.input_messages,
                b"expected_output" => &mut fields.expected_output,
                b"expected_messages" => &mut fields.expected_messages,
                b"execution" => &mut fields.execution,
                b"evaluator" => &mut fields.evaluator,
                b"evaluators" => &mut fields.evaluators,
                b"rubrics" => &mut fields.rubrics,
                b"turns" => &mut fields.turns,
                b"on_turn_failure" => &mut fields.on_turn_failure,
                b"depends_on" => &mut fields.depends_on,
                b"on_dependency_failure" => &mut fields.on_dependency_failure,
                b"pass_threshold" => &mut fields.pass_threshold,
                b"workspace" => &mut fields.workspace,
                b"target" => &mut fields.target,
                _ => continue,
            };
            place.get_or_insert(value);
        }
        fields
    }

    /// Returns the input of the target, under either name.
    pub(crate) fn asked(&self) -> Option<Node<'t>> {
        self.input_messages.or(self.input)
    }

    /// Returns the ids of the cases that this one depends on.
    pub(crate) fn depends_on(&self) -> impl Iterator<Item = Node<'t>> + use<'t> {
        self.depends_on.into_iter().flat_map(Node::items)
    }

    /// Checks if this is an AgentMark row.
    pub(crate) fn is_row(&self) -> bool {
        let input = self.input.filter(|_| self.input_messages.is_none());
        input.is_some_and(|input| input.kind() == NodeKind::Object)
    }

    /// Returns the lists of evaluators that a case may have, with their paths, the winner first.
    pub(crate) fn evaluator_lists(&self) -> [(&'static str, Option<Node<'t>>); 2] {
        let execution = self.execution;
        let of_execution = execution.and_then(|execution| execution.given("evaluators"));
        [
            ("execution.evaluators", of_execution),
            ("evaluators", self.evaluators),
        ]
    }

    /// Returns pairs of given fields with the same meaning, and the value of the second. The first is
    /// used.
    fn doubled(&self) -> SmallVec<[(&'static str, &'static str, Node<'t>); 3]> {
        let mut doubled = SmallVec::new();
        if let (Some(_), Some(ignored)) = (self.input_messages, self.input) {
            doubled.push(("input_messages", "input", ignored));
        }
        if let (Some(_), Some(ignored)) = (self.expected_messages, self.expected_output) {
            doubled.push(("expected_messages", "expected_output", ignored));
        }
        if let (Some(_), Some(ignored)) = (self.expected_outcome, self.outcome) {
            doubled.push(("expected_outcome", "outcome", ignored));
        }
        doubled
    }
}

/// The input of a target, as written.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Input<'t> {
    /// One user message.
    Text(Node<'t>),
    Messages(Node<'t>),
    /// The `input` object of an AgentMark row.
    Row(Node<'t>),
}

/// The expected output, as written.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Expected<'t> {
    Nothing,
    /// The content of one assistant message.
    Content(Node<'t>),
    Message(Node<'t>),
    Messages(Node<'t>),
}

/// Checks a case and adds everything that is wrong with it to `problems`.
///
/// Returns `None` if the case cannot be used. A case with warnings only can be used.
pub(crate) fn read<'f, 't>(
    fields: &'f Fields<'t>,
    context: &Context,
    check_cache: &mut CheckCache,
    problems: &mut Vec<Problem>,
) -> Option<WrittenCase<'f, 't>> {
    let first = problems.len();
    let node = fields.node;
    check_keys(node, problems);
    check_depth(node, problems);
    let expected = match context.rules {
        Rules::AgentMark => {
            agentmark::check_strictly(node, problems);
            Expected::Nothing
        }
        Rules::Agentv => check(fields, context, check_cache, problems),
    };
    check_surrogates(node, problems);
    check_escapes(node, problems);
    check_numbers(node, first, problems);
    check_number_like(node, problems);
    let usable = problems[first..]
        .iter()
        .all(|problem| problem.severity == Severity::Warning);
    let input = fields.asked()?;
    usable.then_some(WrittenCase {
        fields,
        input: match input.kind() {
            NodeKind::String => Input::Text(input),
            NodeKind::Object => Input::Row(input),
            _ => Input::Messages(input),
        },
        expected,
    })
}

/// Deepest nesting of arrays and objects within a case. A record adds a few levels, and JSON readers must
/// still accept it.
const DEEPEST_CASE: usize = 100;

/// Refuses a case that is nested too deeply for a record.
pub(crate) fn check_depth(node: Node<'_>, problems: &mut Vec<Problem>) {
    if node.is_surely_within(DEEPEST_CASE) || node.depth() <= DEEPEST_CASE {
        return;
    }
    let start = node.span().start;
    let message = format!("nested deeper than {DEEPEST_CASE} levels");
    problems.push(Problem::error(Code::TooDeep, start..start + 1, message));
}

/// The most values of a case that are reported for the same reason. Their paths take time to find.
const MOST_REPORTED: usize = 100;

/// Reports strings with half of a surrogate pair, which is not a character.
fn check_surrogates(node: Node<'_>, problems: &mut Vec<Problem>) {
    for (string, half) in node.lone_surrogates().take(MOST_REPORTED) {
        problems.push(surrogate_problem(string, half).at(node.path_to(string)));
    }
}

fn surrogate_problem(string: Node<'_>, half: Range<usize>) -> Problem {
    // Within its line, which is the source of the tree, the place is that of the escape.
    let escape = string.as_written().unwrap_or_default();
    let start = half.start - string.span().start;
    let escape = String::from_utf8_lossy(&escape[start..start + half.len()]);
    let message = format!("`{escape}` is half of a surrogate pair, which is not a character");
    let problem = Problem {
        expected: Some("text in Unicode".to_owned()),
        found: Some(format!("`{escape}` alone")),
        ..Problem::error(Code::LoneSurrogate, half, message)
    };
    let hint = "write the character itself, or both halves, such as `\\ud83d\\ude00`";
    problem.hint(hint)
}

/// Reports strings with an escape of YAML that stands for no character.
fn check_escapes(node: Node<'_>, problems: &mut Vec<Problem>) {
    for (string, escape) in node.broken_escapes().take(MOST_REPORTED) {
        let message = escape.reason.reason.clone();
        let problem = Problem {
            expected: Some("text in Unicode".to_owned()),
            hint: escape.reason.hint.clone(),
            ..Problem::error(Code::LoneSurrogate, escape.place.clone(), message)
        };
        problems.push(problem.at(node.path_to(string)));
    }
}

/// Reports numbers that cannot be kept, unless a problem from `first` on does so.
fn check_numbers(node: Node<'_>, first: usize, problems: &mut Vec<Problem>) {
    let known = first..problems.len();
    for number in node.overflowing_numbers().take(MOST_REPORTED) {
        let reported = &problems[known.clone()];
        if reported.iter().any(|problem| problem.span == number.span()) {
            continue;
        }
        let problem = Problem {
            expected: Some("a number of at most about 1.8e308".to_owned()),
            found: Some(number.text().chars().take(60).collect()),
            ..Problem::error(Code::OutOfRange, number.span(), "the number is too large")
        };
        problems.push(problem.at(node.path_to(number)));
    }
    let is_kept = |number: &Node<'_>| number.as_f64().is_some_and(f64::is_finite);
    let inexact = node.inexact_numbers().filter(is_kept);
    for number in inexact.take(MOST_REPORTED) {
        let message = "the number has too many digits; the last ones are rounded";
        let problem = Problem::warning(Code::InexactNumber, number.span(), message);
        let hint = format!("put it in quotes to keep all digits: \"{}\"", number.text());
        problems.push(problem.at(node.path_to(number)).hint(hint));
    }
}

/// Checks a case by our own rules.
fn check<'t>(
    fields: &Fields<'t>,
    context: &Context,
    check_cache: &mut CheckCache,
    problems: &mut Vec<Problem>,
) -> Expected<'t> {
    let is_row = fields.is_row();
    let record = if is_row {
        &ROW_FIELDS
    } else {
        let is_graded = is_graded_otherwise(fields, context);
        match (context.derives_ids, is_graded) {
            (false, false) => &CASE_FIELDS,
            (false, true) => &GRADED_CASE_FIELDS,
            (true, false) => &NAMELESS_CASE_FIELDS,
            (true, true) => &NAMELESS_GRADED_CASE_FIELDS,
        }
    };
    let mut found = Vec::new();
    let first = problems.len();
    Checker::new(context.definitions, problems, check_cache)
        .collect_files(&mut found)
        .record_without(fields.node, record, &overruled(fields));
    hint_at_shorthands(&mut problems[first..]);
    check_spellings(fields, problems);
    check_target(fields, problems);
    let expected = expected_output(fields, context, check_cache, problems);
    check_messages(fields, expected, context, problems);
    if let Some(input) = fields.input.filter(|_| is_row) {
        agentmark::check_row(fields, input, context, problems);
    }
    check_evaluator_names(fields, problems);
    check_files(&found, &context.files, problems);
    check_workspace(fields.workspace, &context.files, problems);
    expected
}

/// Checks if something else than an expected outcome grades the case.
fn is_graded_otherwise(fields: &Fields<'_>, context: &Context) -> bool {
    if fields.expected_outcome.is_some() || fields.outcome.is_some() {
        return false;
    }
    if context.may_be_ungraded {
        return true;
    }
    let has_evaluator = |list: Node<'_>| {
        let mut items = list.items();
        items.any(|item| item.kind() == NodeKind::Object)
    };
    let mut own = fields.evaluator_lists().into_iter();
    let has_rubrics = |list: Node<'_>| list.items().next().is_some();
    let suites = context.defaults.evaluators.as_deref();
    own.any(|(_, list)| list.is_some_and(has_evaluator))
        || fields.rubrics.is_some_and(has_rubrics)
        || fields.expected_output.is_some()
        || fields.expected_messages.is_some()
        || suites.is_some_and(|suites| !suites.is_empty())
}

/// Suggests the field that takes both for a text in a field for messages.
fn hint_at_shorthands(problems: &mut [Problem]) {
    for problem in problems {
        let shorthand = match problem.path.as_str() {
            "input_messages" => "input",
            "expected_messages" => "expected_output",
            _ => continue,
        };
        if problem.found.as_deref() == Some(NodeKind::String.described()) {
            problem.hint = Some(format!("`{shorthand}` may be a string"));
        }
    }
}

/// Returns the fields that have no effect because the other spelling is given as well.
fn overruled(fields: &Fields<'_>) -> SmallVec<[&'static str; 3]> {
    let doubled = fields.doubled();
    doubled.into_iter().map(|(_, name, _)| name).collect()
}

fn check_spellings(fields: &Fields<'_>, problems: &mut Vec<Problem>) {
    for (used, ignored, value) in fields.doubled() {
        let message = format!("`{used}` and `{ignored}` are both given; `{ignored}` is ignored");
        let problem = Problem::warning(Code::BothSpellings, value.span(), message);
        problems.push(problem.at(ignored).hint("keep one of the two"));
    }
}

/// Warns of a target outside `execution`, where it has no effect.
fn check_target(fields: &Fields<'_>, problems: &mut Vec<Problem>) {
    if let Some(target) = fields
        .target
        .filter(|target| target.kind() == NodeKind::String)
    {
        let message = "`target` has no effect here";
        let problem = Problem::warning(Code::Unused, target.span(), message).at("target");
        problems.push(problem.hint(format!("write `execution: {{target: {}}}`", target.text())));
    }
}

/// Checks the blocks of all messages, and the files in them.
fn check_messages<'t>(
    fields: &Fields<'t>,
    expected: Expected<'t>,
    context: &Context,
    problems: &mut Vec<Problem>,
) {
    let mut files = Files::new(fields.node, context, problems);
    if let Some(messages) = fields.asked() {
        files.check_all(messages);
    }
    match expected {
        Expected::Messages(list) => files.check_all(list),
        Expected::Message(message) => files.check_message(message),
        Expected::Content(content) => files.check_content(content),
        Expected::Nothing => {}
    }
}

fn expected_output<'t>(
    fields: &Fields<'t>,
    context: &Context,
    check_cache: &mut CheckCache,
    problems: &mut Vec<Problem>,
) -> Expected<'t> {
    if let Some(messages) = fields.expected_messages {
        return Expected::Messages(messages);
    }
    let Some(output) = fields.expected_output else {
        return Expected::Nothing;
    };
    let mut check_message = |message: Node<'t>, index: Option<usize>, problems: &mut Vec<_>| {
        let mut checker =
            Checker::new(context.definitions, problems, check_cache).inside("expected_output");
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

/// Returns the error that some elements are messages and some are not.
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
            format!("expected {expected}, found {found} that is not a message"),
        )
    }
    .at(format!("expected_output[{index}]"))
    .hint("write only messages, or only structured data")
}
