//! The agreement of a judge with a person on the same answers.

use std::fmt::Write as _;

use agentv_core::Verdict;
use agentv_statistics::{
    Interval, Level, kappa_interval, pass_rate, spearman, weighted_kappa_interval,
};
use serde::Serialize;

use crate::figures::score_range;

/// The verdicts, in the order of rows and columns.
pub const VERDICTS: [Verdict; 3] = [Verdict::Pass, Verdict::Borderline, Verdict::Fail];

/// The verdicts of a person and a judge on the same answer.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct RatedAnswer {
    /// The person's verdict.
    pub human: Verdict,
    /// The judge's verdict.
    pub judge: Verdict,
    /// Both scores, if the person gave one.
    pub scores: Option<(f64, f64)>,
}

/// The agreement of a judge with a person. A figure that is not defined is absent.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct Agreement {
    /// The number of answers with both verdicts.
    pub cases: u64,
    /// The number of these answers with both scores.
    pub scored: u64,
    /// The share of answers with the same verdict.
    pub accuracy: Option<f64>,
    /// Its interval, by Wilson's method.
    pub accuracy_interval: Option<Interval>,
    /// Cohen's kappa: how much more often they agree than by chance, at most 1.
    pub kappa: Option<f64>,
    /// Its interval, by [`kappa_interval`].
    pub kappa_interval: Option<Interval>,
    /// Cohen's kappa with linear weights: a disagreement by two verdicts counts twice as much as by
    /// one.
    pub weighted_kappa: Option<f64>,
    /// Its interval, by [`weighted_kappa_interval`].
    pub weighted_kappa_interval: Option<Interval>,
    /// Spearman's rank correlation of the scores.
    pub spearman: Option<f64>,
    /// The mean absolute difference of the scores.
    pub mean_difference: Option<f64>,
    /// The mean of the judge's scores minus the person's.
    pub bias: Option<f64>,
    /// The number of answers by the verdict of the person (rows) and of the judge (columns), in the
    /// order of [`VERDICTS`].
    pub confusion: [[u64; 3]; 3],
}

impl Agreement {
    /// Computes the agreement on some answers.
    pub fn of(pairs: &[RatedAnswer]) -> Agreement {
        let mut confusion = [[0_u64; 3]; 3];
        for pair in pairs {
            confusion[place(pair.human)][place(pair.judge)] += 1;
        }
        let scores: Vec<(f64, f64)> = pairs.iter().filter_map(|pair| pair.scores).collect();
        let mean = |of: &dyn Fn(&(f64, f64)) -> f64| {
            let sum: f64 = scores.iter().map(of).sum();
            (!scores.is_empty()).then(|| sum / scores.len() as f64)
        };
        let same: u64 = (0..3).map(|at| confusion[at][at]).sum();
        let level = Level::NINETY_FIVE;
        let accuracy = pass_rate(same, pairs.len() as u64, level);
        let kappa = kappa_interval(&confusion, level);
        let weighted_kappa = weighted_kappa_interval(&confusion, level);
        Agreement {
            cases: pairs.len() as u64,
            scored: scores.len() as u64,
            accuracy: accuracy.map(|found| found.estimate),
            accuracy_interval: accuracy,
            kappa: kappa.map(|found| found.estimate),
            kappa_interval: kappa,
            weighted_kappa: weighted_kappa.map(|found| found.estimate),
            weighted_kappa_interval: weighted_kappa,
            spearman: spearman(&scores),
            mean_difference: mean(&|(human, judge)| (judge - human).abs()),
            bias: mean(&|(human, judge)| judge - human),
            confusion,
        }
    }

