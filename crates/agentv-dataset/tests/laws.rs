//! Laws that hold for every eval file.

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::process::Command;

use agentv_core::EvalCase;
use agentv_dataset::{
    Checked, Conversion, ConvertOptions, Dataset, convert, load_eval_cases, sidecar_path,
};
use agentv_syntax::{Code, Diagnostic, Draft, Severity};
use proptest::prelude::*;
use serde_json::Value;

use crate::generated::{careless_cases, careless_header, cases, header, value};
use crate::project::{TestProject, outcome};

/// The configuration: `PROPTEST_RNG_SEED` decides what is generated; nothing is kept between runs.
fn config(cases: u32) -> ProptestConfig {
    ProptestConfig {
        cases,
        failure_persistence: None,
        max_shrink_iters: 2_000,
        ..ProptestConfig::default()
    }
}

fn lines(cases: &[Value]) -> String {
    cases.iter().fold(String::new(), |mut text, case| {
        let _ = writeln!(text, "{case}");
        text
    })
}

/// The same content twice: as `NAME.jsonl` with a sidecar, and as the suite `NAME.yml`.
fn write_both(project: &TestProject, name: &str, header: &Value, cases: &[Value]) {
    project.write(&format!("{name}.jsonl"), lines(cases));
    if header.as_object().is_some_and(|header| !header.is_empty()) {
        let sidecar = Draft::from(header).to_yaml();
        project.write(&format!("{name}.yaml"), sidecar);
    }
    project.write(&format!("{name}.yml"), suite(header, cases));
}

fn suite(header: &Value, cases: &[Value]) -> String {
    let mut suite = header.clone();
    suite["evalcases"] = cases.into();
    Draft::from(&suite).to_yaml()
}

/// Returns the diagnostics of a check, and the cases that are streamed after it.
fn streamed(path: &Path, project: &TestProject) -> (Checked, Vec<Diagnostic>, Vec<EvalCase>) {
    let dataset = Dataset::open(path, &project.options()).unwrap();
    let mut diagnostics = Vec::new();
    let checked = dataset.check(&mut |diagnostic| {
        diagnostics.push(diagnostic);
        ControlFlow::Continue(())
    });
    let cases = match dataset.cases(&checked) {
        Ok(cases) => cases.map(|case| case.unwrap()).collect(),
        Err(_) => Vec::new(),
    };
    (checked, diagnostics, cases)
}

proptest! {
    #![proptest_config(config(256))]

    #[test]
    fn any_json_value_on_a_line_is_a_case_or_a_diagnostic(line in value()) {
        let project = TestProject::new();
        let path = project.write("any.jsonl", format!("{line}\n"));
        match load_eval_cases(path, &project.options()) {
            Ok(loaded) => {
                let problems = loaded.diagnostics.iter().filter(|d| d.severity() != Severity::Warning);
                prop_assert!(loaded.cases.len() == 1 || problems.count() > 0);
            }
            Err(error) => prop_assert_eq!(error.diagnostic.line, Some(1)),
        }
    }
}

proptest! {
    #![proptest_config(config(96))]

    #[test]
    fn a_suite_and_a_jsonl_file_of_the_same_content_load_the_same(
        header in careless_header(),
        cases in careless_cases(),
    ) {
        let project = TestProject::new();
        write_both(&project, "same", &header, &cases);
        let from_lines = outcome(project.load("same.jsonl"));
        let from_suite = outcome(project.load("same.yml"));
        prop_assert_eq!(from_lines, from_suite);
    }

    #[test]
    fn a_case_that_breaks_no_rule_is_loaded(header in header(), cases in cases()) {
        let project = TestProject::new();
        write_both(&project, "right", &header, &cases);
        for name in ["right.jsonl", "right.yml"] {
            let loaded = project.load(name);
            let loaded = loaded.map_err(|error| TestCaseError::fail(error.to_string()))?;
            prop_assert_eq!(loaded.cases.len(), cases.len(), "{:?}", loaded.diagnostics);
        }
    }

    #[test]
    fn what_is_streamed_is_what_is_loaded_and_what_the_check_counted(
        header in careless_header(),
        cases in careless_cases(),
    ) {
        let project = TestProject::new();
        write_both(&project, "stream", &header, &cases);
        for name in ["stream.jsonl", "stream.yml"] {
            let (checked, diagnostics, streamed) = streamed(&project.path(name), &project);
            prop_assert_eq!(checked.cases + checked.skipped, cases.len() as u64);
            let fatal = diagnostics.iter().any(|d| d.severity() == Severity::Fatal);
            prop_assert_eq!(checked.fatal, fatal);
            match project.load(name) {
                Ok(loaded) => {
                    prop_assert_eq!(streamed.len() as u64, checked.cases);
                    prop_assert_eq!(&streamed, &loaded.cases);
                    prop_assert_eq!(&diagnostics, &loaded.diagnostics);
                }
                Err(error) => {
                    prop_assert!(checked.fatal);
                    prop_assert!(diagnostics.contains(&error.diagnostic));
                }
            }
        }
    }

    #[test]
    fn a_case_comes_back_from_its_own_json(header in header(), cases in cases()) {
        let project = TestProject::new();
        write_both(&project, "serde", &header, &cases);
        for case in project.load("serde.jsonl").unwrap().cases {
            let text = serde_json::to_string(&case).unwrap();
            let back: EvalCase = serde_json::from_str(&text).unwrap();
            prop_assert_eq!(&back, &case);
            prop_assert_eq!(serde_json::to_string(&back).unwrap(), text);
        }
    }
}

