//! Every format contains the numbers of the summary.

use std::collections::BTreeMap;

use agentv_report::Summary;
use serde_json::Value;

use super::{RUN, run, text};

/// The numbers that a format can contain.
#[derive(Debug, Default, PartialEq)]
struct Told {
    trials: u64,
    pass: u64,
    borderline: u64,
    fail: u64,
    error: u64,
    ungraded: u64,
    pass_rate: f64,
    mean_score: f64,
    cost_usd: f64,
    judge_cost_usd: f64,
}

/// The tolerance for sums of rounded figures.
fn rounded(mut told: Told, parts: f64) -> Told {
    for figure in [
        &mut told.pass_rate,
        &mut told.mean_score,
        &mut told.cost_usd,
        &mut told.judge_cost_usd,
    ] {
        *figure = (*figure * parts).round() / parts;
    }
    told
}

fn expected() -> Told {
    told_by(&run(RUN).summary().unwrap())
}

fn told_by(summary: &Summary) -> Told {
    // The run has several targets, so the summary has no mean of its own.
    assert_eq!(
        (summary.pass_rate, summary.scores.unwrap().mean),
        (None, None)
    );
    let graded = |target: &agentv_report::TargetSummary| target.statuses.graded() as f64;
    let targets = summary.targets.iter();
    let sum: f64 = targets
        .map(|one| one.mean_score.unwrap_or(0.0) * graded(one))
        .sum();
    Told {
        trials: summary.trials,
        pass: summary.statuses.pass,
        borderline: summary.statuses.borderline,
        fail: summary.statuses.fail,
        error: summary.statuses.error,
        ungraded: summary.statuses.ungraded,
        pass_rate: summary.statuses.pass_rate().unwrap(),
        mean_score: sum / summary.graded as f64,
        cost_usd: summary.costs.cost_usd.unwrap(),
        judge_cost_usd: summary.costs.judge_cost_usd.unwrap(),
    }
}

/// A status, a score, the cost of the answer and that of its judges.
type Row = (String, Option<f64>, Option<f64>, Option<f64>);

fn added_up(rows: impl Iterator<Item = Row>) -> Told {
    let mut counts: BTreeMap<String, u64> = BTreeMap::new();
    let (mut scores, mut cost, mut judges) = (Vec::new(), 0.0, 0.0);
    for (status, score, paid, judged) in rows {
        *counts.entry(status).or_default() += 1;
        scores.extend(score);
        cost += paid.unwrap_or(0.0);
        judges += judged.unwrap_or(0.0);
    }
    let count = |status: &str| counts.get(status).copied().unwrap_or(0);
    let graded = count("pass") + count("borderline") + count("fail");
    assert_eq!(scores.len() as u64, graded);
    Told {
        trials: counts.values().sum(),
        pass: count("pass"),
        borderline: count("borderline"),
        fail: count("fail"),
        error: count("error"),
        ungraded: count("ungraded"),
        pass_rate: count("pass") as f64 / graded as f64,
        mean_score: scores.iter().sum::<f64>() / graded as f64,
        cost_usd: cost,
        judge_cost_usd: judges,
    }
}

#[test]
fn the_run_has_something_of_everything() {
    let Told {
        pass,
        borderline,
        fail,
        error,
        ungraded,
        trials,
        ..
    } = expected();
    assert_eq!(
        [pass, borderline, fail, error, ungraded, trials],
        [3, 1, 2, 2, 1, 9]
    );
}

#[test]
fn csv_adds_up_to_the_summary() {
    let csv = text("csv");
    let mut reader = csv::Reader::from_reader(csv.as_bytes());
    let headers = reader.headers().unwrap().clone();
    let at = |name: &str| headers.iter().position(|header| header == name).unwrap();
    let (status, score) = (at("status"), at("score"));
    let (cost, judges) = (at("cost_usd"), at("judge_cost_usd"));
    let rows = reader.records().map(|row| {
        let row = row.unwrap();
        (
            row[status].to_owned(),
            row[score].parse().ok(),
            row[cost].parse().ok(),
            row[judges].parse().ok(),
        )
    });
    assert_eq!(rounded(added_up(rows), 1e9), rounded(expected(), 1e9));
}

#[test]
fn json_has_the_summary_and_adds_up_to_it() {
    let json: Value = serde_json::from_str(&text("json")).unwrap();
    let summary: Summary = serde_json::from_value(json["summary"].clone()).unwrap();
    assert_eq!(told_by(&summary), expected());
    assert_eq!(json["run"]["planned"], 10);
    let rows = json["results"].as_array().unwrap().iter().map(|row| {
        let status = row["status"].as_str().unwrap().to_owned();
        let record: agentv_core::ResultRecord = serde_json::from_value(row.clone()).unwrap();
        (
            status,
            row["score"].as_f64(),
            record.answer_cost_usd(),
            record.judge_cost_usd(),
        )
    });
    assert_eq!(rounded(added_up(rows), 1e9), rounded(expected(), 1e9));
}

