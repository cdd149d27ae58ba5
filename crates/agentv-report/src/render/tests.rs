//! The summary as users see it.

use std::path::Path;
use std::time::Duration;

use agentv_core::{ResultRecord, Status, Stop};

use super::*;
use crate::samples::{errored, failed, graded, measured, record};
use crate::style::Style;
use crate::summary::{Summary, SummaryFold};
use crate::text::width;

const STYLE: Style = Style {
    colour: false,
    width: 80,
    unicode: true,
};

/// A run with a bit of everything.
fn rich() -> Summary {
    let mut fold = SummaryFold::new();
    for index in 0..40u32 {
        let score = 0.8 + f64::from(index % 5) / 20.0;
        let passed = graded(&format!("capital-{index:02}"), score);
        fold.add(&measured(passed, 120.0 + f64::from(index) * 31.0, 0.0021));
    }
    let wrong = failed(
        "capital-of-australia",
        0.2,
        "Says Sydney; the capital is Canberra.\nNo source given.",
    );
    fold.add(&measured(wrong, 2_300.0, 0.0132));
    fold.add(&ResultRecord {
        target: "a-target-with-a-rather-long-name".into(),
        trial: 2,
        attempts: 3,
        ..measured(
            failed(
                "日本の首都はどこですか",
                0.65,
                "答えは東京ですが、理由が\x1b[31mありません",
            ),
            61_500.0,
            0.4,
        )
    });
    fold.add(&ResultRecord {
        cached: true,
        ..graded(
            "an-id-that-is-so-long-that-nobody-would-want-to-read-it-in-a-table-of-eighty-columns",
            0.0,
        )
    });
    fold.add(&errored("capital-41", "HTTP 429 Too Many Requests: slow down, request req_0123456789 was over the limit of this key"));
    fold.add(&errored("capital-42", "HTTP 429 Too Many Requests: slow down, request req_9876543210 was over the limit of this key"));
    fold.add(&errored("capital-43", "timed out after 60 s"));
    fold.add(&record("capital-44"));
    fold.finish(3)
}

fn closing() -> Closing<'static> {
    Closing {
        folder: Some(Path::new(".agentv/results/2026-11-15T10-43-07Z-4f1a")),
        out_file: Some(Path::new("out/results.csv")),
        planned: 60,
        elapsed: Some(Duration::from_secs(83)),
        stopped: Some(Stop::Interrupted),
        resume_command: Some("agentv run evals/geography.yaml --resume=2026-11-15T10-43-07Z-4f1a"),
        next_command: Some("agentv report 2026-11-15T10-43-07Z-4f1a"),
        ..Closing::default()
    }
}

/// Compares a text with the file that shows it; `SNAPSHOTS=overwrite` writes the file.
fn assert_golden(name: &str, text: &str) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("src/render/golden")
        .join(name);
    if std::env::var_os("SNAPSHOTS").is_some_and(|action| action == "overwrite") {
        std::fs::write(&path, text).unwrap();
    }
    let golden = std::fs::read_to_string(&path).unwrap();
    assert!(text == golden, "`{name}` differs:\n{text}");
}

#[test]
fn a_summary_looks_as_it_should_at_every_width() {
    let skipped = [
        ("evals/geography.yaml".to_owned(), 2),
        ("evals/b.jsonl".to_owned(), 1),
    ];
    let closing = Closing {
        skipped_files: &skipped,
        ..closing()
    };
    for width in [80, 40, 20] {
        let style = Style { width, ..STYLE };
        let text = render_summary(&rich(), &closing, style);
        assert_golden(&format!("rich-{width}.txt"), &text);
        let colour = Style {
            colour: true,
            ..style
        };
        let text = render_summary(&rich(), &closing, colour);
        assert_golden(&format!("rich-{width}-colour.txt"), &text);
    }
    let ascii = Style {
        unicode: false,
        ..STYLE
    };
    assert_golden(
        "rich-80-ascii.txt",
        &render_summary(&rich(), &closing, ascii),
    );
}

