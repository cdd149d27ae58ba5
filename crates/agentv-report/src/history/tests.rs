//! Lists and trends of runs, and their layout.

use std::time::Instant;

use agentv_core::{RanFile, RanTarget, ResultRecord, RunRecord, Stop};
use agentv_journal::{RecordFile, RunFolder};
use proptest::prelude::*;

use super::*;
use crate::samples::{errored, graded, measured};
use crate::style::Style;
use crate::summary::{Costs, Statuses, SummaryFold};
use crate::text::width;

const STYLE: Style = Style {
    colour: false,
    width: 100,
    unicode: true,
};

fn asked(planned: u64) -> RunRecord {
    RunRecord {
        started_at: "2026-11-15T10:43:07Z".to_owned(),
        finished_at: Some("2026-11-15T10:44:00Z".to_owned()),
        files: vec![RanFile {
            path: "evals/a.yaml".to_owned(),
            ..RanFile::default()
        }],
        trials: 1,
        planned,
        ..RunRecord::default()
    }
}

/// A run on disk.
fn on_disk(results: &tempfile::TempDir, run: &RunRecord, records: &[ResultRecord]) -> RunFolder {
    let now = "2026-11-15T10:43:07.309Z".parse().unwrap();
    let folder = RunFolder::create_at(results.path(), now).unwrap();
    let mut writer = folder.write(now).unwrap();
    writer.write_run(run).unwrap();
    let mut append = writer.append(RecordFile::Results).unwrap();
    for record in records {
        append.append(record, Instant::now()).unwrap();
    }
    append.finish().unwrap();
    folder
}

fn line_of(folder: &RunFolder) -> RunLine {
    let run = PastRun::open(folder.clone()).unwrap().unwrap();
    let mut lines = run.lines().unwrap();
    assert_eq!(lines.len(), 1);
    lines.swap_remove(0)
}

fn records() -> [ResultRecord; 3] {
    [
        measured(graded("a", 1.0), 10.0, 0.5),
        graded("b", 0.5),
        errored("c", "no"),
    ]
}

#[test]
fn a_killed_run_is_unfinished_and_its_results_are_counted() {
    let results = tempfile::tempdir().unwrap();
    let killed = RunRecord {
        finished_at: None,
        ..asked(9)
    };
    let line = line_of(&on_disk(&results, &killed, &records()));
    assert_eq!(line.state, RunState::Unfinished);
    assert_eq!((line.trials, line.planned), (3, 9));
    assert_eq!((line.pass_rate, line.mean_score), (Some(0.5), Some(0.75)));
    assert_eq!((line.statuses.error, line.costs.cost_usd), (1, Some(0.5)));
}

#[test]
fn totals_are_taken_from_the_run_where_it_has_them() {
    let results = tempfile::tempdir().unwrap();
    let mut fold = SummaryFold::new();
    records().iter().for_each(|record| fold.add(record));
    let run = RunRecord {
        totals: serde_json::to_value(fold.finish(0)).ok(),
        ..asked(3)
    };
    // The file is empty, so a reader finds no trial.
    let folder = on_disk(&results, &run, &[]);
    let line = line_of(&folder);
    assert_eq!((line.state, line.trials), (RunState::Finished, 3));

    let writer = folder
        .write("2026-11-15T11:00:00Z".parse().unwrap())
        .unwrap();
    let line = line_of(&folder);
    assert_eq!((line.state, line.trials), (RunState::Running, 0));
    drop(writer);
    assert_eq!(line_of(&folder).state, RunState::Finished);
}

#[test]
fn an_unfinished_run_has_a_line_for_each_target_with_or_without_results() {
    let results = tempfile::tempdir().unwrap();
    let named = |name: &str| RanTarget {
        name: name.to_owned(),
        ..RanTarget::default()
    };
    let on = |target: &str, record: ResultRecord| ResultRecord {
        target: target.into(),
        ..record
    };
    let run = RunRecord {
        finished_at: None,
        chosen_targets: ["x", "y", "z"].map(str::to_owned).to_vec(),
        targets: ["x", "y", "z"].map(named).to_vec(),
        ..asked(9)
    };
    let lines = |records: &[ResultRecord]| -> Vec<String> {
        let folder = on_disk(&results, &run, records);
        let run = PastRun::open(folder).unwrap().unwrap();
        let line = |line: RunLine| {
            let targets = line.targets.join(" ");
            format!(
                "{targets} {}/{} {:?}",
                line.trials, line.planned, line.pass_rate
            )
        };
        run.lines().unwrap().into_iter().map(line).collect()
    };
    let [a, b, c] = ["a", "b", "c"].map(|id| graded(id, 1.0));
    let of_one = lines(&[on("x", a.clone()), on("x", b.clone())]);
    assert_eq!(of_one, ["x 2/3 Some(1.0)", "y 0/3 None", "z 0/3 None"]);
    let of_two = lines(&[on("x", a), on("y", b), on("y", c)]);
    assert_eq!(of_two, ["x 1/3 Some(1.0)", "y 2/3 Some(1.0)", "z 0/3 None"]);
}

