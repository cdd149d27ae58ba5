//! Suites of AgentV 4: `tests`, `criteria`, `assertions`.

use agentv_syntax::{NodeKind, Placed, PlacedField};

use super::assertion::Assertions;
use super::case_files::all_cases;
use super::kind::Dialect;
use super::messages::{self, SharedInput};
use super::notes::Notes;
use super::source::Translation;
use super::turns::TurnEvaluators;
use super::{known_keys, template, turns, workspace};

pub(super) static DIALECT: Dialect = Dialect {
    name: "AgentV 4",
    schema: "agentv-4",
    suite_keys: SUITE_KEYS,
    keys_of_cases: CASE_KEYS,
    assertions_key: "assertions",
    assertions: Assertions::types,
    own_keys: &[],
    case_keys: &["tests", "eval_cases"],
    hints: &["assertions", "criteria", "input", "name", "workspace"],
    is_case: |case| {
        let has = |name: &&str| case.get(name).is_some();
        let words = [
            "criteria",
            "assertions",
            "assert",
            "input",
            "expected_output",
        ];
        has(&"id") && words.iter().any(has)
    },
    recognised: |root, _| super::detect::by_keys(root, &DIALECT),
    allows_ungraded: false,
    translate,
};

/// The keys of a suite.
const SUITE_KEYS: &[&str] = &[
    "name",
    "description",
    "category",
    "version",
    "author",
    "tags",
    "license",
    "requires",
    "input",
    "input_files",
    "tests",
    "eval_cases",
    "target",
    "execution",
    "assertions",
    "assert",
    "evaluator",
    "preprocessors",
    "workspace",
    "suite",
];

/// The keys of a case.
const CASE_KEYS: &[&str] = &[
    "id",
    "vars",
    "criteria",
    "expected_outcome",
    "input",
    "input_files",
    "expected_output",
    "assertions",
    "assert",
    "evaluators",
    "evaluator",
    "execution",
    "workspace",
    "metadata",
    "conversation_id",
    "suite",
    "depends_on",
    "on_dependency_failure",
    "mode",
    "turns",
    "aggregation",
    "on_turn_failure",
    "window_size",
    "rubrics",
    "description",
    "note",
];

/// The parts of a suite that its cases share.
struct Shared {
    input: SharedInput,
    /// The evaluators that are added to those of each case, and the place of their list.
    evaluators: Vec<Placed>,
    list: Option<PlacedField>,
    workspace: Option<PlacedField>,
}

fn translate(translation: &mut Translation<'_>, mut suite: Placed) -> Placed {
    let mut ours = Placed::map(suite.span.clone());
    if suite.kind() != NodeKind::Object {
        let notes = &mut translation.notes;
        notes.wrong_type(&suite, "a suite (a mapping with `tests`)");
        return ours;
    }
    let notes = &mut translation.notes;
    known_keys::check(&suite, SUITE_KEYS, notes);
    for (theirs, mine) in [
        ("name", "dataset"),
        ("description", "description"),
        ("target", "target"),
    ] {
        if let Some(field) = suite.take(theirs) {
            put_header(&mut ours, mine, field, notes);
        }
    }
    for name in [
        "category", "version", "author", "tags", "license", "requires", "suite",
    ] {
        if let Some(field) = suite.take(name) {
            notes.unused(&field);
        }
    }
    let mut execution = suite.take("execution");
    let list = ["assertions", "assert"]
        .into_iter()
        .find_map(|name| suite.take(name))
        .or_else(|| assertions_of(&mut execution));
    let shared = Shared {
        evaluators: evaluators_of_suite(translation, list.as_ref()),
        list,
        input: SharedInput {
            input: suite.take("input").map(|field| field.value),
            files: suite.take("input_files").map(|field| field.value),
        },
        workspace: suite.take("workspace"),
    };
    if let Some(execution) = execution {
        suite_execution(translation, execution, &mut ours);
    }
    let notes = &mut translation.notes;
    if let Some(field) = suite.take("preprocessors") {
        refuse_preprocessors(&field, notes);
    }
    if let Some(field) = suite.take("evaluator") {
        put_evaluator_kind(&mut ours, field);
    }
    let tests = suite.take("tests");
    let tests = tests.or_else(|| suite.take("eval_cases"));
    for field in suite.fields() {
        // Other fields are the user's own.
        if field.name != "$schema" {
            ours.put_as(field.name.clone(), field.clone());
        }
    }
    if let Some(tests) = tests {
        let written = all_cases(translation, &tests.value);
        let cases = written
            .into_iter()
            .map(|case| one_case(translation, case, &shared));
        let cases = Placed::list(tests.value.span.clone(), cases.collect());
        ours.put("evalcases", tests.span, cases);
    }
    ours
}

/// Puts a field of the header. A target that is defined there is refused.
pub(super) fn put_header(ours: &mut Placed, name: &str, field: PlacedField, notes: &mut Notes) {
    if name == "target" && field.value.kind() == NodeKind::Object {
        let instead = "define the target in `targets.yaml`, and name it here";
        notes.unsupported("target", field.span, instead);
    } else {
        ours.put_as(name, field);
    }
}

