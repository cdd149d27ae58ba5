//! A suite of AgentV 5, and what its cases share.

use agentv_syntax::{NodeKind, Placed, PlacedField};

use super::super::case_files::all_cases;
use super::super::messages::SharedInput;
use super::super::notes::Notes;
use super::super::promptfoo;
use super::super::prompts::{self, Prompt};
use super::super::source::Translation;
use super::super::{agentv_4, known_keys};
use super::dialect::SUITE_KEYS;
use super::scenarios::of_scenarios;
use super::test_case::{Ids, one_test};

/// The fields that no verdict depends on.
const WITHOUT_EFFECT: &[&str] = &[
    "category",
    "version",
    "author",
    "tags",
    "license",
    "requires",
    "suite",
    "output_path",
    "derived_metrics",
    "on_run_complete",
];

/// The fields that cannot be honoured, and advice.
const REFUSED: &[(&str, &str)] = &[
    (
        "extensions",
        "prepare the files with `workspace.setup`, or in a `cli` target",
    ),
    ("env", "set the variables in `.env`"),
    (
        "nunjucks_filters",
        "compute the values before, and write them as variables",
    ),
    ("graders", "write each grader where it is used"),
    ("imports", "name the files with `tests`"),
    ("policy", "remove it"),
    (
        "preprocessors",
        "let a `script` assertion read the files of the answer itself",
    ),
];

/// The parts of a suite that its cases share.
pub(super) struct Shared {
    pub(super) prompts: Vec<Prompt>,
    /// The values of a case that has none of its own.
    pub(super) defaults: Placed,
    /// Evaluators that are added to those of each case: of the default test, then of the suite.
    pub(super) assertions: Vec<PlacedField>,
    pub(super) input: SharedInput,
    pub(super) environment: Option<PlacedField>,
    /// The workspace, as AgentV 4 writes it.
    pub(super) workspace: Option<PlacedField>,
}

pub(super) fn translate(translation: &mut Translation<'_>, mut suite: Placed) -> Placed {
    let mut ours = Placed::map(suite.span.clone());
    known_keys::check(&suite, SUITE_KEYS, &mut translation.notes);
    for (theirs, mine) in [
        ("name", "dataset"),
        ("description", "description"),
        ("target", "target"),
    ] {
        if let Some(field) = suite.take(theirs) {
            agentv_4::put_header(&mut ours, mine, field, &mut translation.notes);
        }
    }
    if let Some(field) = suite.take("threshold") {
        ours.put_as("pass_threshold", field);
    }
    header(translation, &mut suite);
    let shared = shared(translation, &mut suite, &mut ours);
    let mut written = Vec::new();
    let mut key = suite.span.start..suite.span.start;
    if let Some(tests) = suite.take("tests") {
        key = tests.span;
        written = all_cases(translation, &tests.value);
    }
    if let Some(scenarios) = suite.take("scenarios") {
        key = scenarios.span;
        written.append(&mut of_scenarios(translation, &scenarios.value));
    }
    for field in suite.fields() {
        if field.name != "$schema" {
            ours.put_as(field.name.clone(), field.clone());
        }
    }
    let mut ids = Ids::default();
    let mut cases = Vec::new();
    for case in written {
        cases.append(&mut one_test(translation, case, &shared, &mut ids));
    }
    ours.put("evalcases", key.clone(), Placed::list(key, cases));
    ours
}

