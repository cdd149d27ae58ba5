//! What holds of comparisons.

use std::fs;
use std::path::Path;

use agentv_core::{EvaluatorResult, EvaluatorSpec, GateOutcome, ResultRecord, Score};
use proptest::prelude::*;
use proptest::test_runner::RngSeed;
use serde_json::Value;

use super::*;
use crate::samples::{errored, failed, graded, measured, record};
use crate::{DropGate, GateRule, RunResults, Style};

const STYLE: Style = Style {
    colour: false,
    width: 100,
    unicode: true,
};

fn write(path: &Path, records: &[ResultRecord]) -> RunResults {
    let lines = records
        .iter()
        .map(|record| serde_json::to_string(record).unwrap());
    let lines: Vec<String> = lines.map(|line| line + "\n").collect();
    fs::write(path, lines.concat()).unwrap();
    RunResults::of_file(path)
}

/// What `test` finds of runs with these records.
fn with_runs<T>(runs: &[&[ResultRecord]], test: impl FnOnce(&[ComparedRun]) -> T) -> T {
    let folder = tempfile::tempdir().unwrap();
    let written: Vec<RunResults> = runs
        .iter()
        .enumerate()
        .map(|(index, records)| write(&folder.path().join(format!("{index}.jsonl")), records))
        .collect();
    test(&read_runs(&written).unwrap())
}

fn on(target: &str, record: ResultRecord) -> ResultRecord {
    ResultRecord {
        target: target.into(),
        grade_key: format!("{target} {}", record.eval_id),
        ..record
    }
}

fn trial(trial: u32, record: ResultRecord) -> ResultRecord {
    ResultRecord { trial, ..record }
}

fn in_conversation(id: &str, record: ResultRecord) -> ResultRecord {
    ResultRecord {
        conversation_id: Some(id.to_owned()),
        ..record
    }
}

fn judged(record: ResultRecord, scores: &[(&str, f64)]) -> ResultRecord {
    let result = |(name, score): &(&str, f64)| EvaluatorResult {
        name: (*name).to_owned(),
        score: Score::new(*score),
        ..EvaluatorResult::unsaid(&EvaluatorSpec::of_kind("contains"))
    };
    ResultRecord {
        evaluator_results: scores.iter().map(result).collect(),
        ..record
    }
}

fn gate(comparison: &Comparison<'_>) -> GateOutcome {
    DropGate::default().judge(comparison.summary(), "A")
}

fn written(comparison: &Comparison<'_>, format: ComparisonFormat) -> String {
    let showing = Showing::of(comparison, 10).unwrap();
    let mut out = Vec::new();
    write_comparison(
        comparison,
        &showing,
        &gate(comparison),
        format,
        STYLE,
        &mut out,
    )
    .unwrap();
    String::from_utf8(out).unwrap()
}

#[test]
fn trials_match_by_file_case_and_number_whatever_a_single_target_is_called() {
    let elsewhere = ResultRecord {
        eval_file: "evals/other.yaml".into(),
        ..graded("a", 1.0)
    };
    let of_a = [graded("a", 1.0), graded("b", 0.5), elsewhere];
    let of_b = [
        on("new", graded("b", 0.5)),
        on("new", trial(2, graded("b", 1.0))),
    ];
    with_runs(&[&of_a, &of_b], |runs| {
        let found = compare(&runs[0], &runs[1], 0.1).unwrap();
        let summary = found.summary();
        assert_eq!((summary.total, summary.matched), (4, 1));
        assert_eq!((summary.only_in_a, summary.only_in_b), (2, 1));
        assert!(found.targets().is_empty());
    });
}

#[test]
fn several_targets_are_compared_by_name_with_corrected_p_values() {
    let run = |x: f64, y: f64| -> Vec<ResultRecord> {
        let ids = (0..8).map(|id| format!("case-{id}"));
        ids.flat_map(|id| [on("x", graded(&id, x)), on("y", graded(&id, y))])
            .collect()
    };
    with_runs(&[&run(1.0, 0.5), &run(0.5, 0.5)], |runs| {
        let found = compare(&runs[0], &runs[1], 0.1).unwrap();
        let [x, y] = found.targets() else {
            panic!("{:?}", found.targets())
        };
        assert_eq!(
            (x.name.as_str(), x.mean_delta, x.significant),
            ("x", -0.5, true)
        );
        assert_eq!((x.p_value, x.corrected_p_value), (2.0 / 256.0, 4.0 / 256.0));
        assert_eq!((y.mean_delta, y.p_value, y.significant), (0.0, 1.0, false));
        // Both targets of a case make one case.
        assert_eq!(found.summary().statistics.cases, 8);
        assert_eq!(found.summary().mean_delta, Some(-0.25));
    });
}

