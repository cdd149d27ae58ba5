//! A test of AgentV 5: a case for each prompt.

use std::collections::HashMap;

use agentv_syntax::{NodeKind, Placed, PlacedField};

use super::super::assertion::Assertions;
use super::super::messages::{self, SharedInput};
use super::super::notes::Notes;
use super::super::source::Translation;
use super::super::turns::TurnEvaluators;
use super::super::{known_keys, prompts, template, turns, workspace};
use super::dialect::CASE_KEYS;
use super::scenarios::over;
use super::suite::{Shared, provider_names};
use crate::ids::derived_id;

/// The ids that were given to cases.
#[derive(Default)]
pub(super) struct Ids(HashMap<String, usize>);

impl Ids {
    /// Returns an id for a value, with a number if the same value comes again.
    fn of(&mut self, value: &Placed) -> String {
        let id = derived_id(value.to_tree("").root());
        let count = self.0.entry(id.clone()).or_default();
        *count += 1;
        match *count {
            1 => id,
            number => format!("{id}-{number}"),
        }
    }
}

/// Translates one test: a case for each prompt.
pub(super) fn one_test(
    translation: &mut Translation<'_>,
    test: Placed,
    shared: &Shared,
    ids: &mut Ids,
) -> Vec<Placed> {
    let own = test.span.clone();
    let mut notes = Notes::default();
    if test.kind() != NodeKind::Object {
        notes.wrong_type(&test, "a case (a mapping)");
        translation.add_case(own.clone(), notes);
        return vec![Placed::map(own)];
    }
    known_keys::check(&test, CASE_KEYS, &mut notes);
    let mut test = over(shared.defaults.clone(), test);
    test.span = own.clone();
    let vars = test.take("vars");
    let vars = vars.map_or_else(|| Placed::map(own.clone()), |field| field.value);
    let id = test.take("id");
    let own_prompts = test.take("prompts");
    if let Some(mut field) = test.take("turns") {
        field.value = template::filled(field.value, &vars);
        test.put_as("turns", field);
    }
    let turns = turns::take(translation, &mut test, &mut notes);
    if let Some(turns) = &turns {
        let before = SharedInput {
            input: test.take("input").map(|field| field.value),
            files: None,
        };
        let input = messages::input(turns.first.clone(), None, &before, &mut notes);
        test.put("input", turns.first.span.clone(), input);
    }
    let turns = turns.map(|turns| (turns.further, turns.evaluators));
    let prompts = match own_prompts {
        Some(prompts) => prompts::read(translation, &prompts.value),
        None if test.given("input").is_some() => Vec::new(),
        None => shared.prompts.clone(),
    };
    let inputs: Vec<Option<(PlacedField, String)>> = if prompts.is_empty() {
        let input = test.take("input").map(|mut input| {
            input.value = template::filled(input.value, &vars);
            input
        });
        let input = input.or_else(|| variable(&vars, "input"));
        vec![input.map(|input| (input, String::new()))]
    } else {
        let several = prompts.len() > 1;
        let filled = prompts.iter().enumerate().map(|(index, prompt)| {
            let place = variable(&vars, "input").map_or(own.clone(), |field| field.span);
            let field = PlacedField {
                name: "input".to_owned(),
                span: place,
                value: prompt.filled(&vars, &mut notes),
            };
            let suffix = if several {
                prompt.suffix(index)
            } else {
                String::new()
            };
            Some((field, suffix))
        });
        filled.collect()
    };
    let made_id = id.is_none().then(|| {
        let first = inputs.iter().flatten().next();
        let base = if vars.fields().is_empty() {
            first.map(|(input, _)| &input.value)
        } else {
            Some(&vars)
        };
        base.map(|base| ids.of(base))
    });
    let made_id = made_id.flatten();
    let mut cases = Vec::new();
    for (index, input) in inputs.into_iter().enumerate() {
        let case = OneCase {
            test: test.clone(),
            vars: &vars,
            id: id.clone(),
            made_id: made_id.clone(),
            input,
            turns: turns.clone(),
            notes: notes.of_case(index),
        };
        cases.push(case.translated(translation, shared));
    }
    cases
}