#[test]
fn junit_adds_up_to_the_summary() {
    let suites = junit_parser::from_reader(text("junit").as_bytes()).unwrap();
    let rows = suites
        .suites
        .iter()
        .filter(|suite| suite.name != "agentv")
        .flat_map(|suite| &suite.cases)
        // Skipped cases have no figures.
        .filter(|case| case.system_out.is_some())
        .map(|case| {
            let said = case.system_out.as_deref().unwrap();
            let figure = |name: &str| {
                let line = said.lines().find_map(|line| line.strip_prefix(name));
                line.map(|value| value.trim().to_owned())
            };
            let number = |name: &str| figure(name).map(|value| value.parse().unwrap());
            let status = figure("status:").unwrap();
            let is_failure = matches!(&*status, "fail" | "borderline");
            assert_eq!(case.status.is_failure(), is_failure);
            assert_eq!(case.status.is_error(), status == "error");
            assert_eq!(case.status.is_skipped(), status == "ungraded");
            let costs = (number("cost_usd:"), number("judge_cost_usd:"));
            (status, number("score:"), costs.0, costs.1)
        });
    let expected = expected();
    assert_eq!(rounded(added_up(rows), 1e9), rounded(self::expected(), 1e9));
    // Two more: for the trials that were not run, and for the skipped cases.
    assert_eq!(suites.tests, expected.trials + 2);
    assert_eq!(suites.failures, expected.fail + expected.borderline);
    assert_eq!(suites.errors, expected.error + 2);
    assert_eq!(
        suites.skipped, 0,
        "the schema has no such attribute of all suites"
    );
    let time: f64 = suites.suites.iter().map(|suite| suite.time).sum();
    // Each is accurate to half a millisecond.
    assert!((time - suites.time).abs() < 2e-3);
    for suite in &suites.suites {
        let cases: f64 = suite.cases.iter().map(|case| case.time).sum();
        assert!((cases - suite.time).abs() < 5e-3, "{}", suite.name);
        assert_eq!(suite.tests, suite.cases.len() as u64);
        let count = |is: fn(&junit_parser::TestStatus) -> bool| {
            suite.cases.iter().filter(|case| is(&case.status)).count() as u64
        };
        assert_eq!(suite.failures, count(junit_parser::TestStatus::is_failure));
        assert_eq!(suite.errors, count(junit_parser::TestStatus::is_error));
        assert_eq!(suite.skipped, count(junit_parser::TestStatus::is_skipped));
    }
}

#[test]
fn markdown_shows_the_summary() {
    let markdown = text("markdown");
    let row = markdown
        .lines()
        .find(|line| line.starts_with("| all "))
        .unwrap();
    let cells: Vec<&str> = row.trim_matches('|').split('|').map(str::trim).collect();
    let number = |cell: &str| cell.trim_matches(['%', '$']).parse::<f64>().unwrap();
    let expected = expected();
    // Several targets have no rate and no mean in common.
    assert_eq!(cells[1..3], ["–", "–"]);
    let told = Told {
        pass: number(cells[3]) as u64,
        borderline: number(cells[4]) as u64,
        fail: number(cells[5]) as u64,
        error: number(cells[6]) as u64,
        cost_usd: number(cells[7]),
        judge_cost_usd: number(cells[8]),
        ..self::expected()
    };
    assert_eq!(rounded(told, 1e3), rounded(self::expected(), 1e3));
    let headline = format!("{} of {} graded trials passed", expected.pass, 6);
    assert!(markdown.contains(&headline), "{markdown}");
}

/// The times until the first token of the run by hand: 20, 30, 200, 400 and 1000 ms. A superseded result
/// (5 ms) and an errored trial (99 ms) do not count.
#[test]
fn each_format_has_the_median_and_the_95th_percentile_of_the_first_token() {
    let summary = run(RUN).summary().unwrap();
    let first = summary.first_token.unwrap();
    assert_eq!(first.count, 5);
    assert_about(first.median_ms, 200.0);
    assert_about(first.p95_ms, 1000.0);
    let json: Value = serde_json::from_str(&text("json")).unwrap();
    let json = &json["summary"]["first_token"];
    assert_about(json["median_ms"].as_f64().unwrap(), 200.0);
    assert_about(json["p95_ms"].as_f64().unwrap(), 1000.0);
    let markdown = text("markdown");
    let sentence = "Time to the first token: median 200 ms, 95% within 1.0 s.";
    assert!(markdown.contains(sentence), "{markdown}");
    let junit = text("junit");
    let figures: Vec<f64> = junit
        .lines()
        .filter(|line| line.contains("\"first_token_ms_"))
        .map(|line| line.split('"').nth(3).unwrap().parse().unwrap())
        .collect();
    // Each target has its own in each eval file: one of 400 and one of 200 ms, then one of 1000 ms, and 20
    // and 30 ms.
    let expected = [400.0, 400.0, 200.0, 200.0, 1000.0, 1000.0, 25.0, 30.0];
    assert_eq!(figures, expected, "{junit}");
}

/// Checks a figure that is exact to one percent.
#[track_caller]
fn assert_about(figure: f64, expected: f64) {
    assert!(
        (figure / expected - 1.0).abs() <= 0.0101,
        "{figure} is not {expected}"
    );
}