#[test]
fn trials_are_averaged_within_their_case() {
    let of_a = [
        trial(1, graded("a", 1.0)),
        trial(2, graded("a", 0.0)),
        graded("b", 1.0),
    ];
    let of_b = [
        trial(1, graded("a", 1.0)),
        trial(2, graded("a", 1.0)),
        graded("b", 0.0),
    ];
    with_runs(&[&of_a, &of_b], |runs| {
        let found = compare(&runs[0], &runs[1], 0.1).unwrap();
        let summary = found.summary();
        assert_eq!(summary.mean_delta, Some(-0.25));
        assert_eq!((summary.wins, summary.losses, summary.ties), (1, 1, 1));
        let cases = &summary.statistics;
        assert_eq!((cases.cases, cases.wins.wins, cases.wins.losses), (2, 1, 1));
        let shown = Showing::of(&found, 1).unwrap();
        assert_eq!(
            (shown.wins[0].name.as_str(), shown.wins[0].trials),
            ("a", 2)
        );
        assert_eq!(shown.wins[0].delta, 0.5);
    });
}

#[test]
fn errored_and_ungraded_trials_stand_beside() {
    let of_a = [graded("a", 1.0), graded("b", 1.0), record("c")];
    let of_b = [
        graded("a", 0.5),
        errored("b", "timed out"),
        graded("c", 1.0),
    ];
    with_runs(&[&of_a, &of_b], |runs| {
        let found = compare(&runs[0], &runs[1], 0.1).unwrap();
        let summary = found.summary();
        assert_eq!((summary.matched, summary.without_grade), (3, 2));
        assert_eq!(summary.mean_delta, Some(-0.5));
        assert!(!summary.significant, "one case tells nothing");
        let table = written(&found, ComparisonFormat::Table);
        assert!(
            table.starts_with("no difference can be told: B − A is −50.0 points; one case alone"),
            "{table}"
        );
        assert!(
            table.contains("2 without a grade in one or both"),
            "{table}"
        );
        assert!(table.contains("1 errored"), "{table}");
    });
}

#[test]
fn nothing_graded_in_both_is_never_good() {
    with_runs(&[&[graded("a", 1.0)], &[errored("a", "no")]], |runs| {
        let found = compare(&runs[0], &runs[1], 0.1).unwrap();
        assert_eq!(found.summary().mean_delta, None);
        assert!(!gate(&found).met);
    });
}

#[test]
fn cases_of_a_conversation_count_as_one_where_they_agree() {
    let run = |first: f64, second: f64| -> Vec<ResultRecord> {
        let case = |id: usize| match id % 2 {
            0 => in_conversation("one", graded(&format!("{id}"), first)),
            _ => in_conversation("two", graded(&format!("{id}"), second)),
        };
        (0..10).map(case).collect()
    };
    with_runs(&[&run(0.5, 0.5), &run(0.6, 1.0)], |runs| {
        let found = compare(&runs[0], &runs[1], 0.1).unwrap();
        let statistics = &found.summary().statistics;
        let interval = statistics.difference.unwrap().difference;
        assert_eq!((interval.n, interval.clusters), (10, Some(2)));
        assert!(statistics.mcnemar.is_none());
        assert_eq!(statistics.pass_rates.unwrap().n, 1);
    });
}