    /// Renders one figure per line, and says in words why a figure is missing.
    pub fn render(&self) -> String {
        let verdicts = output_counted(self.cases);
        let scores = output_counted(self.scored);
        let one_category = match self.cases {
            0 => "nothing to compare",
            _ => "undefined: only one verdict",
        };
        let mut text = String::new();
        let mut line = |name: &str, shown: String, of: &str| {
            let _ = writeln!(text, "{name:<18}  {shown:<6}  {of}");
        };
        let compared = [
            (
                "same verdict",
                &self.accuracy_interval,
                "nothing to compare",
            ),
            ("kappa", &self.kappa_interval, one_category),
            (
                "kappa, weighted",
                &self.weighted_kappa_interval,
                one_category,
            ),
        ];
        for (name, found, otherwise) in compared {
            let range = found.map(|found| score_range(found.low, found.high));
            let of = range.map_or(verdicts.clone(), |range| {
                format!("{verdicts}, 95% interval {range}")
            });
            line(
                name,
                figure(found.map(|found| found.estimate), otherwise),
                &of,
            );
        }
        let no_scores = match self.cases {
            0 => "nothing to compare",
            _ => "no scores",
        };
        let constant = match self.scored {
            0 => no_scores,
            1 => "only one score",
            _ => "undefined: all scores are equal",
        };
        line("rank correlation", figure(self.spearman, constant), &scores);
        let difference = figure(self.mean_difference, no_scores);
        line("score difference", difference, &scores);
        line("score bias", signed(self.bias, no_scores), &scores);
        text.lines()
            .map(|line| format!("{}\n", line.trim_end()))
            .collect()
    }

    /// Renders the confusion matrix: one row per verdict of the person, one column per verdict of
    /// the judge.
    pub fn render_confusion(&self) -> String {
        let mut text = format!("{:<18}", "human \\ judge");
        for verdict in VERDICTS {
            let _ = write!(text, "{:>12}", word(verdict));
        }
        text.push('\n');
        for (verdict, row) in VERDICTS.iter().zip(&self.confusion) {
            let _ = write!(text, "{:<18}", word(*verdict));
            for count in row {
                let _ = write!(text, "{count:>12}");
            }
            text.push('\n');
        }
        text
    }
}

fn output_counted(count: u64) -> String {
    crate::figures::counted(count, "case", "cases")
}

/// Returns a figure, or in words why there is none.
fn figure(figure: Option<f64>, otherwise: &str) -> String {
    figure.map_or(otherwise.to_owned(), |figure| format!("{figure:.3}"))
}

/// Returns a figure with its sign; a rounded zero has none.
fn signed(figure: Option<f64>, otherwise: &str) -> String {
    match figure {
        Some(figure) if figure.abs() < 0.0005 => "0.000".to_owned(),
        Some(figure) => format!("{figure:+.3}"),
        None => otherwise.to_owned(),
    }
}

/// Returns the name of a verdict.
pub fn word(verdict: Verdict) -> &'static str {
    match verdict {
        Verdict::Pass => "pass",
        Verdict::Borderline => "borderline",
        Verdict::Fail => "fail",
    }
}

fn place(verdict: Verdict) -> usize {
    match verdict {
        Verdict::Pass => 0,
        Verdict::Borderline => 1,
        Verdict::Fail => 2,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn verdict(number: u8) -> Verdict {
        VERDICTS[usize::from(number)]
    }

    #[test]
    fn verdicts_and_scores_are_counted() {
        let rated = |human, judge, scores| RatedAnswer {
            human: verdict(human),
            judge: verdict(judge),
            scores,
        };
        let found = Agreement::of(&[
            rated(0, 0, Some((1.0, 0.75))),
            rated(0, 2, Some((0.75, 0.25))),
            rated(1, 1, None),
            rated(2, 2, Some((0.0, 0.25))),
        ]);
        assert_eq!(found.confusion, [[1, 0, 1], [0, 1, 0], [0, 0, 1]]);
        assert_eq!((found.cases, found.scored), (4, 3));
        assert_eq!(found.accuracy, Some(0.75));
        assert_eq!(found.mean_difference, Some(1.0 / 3.0));
        assert_eq!(found.bias, Some(-0.5 / 3.0));
    }

    #[test]
    fn figures_that_cannot_be_computed_are_explained() {
        let pair = RatedAnswer {
            human: Verdict::Pass,
            judge: Verdict::Pass,
            scores: None,
        };
        let agreement = Agreement::of(&[pair, pair]);
        assert_eq!((agreement.kappa, agreement.spearman), (None, None));
        let text = agreement.render();
        assert!(text.contains("undefined: only one verdict"), "{text}");
        assert!(text.contains("no scores"), "{text}");
        let nothing = Agreement::of(&[]).render();
        let lines = nothing.lines();
        assert_eq!(
            lines
                .filter(|line| line.contains("nothing to compare"))
                .count(),
            6
        );
        assert_eq!(nothing.lines().count(), 6, "{nothing}");
    }
}