/// One conversion after another, each from the file before.
struct Journey<'p> {
    project: &'p TestProject,
    at: PathBuf,
}

impl Journey<'_> {
    fn go(&mut self, to: Conversion, path: PathBuf) -> Result<Vec<EvalCase>, TestCaseError> {
        let options = ConvertOptions {
            comments: Vec::new(),
            interrupted: Default::default(),
            to,
            force: false,
            lossy: false,
            load: self.project.options(),
        };
        convert(&self.at, &path, &options).map_err(|error| {
            let text = std::fs::read_to_string(&self.at).unwrap_or_default();
            TestCaseError::fail(format!("{error}: {error:?}\n{text}"))
        })?;
        self.at = path;
        let loaded = load_eval_cases(&self.at, &self.project.options());
        loaded.map(|loaded| loaded.cases).map_err(|error| {
            let text = std::fs::read_to_string(&self.at).unwrap_or_default();
            TestCaseError::fail(format!("{error}\n{text}"))
        })
    }
}

proptest! {
    #![proptest_config(config(48))]

    #[test]
    fn converting_there_and_back_gives_equal_cases(
        header in header(),
        cases in cases(),
        elsewhere in any::<bool>(),
        from_suite in any::<bool>(),
    ) {
        let project = TestProject::new();
        write_both(&project, "start", &header, &cases);
        let start = if from_suite { "start.yml" } else { "start.jsonl" };
        let original = project.load(start).unwrap().cases;
        let place = |name: &str| if elsewhere {
project.root().join("elsewhere").join(name)
} else {
project.path(name)
};
        let mut journey = Journey { project: &project, at: project.path(start) };
        if from_suite {
            prop_assert_eq!(&journey.go(Conversion::Jsonl, place("there.jsonl"))?, &original);
            prop_assert_eq!(&journey.go(Conversion::Yaml, project.path("back.yml"))?, &original);
        } else {
            prop_assert_eq!(&journey.go(Conversion::Yaml, place("there.yml"))?, &original);
            prop_assert_eq!(&journey.go(Conversion::Jsonl, project.path("back.jsonl"))?, &original);
        }
    }

    #[test]
    fn a_converted_file_converted_there_and_back_is_the_same_to_the_byte(
        header in header(),
        cases in cases(),
    ) {
        let project = TestProject::new();
        write_both(&project, "start", &header, &cases);
        let mut journey = Journey { project: &project, at: project.path("start.yml") };
        journey.go(Conversion::Jsonl, project.path("one.jsonl"))?;
        journey.go(Conversion::Yaml, project.path("two.yml"))?;
        journey.go(Conversion::Jsonl, project.path("three.jsonl"))?;
        let bytes = |name: &str| std::fs::read(project.path(name)).unwrap();
        prop_assert_eq!(bytes("one.jsonl"), bytes("three.jsonl"));
        let sidecar = |name: &str| sidecar_path(&project.path(name)).unwrap();
        prop_assert_eq!(std::fs::read(sidecar("one.jsonl")).ok(), std::fs::read(sidecar("three.jsonl")).ok());
    }
}

proptest! {
    #![proptest_config(config(6))]

    #[test]
    fn a_file_cut_at_any_byte_gives_the_cases_before_the_cut_or_an_error(
        header in header(),
        cases in cases(),
        crlf in any::<bool>(),
    ) {
        let project = TestProject::new();
        write_both(&project, "whole", &header, &cases);
        let whole = project.load("whole.jsonl").unwrap().cases;
        let text = lines(&cases);
        let text = if crlf { text.replace('\n', "\r\n") } else { text };
        if let Ok(sidecar) = std::fs::read(project.path("whole.yaml")) {
            project.write("cut.yaml", sidecar);
        }
        let has_name = header.get("dataset").is_some();
        // Only the ends of a long line matter.
        let step = text.len() / 500 + 1;
        let near_line_end = |at: usize| {
            let from = text.floor_char_boundary(at.saturating_sub(4));
            let to = text.ceil_char_boundary((at + 4).min(text.len()));
            text[from..to].contains('\n')
        };
        for at in (0..text.len()).filter(|at| at % step == 0 || near_line_end(*at)) {
            project.write("cut.jsonl", &text.as_bytes()[..at]);
            let before = &text.as_bytes()[..at];
            let last = before.rsplit(|byte| *byte == b'\n').next().unwrap_or_default();
            let whole_lines = before.iter().filter(|byte| **byte == b'\n').count();
            let inside = !last.is_empty() && serde_json::from_slice::<Value>(last).is_err();
            match project.load("cut.jsonl") {
                Ok(mut loaded) => {
                    prop_assert!(!inside, "cut inside a line at {}", at);
                    let expected = whole_lines + usize::from(!last.is_empty());
                    prop_assert_eq!(loaded.cases.len(), expected);
                    if !has_name {
                        loaded.cases.iter_mut().for_each(|case| case.dataset = "whole".to_owned());
                    }
                    prop_assert_eq!(&loaded.cases[..], &whole[..expected]);
                }
                Err(error) => {
                    prop_assert!(inside, "{} at {}", error, at);
                    prop_assert_eq!(error.diagnostic.line, Some(whole_lines as u64 + 1));
                }
            }
        }
    }
}