#[test]
fn what_difference_of_passes_would_be_shown_is_told_where_any_would() {
    let run = |passes: fn(usize) -> bool, talks: bool| -> Vec<ResultRecord> {
        let case = |id: usize| {
            let case = graded(&format!("{id}"), f64::from(u8::from(passes(id))));
            match talks {
                true => in_conversation(["one", "two"][id % 2], case),
                false => case,
            }
        };
        (0..100).map(case).collect()
    };
    let told = |passes: [fn(usize) -> bool; 2], talks: bool| {
        let [a, b] = passes.map(|passes| run(passes, talks));
        with_runs(&[&a, &b], |runs| {
            let found = compare(&runs[0], &runs[1], 0.1).unwrap();
            let json: Value =
                serde_json::from_str(&written(&found, ComparisonFormat::Json)).unwrap();
            let method = &json["summary"]["statistics"]["detectable_pass_rate"]["method"];
            let told = super::told::statistics(found.summary(), STYLE);
            let of_passes = told.iter().find(|part| part.contains("of passes")).cloned();
            (of_passes, method.as_str().map(str::to_owned))
        })
    };
    // One passes and the other does not in 20 of 100 cases, then in 2.
    let often: [fn(usize) -> bool; 2] = [|id| id % 10 != 0, |id| id % 10 != 1];
    let rarely: [fn(usize) -> bool; 2] = [|id| id != 0, |id| id != 1];
    assert_eq!(
        told(often, false),
        (
            Some("shows differences of passes from 12.4% on".to_owned()),
            Some("paired_pass_rates".to_owned())
        )
    );
    assert_eq!(told(rarely, false), (None, None));
    assert_eq!(told(often, true), (None, None));
}

#[test]
fn evaluators_are_compared_by_name() {
    let case = |id: &str, exact: f64| judged(graded(id, exact), &[("exact", exact), ("json", 1.0)]);
    let of_a = [case("a", 1.0), case("b", 1.0)];
    let of_b = [case("a", 0.0), case("b", 0.5)];
    with_runs(&[&of_a, &of_b], |runs| {
        let found = compare(&runs[0], &runs[1], 0.1).unwrap();
        let told: Vec<_> = found
            .evaluators()
            .iter()
            .map(|member| (member.name.as_str(), member.cases, member.mean_delta))
            .collect();
        assert_eq!(told, [("exact", 2, -0.75), ("json", 2, 0.0)]);
    });
}

#[test]
fn the_last_record_of_a_trial_counts_and_damaged_lines_are_counted() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("results.jsonl");
    let results = write(
        &path,
        &[graded("a", 0.0), graded("b", 1.0), graded("a", 1.0)],
    );
    let text = fs::read_to_string(&path).unwrap();
    fs::write(&path, format!("{{\"torn\n{text}")).unwrap();
    let runs = read_runs(&[results]).unwrap();
    assert_eq!(runs[0].damaged_lines(), 1);
    assert_eq!(runs[0].totals().trials, 2);
    assert_eq!(runs[0].totals().mean_score, Some(1.0));
}

#[test]
fn an_array_is_read_like_lines() {
    let folder = tempfile::tempdir().unwrap();
    let lines = write(
        &folder.path().join("a.jsonl"),
        &[graded("a", 1.0), graded("b", 1.0)],
    );
    let records = [failed("a", 0.0, "no | city"), graded("b", 1.0)];
    let path = folder.path().join("b.json");
    fs::write(&path, serde_json::to_string_pretty(&records).unwrap()).unwrap();
    let runs = read_runs(&[lines, RunResults::of_file(&path)]).unwrap();
    let found = compare(&runs[0], &runs[1], 0.1).unwrap();
    let shown = Showing::of(&found, 10).unwrap();
    assert_eq!(shown.losses[0].b.reason.as_deref(), Some("no | city"));
    fs::write(&path, "{}").unwrap();
    let error = read_runs(&[RunResults::of_file(&path)])
        .unwrap_err()
        .to_string();
    assert!(error.contains("expected an array of results"), "{error}");
}

#[test]
fn a_file_of_results_needs_no_newline_at_its_end() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("results.jsonl");
    let line = |record: &ResultRecord| serde_json::to_string(record).unwrap();
    let [first, last] = [graded("a", 1.0), failed("b", 0.5, "no city")].map(|record| line(&record));
    fs::write(&path, format!("{first}\n{last}")).unwrap();
    let results = RunResults::of_file(&path);
    let runs = read_runs(&[results.clone(), results.clone()]).unwrap();
    assert_eq!((runs[0].totals().trials, runs[0].damaged_lines()), (2, 0));
    assert_eq!(results.summary().unwrap().statuses.total(), 2);
    let place = runs[0].rows[1].place;
    let again = runs[0].records(&[place]).unwrap();
    assert_eq!(again[0].as_ref().unwrap().reason(), Some("no city"));
    assert!(results.at().unwrap().get::<ResultRecord>(place).is_ok());
    fs::write(&path, format!("{first}\n{}", &last[..20])).unwrap();
    let runs = read_runs(&[results]).unwrap();
    assert_eq!((runs[0].totals().trials, runs[0].damaged_lines()), (1, 1));
}

