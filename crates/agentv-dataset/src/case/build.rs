//! Turns a checked case into an [`EvalCase`].

use std::sync::Arc;

use agentv_core::{
    DependencyFailure, EvalCase, EvaluatorSpec, Execution, Extra, FurtherTurn, Message,
    PassThreshold, Role, Source, TurnFailure, WorkspaceSpec,
};
use agentv_syntax::Node;
use serde_json::Value;

use super::messages::{self, extra};
use super::read::{Expected, Input, WrittenCase};
use super::{Context, WorkspaceSettings, agentmark, evaluators};
use crate::files::FileProblem;

/// The fields that a resolved case has members for.
const PLACED: &[&str] = &[
    "id",
    "conversation_id",
    "expected_outcome",
    "outcome",
    "input",
    "input_messages",
    "expected_output",
    "expected_messages",
    "execution",
    "evaluator",
    "evaluators",
    "rubrics",
    "turns",
    "on_turn_failure",
    "depends_on",
    "on_dependency_failure",
    "pass_threshold",
    "workspace",
    // A resolved case sets these itself, so a written case cannot.
    "dataset",
    "guideline_files",
    "variables",
    "source",
];

impl WrittenCase<'_, '_> {
    /// Makes the case, with the dataset's defaults applied and its files read.
    ///
    /// # Errors
    /// Fails if a file that existed when the case was checked does not exist any more.
    pub(crate) fn build(
        &self,
        id: String,
        line: u64,
        context: &Context,
    ) -> Result<EvalCase, FileProblem> {
        let fields = self.fields;
        let text = |node: Option<Node<'_>>| node.map(|value| value.text().into_owned());
        let input_messages = self.input_messages(context)?;
        let rubrics = fields.rubrics.map(evaluators::build_rubrics);
        Ok(EvalCase {
            id,
            dataset: context.defaults.dataset.clone(),
            conversation_id: text(fields.conversation_id),
            expected_outcome: text(fields.expected_outcome.or(fields.outcome)),
            guideline_files: context.guidelines.among(&input_messages),
            input_messages,
            turns: self.turns(context)?,
            on_turn_failure: named(fields.on_turn_failure, TurnFailure::of_name),
            depends_on: fields
                .depends_on()
                .map(|id| id.text().into_owned())
                .collect(),
            on_dependency_failure: named(fields.on_dependency_failure, DependencyFailure::of_name),
            expected_messages: self.expected_messages(context)?,
            execution: execution(fields.execution, context),
            evaluators: self.evaluators(context),
            pass_threshold: self.pass_threshold(context),
            rubrics: rubrics.unwrap_or_default(),
            workspace: self.workspace(context)?,
            variables: self.variables(),
            source: Some(Source {
                file: context.file.to_string(),
                line,
            }),
            extra: extra(fields.node, PLACED),
        })
    }

    /// Returns the turns after the first.
    fn turns(&self, context: &Context) -> Result<Vec<FurtherTurn>, FileProblem> {
        let written = self.fields.turns.into_iter().flat_map(Node::items);
        let turns = written.map(|turn| {
            let input_messages = match turn.given("input") {
                Some(text) if text.as_str().is_some() => {
                    vec![Message::new(Role::User, text.text().into_owned())]
                }
                Some(list) => messages::build_all(list, context)?,
                None => Vec::new(),
            };
            let expected = turn.given("expected_output");
            let expected =
                expected.map(|text| Message::new(Role::Assistant, text.text().into_owned()));
            Ok(FurtherTurn {
                input_messages,
                expected_messages: expected.into_iter().collect(),
            })
        });
        turns.collect()
    }

    fn input_messages(&self, context: &Context) -> Result<Vec<Message>, FileProblem> {
        match self.input {
            Input::Text(text) => Ok(vec![Message::new(Role::User, text.text().into_owned())]),
            Input::Messages(list) => messages::build_all(list, context),
            Input::Row(input) => Ok(vec![agentmark::build_message(input, context)]),
        }
    }

