//! A test with its variables: a case for each prompt.

use std::collections::HashMap;

use agentv_syntax::{NodeKind, Placed, PlacedField, PlacedValue};

use super::super::assertion::{Assertions, Words, compared_with};
use super::super::known_keys;
use super::super::notes::Notes;
use super::super::prompts::{self, Prompt};
use super::super::source::Translation;
use super::super::template;
use super::suite::Shared;
use super::vars::Combination;
use crate::ids::derived_id;

pub(super) const TEST_KEYS: &[&str] = &[
    "description",
    "vars",
    "provider",
    "providers",
    "providerOutput",
    "prompts",
    "assert",
    "assertScoringFunction",
    "options",
    "threshold",
    "metadata",
];

/// The ids that were given to cases.
#[derive(Default)]
pub(super) struct Ids(HashMap<String, usize>);

impl Ids {
    /// Returns an id, with a number if it is taken.
    fn free(&mut self, id: String) -> String {
        let count = self.0.entry(id.clone()).or_default();
        *count += 1;
        match *count {
            1 => id,
            number => self.free(format!("{id}-{number}")),
        }
    }
}

/// Translates a test with one value for each variable.
pub(super) fn translated(
    translation: &mut Translation<'_>,
    combination: Combination,
    shared: &Shared,
    ids: &mut Ids,
) -> Vec<Placed> {
    let Combination {
        mut test,
        vars,
        mut notes,
        number,
    } = combination;
    known_keys::check(&test, TEST_KEYS, &mut notes);
    refuse(&mut test, &mut notes);
    let options = TestOptions::read(&mut test, translation, &mut notes);
    let prompts = chosen(&mut test, shared, &mut notes);
    let case = OneTest {
        vars: &vars,
        options,
        shared,
    };
    let named = name(&test, &vars, number, &prompts, ids);
    let mut evaluators = case.evaluators(translation, &mut test, &mut notes);
    let several = prompts.len() > 1;
    let id_of = |(index, prompt): (usize, &Prompt)| {
        if several {
            format!("{named}{}", prompt.suffix(index))
        } else {
            named.clone()
        }
    };
    let all_ids: Vec<String> = prompts.iter().enumerate().map(id_of).collect();
    if let Some(evaluators) = evaluators.as_mut().filter(|_| several) {
        compared_with(evaluators, &all_ids);
    }
    let made = prompts.iter().zip(all_ids).enumerate();
    let made = made.map(|(index, (prompt, id))| {
        let mut notes = notes.of_case(index);
        let ours = case.ours(&test, prompt, id, evaluators.clone(), &mut notes);
        translation.add_case(test.span.clone(), notes);
        ours
    });
    made.collect()
}

/// Returns the id of a test: its description, or one that depends on its variables.
fn name(
    test: &Placed,
    vars: &Placed,
    number: Option<usize>,
    prompts: &[Prompt],
    ids: &mut Ids,
) -> String {
    let description = test.given("description").and_then(Placed::as_str);
    let described = description.map(str::trim).filter(|it| !it.is_empty());
    let id = match (described, number) {
        (Some(text), Some(number)) => format!("{text}-{}", number + 1),
        (Some(text), None) => text.to_owned(),
        (None, _) if vars.fields().is_empty() => match prompts.first() {
            Some(prompt) => derived_id(prompt.template().to_tree("").root()),
            None => "test".to_owned(),
        },
        (None, _) => derived_id(vars.to_tree("").root()),
    };
    ids.free(id)
}

/// Returns the prompts of a test: all, or those that it names.
fn chosen(test: &mut Placed, shared: &Shared, notes: &mut Notes) -> Vec<Prompt> {
    let Some(names) = test.take("prompts") else {
        if shared.prompts.is_empty() {
            let place = test.span.start..test.span.start;
            return vec![Prompt::of(Placed::text(place, "{{prompt}}"))];
        }
        return shared.prompts.clone();
    };
    let names: Vec<&str> = match names.value.kind() {
        NodeKind::Array => names
            .value
            .items()
            .iter()
            .filter_map(Placed::as_str)
            .collect(),
        _ => names.value.as_str().into_iter().collect(),
    };
    let is_named = |prompt: &&Prompt| names.iter().any(|name| prompt.is_called(name));
    let found: Vec<Prompt> = shared.prompts.iter().filter(is_named).cloned().collect();
    if found.is_empty() {
        let instead = "name a prompt by its `label`";
        notes.unsupported("prompts", test.span.clone(), instead);
    }
    found
}

/// Refuses what a test has and we cannot honour.
fn refuse(test: &mut Placed, notes: &mut Notes) {
    for (name, instead) in [
        (
            "provider",
            "name the providers for the whole suite, or write the test in a file of its own",
        ),
        (
            "providers",
            "name the providers for the whole suite, or write the test in a file of its own",
        ),
        (
            "providerOutput",
            "use a `replay` target with recorded answers",
        ),
        (
            "assertScoringFunction",
            "weigh the assertions, or use a `javascript` assertion",
        ),
    ] {
        if let Some(field) = test.take(name) {
            notes.unsupported(name, field.span, instead);
        }
    }
}

