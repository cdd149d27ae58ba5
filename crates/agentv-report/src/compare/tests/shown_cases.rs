//! The cases that are shown.

use agentv_core::ResultRecord;
use serde_json::Value;

use super::support::{STYLE, gates, with_runs, written};
use crate::compare::{ComparisonFormat, ShownCases, compare, write_comparison};
use crate::samples::{failed, graded};

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
        for line in ["A: names the city", "B: no city", "A: no misses"] {
            assert!(table.contains(line), "{line} in {table}");
        }
        let json: Value = serde_json::from_str(&written(&found, ComparisonFormat::Json)).unwrap();
        let reasons = |side: &str| -> Vec<&Value> {
            let matched = json["matched"].as_array().unwrap().iter();
            matched.map(|entry| &entry[side]["reason"]).collect()
        };
        assert_eq!(
            reasons("a"),
            ["names the city".into(), "no misses".into(), Value::Null]
                .iter()
                .collect::<Vec<&Value>>()
        );
        assert_eq!(reasons("b")[0], "no city");
        assert_eq!(
            json["sentence"],
            found.figures().sentence("A", "B", STYLE).as_str()
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
        let showing = ShownCases::of(&found, 500).unwrap();
        let mut out = Vec::new();
        let markdown = ComparisonFormat::Markdown;
        write_comparison(&found, &showing, &gates(&found), markdown, STYLE, &mut out).unwrap();
        let text = String::from_utf8(out).unwrap();
        assert!(
            text.len() < 65_536 && text.ends_with("does not fit in a comment\n"),
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