#[test]
fn a_json_report_of_a_run_is_read_like_its_results() {
    let folder = tempfile::tempdir().unwrap();
    let records = [failed("a", 0.0, "no | city"), failed("b", 0.5, "no river")];
    let lines = write(&folder.path().join("a.jsonl"), &records);
    let path = folder.path().join("a.json");
    let mut report = Vec::new();
    let json = crate::ReportFormat::named("json").unwrap();
    json.write(std::slice::from_ref(&lines), &mut report)
        .unwrap();
    fs::write(&path, report).unwrap();
    let runs = read_runs(&[lines, RunResults::of_file(&path)]).unwrap();
    assert_eq!(runs[0].totals(), runs[1].totals());
    let places: Vec<u64> = runs[1].rows.iter().map(|row| row.place).collect();
    let again = runs[1].records(&places).unwrap();
    let reasons: Vec<_> = again.iter().flatten().map(ResultRecord::reason).collect();
    assert_eq!(reasons, [Some("no | city"), Some("no river")]);
}

#[test]
fn runs_that_share_nothing_say_what_differs() {
    let told = |a: &[ResultRecord], b: &[ResultRecord]| {
        with_runs(&[a, b], |runs| {
            let nothing = compare(&runs[0], &runs[1], 0.1).unwrap_err().to_string();
            nothing
                .replace(runs[0].name(), "A")
                .replace(runs[1].name(), "B")
        })
    };
    let elsewhere = ResultRecord {
        eval_file: "evals/other.yaml".into(),
        ..graded("a", 1.0)
    };
    assert_eq!(
        told(&[graded("a", 1.0)], &[elsewhere]),
        "the runs share no case: `A` has the files `evals/geography.yaml`, and `B` has \
         `evals/other.yaml`"
    );
    assert_eq!(
        told(&[graded("a", 1.0)], &[graded("b", 1.0)]),
        "the runs share no case: `A` has the cases `a`, and `B` has `b`"
    );
    assert_eq!(
        told(
            &[on("x", graded("a", 1.0)), on("y", graded("a", 1.0))],
            &[on("z", graded("a", 1.0))]
        ),
        "the runs share no case: `A` has the targets `x`, `y`, and `B` has `z`"
    );
    let numbered = |numbers: &[u32], target: &str| -> Vec<ResultRecord> {
        let trials = numbers
            .iter()
            .map(|number| trial(*number, graded("a", 1.0)));
        trials.map(|record| on(target, record)).collect()
    };
    assert_eq!(
        told(&numbered(&[1, 2], "old"), &numbered(&[10, 4], "new")),
        "the runs share no case: `A` has the trials `1`, `2`, and `B` has `4`, `10`"
    );
    let other = trial(2, graded("b", 1.0));
    assert_eq!(
        told(&[graded("a", 1.0), other], &[trial(2, graded("a", 1.0))]),
        "the runs share no case: no trial of the same case and number is in both"
    );
    assert_eq!(
        told(&[graded("a", 1.0)], &[]),
        "the runs share no case: `B` has no results"
    );
}

#[test]
fn whether_a_case_changed_is_not_known_of_results_alone() {
    let edited = ResultRecord {
        grade_key: "other".to_owned(),
        ..graded("a", 1.0)
    };
    with_runs(
        &[
            &[graded("a", 1.0), graded("b", 1.0)],
            &[edited, graded("b", 1.0)],
        ],
        |runs| {
            let found = compare(&runs[0], &runs[1], 0.1).unwrap();
            assert_eq!(
                (found.summary().changed, found.summary().changed_unknown),
                (0, 1)
            );
        },
    );
}