#[test]
fn a_run_that_stopped_says_why() {
    let results = tempfile::tempdir().unwrap();
    let run = RunRecord {
        stopped: Some(Stop::Budget),
        ..asked(9)
    };
    let line = line_of(&on_disk(&results, &run, &records()));
    assert_eq!(line.state, RunState::Stopped);
    assert_eq!(listing::notes(&line), ["stopped: the budget is used up"]);
}

#[test]
fn a_calibration_is_marked() {
    let results = tempfile::tempdir().unwrap();
    let run = RunRecord {
        calibrated_with: Some("labelled.jsonl".to_owned()),
        ..asked(3)
    };
    let line = line_of(&on_disk(&results, &run, &records()));
    let notes = listing::notes(&line);
    assert!(
        notes.contains(&"calibration with labelled.jsonl".to_owned()),
        "{notes:?}"
    );
}

#[test]
fn some_of_the_results_make_a_line_of_their_own() {
    let results = tempfile::tempdir().unwrap();
    let run = PastRun::open(on_disk(&results, &asked(3), &records()))
        .unwrap()
        .unwrap();
    let lines = run.lines_of_some(&|record| record.eval_id == "a").unwrap();
    let [line] = &lines[..] else {
        panic!("one target: {lines:?}");
    };
    assert_eq!((line.trials, line.pass_rate), (1, Some(1.0)));
}

#[test]
fn runs_are_alike_that_were_asked_the_same() {
    let results = tempfile::tempdir().unwrap();
    let open = |record: &RunRecord| {
        PastRun::open(on_disk(&results, record, &[]))
            .unwrap()
            .unwrap()
    };
    let (one, same) = (open(&asked(1)), open(&asked(2)));
    assert!(one.is_like(&same, &|_| true));
    let limited = RunRecord {
        limit: Some(1),
        ..asked(1)
    };
    assert!(!one.is_like(&open(&limited), &|_| true));
    let mut more = asked(1);
    more.files.push(RanFile {
        path: "evals/b.yaml".to_owned(),
        ..RanFile::default()
    });
    let more = open(&more);
    assert!(!one.is_like(&more, &|_| true));
    assert!(one.is_like(&more, &|path| path == "evals/a.yaml"));
}

fn line(id: &str, pass_rate: Option<f64>, mean_score: Option<f64>) -> RunLine {
    RunLine {
        id: id.to_owned(),
        started_at: "2026-11-15T10:43:07Z".to_owned(),
        finished_at: None,
        skipped: 0,
        outdated: 0,
        pass_thresholds: Vec::new(),
        state: RunState::Unfinished,
        stopped: None,
        tags: vec!["nightly".to_owned(), "release-candidate".to_owned()],
        files: vec!["evals/a/very/long/path/to/geography.yaml".to_owned(); 3],
        targets: vec!["some-target".to_owned(); 2],
        trials: 12_345,
        planned: 100_000,
        statuses: Statuses::default(),
        pass_rate,
        pass_rate_interval: None,
        mean_score_interval: None,
        mean_score,
        costs: Costs {
            cost_usd: Some(1_234.5),
            ..Costs::default()
        },
        dry_run: true,
        shard: Some("1/4".to_owned()),
        rerun_of: Some("2026-11-15T10-43-07Z-4f1a".to_owned()),
        graded_from: None,
        calibrated_with: None,
        merged_from: Vec::new(),
        missing_shards: Vec::new(),
    }
}