/// Translates the evaluators that all cases share. A problem of them is one of the whole suite.
fn evaluators_of_suite(
    translation: &mut Translation<'_>,
    list: Option<&PlacedField>,
) -> Vec<Placed> {
    let Some(list) = list else {
        return Vec::new();
    };
    let mut notes = Notes::default();
    let evaluators = Assertions::new(translation, &mut notes).list(&list.value);
    translation.notes.0.append(&mut notes.0);
    evaluators
}

/// Takes the evaluators out of `execution`.
fn assertions_of(execution: &mut Option<PlacedField>) -> Option<PlacedField> {
    let execution = &mut execution.as_mut()?.value;
    ["assertions", "evaluators"]
        .into_iter()
        .find_map(|name| execution.take(name))
}

/// Reads the settings of a suite's runs, and puts the others where ours are.
pub(super) fn suite_execution(
    translation: &mut Translation<'_>,
    mut field: PlacedField,
    ours: &mut Placed,
) {
    let run = &mut translation.run;
    let notes = &mut translation.notes;
    let whole = |field: &PlacedField| {
        let number = field.value.as_f64()?;
        (number >= 1.0 && number.fract() == 0.0 && number <= 1e6).then_some(number as u32)
    };
    if let Some(targets) = field.value.take("targets") {
        run.targets = target_names(&targets.value, notes);
    }
    if let Some(workers) = field.value.take("workers") {
        match whole(&workers) {
            Some(number) => run.workers = Some(number),
            None => notes.wrong_type(&workers.value, "a whole number that is 1 or more"),
        }
    }
    if let Some(mut trials) = field.value.take("trials") {
        if let Some(count) = trials.value.take("count") {
            match whole(&count) {
                Some(number) => run.trials = Some(number),
                None => notes.wrong_type(&count.value, "a whole number that is 1 or more"),
            }
        }
        for rest in trials.value.fields() {
            let reason = match rest.name.as_str() {
                "cost_limit_usd" | "costLimitUsd" => "use `budget_usd`, which limits the whole run",
                _ => "reports show the scores of all trials and their spread",
            };
            notes.unused_because(rest, reason);
        }
    }
    for name in ["budget_usd", "budgetUsd"] {
        if let Some(budget) = field.value.take(name) {
            match budget.value.as_f64().filter(|dollars| *dollars >= 0.0) {
                Some(dollars) => run.budget = Some(dollars),
                None => notes.wrong_type(&budget.value, "a number that is 0 or more"),
            }
        }
    }
    if let Some(threshold) = field.value.take("threshold") {
        ours.put_as("pass_threshold", threshold);
    }
    for (name, instead) in [
        ("fail_on_error", "use `--max-errors`"),
        ("failOnError", "use `--max-errors`"),
        ("cache", "use `--cache`"),
        ("skip_defaults", "it belongs to a case"),
    ] {
        if let Some(other) = field.value.take(name) {
            notes.unused_because(&other, instead);
        }
    }
    if !field.value.fields().is_empty() {
        ours.put_as("execution", field);
    }
}

/// Returns the names of targets. Hooks are refused.
fn target_names(list: &Placed, notes: &mut Notes) -> Vec<String> {
    let mut names = Vec::new();
    for target in list.items() {
        let name = target.as_str().or_else(|| target.given("name")?.as_str());
        match name {
            Some(name) => names.push(name.to_owned()),
            None => notes.wrong_type(target, "the name of a target"),
        }
        for field in target.fields() {
            if field.name != "name" {
                let span = field.span.clone();
                notes.unsupported(&field.name, span, "write it in `targets.yaml`");
            }
        }
    }
    names
}

fn refuse_preprocessors(field: &PlacedField, notes: &mut Notes) {
    let instead = "let a `code_judge` script read the answer's files itself";
    notes.unsupported(&field.name, field.span.clone(), instead);
}

fn put_evaluator_kind(ours: &mut Placed, mut field: PlacedField) {
    let kind = field.value.as_str().map(str::to_owned);
    if let Some(kind) = kind
        && let Some(known) = Assertions::our_kind(&kind)
    {
        field.value = Placed::text(field.value.span.clone(), known);
    }
    ours.put_as("evaluator", field);
}