#[test]
fn every_pair_of_several_runs_is_corrected_together() {
    let run = |score: f64| -> Vec<ResultRecord> {
        (0..6).map(|id| graded(&format!("{id}"), score)).collect()
    };
    with_runs(&[&run(0.5), &run(0.75), &run(0.25)], |runs| {
        let pairwise = Pairwise::of(runs, 0.1);
        let corrected: Vec<f64> = pairwise
            .pairs
            .iter()
            .map(|pair| pair.figures.as_ref().unwrap().summary.p_value)
            .collect();
        assert_eq!(corrected, [3.0 / 32.0; 3]);
        let ends = pairwise.ends().unwrap();
        let summary = &ends.figures.as_ref().unwrap().summary;
        assert_eq!((ends.a, ends.b, summary.significant), (0, 2, false));
        let gate = DropGate::default().judge(summary, "A");
        for (format, part) in [
            (ComparisonFormat::Table, "  C  −0.250  −0.500\n"),
            (ComparisonFormat::Markdown, "| **C** | −0.250 | −0.500 |"),
            (ComparisonFormat::Json, "{\"a\":\"B\",\"b\":\"C\""),
        ] {
            let mut out = Vec::new();
            write_pairwise(&pairwise, &gate, format, STYLE, &mut out).unwrap();
            let text = String::from_utf8(out).unwrap();
            assert!(text.contains(part), "{text}");
        }
    });
}

#[test]
fn a_gate_of_significance_lets_chance_pass() {
    let of_a: Vec<ResultRecord> = (0..4).map(|id| graded(&format!("{id}"), 0.5)).collect();
    let scores = [0.4, 0.6, 0.3, 0.5];
    let of_b: Vec<ResultRecord> = (0..4)
        .map(|id| graded(&format!("{id}"), scores[id]))
        .collect();
    with_runs(&[&of_a, &of_b], |runs| {
        let found = compare(&runs[0], &runs[1], 0.1).unwrap();
        let summary = found.summary();
        let judge = |rule, max_drop| DropGate { rule, max_drop }.judge(summary, "`A`");
        let mean = judge(GateRule::Mean, 0.0);
        assert!(!mean.met);
        assert_eq!(mean.required, "mean score not below `A`");
        assert_eq!(mean.found, "0.050 below on 4 of 4 matched cases");
        assert!(judge(GateRule::Mean, 0.05).met);
        let significant = judge(GateRule::Significant, 0.0);
        assert!(significant.met);
        assert!(
            significant.found.contains("which may be chance"),
            "{}",
            significant.found
        );
    });
}

#[test]
fn significant_takes_the_interval_and_the_test_wherever_it_is_told() {
    let run = |scores: &[f64]| -> Vec<ResultRecord> {
        let cases = scores.iter().enumerate();
        cases
            .map(|(id, score)| graded(&format!("{id}"), *score))
            .collect()
    };
    let [good, bad] = [run(&[0.95, 0.97, 0.99]), run(&[0.05, 0.04, 0.01])];
    let rule = GateRule::Significant;
    with_runs(&[&good, &bad, &bad], |runs| {
        let found = compare(&runs[0], &runs[1], 0.1).unwrap();
        let summary = found.summary();
        assert!(summary.interval().unwrap().high < 0.0);
        assert!(!summary.significant, "p = {}", summary.p_value);
        let sentence = summary.sentence("A", "B", STYLE);
        assert!(
            sentence.ends_with("which may be chance even so: p = 0.25"),
            "{sentence}"
        );
        let gate = DropGate {
            rule,
            max_drop: 0.0,
        }
        .judge(summary, "A");
        assert!(
            gate.met
                && gate
                    .found
                    .contains("which may be chance (95% interval −1.000 to")
        );
        let pairwise = Pairwise::of(runs, 0.1);
        let ends = pairwise.ends().unwrap().figures.as_ref().unwrap();
        assert_eq!(
            (ends.summary.significant, ends.summary.p_value),
            (false, 0.75)
        );
        let sentence = ends.summary.sentence("A", "C", STYLE);
        assert!(sentence.ends_with("p = 0.75"), "{sentence}");
    });
}