/// A file of several megabytes, and the lines on which something is wrong.
fn large_file(seed: u64, with_broken_lines: bool) -> (String, Vec<(u64, Code)>) {
    let mut text = String::new();
    let mut wrong = Vec::new();
    let mut state = seed;
    for number in 1..=12_000_u64 {
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        let draw = state >> 33;
        let filler = "word ".repeat((draw % 200) as usize);
        let (line, code) = match draw % 97 {
            0 => (
                format!(r#"{{"id": "{number}", "input": "{filler}"}}"#),
                Some(Code::MissingField),
            ),
            1 => (
                format!(r#"{{"id": "{number}", "outcome": "o", "input": 5, "x": "{filler}"}}"#),
                Some(Code::WrongType),
            ),
            2 => (String::new(), None),
            3 if with_broken_lines => (
                format!(r#"{{"id": "{number}", "{filler}"#),
                Some(Code::UnfinishedJson),
            ),
            _ => (
                format!(r#"{{"id": "{number}", "outcome": "o", "input": "{filler}"}}"#),
                None,
            ),
        };
        text.push_str(&line);
        text.push('\n');
        wrong.extend(code.map(|code| (number, code)));
    }
    (text, wrong)
}

proptest! {
    #![proptest_config(config(4))]

    #[test]
    fn problems_of_a_large_file_come_in_line_order(seed in any::<u64>(), broken in any::<bool>()) {
        let project = TestProject::new();
        let (text, wrong) = large_file(seed, broken);
        prop_assert!(text.len() > 4_000_000);
        let (checked, diagnostics, cases) = streamed(&project.write("large.jsonl", &text), &project);
        let found: Vec<_> = diagnostics.iter().map(|d| (d.line.unwrap(), d.code())).collect();
        prop_assert_eq!(found, wrong);
        prop_assert_eq!(checked.fatal, broken);
        if !broken {
            prop_assert_eq!(cases.len() as u64, checked.cases);
            let numbers: Vec<u64> = cases.iter().map(|case| case.id.parse().unwrap()).collect();
            prop_assert!(numbers.is_sorted());
            let source_lines = cases.iter().map(|case| case.source.as_ref().unwrap().line);
            prop_assert!(source_lines.eq(numbers.iter().copied()));
        }
    }
}

#[test]
fn one_thread_finds_what_many_find() {
    const NAME: &str = "laws::one_thread_finds_what_many_find";
    let project = TestProject::new();
    let (text, _) = large_file(7, false);
    let (checked, diagnostics, _) = streamed(&project.write("large.jsonl", text), &project);
    let lines: BTreeSet<_> = diagnostics.iter().filter_map(|d| d.line).collect();
    let found = format!("found {} {} {lines:?}", checked.cases, checked.skipped);
    if std::env::var_os("AGENTV_TEST_ONE_THREAD").is_some() {
        assert_eq!(std::thread::available_parallelism().unwrap().get(), 1);
        crate::project::note(&found);
        return;
    }
    let alone = Command::new("taskset")
        .args(["--cpu-list", "0"])
        .arg(std::env::current_exe().unwrap())
        .args([NAME, "--exact", "--nocapture"])
        .env("AGENTV_TEST_ONE_THREAD", "1")
        .output();
    let Ok(alone) = alone else {
        return crate::project::note("skipped: no `taskset` here to run on one core");
    };
    let said = String::from_utf8_lossy(&alone.stderr).into_owned();
    assert!(alone.status.success() && said.contains(&found), "{said}");
}

#[test]
fn a_dataset_without_a_sidecar_has_the_defaults_of_the_documents() {
    let project = TestProject::new();
    project.write(
        "dataset.jsonl",
        "{\"id\": \"a\", \"expected_outcome\": \"o\", \"input\": \"i\"}\n",
    );
    let path = project.path("dataset.jsonl");
    let dataset = agentv_dataset::Dataset::open(path, &project.options()).unwrap();
    assert_eq!((dataset.name(), dataset.description()), ("dataset", ""));
    let case = &project.load("dataset.jsonl").unwrap().cases[0];
    assert_eq!(case.execution.target, "default");
    assert_eq!(case.evaluators[0].kind, "llm_judge");
}