fn variable(vars: &Placed, name: &str) -> Option<PlacedField> {
    let mut fields = vars.fields().iter();
    fields.find(|field| field.name == name).cloned()
}

/// One case: a test with one prompt.
struct OneCase<'v> {
    test: Placed,
    vars: &'v Placed,
    id: Option<PlacedField>,
    /// The id, if none is written.
    made_id: Option<String>,
    /// The input, and the end of the id.
    input: Option<(PlacedField, String)>,
    /// The turns after the first, and the evaluators of all turns.
    turns: Option<(PlacedField, TurnEvaluators)>,
    notes: Notes,
}

impl OneCase<'_> {
    fn translated(mut self, translation: &mut Translation<'_>, shared: &Shared) -> Placed {
        let own = self.test.span.clone();
        let mut ours = Placed::map(own.clone());
        self.put_id(&mut ours);
        self.put_dependencies(&mut ours);
        let skips = self.put_execution(&mut ours);
        if let Some(criteria) = self.test.take("criteria") {
            ours.put_as("expected_outcome", criteria);
        }
        self.put_input(&mut ours, shared, skips);
        if let Some((further, _)) = &self.turns {
            ours.put_as("turns", further.clone());
        }
        let expected = self.test.take("expected_output").map(|mut expected| {
            expected.value = prompts::fill(expected.value, self.vars, &mut self.notes);
            expected
        });
        if let Some(expected) = expected.or_else(|| variable(self.vars, "expected_output")) {
            ours.put_as("expected_output", expected);
        }
        self.put_evaluators(translation, &mut ours, shared, skips);
        let environment = self
            .test
            .take("environment")
            .or_else(|| shared.environment.clone());
        if let Some(environment) = environment {
            let workspace = workspace::of_environment(environment, &mut self.notes);
            if let Some(workspace) = workspace {
                ours.put_as("workspace", workspace);
            }
        }
        let workspace = self.test.take("workspace");
        if let Some(written) = workspace.or_else(|| shared.workspace.clone()) {
            let span = written.span.clone();
            match workspace::translated(written, &mut self.notes) {
                Some(workspace) if ours.given("workspace").is_none() => {
                    ours.put_as("workspace", workspace);
                }
                Some(_) => {
                    let instead = "write either `environment` or `workspace`";
                    self.notes.unsupported("workspace", span, instead);
                }
                None => {}
            }
        }
        self.refuse_others();
        for field in self.test.fields() {
            ours.put_as(field.name.clone(), field.clone());
        }
        if !self.vars.fields().is_empty() {
            ours.put("vars", own.clone(), self.vars.clone());
        }
        translation.add_case(own, self.notes);
        ours
    }

    /// Puts the id: the one written, or one made from the variables.
    fn put_id(&mut self, ours: &mut Placed) {
        let suffix = self
            .input
            .as_ref()
            .map(|(_, suffix)| suffix.as_str())
            .unwrap_or_default();
        match self.id.take() {
            Some(mut id) => {
                if let Some(text) = id.value.as_str().filter(|_| !suffix.is_empty()) {
                    let whole = format!("{text}{suffix}");
                    id.value = Placed::text(id.value.span.clone(), whole);
                }
                ours.put_as("id", id);
            }
            None => {
                let Some(made) = &self.made_id else { return };
                let span = ours.span.start..ours.span.start;
                let id = format!("{made}{suffix}");
                ours.put("id", span.clone(), Placed::text(span, id));
            }
        }
    }

    /// Puts the cases that the case depends on: with several prompts, those of the same prompt.
    fn put_dependencies(&mut self, ours: &mut Placed) {
        let Some(mut field) = self.test.take("depends_on") else {
            return;
        };
        let suffix = self.input.as_ref().map(|(_, suffix)| suffix.as_str());
        let suffix = suffix.unwrap_or_default();
        if !suffix.is_empty() && field.value.kind() == NodeKind::Array {
            let items = field.value.items().iter().map(|item| match item.as_str() {
                Some(id) => Placed::text(item.span.clone(), format!("{id}{suffix}")),
                None => item.clone(),
            });
            field.value = Placed::list(field.value.span.clone(), items.collect());
        }
        ours.put_as("depends_on", field);
    }

    /// Puts the settings of the run of a case. Returns true if the suite's parts are not added.
    fn put_execution(&mut self, ours: &mut Placed) -> bool {
        let mut skips = false;
        for name in ["execution", "run"] {
            let Some(mut field) = self.test.take(name) else {
                continue;
            };
            let skip = field.value.take("skip_defaults");
            skips |= skip.is_some_and(|skip| skip.value.as_bool() == Some(true));
            if let Some(list) = field.value.take("assert")
                && self.test.given("assert").is_none()
            {
                self.test.put_as("assert", list);
            }
            if let Some(threshold) = field.value.take("threshold")
                && ours.given("pass_threshold").is_none()
            {
                ours.put_as("pass_threshold", threshold);
            }
            for other in field.value.fields() {
                self.notes.unused_because(other, "it belongs to the suite");
            }
        }
        if let Some(threshold) = self.test.take("threshold") {
            ours.take("pass_threshold");
            ours.put_as("pass_threshold", threshold);
        }
        for name in ["provider", "providers"] {
            let Some(field) = self.test.take(name) else {
                continue;
            };
            let names = provider_names(&field.value, &mut self.notes);
            let [target] = names.as_slice() else {
                let instead = "give the case one provider, or name them for the whole suite";
                self.notes.unsupported(name, field.span, instead);
                continue;
            };
            let mut execution = Placed::map(field.value.span.clone());
            let target = Placed::text(field.value.span.clone(), target);
            execution.put("target", field.span.clone(), target);
            ours.put("execution", field.span, execution);
        }
        skips
    }

    fn put_input(&mut self, ours: &mut Placed, shared: &Shared, skips: bool) {
        let Some((mut field, _)) = self.input.take() else {
            return;
        };
        let none = SharedInput::default();
        let mut before = if skips { none } else { shared.input.clone() };
        let files = self.test.take("input_files").map(|files| files.value);
        let notes = &mut self.notes;
        let mut fill = |value: Placed| template::filled(value, self.vars);
        before.input = before.input.map(&mut fill);
        before.files = before.files.map(&mut fill);
        field.value = messages::input(field.value, files.map(fill), &before, notes);
        ours.put_as("input", field);
    }

    fn put_evaluators(
        &mut self,
        translation: &mut Translation<'_>,
        ours: &mut Placed,
        shared: &Shared,
        skips: bool,
    ) {
        let own = self.test.take("assert");
        let suites = shared.assertions.iter().filter(|_| !skips);
        let of_turns = self.turns.take().map(|(_, it)| it).unwrap_or_default();
        let mut evaluators = Vec::new();
        let mut place = of_turns.place().map(|span| (span.clone(), span));
        for field in own.iter().chain(suites) {
            let list = template::filled(field.value.clone(), self.vars);
            let mut assertions = Assertions::new(translation, &mut self.notes);
            evaluators.append(&mut assertions.list(&list));
            place.get_or_insert((field.span.clone(), list.span));
        }
        let evaluators = of_turns.with(evaluators, &mut self.notes);
        if let Some((key, list)) = place.filter(|_| !evaluators.is_empty()) {
            ours.put("evaluators", key, Placed::list(list, evaluators));
        }
    }

    /// Refuses what a case has and we cannot honour.
    fn refuse_others(&mut self) {
        for (name, instead) in [
            (
                "assert_scoring_function",
                "weigh the assertions, or use a `script` assertion",
            ),
            (
                "transform",
                "let a `script` assertion read the answer as it is",
            ),
        ] {
            if let Some(field) = self.test.take(name) {
                self.notes.unsupported(name, field.span, instead);
            }
        }
        for name in ["mode", "aggregation", "window_size"] {
            self.test.take(name);
        }
        let Some(options) = self.test.take("options") else {
            return;
        };
        for field in options.value.fields() {
            match field.name.as_str() {
                "transform" | "transform_vars" | "postprocess" | "prefix" | "suffix" => {
                    let instead = "write the prompt and the assertions for the answer as it is";
                    self.notes
                        .unsupported(&field.name, field.span.clone(), instead);
                }
                _ => self.notes.unused(field),
            }
        }
    }
}