#[test]
fn a_gate_of_significance_asks_for_more_than_the_drop_that_is_allowed() {
    let run = |drop: f64| -> Vec<ResultRecord> {
        let case = |id: u32| {
            graded(
                &format!("{id}"),
                0.9 - drop - 0.02 * drop * f64::from(id % 3),
            )
        };
        (0..30).map(case).collect()
    };
    with_runs(&[&run(0.0), &run(0.1)], |runs| {
        let found = compare(&runs[0], &runs[1], 0.1).unwrap();
        let rule = GateRule::Significant;
        let judge = |max_drop| DropGate { rule, max_drop }.judge(found.summary(), "`A`");
        let [none, less, about, more] = [0.0, 0.09, 0.1019, 0.2].map(judge);
        assert_eq!(
            [none.met, less.met, about.met, more.met],
            [false, false, true, true]
        );
        assert_eq!(
            less.required,
            "mean score not significantly more than 0.09 below `A`"
        );
        let told = [&none, &less, &about].map(|gate| gate.found.as_str());
        assert_eq!(
            told,
            [
                "0.102 below on 30 of 30 matched cases, more than chance explains (95% interval \
                 −0.103 to −0.101, p = 0.0001)",
                "0.102 below on 30 of 30 matched cases, significantly more than 0.090 (95% interval \
                 −0.103 to −0.101, p = 0.0001)",
                "0.1020 below on 30 of 30 matched cases, not significantly more than 0.1019 (95% \
                 interval −0.103 to −0.101, p = 0.0001)",
            ]
        );
    });
}

#[test]
fn a_gate_says_of_how_many_matched_cases_it_is() {
    let of_a: Vec<ResultRecord> = (0..5).map(|id| graded(&format!("{id}"), 1.0)).collect();
    let of_b: Vec<ResultRecord> = (0..5)
        .map(|id| match id {
            0 | 1 => graded(&format!("{id}"), 1.0),
            id => errored(&format!("{id}"), "no"),
        })
        .collect();
    with_runs(&[&of_a, &of_b, &of_b[..4]], |runs| {
        let found = compare(&runs[0], &runs[1], 0.1).unwrap();
        assert_eq!(gate(&found).found, "the same on 2 of 5 matched cases");
        assert!(found.summary().is_mostly_without_grade());
        let half = compare(&runs[0], &runs[2], 0.1).unwrap();
        assert_eq!(gate(&half).found, "the same on 2 of 4 matched cases");
        assert!(!half.summary().is_mostly_without_grade());
    });
}

#[test]
fn several_runs_have_the_trials_of_every_pair_and_a_list_where_a_matrix_is_too_wide() {
    let run = |score: f64| [graded("a", score), graded("b", 0.5), graded("c", 0.5)];
    let mut first = run(1.0).to_vec();
    first.push(graded("only here", 1.0));
    with_runs(&[&first, &run(0.5), &run(0.0), &run(0.0)], |runs| {
        let pairwise = Pairwise::of(runs, 0.1);
        let summary = &pairwise.ends().unwrap().figures.as_ref().unwrap().summary;
        let gate = DropGate::default().judge(summary, "A");
        let written = |format, width| {
            let mut out = Vec::new();
            let style = Style { width, ..STYLE };
            write_pairwise(&pairwise, &gate, format, style, &mut out).unwrap();
            String::from_utf8(out).unwrap()
        };
        let json: Value = serde_json::from_str(&written(ComparisonFormat::Json, 80)).unwrap();
        for (pair, unmatched) in json["pairs"].as_array().unwrap().iter().zip([1, 1, 1, 0]) {
            assert_eq!(pair["matched"].as_array().unwrap().len(), 3);
            assert_eq!(pair["unmatched"].as_array().unwrap().len(), unmatched);
            let outcome = &pair["matched"][0]["outcome"];
            assert_eq!(outcome, if pair["a"] == "C" { "tie" } else { "loss" });
            assert_eq!(pair["significant"], pair["summary"]["significant"]);
        }
        let line = "  A → C  −0.333 · 0 wins, 1 loss, 2 ties · p = 1.00 corrected\n";
        let wide = written(ComparisonFormat::Table, 80);
        assert!(
            wide.contains("  C  −0.333  −0.167\n") && wide.contains(line),
            "{wide}"
        );
        let narrow = written(ComparisonFormat::Table, 20);
        assert!(
            !narrow.contains("− A     − B") && narrow.contains("  A → C  −0.333\n"),
            "{narrow}"
        );
        let markdown = written(ComparisonFormat::Markdown, 80);
        assert!(
            markdown.contains("| A → C | −0.333 | 0 wins, 1 loss, 2 ties"),
            "{markdown}"
        );
    });
}