/// The options of a test.
struct TestOptions {
    prefix: Option<Placed>,
    suffix: Option<Placed>,
    /// The target that judges.
    judge: Option<PlacedField>,
    rubric_prompt: Option<PlacedField>,
    skips_defaults: bool,
}

impl TestOptions {
    fn read(
        test: &mut Placed,
        translation: &mut Translation<'_>,
        notes: &mut Notes,
    ) -> TestOptions {
        let mut written = match test.take("options") {
            Some(field) => field.value,
            None => Placed::map(0..0),
        };
        let mut take = |name: &str| written.take(name);
        let skips = take("disableDefaultAsserts");
        let mut options = TestOptions {
            prefix: take("prefix").map(|field| field.value),
            suffix: take("suffix").map(|field| field.value),
            judge: take("provider"),
            rubric_prompt: take("rubricPrompt"),
            skips_defaults: skips.is_some_and(|it| it.value.as_bool() == Some(true)),
        };
        if let Some(judge) = &mut options.judge {
            judge.value = translation.judge(&judge.value, notes);
        }
        for field in written.fields() {
            match field.name.as_str() {
                "disableVarExpansion" => {}
                "runSerially" | "disableConversationVar" => {
                    notes.unused_because(field, "every case is asked for itself");
                }
                "transform" | "postprocess" | "transformVars" | "storeOutputAs" | "factuality"
                | "repeat" => {
                    let instead = "write the prompt and the assertions for the answer as it is";
                    notes.unsupported(&field.name, field.span.clone(), instead);
                }
                _ => notes.unused(field),
            }
        }
        options
    }
}

/// A test, whatever its prompt.
struct OneTest<'t> {
    vars: &'t Placed,
    options: TestOptions,
    shared: &'t Shared,
}

impl OneTest<'_> {
    /// Returns the case of one prompt.
    fn ours(
        &self,
        test: &Placed,
        prompt: &Prompt,
        id: String,
        evaluators: Option<PlacedField>,
        notes: &mut Notes,
    ) -> Placed {
        let own = test.span.clone();
        let start = own.start..own.start;
        let mut ours = Placed::map(own.clone());
        ours.put("id", start.clone(), Placed::text(start, id));
        for name in ["description", "metadata"] {
            if let Some(value) = test.given(name) {
                ours.put(name, own.clone(), value.clone());
            }
        }
        if let Some(threshold) = test.given("threshold") {
            ours.put("pass_threshold", threshold.span.clone(), threshold.clone());
        }
        let mut input = self.input(prompt, notes);
        // A problem with the input is one of the test.
        input.span = own.clone();
        ours.put("input", own.clone(), input);
        if let Some(evaluators) = evaluators {
            ours.put_as("evaluators", evaluators);
        }
        if !self.vars.fields().is_empty() {
            ours.put("vars", own.clone(), self.vars.clone());
        }
        for field in test.fields() {
            let is_known = TEST_KEYS.contains(&field.name.as_str());
            if !is_known && ours.given(&field.name).is_none() {
                ours.put_as(field.name.clone(), field.clone());
            }
        }
        ours
    }

    fn input(&self, prompt: &Prompt, notes: &mut Notes) -> Placed {
        let mut template = prompt.template().clone();
        if let PlacedValue::Text(text) = &mut template.value {
            let part = |part: &Option<Placed>| {
                let text = part.as_ref().and_then(Placed::as_str);
                text.unwrap_or_default().to_owned()
            };
            *text = part(&self.options.prefix) + text + &part(&self.options.suffix);
        }
        prompts::fill_all(template, self.vars, notes)
    }

    /// Returns the evaluators: of the default test, then of the test.
    fn evaluators(
        &self,
        translation: &mut Translation<'_>,
        test: &mut Placed,
        notes: &mut Notes,
    ) -> Option<PlacedField> {
        let own = test.take("assert");
        let skips = self.options.skips_defaults;
        let defaults = self.shared.assertions.as_ref().filter(|_| !skips);
        // With a threshold, the mean alone decides.
        let is_each_required = test.given("threshold").is_none();
        let mut all = Vec::new();
        let mut place = None;
        for field in defaults.into_iter().chain(&own) {
            let list = template::filled_with_templates(field.value.clone(), self.vars, notes);
            let mut assertions = Assertions::new(translation, notes);
            assertions.words = Words::Promptfoo { is_each_required };
            assertions.judge = self.options.judge.clone();
            assertions.rubric_prompt = self.options.rubric_prompt.clone();
            all.append(&mut assertions.list(&list));
            place.get_or_insert((field.span.clone(), list.span));
        }
        let (span, list) = place.filter(|_| !all.is_empty())?;
        Some(PlacedField {
            name: "evaluators".to_owned(),
            span,
            value: Placed::list(list, all),
        })
    }
}
