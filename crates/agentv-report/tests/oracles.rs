//! Laws for the reports of any run folder: the fuzz target, and the test of its seeds.

use std::fs;
use std::path::Path;

use agentv_core::{GateOutcome, RunRecord, Status};
use agentv_journal::{RecordFile, RunFolder};
use agentv_report::compare::{
    ComparisonFormat, Pairwise, ShownCases, compare, read_runs, write_comparison, write_pairwise,
};
use agentv_report::{
    Closing, FORMATS, PastRun, RunResults, Style, Summary, render_runs, render_summary,
    render_trend, write_trend_page,
};
use serde_json::Value;
use tempfile::TempDir;

/// A text that no report contains, except where a reader of its format unpacks it.
const MARKUP: &str = "<planted>";

const STYLE: Style = Style {
    colour: false,
    width: 80,
    unicode: true,
};

/// A run folder, in memory if possible, that is overwritten again and again.
pub struct Runs {
    folder: RunFolder,
    _root: TempDir,
}

impl Default for Runs {
    fn default() -> Runs {
        let memory = Path::new("/dev/shm");
        let root = if memory.is_dir() {
            tempfile::tempdir_in(memory)
        } else {
            tempfile::tempdir()
        };
        let root = root.expect("a temporary folder");
        let id = "2026-11-15T10-43-07Z-4f1a".parse().expect("an id");
        let folder = RunFolder::create(&root.path().join("results"), &id);
        Runs {
            folder: folder.expect("a run folder"),
            _root: root,
        }
    }
}

impl Runs {
    /// Takes the results, `run.json` and the transcripts, separated by lines `%%`. Every report of
    /// them is deterministic and well formed, all count the same trials, and a run that is compared
    /// with itself has not changed.
    pub fn run_folder(&self, bytes: &[u8]) {
        let mut parts = split(bytes);
        let mut write = |name: &str| {
            let path = self.folder.path().join(name);
            match parts.next() {
                Some(part) => fs::write(path, part).expect("a file"),
                None => drop(fs::remove_file(path)),
            }
        };
        write(RecordFile::Results.name());
        write("run.json");
        write(RecordFile::Transcripts.name());
        let file = RunResults::of_file(&self.folder.file(RecordFile::Results));
        figures(&file);
        let Ok(results) = RunResults::of_folder(&self.folder) else {
            return;
        };
        if let Some(run) = results.run() {
            let text = serde_json::to_string(run).expect("a run is JSON");
            let back: RunRecord = serde_json::from_str(&text).expect("a run comes back");
            assert_eq!(&back, run);
        }
        figures(&results);
        reports(&results);
        self.history();
        compared(&results);
    }

    fn history(&self) {
        let Ok(Some(past)) = PastRun::open(self.folder.clone()) else {
            return;
        };
        let lines = past.lines().expect("the results");
        let lines = [lines.clone(), lines].concat();
        assert!(!render_runs(&lines, STYLE).is_empty());
        assert!(!render_trend(&lines, STYLE).is_empty());
        let mut page = Vec::new();
        write_trend_page(&lines, &mut page).expect("a page");
        assert!(!String::from_utf8_lossy(&page).contains(MARKUP));
    }
}

/// Returns the parts between lines that are `%%`.
fn split(bytes: &[u8]) -> impl Iterator<Item = Vec<u8>> {
    let mut parts = vec![Vec::new()];
    for line in bytes.split_inclusive(|byte| *byte == b'\n') {
        match line {
            b"%%\n" | b"%%" => parts.push(Vec::new()),
            line => parts.last_mut().expect("a part").extend_from_slice(line),
        }
    }
    parts.into_iter()
}

/// Checks that every fold over the results counts the same.
fn figures(results: &RunResults) {
    let mut count = 0;
    let damaged = results.each(&mut |_| count += 1).expect("the results");
    assert_eq!(results.damaged_lines(), damaged);
    let (summary, statistics) = results.figures().expect("the results");
    assert_eq!(summary.trials, count);
    assert_eq!(
        Status::ALL
            .map(|status| summary.statuses.of(status))
            .iter()
            .sum::<u64>(),
        count
    );
    assert!(
        statistics == results.figures().expect("the results").1,
        "counted again"
    );
    let text = serde_json::to_string(&summary).expect("a summary is JSON");
    let back: Summary = serde_json::from_str(&text).expect("a summary comes back");
    assert_eq!(back, summary);
    let closing = Closing {
        planned: count,
        ..Closing::default()
    };
    assert!(!render_summary(&summary, &closing, STYLE).contains('\u{1b}'));
}

/// Checks that every report is deterministic and valid in its format.
fn reports(results: &RunResults) {
    for format in FORMATS {
        let write = || {
            let mut out = Vec::new();
            format
                .write(std::slice::from_ref(results), &mut out)
                .expect("a report");
            String::from_utf8(out).expect("a report is text")
        };
        let report = write();
        assert_eq!(write(), report, "{} again", format.name);
        match format.name {
            "json" => {
                let parsed = serde_json::from_str::<Value>(&report);
                parsed.unwrap_or_else(|error| panic!("{error}: {report}"));
            }
            "junit" => {
                let parsed = junit_parser::from_reader(report.as_bytes());
                parsed.unwrap_or_else(|error| panic!("{error}: {report}"));
            }
            "html" => assert!(!report.contains(MARKUP), "{report}"),
            _ => {}
        }
    }
}

fn compared(results: &RunResults) {
    let both = [results.clone(), results.clone()];
    let runs = read_runs(&both).expect("the results");
    assert!(runs[0].is_same(&runs[1]));
    let Ok(comparison) = compare(&runs[0], &runs[1], 0.05) else {
        return;
    };
    let summary = comparison.summary();
    assert_eq!((summary.wins, summary.losses), (0, 0));
    assert_eq!((summary.only_in_a, summary.only_in_b), (0, 0));
    let scores = summary.scores.as_ref();
    assert!(!scores.is_some_and(|scores| scores.significant));
    assert!(!comparison.targets().iter().any(|target| target.significant));
    let gate = GateOutcome::default();
    let showing = ShownCases::of(&comparison, 20).expect("the results");
    let pairwise = Pairwise::of(&runs, 0.05);
    let formats = [
        ComparisonFormat::Table,
        ComparisonFormat::Json,
        ComparisonFormat::Markdown,
    ];
    for format in formats {
        let mut out = Vec::new();
        write_comparison(
            &comparison,
            &showing,
            std::slice::from_ref(&gate),
            format,
            STYLE,
            &mut out,
        )
        .expect("room");
        let text = String::from_utf8(out).expect("a comparison is text");
        assert!(!text.is_empty());
        let mut out = Vec::new();
        write_pairwise(
            &pairwise,
            std::slice::from_ref(&gate),
            format,
            STYLE,
            &mut out,
        )
        .expect("room");
    }
}