/// Reads the settings of runs, and names what has no effect or cannot be honoured.
fn header(translation: &mut Translation<'_>, suite: &mut Placed) {
    let notes = &mut translation.notes;
    for name in WITHOUT_EFFECT {
        if let Some(field) = suite.take(name) {
            notes.unused(&field);
        }
    }
    for (name, instead) in REFUSED {
        if let Some(field) = suite.take(name) {
            notes.unsupported(name, field.span, instead);
        }
    }
    let run = &mut translation.run;
    if let Some(seconds) = suite.take("timeout_seconds") {
        run.timeout_seconds = number(&seconds, notes);
    }
    if let Some(mut defaults) = suite.take("defaults") {
        let grader = defaults.value.take("grader");
        run.judge = grader.and_then(|grader| name(&grader, notes));
        let provider = defaults
            .value
            .take("provider")
            .or_else(|| defaults.value.take("target"));
        let provider = provider.and_then(|it| name(&it, notes));
        run.targets = provider.into_iter().collect();
        for field in defaults.value.fields() {
            let instead = "write it in each test, or in `targets.yaml`";
            notes.unsupported(&field.name, field.span.clone(), instead);
        }
    }
    for name in ["providers", "targets"] {
        if let Some(providers) = suite.take(name) {
            suite_targets(translation, &providers.value);
        }
    }
    let run = &mut translation.run;
    let notes = &mut translation.notes;
    if let Some(mut options) = suite.take("evaluate_options") {
        let mut whole = |field: PlacedField| {
            let number = field.value.as_f64();
            let number = number.filter(|it| *it >= 1.0 && it.fract() == 0.0 && *it <= 1e6);
            if number.is_none() {
                notes.wrong_type(&field.value, "a whole number that is 1 or more");
            }
            number.map(|number| number as u32)
        };
        run.trials = options.value.take("repeat").and_then(&mut whole);
        run.workers = options.value.take("max_concurrency").and_then(whole);
        let budget = options.value.take("budget_usd");
        run.budget = budget.and_then(|budget| number(&budget, notes));
        for field in options.value.fields() {
            notes.unused_because(field, "use the flags of `agentv run`");
        }
    }
}

/// Reads a number that is 0 or more.
fn number(field: &PlacedField, notes: &mut Notes) -> Option<f64> {
    let number = field.value.as_f64().filter(|number| *number >= 0.0);
    if number.is_none() {
        notes.wrong_type(&field.value, "a number that is 0 or more");
    }
    number
}

/// Reads the name of a target.
fn name(field: &PlacedField, notes: &mut Notes) -> Option<String> {
    let name = field.value.as_str().map(str::to_owned);
    if name.is_none() {
        notes.wrong_type(&field.value, "the name of a target");
    }
    name
}

/// Reads the targets of a suite: names, or definitions.
fn suite_targets(translation: &mut Translation<'_>, providers: &Placed) {
    let listed = match providers.kind() {
        NodeKind::Array => providers.items().to_vec(),
        _ => vec![providers.clone()],
    };
    translation.run.targets.clear();
    for written in listed {
        let is_name = |field: &PlacedField| ["id", "label"].contains(&field.name.as_str());
        let defines = !written.fields().iter().all(is_name);
        let name = match promptfoo::provider(&written).filter(|_| defines) {
            Some(provider) => vec![translation.define(provider)],
            None => provider_names(&written, &mut translation.notes),
        };
        translation.run.targets.extend(name);
    }
}

/// Returns the names of providers. One that is defined for a single case is refused.
pub(super) fn provider_names(providers: &Placed, notes: &mut Notes) -> Vec<String> {
    let listed = match providers.kind() {
        NodeKind::Array => providers.items().to_vec(),
        _ => vec![providers.clone()],
    };
    let mut names = Vec::new();
    for provider in listed {
        let label = provider.given("label").or_else(|| provider.given("id"));
        let name = provider.as_str().or_else(|| label?.as_str());
        let Some(name) = name else {
            notes.wrong_type(&provider, "the name of a provider");
            continue;
        };
        names.push(name.to_owned());
        for field in provider.fields() {
            if !["id", "label"].contains(&field.name.as_str()) {
                let instead = "define the provider in `providers.yaml`, and name it here";
                notes.unsupported(&field.name, field.span.clone(), instead);
            }
        }
    }
    names
}

/// Takes the parts that the cases share.
fn shared(translation: &mut Translation<'_>, suite: &mut Placed, ours: &mut Placed) -> Shared {
    let prompts = suite.take("prompts");
    let prompts = prompts.map(|field| prompts::read(translation, &field.value));
    let defaults = suite.take("default_test");
    let mut defaults = translation.default_test(defaults, suite);
    if let Some(expected) = suite.take("expected_output")
        && defaults.given("expected_output").is_none()
    {
        defaults.put_as("expected_output", expected);
    }
    let mut execution = suite.take("execution");
    let of_execution = execution.as_mut().and_then(|it| it.value.take("assert"));
    let lists = [defaults.take("assert"), suite.take("assert"), of_execution];
    if let Some(execution) = execution {
        agentv_4::suite_execution(translation, execution, ours);
    }
    Shared {
        prompts: prompts.unwrap_or_default(),
        defaults,
        assertions: lists.into_iter().flatten().collect(),
        input: SharedInput {
            input: suite.take("input").map(|field| field.value),
            files: suite.take("input_files").map(|field| field.value),
        },
        environment: suite.take("environment"),
        workspace: suite.take("workspace"),
    }
}