#[test]
fn the_cases_that_are_shown_have_reasons_on_both_sides() {
    let hit = ResultRecord {
        hits: vec!["names the city".to_owned()],
        ..graded("hit", 1.0)
    };
    let of_a = [hit, graded("plain", 1.0), graded("same", 1.0)];
    let of_b = [
        failed("hit", 0.0, "no city"),
        graded("plain", 0.5),
        graded("same", 1.0),
    ];
    with_runs(&[&of_a, &of_b], |runs| {
        let found = compare(&runs[0], &runs[1], 0.1).unwrap();
        let table = written(&found, ComparisonFormat::Table);
        for line in ["A: names the city", "B: no city", "A: nothing was missed"] {
            assert!(table.contains(line), "{line} in {table}");
        }
        let json: Value = serde_json::from_str(&written(&found, ComparisonFormat::Json)).unwrap();
        let reasons = |side: &str| -> Vec<&Value> {
            let matched = json["matched"].as_array().unwrap().iter();
            matched.map(|entry| &entry[side]["reason"]).collect()
        };
        assert_eq!(
            reasons("a"),
            [
                "names the city".into(),
                "nothing was missed".into(),
                Value::Null
            ]
            .iter()
            .collect::<Vec<&Value>>()
        );
        assert_eq!(reasons("b")[0], "no city");
        assert_eq!(
            json["sentence"],
            found.summary().sentence("A", "B", STYLE).as_str()
        );
    });
}

#[test]
fn conversations_and_cases_on_their_own_are_told_apart() {
    let run = |score: f64| -> Vec<ResultRecord> {
        let case = |id: usize| graded(&format!("{id}"), score);
        let talks = (0..4).map(|id| in_conversation(["one", "two"][id % 2], case(id)));
        talks.chain((4..7).map(case)).collect()
    };
    with_runs(&[&run(0.5), &run(0.75)], |runs| {
        let found = compare(&runs[0], &runs[1], 0.1).unwrap();
        let table = written(&found, ComparisonFormat::Table);
        let table = table.split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(
            table.contains("7 cases · 2 conversations and 3 cases "),
            "{table}"
        );
        assert!(
            table.contains("in each of 2 conversations and 3 cases on average"),
            "{table}"
        );
    });
}

#[test]
fn what_models_wrote_has_no_effect_in_markdown_and_keeps_its_size() {
    let reason = "@team | <script>alert(1)</script> `x` ".repeat(40);
    let run = |score: f64| -> Vec<ResultRecord> {
        let case = |id: usize| failed(&format!("case-{id}|@you"), score, &reason);
        (0..500).map(case).collect()
    };
    with_runs(&[&run(0.0), &run(0.5)], |runs| {
        let found = compare(&runs[0], &runs[1], 0.1).unwrap();
        let showing = Showing::of(&found, 500).unwrap();
        let mut out = Vec::new();
        let markdown = ComparisonFormat::Markdown;
        write_comparison(&found, &showing, &gate(&found), markdown, STYLE, &mut out).unwrap();
        let text = String::from_utf8(out).unwrap();
        assert!(
            text.len() < 65_536 && text.ends_with("has no room for\n"),
            "{}",
            text.len()
        );
        let row = text.lines().find(|line| line.contains("case-0")).unwrap();
        assert!(
            row.starts_with("| `case-0\\|@you` | +0.500 | 0.000 fail ``@team \\| <script>"),
            "{row}"
        );
    });
}

fn any_run() -> impl Strategy<Value = Vec<ResultRecord>> {
    let score = prop_oneof![
        4 => (0u8..=4).prop_map(|quarter| Some(f64::from(quarter) / 4.0)),
        2 => (0.0..=1.0f64).prop_map(Some),
        1 => Just(None),
    ];
    let any = (0u8..8, 1u32..3, prop::bool::ANY, score, 0u8..3);
    let any = any.prop_map(|(id, number, other, score, conversation)| {
        let id = format!("case-{id}");
        let record = match score {
            Some(score) => judged(graded(&id, score), &[("exact", score)]),
            None => errored(&id, "no"),
        };
        let record = match conversation {
            0 => record,
            other => in_conversation(&format!("{other}"), record),
        };
        let target = if other { "x" } else { "y" };
        measured(on(target, trial(number, record)), 5.0, 0.25)
    });
    prop::collection::vec(any, 1..40)
}

