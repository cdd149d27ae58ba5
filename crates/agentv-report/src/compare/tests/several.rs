//! Comparisons of three and more runs.

use agentv_core::ResultRecord;
use serde_json::Value;

use super::support::{STYLE, with_runs};
use crate::compare::{ComparisonFormat, Pairwise, write_pairwise};
use crate::samples::graded;
use crate::{DropGate, Style};

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
            .map(|pair| {
                pair.figures
                    .as_ref()
                    .unwrap()
                    .summary
                    .scores
                    .as_ref()
                    .unwrap()
                    .p_value
            })
            .collect();
        assert_eq!(corrected, [3.0 / 32.0; 3]);
        let ends = pairwise.ends().unwrap();
        let figures = ends.figures.as_ref().unwrap();
        assert_eq!(
            (
                ends.a,
                ends.b,
                figures.summary.scores.as_ref().unwrap().significant
            ),
            (0, 2, false)
        );
        let gate = DropGate::default().judge(figures, "A");
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
fn several_runs_have_the_trials_of_every_pair_and_a_list_where_a_matrix_is_too_wide() {
    let run = |score: f64| [graded("a", score), graded("b", 0.5), graded("c", 0.5)];
    let mut first = run(1.0).to_vec();
    first.push(graded("only here", 1.0));
    with_runs(&[&first, &run(0.5), &run(0.0), &run(0.0)], |runs| {
        let pairwise = Pairwise::of(runs, 0.1);
        let figures = pairwise.ends().unwrap().figures.as_ref().unwrap();
        let gate = DropGate::default().judge(figures, "A");
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
