//! Suites of AgentV 5: `prompts`, `vars`, `assert`.

use std::collections::HashMap;

use agentv_syntax::{NodeKind, Placed, PlacedField};

use super::assertion::Assertions;
use super::case_files::all_cases;
use super::kind::Dialect;
use super::messages::{self, SharedInput};
use super::notes::Notes;
use super::promptfoo;
use super::prompts::{self, Prompt};
use super::source::Translation;
use super::{known_keys, turns, workspace};
use crate::ids::derived_id;

pub(super) static DIALECT: Dialect = Dialect {
    name: "AgentV 5",
    schema: "agentv-5",
    suite_keys: SUITE_KEYS,
    keys_of_cases: CASE_KEYS,
    assertions_key: "assert",
    assertions: Assertions::types,
    own_keys: &[
        "prompts",
        "providers",
        "default_test",
        "scenarios",
        "evaluate_options",
        "environment",
        "derived_metrics",
    ],
    case_keys: &["tests", "scenarios"],
    hints: &[
        "assert",
        "vars",
        "prompts",
        "providers",
        "default_test",
        "metric",
    ],
    is_case: |case| {
        let words = ["vars", "assert", "input", "config"];
        words.iter().any(|name| case.get(name).is_some())
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
    "suite",
    "prompts",
    "tests",
    "scenarios",
    "providers",
    "target",
    "targets",
    "default_test",
    "assert",
    "evaluate_options",
    "threshold",
    "timeout_seconds",
    "environment",
    "defaults",
    "input",
    "input_files",
    "expected_output",
    "execution",
    "extensions",
    "env",
    "derived_metrics",
    "output_path",
    "nunjucks_filters",
    "graders",
    "imports",
    "on_run_complete",
    "policy",
    "preprocessors",
];

/// The keys of a case.
const CASE_KEYS: &[&str] = &[
    "id",
    "description",
    "vars",
    "provider",
    "providers",
    "prompts",
    "input",
    "input_files",
    "expected_output",
    "assert",
    "assert_scoring_function",
    "options",
    "threshold",
    "execution",
    "run",
    "environment",
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
    "criteria",
];

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
struct Shared {
    prompts: Vec<Prompt>,
    /// The values of a case that has none of its own.
    defaults: Placed,
    /// Evaluators that are added to those of each case: of the default test, then of the suite.
    assertions: Vec<PlacedField>,
    input: SharedInput,
    environment: Option<PlacedField>,
}

fn translate(translation: &mut Translation<'_>, mut suite: Placed) -> Placed {
    let mut ours = Placed::map(suite.span.clone());
    known_keys::check(&suite, SUITE_KEYS, &mut translation.notes);
    for (theirs, mine) in [
        ("name", "dataset"),
        ("description", "description"),
        ("target", "target"),
    ] {
        if let Some(field) = suite.take(theirs) {
            ours.put_as(mine, field);
        }
    }
    if let Some(field) = suite.take("threshold") {
        ours.put_as("pass_threshold", field);
    }
    header(translation, &mut suite);
    let shared = shared(translation, &mut suite);
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
        run.timeout_seconds = seconds.value.as_f64();
    }
    if let Some(mut defaults) = suite.take("defaults") {
        let grader = defaults.value.take("grader");
        run.judge = grader.and_then(|grader| grader.value.as_str().map(str::to_owned));
        let provider = defaults
            .value
            .take("provider")
            .or_else(|| defaults.value.take("target"));
        let provider = provider.and_then(|it| it.value.as_str().map(str::to_owned));
        run.targets = provider.into_iter().collect();
    }
    for name in ["providers", "targets"] {
        if let Some(providers) = suite.take(name) {
            suite_targets(translation, &providers.value);
        }
    }
    let run = &mut translation.run;
    let notes = &mut translation.notes;
    if let Some(mut options) = suite.take("evaluate_options") {
        let whole = |field: PlacedField| {
            let number = field.value.as_f64()?;
            (number >= 1.0 && number.fract() == 0.0 && number <= 1e6).then_some(number as u32)
        };
        run.trials = options.value.take("repeat").and_then(whole);
        run.workers = options.value.take("max_concurrency").and_then(whole);
        run.budget = options
            .value
            .take("budget_usd")
            .and_then(|it| it.value.as_f64());
        for field in options.value.fields() {
            notes.unused_because(field, "use the flags of `agentv run`");
        }
    }
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
fn provider_names(providers: &Placed, notes: &mut Notes) -> Vec<String> {
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
fn shared(translation: &mut Translation<'_>, suite: &mut Placed) -> Shared {
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
    Shared {
        prompts: prompts.unwrap_or_default(),
        defaults,
        assertions: lists.into_iter().flatten().collect(),
        input: SharedInput {
            input: suite.take("input").map(|field| field.value),
            files: suite.take("input_files").map(|field| field.value),
        },
        environment: suite.take("environment"),
    }
}

/// Returns the cases of scenarios: each test with each configuration.
pub(super) fn of_scenarios(translation: &mut Translation<'_>, scenarios: &Placed) -> Vec<Placed> {
    let mut cases = Vec::new();
    for scenario in scenarios.items() {
        let configurations = scenario
            .given("config")
            .map(Placed::items)
            .unwrap_or_default();
        let tests = scenario.given("tests");
        let tests = tests
            .map(|tests| all_cases(translation, tests))
            .unwrap_or_default();
        for configuration in configurations {
            for test in &tests {
                cases.push(over(configuration.clone(), test.clone()));
            }
        }
    }
    cases
}

/// Returns the fields of a test over those of a configuration. Variables are merged, assertions added.
pub(super) fn over(mut below: Placed, mut test: Placed) -> Placed {
    let mut merged = Placed::map(test.span.clone());
    let (vars, own) = (below.take("vars"), test.take("vars"));
    let place = own
        .as_ref()
        .or(vars.as_ref())
        .map(|field| field.span.clone());
    if let Some(place) = place {
        merged.put(
            "vars",
            place.clone(),
            merged_vars(vars.as_ref(), own.as_ref(), place),
        );
    }
    let (asserts, own) = (below.take("assert"), test.take("assert"));
    let place = own
        .as_ref()
        .or(asserts.as_ref())
        .map(|field| field.span.clone());
    if let Some(place) = place {
        let all = own
            .iter()
            .chain(&asserts)
            .flat_map(|field| field.value.items().to_vec());
        merged.put("assert", place.clone(), Placed::list(place, all.collect()));
    }
    for field in test.fields() {
        merged.put_as(field.name.clone(), field.clone());
    }
    for field in below.fields() {
        if merged.given(&field.name).is_none() {
            merged.put_as(field.name.clone(), field.clone());
        }
    }
    merged
}

fn merged_vars(
    below: Option<&PlacedField>,
    own: Option<&PlacedField>,
    place: std::ops::Range<usize>,
) -> Placed {
    let mut merged = Placed::map(place);
    for field in own.iter().flat_map(|own| own.value.fields()) {
        merged.put_as(field.name.clone(), field.clone());
    }
    for field in below.iter().flat_map(|below| below.value.fields()) {
        if merged.given(&field.name).is_none() {
            merged.put_as(field.name.clone(), field.clone());
        }
    }
    merged
}

/// The ids that were given to cases.
#[derive(Default)]
struct Ids(HashMap<String, usize>);

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
fn one_test(
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
        field.value = super::template::filled(field.value, &vars);
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
            input.value = super::template::filled(input.value, &vars);
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
    let mut problems = Some(notes);
    let mut cases = Vec::new();
    for input in inputs {
        let notes = problems.take().unwrap_or_default();
        let case = OneCase {
            test: test.clone(),
            vars: &vars,
            id: id.clone(),
            made_id: made_id.clone(),
            input,
            turns: turns.clone(),
            notes,
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
    turns: Option<(PlacedField, Vec<Placed>)>,
    notes: Notes,
}

impl OneCase<'_> {
    fn translated(mut self, translation: &mut Translation<'_>, shared: &Shared) -> Placed {
        let own = self.test.span.clone();
        let mut ours = Placed::map(own.clone());
        self.put_id(&mut ours);
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
        let mut fill = |value: Placed| super::template::filled(value, self.vars);
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
        let mut evaluators = self.turns.take().map(|(_, it)| it).unwrap_or_default();
        let first = evaluators.first().map(|first| first.span.clone());
        let mut place = first.map(|span| (span.clone(), span));
        for field in own.iter().chain(suites) {
            let list = super::template::filled(field.value.clone(), self.vars);
            let mut assertions = Assertions::new(translation, &mut self.notes);
            evaluators.append(&mut assertions.list(&list));
            place.get_or_insert((field.span.clone(), list.span));
        }
        if let Some((key, list)) = place.filter(|_| !evaluators.is_empty()) {
            ours.put("evaluators", key, Placed::list(list, evaluators));
        }
    }

    /// Refuses what a case has and we cannot honour.
    fn refuse_others(&mut self) {
        for (name, instead) in [
            (
                "depends_on",
                "run the cases in two files, one after the other",
            ),
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
        for name in [
            "mode",
            "aggregation",
            "on_turn_failure",
            "window_size",
            "on_dependency_failure",
        ] {
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