#[test]
fn points_stand_at_their_heights() {
    let runs = [
        line("1", Some(0.5), Some(0.75)),
        line("2", None, None),
        line("3", Some(1.0), Some(1.0)),
    ];
    let ascii = Style {
        unicode: false,
        ..STYLE
    };
    assert_eq!(
        plot::plot(&runs, ascii),
        "\x20100% +        #\n      |\n      |\n      |\n      |\n  75% +o\n      |\n      |\n      |\n      |\n  \
         50% +*\n      +------------\n       2026-11-15\n       * pass rate   o mean score   # both\n"
    );
    assert_eq!(plot::plot(&runs[1..2], STYLE), "");
}

#[test]
fn texts_of_others_are_only_in_the_block_of_a_page() {
    let hostile = "<script>alert(1)</script>\"'&";
    let mut run = line(hostile, Some(0.5), Some(0.25));
    run.targets = vec![hostile.to_owned()];
    run.files = vec![hostile.to_owned()];
    run.graded_from = Some(hostile.to_owned());
    let mut page = Vec::new();
    write_trend_page(&[line("first", Some(0.1), None), run], &mut page).unwrap();
    let page = String::from_utf8(page).unwrap();
    assert!(!page.contains("alert"), "{page}");
    let block = page.split_once("data-block=\"runs\">").unwrap().1;
    let block = block.split_once("</script>").unwrap().0;
    let packed = base64::Engine::decode(&base64::engine::general_purpose::STANDARD, block).unwrap();
    let mut json = String::new();
    std::io::Read::read_to_string(&mut flate2::read::GzDecoder::new(&packed[..]), &mut json)
        .unwrap();
    let listed: serde_json::Value = serde_json::from_str(&json).unwrap();
    // The newest run comes first.
    assert_eq!(listed["runs"][0]["lines"][0]["graded_from"], hostile);
    assert_eq!(listed["runs"][1]["id"], "first");
    assert_eq!(listed["title"], "Trend");
}

#[test]
fn a_run_with_several_targets_has_a_line_for_each() {
    let results = tempfile::tempdir().unwrap();
    let of = |target: &str, score| ResultRecord {
        target: target.into(),
        ..graded("a", score)
    };
    let folder = on_disk(&results, &asked(2), &[of("x", 1.0), of("y", 0.0)]);
    let run = PastRun::open(folder).unwrap().unwrap();
    let lines = run.lines().unwrap();
    let told: Vec<_> = lines
        .iter()
        .map(|line| (&line.targets[0][..], line.trials, line.pass_rate))
        .collect();
    assert_eq!(told, [("x", 1, Some(1.0)), ("y", 1, Some(0.0))]);
    let [low, high] = lines[0].pass_rate_interval.unwrap();
    assert!(low > 0.2 && low < 0.21 && high == 1.0);
    let one = run.lines_of_some(&|record| &*record.target == "y").unwrap();
    assert_eq!((one.len(), &one[0].targets[0][..]), (1, "y"));
}

#[test]
fn forty_columns_have_room_for_the_run_and_its_figures() {
    let style = Style { width: 40, ..STYLE };
    let runs = [line("2026-11-15T10-43-07Z-4f1a", Some(0.5), Some(0.75))];
    let titles = |text: String| text.lines().next().map(str::to_owned);
    let listed = titles(render_runs(&runs, style));
    let expected = format!("{:25}  passed  score", "run");
    assert_eq!(listed.as_deref(), Some(&*expected));
    let trend = titles(render_trend(&runs, style));
    let expected = format!("{:16}  passed  score  errors", "when");
    assert_eq!(trend.as_deref(), Some(&*expected));
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(64) })]

    #[test]
    fn no_line_is_wider_than_the_terminal(
        columns in 20_usize..200,
        unicode: bool,
        rates in prop::collection::vec(prop::option::of(0.0..=1.0_f64), 1..80),
        target in "\\PC{0,40}",
    ) {
        let style = Style { width: columns, unicode, ..STYLE };
        let runs: Vec<RunLine> = rates.iter().map(|rate| RunLine {
            targets: vec![target.clone()],
            ..line("2026-11-15T10-43-07Z-4f1a", *rate, rate.map(|rate| rate / 2.0))
        }).collect();
        for text in [render_runs(&runs, style), render_trend(&runs, style)] {
            for line in text.lines() {
                prop_assert!(width(line) <= columns, "{} of {columns}: {line}", width(line));
                prop_assert_eq!(line.trim_end(), line);
            }
        }
        let drawn = plot::plot(&runs, style);
        prop_assert!(unicode || drawn.is_ascii());
    }
}