/// Translates one case.
fn one_case(translation: &mut Translation<'_>, mut case: Placed, shared: &Shared) -> Placed {
    let own = case.span.clone();
    let mut notes = Notes::default();
    let mut ours = Placed::map(own.clone());
    if case.kind() != NodeKind::Object {
        notes.wrong_type(&case, "a case (a mapping)");
        translation.add_case(own, notes);
        return ours;
    }
    known_keys::check(&case, CASE_KEYS, &mut notes);
    let variables = case.given("vars").cloned();
    fill(&mut case, variables.as_ref());
    for (theirs, mine) in [
        ("id", "id"),
        ("criteria", "expected_outcome"),
        ("conversation_id", "conversation_id"),
    ] {
        if let Some(field) = case.take(theirs) {
            ours.put_as(mine, field);
        }
    }
    let mut execution = case.take("execution");
    let skips = execution
        .as_mut()
        .and_then(|it| it.value.take("skip_defaults"));
    let skips = skips.is_some_and(|skips| skips.value.as_bool() == Some(true));
    let none = SharedInput::default();
    let mut input = if skips { none } else { shared.input.clone() };
    if let Some(variables) = &variables {
        let filled = |value: Placed| template::filled(value, variables);
        input.input = input.input.map(filled);
        input.files = input.files.map(filled);
    }
    let turns = turns::take(translation, &mut case, &mut notes);
    let files = case.take("input_files").map(|files| files.value);
    let own_input = case.take("input");
    match &turns {
        Some(turns) => {
            // The case's own input comes before the first turn, after that of the suite.
            let place = turns.first.span.clone();
            let first = messages::input(turns.first.clone(), files, &input, &mut notes);
            let before = SharedInput {
                input: own_input.map(|field| field.value),
                files: None,
            };
            let value = messages::input(first, None, &before, &mut notes);
            ours.put("input", place, value);
            ours.put_as("turns", turns.further.clone());
        }
        None => {
            if let Some(mut field) = own_input {
                field.value = messages::input(field.value, files, &input, &mut notes);
                ours.put_as("input", field);
            }
        }
    }
    if let Some(field) = case.take("expected_output") {
        ours.put_as("expected_output", field);
    }
    let assertions = ["assertions", "assert"]
        .into_iter()
        .find_map(|name| case.take(name))
        .or_else(|| assertions_of(&mut execution))
        .or_else(|| case.take("evaluators"));
    let shared_too = (!skips).then_some(shared);
    let of_turns = turns.map(|turns| turns.evaluators).unwrap_or_default();
    put_evaluators(
        translation,
        &mut ours,
        assertions,
        shared_too,
        of_turns,
        &mut notes,
    );
    if let Some(field) = case.take("evaluator") {
        put_evaluator_kind(&mut ours, field);
    }
    let workspace = case.take("workspace").or_else(|| shared.workspace.clone());
    let workspace = workspace.and_then(|field| workspace::translated(field, &mut notes));
    if let Some(workspace) = workspace {
        ours.put_as("workspace", workspace);
    }
    if let Some(execution) = execution {
        case_execution(&mut ours, execution, &mut notes);
    }
    for field in case.fields() {
        ours.put_as(field.name.clone(), field.clone());
    }
    translation.add_case(own, notes);
    ours
}

/// Fills in the variables of a case, in the fields that may have some.
fn fill(case: &mut Placed, variables: Option<&Placed>) {
    let Some(variables) = variables else { return };
    for name in [
        "criteria",
        "expected_outcome",
        "input",
        "input_files",
        "expected_output",
        "turns",
    ] {
        if let Some(mut field) = case.take(name) {
            field.value = template::filled(field.value, variables);
            case.put_as(name, field);
        }
    }
}

/// Puts the evaluators of a case, then those of the suite.
fn put_evaluators(
    translation: &mut Translation<'_>,
    ours: &mut Placed,
    own: Option<PlacedField>,
    shared: Option<&Shared>,
    of_turns: TurnEvaluators,
    notes: &mut Notes,
) {
    let turns = of_turns.place();
    let mut evaluators = match &own {
        Some(own) => Assertions::new(translation, notes).list(&own.value),
        None => Vec::new(),
    };
    if let Some(shared) = shared {
        evaluators.extend_from_slice(&shared.evaluators);
    }
    let evaluators = of_turns.with(evaluators, notes);
    let place = own.or_else(|| shared?.list.clone());
    let place = place.map(|place| (place.span, place.value.span));
    let place = place.or_else(|| turns.map(|span| (span.clone(), span)));
    if let Some((key, list)) = place.filter(|_| !evaluators.is_empty()) {
        ours.put("evaluators", key, Placed::list(list, evaluators));
    }
}

/// Puts the settings of a case that concern its own run.
fn case_execution(ours: &mut Placed, mut field: PlacedField, notes: &mut Notes) {
    if let Some(threshold) = field.value.take("threshold") {
        ours.put_as("pass_threshold", threshold);
    }
    if let Some(targets) = field.value.take("targets") {
        let instead = "give the case one `execution.target`, or name the targets with `--target`";
        notes.unsupported("targets", targets.span, instead);
    }
    for name in [
        "workers",
        "trials",
        "budget_usd",
        "budgetUsd",
        "cache",
        "fail_on_error",
        "failOnError",
    ] {
        if let Some(other) = field.value.take(name) {
            notes.unused_because(&other, "it belongs to the suite");
        }
    }
    if !field.value.fields().is_empty() {
        ours.put_as("execution", field);
    }
}
