//! A configuration as a whole.

use agentv_syntax::{Placed, PlacedField, PlacedValue};

use super::super::assertion::promptfoo;
use super::super::case_files::all_cases;
use super::super::kind::Dialect;
use super::super::notes::Notes;
use super::super::prompts::{self, Prompt};
use super::super::source::Translation;
use super::super::{agentv_5, known_keys};
use super::recognise::{OWN_KEYS, recognised};
use super::test_case::{self, Ids};
use super::{providers, references, vars};

pub(in super::super) static DIALECT: Dialect = Dialect {
    name: "promptfoo",
    schema: "promptfoo",
    suite_keys: SUITE_KEYS,
    keys_of_cases: test_case::TEST_KEYS,
    assertions_key: "assert",
    assertions: || promptfoo::names().collect(),
    own_keys: OWN_KEYS,
    case_keys: &["tests", "scenarios"],
    hints: &["prompts", "providers", "defaultTest", "evaluateOptions"],
    is_case: |case| {
        let words = ["vars", "assert", "description", "config"];
        words.iter().any(|name| case.get(name).is_some())
    },
    recognised,
    allows_ungraded: true,
    translate,
};

const SUITE_KEYS: &[&str] = &[
    "description",
    "tags",
    "prompts",
    "providers",
    "targets",
    "tests",
    "scenarios",
    "defaultTest",
    "evaluateOptions",
    "commandLineOptions",
    "outputPath",
    "nunjucksFilters",
    "env",
    "derivedMetrics",
    "extensions",
    "metadata",
    "writeLatestResults",
    "redteam",
    "sharing",
    "tracing",
    "assertionTemplates",
];

/// The fields that no verdict depends on, and what does the same here.
const WITHOUT_EFFECT: &[(&str, &str)] = &[
    ("tags", "it has no effect on results"),
    ("outputPath", "use `--out`"),
    ("derivedMetrics", "reports show the mean of each evaluator"),
    ("writeLatestResults", "results are always kept"),
    ("metadata", "it has no effect on results"),
    ("sharing", "results stay on this machine"),
    ("tracing", "transcripts hold the calls of tools"),
];

/// The fields that cannot be honoured, and advice.
const REFUSED: &[(&str, &str)] = &[
    (
        "extensions",
        "prepare files with `workspace.setup`, or in a `cli` target",
    ),
    (
        "nunjucksFilters",
        "compute the values before, and write them as variables",
    ),
    (
        "redteam",
        "generate the cases with promptfoo, and run those",
    ),
];

/// The parts of a configuration that its tests share.
pub(super) struct Shared {
    pub(super) prompts: Vec<Prompt>,
    /// The values of a test that has none of its own.
    pub(super) defaults: Placed,
    /// The assertions of the default test.
    pub(super) assertions: Option<PlacedField>,
}

fn translate(translation: &mut Translation<'_>, mut suite: Placed) -> Placed {
    let mut ours = Placed::map(suite.span.clone());
    known_keys::check(&suite, SUITE_KEYS, &mut translation.notes);
    references::resolved(&mut suite, &mut translation.notes);
    suite.take("assertionTemplates");
    if let Some(field) = suite.take("description") {
        ours.put_as("description", field);
    }
    header(&mut translation.notes, &mut suite);
    settings(translation, &mut suite);
    providers::read(translation, &mut suite);
    let mut shared = shared(translation, &mut suite);
    // Every assertion is required, so the mean decides only where a test sets a threshold.
    match shared.defaults.take("threshold") {
        Some(threshold) => {
            ours.put_as("pass_threshold", threshold.clone());
            shared.defaults.put_as("threshold", threshold);
        }
        None => {
            let place = suite.span.start..suite.span.start;
            let zero = PlacedValue::Number("0".to_owned());
            let zero = Placed {
                span: place.clone(),
                value: zero,
            };
            ours.put("pass_threshold", place, zero);
        }
    }
    let (key, written) = tests(translation, &mut suite);
    let mut ids = Ids::default();
    let mut cases = Vec::new();
    for test in written {
        for combination in vars::combinations(translation, test, &shared.defaults) {
            let mut made = test_case::translated(translation, combination, &shared, &mut ids);
            cases.append(&mut made);
        }
    }
    ours.put("evalcases", key.clone(), Placed::list(key, cases));
    ours
}

/// Names what has no effect or cannot be honoured.
fn header(notes: &mut Notes, suite: &mut Placed) {
    for (name, reason) in WITHOUT_EFFECT {
        if let Some(field) = suite.take(name) {
            notes.unused_because(&field, reason);
        }
    }
    for (name, instead) in REFUSED {
        if let Some(field) = suite.take(name) {
            notes.unsupported(name, field.span, instead);
        }
    }
    if let Some(field) = suite.take("env") {
        let reason = "set the variables in `.env`, where templates and targets find them";
        notes.unused_because(&field, reason);
    }
}

/// Reads the settings of runs.
fn settings(translation: &mut Translation<'_>, suite: &mut Placed) {
    let run = &mut translation.run;
    let notes = &mut translation.notes;
    let whole = |field: PlacedField, notes: &mut Notes| {
        let number = field.value.as_f64();
        let number = number.filter(|it| *it >= 1.0 && it.fract() == 0.0 && *it <= 1e6);
        if number.is_none() {
            notes.wrong_type(&field.value, "a whole number that is 1 or more");
        }
        number.map(|number| number as u32)
    };
    for name in ["commandLineOptions", "evaluateOptions"] {
        let Some(mut options) = suite.take(name) else {
            continue;
        };
        if let Some(field) = options.value.take("repeat") {
            run.trials = whole(field, notes);
        }
        if let Some(field) = options.value.take("maxConcurrency") {
            run.workers = whole(field, notes);
        }
        if let Some(field) = options.value.take("timeoutMs") {
            run.timeout_seconds = field
                .value
                .as_f64()
                .map(|milliseconds| milliseconds / 1000.0);
        }
        if let Some(field) = options.value.take("grader") {
            run.judge = field.value.as_str().map(str::to_owned);
        }
        for field in options.value.fields() {
            notes.unused_because(field, "use the flags of `agentv run`");
        }
    }
}

fn shared(translation: &mut Translation<'_>, suite: &mut Placed) -> Shared {
    let prompts = suite.take("prompts");
    let prompts = prompts.map(|prompts| prompts::read(translation, &prompts.value));
    let defaults = suite.take("defaultTest");
    let mut defaults = translation.default_test(defaults, suite);
    Shared {
        prompts: prompts.unwrap_or_default(),
        assertions: defaults.take("assert"),
        defaults,
    }
}

/// Returns the place of the tests, and the tests as written. A configuration without tests has one without
/// variables.
fn tests(
    translation: &mut Translation<'_>,
    suite: &mut Placed,
) -> (std::ops::Range<usize>, Vec<Placed>) {
    let mut key = suite.span.start..suite.span.start;
    let mut written = Vec::new();
    let (tests, scenarios) = (suite.take("tests"), suite.take("scenarios"));
    let has_none = tests.is_none() && scenarios.is_none();
    if let Some(tests) = tests {
        key = tests.span;
        written = all_cases(translation, &tests.value);
    }
    if let Some(scenarios) = scenarios {
        key = scenarios.span;
        written.append(&mut agentv_5::of_scenarios(translation, &scenarios.value));
    }
    if has_none {
        written.push(Placed::map(key.clone()));
    }
    (key, written)
}