proptest! {
    #![proptest_config(ProptestConfig {
        rng_seed: RngSeed::Fixed(20_261_115),
        failure_persistence: None,
        ..ProptestConfig::with_cases(96)
    })]

    #[test]
    fn exchanging_the_runs_turns_every_difference(a in any_run(), b in any_run()) {
        with_runs(&[&a, &b], |runs| {
            let found = [compare(&runs[0], &runs[1], 0.1), compare(&runs[1], &runs[0], 0.1)];
            let [Ok(there), Ok(back)] = &found else {
                prop_assert!(found.iter().all(Result::is_err));
                return Ok(());
            };
            let (one, other) = (there.summary(), back.summary());
            prop_assert_eq!((one.wins, one.losses, one.ties), (other.losses, other.wins, other.ties));
            prop_assert_eq!(one.mean_delta, other.mean_delta.map(|delta| -delta));
            prop_assert_eq!((one.only_in_a, one.significant), (other.only_in_b, other.significant));
            prop_assert_eq!(one.statistics.permutation.p_value, other.statistics.permutation.p_value);
            let deltas = |of: &Comparison<'_>| -> Vec<Option<f64>> {
                of.cases.iter().map(super::cases::Case::delta).collect()
            };
            let turned: Vec<_> = deltas(back).iter().map(|delta| delta.map(|delta| -delta)).collect();
            prop_assert_eq!(deltas(there), turned);
            for (one, other) in there.evaluators().iter().zip(back.evaluators()) {
                prop_assert_eq!(one.mean_delta, -other.mean_delta);
                prop_assert_eq!(one.corrected_p_value, other.corrected_p_value);
            }
            Ok(())
        })?;
    }

    #[test]
    fn a_run_and_itself_tie(run in any_run()) {
        with_runs(&[&run, &run], |runs| {
            let found = compare(&runs[0], &runs[1], 0.0).unwrap();
            let summary = found.summary();
            prop_assert_eq!((summary.wins, summary.losses), (0, 0));
            prop_assert_eq!(summary.ties + summary.without_grade, summary.total);
            prop_assert_eq!(summary.statistics.permutation.p_value, 1.0);
            prop_assert_eq!(summary.statistics.wins.p_value, 1.0);
            prop_assert_eq!(summary.mean_delta.unwrap_or(0.0), 0.0);
            prop_assert_eq!(gate(&found).met, summary.mean_delta.is_some());
            Ok(())
        })?;
    }

    #[test]
    fn all_formats_tell_the_same_figures(a in any_run(), b in any_run()) {
        with_runs(&[&a, &b], |runs| {
            let Ok(found) = compare(&runs[0], &runs[1], 0.1) else { return Ok(()) };
            let [table, json, markdown] = [
                ComparisonFormat::Table,
                ComparisonFormat::Json,
                ComparisonFormat::Markdown,
            ]
            .map(|format| written(&found, format));
            let json: Value = serde_json::from_str(&json).unwrap();
            let listed = |name: &str, field: &str, value: &str| {
                let entries = json[name].as_array().unwrap().iter();
                entries.filter(|entry| entry[field] == value).count() as u64
            };
            let summary = found.summary();
            prop_assert_eq!(json["summary"]["matched"].as_u64(), Some(json["matched"].as_array().unwrap().len() as u64));
            prop_assert_eq!(listed("matched", "outcome", "win"), summary.wins);
            prop_assert_eq!(listed("matched", "outcome", "loss"), summary.losses);
            prop_assert_eq!(listed("matched", "outcome", "tie"), summary.ties);
            prop_assert_eq!(listed("unmatched", "only_in", "a"), summary.only_in_a);
            prop_assert_eq!(listed("unmatched", "only_in", "b"), summary.only_in_b);
            for told in super::told::outcomes(summary)
                .iter()
                .chain(&super::told::matched(summary, ["A", "B"]))
                .chain(&super::told::statistics(summary, STYLE))
            {
                let in_one_line = table.split_whitespace().collect::<Vec<_>>().join(" ");
                prop_assert!(in_one_line.contains(told.as_str()), "{told} in {table}");
                prop_assert!(markdown.contains(&told.replace('<', "&lt;")), "{told} in {markdown}");
            }
            Ok(())
        })?;
    }
}