    fn expected_messages(&self, context: &Context) -> Result<Vec<Message>, FileProblem> {
        match self.expected {
            Expected::Nothing => Ok(Vec::new()),
            Expected::Content(content) => Ok(vec![Message::new(
                Role::Assistant,
                messages::build_content(content, context)?,
            )]),
            Expected::Message(message) => Ok(vec![messages::build(message, context)?]),
            Expected::Messages(list) => messages::build_all(list, context),
        }
    }

    /// Returns the first of: the case's own lists, the dataset's lists, the single kind that is named.
    fn evaluators(&self, context: &Context) -> Arc<[EvaluatorSpec]> {
        let registry = context.definitions.evaluators;
        let mut own = self.fields.evaluator_lists().into_iter();
        if let Some(list) = own.find_map(|(_, list)| list) {
            return evaluators::resolved_specs(list, registry, &context.files).into();
        }
        if self.fields.rubrics.is_some() {
            return Arc::default();
        }
        if let Some(list) = &context.defaults.evaluators {
            return Arc::clone(list);
        }
        let named = self.fields.evaluator.map(Node::text);
        let named = named.as_deref().or(context.defaults.evaluator.as_deref());
        match named {
            Some(kind) => [EvaluatorSpec::of_kind(kind)].into(),
            None if self.has_nothing_to_grade_by() => Arc::default(),
            None => [EvaluatorSpec::of_kind(EvaluatorSpec::DEFAULT_KIND)].into(),
        }
    }

    /// Returns the first of: the threshold of the command line, the case, the dataset, the project.
    fn pass_threshold(&self, context: &Context) -> Option<PassThreshold> {
        let own = || own_threshold(self.fields.execution, self.fields.pass_threshold);
        let given = context.given_threshold.or_else(own);
        given
            .or(context.defaults.pass_threshold)
            .or(context.project_threshold)
    }

    /// Returns the workspace of the case over that of the dataset, key by key. Cases without their own
    /// share the dataset's.
    fn workspace(&self, context: &Context) -> Result<Option<Arc<WorkspaceSpec>>, FileProblem> {
        let dataset = context.defaults.workspace.as_ref();
        let Some(own) = self.fields.workspace else {
            return Ok(dataset.map(|dataset| Arc::clone(&dataset.resolved)));
        };
        let own = WorkspaceSettings::read(own, &context.files)?;
        let dataset = dataset.map(|dataset| &dataset.settings);
        Ok(Some(own.over(dataset).resolved()))
    }

    /// Checks if the case does not describe a good answer, as some rows do not.
    fn has_nothing_to_grade_by(&self) -> bool {
        let outcome = self.fields.expected_outcome.or(self.fields.outcome);
        matches!(self.expected, Expected::Nothing) && outcome.is_none()
    }

    fn variables(&self) -> Extra {
        match self.input {
            Input::Row(input) => extra(input, &["userMessage"]),
            Input::Text(_) | Input::Messages(_) => Extra::new(),
        }
    }
}

/// Returns the rule that a field names, or the default.
fn named<T: Default>(written: Option<Node<'_>>, of_name: fn(&str) -> Option<T>) -> T {
    let name = written.map(Node::text);
    name.and_then(|name| of_name(&name)).unwrap_or_default()
}

/// Returns the threshold in `execution`, else the one beside it. Both were checked.
pub(crate) fn own_threshold(
    execution: Option<Node<'_>>,
    beside: Option<Node<'_>>,
) -> Option<PassThreshold> {
    let in_execution = execution.and_then(|execution| execution.given("pass_threshold"));
    let number = in_execution.or(beside)?.as_f64()?;
    PassThreshold::new(number)
}

/// Merges the case's `execution` into the dataset's, key by key.
fn execution(own: Option<Node<'_>>, context: &Context) -> Execution {
    let mut merged = context.defaults.execution.clone();
    if let Some(own) = own {
        for (key, value) in own.fields() {
            if !key.is_text("evaluators") && !key.is_text("pass_threshold") {
                merged
                    .extra
                    .insert(key.text().into_owned(), value.to_value());
            }
        }
    }
    // The case's own target wins over the dataset's, under either spelling.
    if let Some(Value::String(target)) = merged.extra.shift_remove("target") {
        merged.target = target;
    }
    merged
}