#[test]
fn the_summary_of_a_small_run_is_short() {
    let mut fold = SummaryFold::new();
    fold.add(&graded("sum", 1.0));
    let text = render_summary(
        &fold.finish(0),
        &Closing {
            planned: 1,
            ..Closing::default()
        },
        STYLE,
    );
    assert_golden("small.txt", &text);
}

#[test]
fn no_width_breaks_the_summary_and_only_commands_to_copy_exceed_it() {
    let closing = closing();
    let copied = [
        closing.resume_command,
        closing.next_command,
        Some("/2026-11-15"),
        Some("2026-11-15T10"),
        Some("out/"),
    ];
    for columns in 0..=100 {
        let style = Style {
            width: columns,
            ..STYLE
        };
        let text = render_summary(&rich(), &closing, style);
        for line in text.lines() {
            let is_copied = copied.iter().flatten().any(|copied| line.contains(copied));
            assert!(
                is_copied || width(line) <= columns.max(20),
                "{columns}: {line}"
            );
            assert!(!line.contains('\x1b'), "{line}");
            assert_eq!(line.trim_end(), line);
        }
    }
}

#[test]
fn colour_changes_nothing_but_the_colour() {
    let style = Style {
        colour: true,
        ..STYLE
    };
    let mut text = render_summary(&rich(), &closing(), style);
    for code in ["1", "2", "31", "32", "33", "35", "0"] {
        text = text.replace(&format!("\x1b[{code}m"), "");
    }
    assert_eq!(text, render_summary(&rich(), &closing(), STYLE));
}

#[test]
fn times_are_on_separate_lines() {
    let summary = |factor: f64| {
        let mut fold = SummaryFold::new();
        for (index, score) in [0.0, 0.7, 1.0].into_iter().enumerate() {
            let index = index as f64;
            fold.add(&measured(graded("a", score), (index + 1.0) * factor, 0.25));
        }
        fold.finish(0)
    };
    let text = |factor: f64| {
        let closing = Closing {
            elapsed: Some(Duration::from_secs_f64(factor)),
            ..closing()
        };
        let text = render_summary(&summary(factor), &closing, STYLE);
        let timeless = |line: &&str| {
            !line.starts_with("took") && !line.starts_with("latency") && !line.ends_with("s  a")
        };
        let lines: Vec<String> = text.lines().filter(timeless).map(str::to_owned).collect();
        assert_eq!(text.lines().count(), lines.len() + 5);
        lines
    };
    assert_eq!(text(3.0), text(40.0));
}

#[test]
fn errored_and_ungraded_trials_are_shown_beside_the_rate() {
    let text = render_summary(&rich(), &closing(), STYLE);
    let first = text.lines().next().unwrap();
    assert!(
        first.contains("3 errored") && first.contains("1 ungraded"),
        "{first}"
    );
    let mut fold = SummaryFold::new();
    fold.add(&errored("a", "down"));
    let text = render_summary(&fold.finish(0), &closing(), STYLE);
    assert!(
        text.starts_with("nothing was graded · 1 errored\n"),
        "{text}"
    );
    assert_eq!(fold.finish(0).statuses.of(Status::Error), 1);
}

#[test]
fn the_time_to_the_first_token_is_beside_the_latency() {
    let mut fold = SummaryFold::new();
    for first_token_ms in [Some(20.0), Some(200.0), Some(1_000.0), None] {
        let mut record = measured(graded("a", 1.0), 2_000.0, 0.25);
        record.timing.first_token_ms = first_token_ms;
        fold.add(&record);
    }
    let mut cut = measured(errored("b", "cut"), 9.0, 0.25);
    cut.timing.first_token_ms = Some(9.0);
    fold.add(&cut);
    let text = render_summary(&fold.finish(0), &closing(), STYLE);
    let line = text.lines().find(|line| line.starts_with("first token"));
    assert_eq!(line, Some("first token  median 200 ms · 95% within 1.0 s"));
}
