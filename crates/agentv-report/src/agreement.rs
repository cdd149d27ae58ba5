//! How far two judges of the same answers agree: a person, and a judge that is to stand in for one.

use std::fmt::Write as _;

use agentv_core::Verdict;
use serde::Serialize;

/// The verdicts, in the order of rows and columns.
pub const VERDICTS: [Verdict; 3] = [Verdict::Pass, Verdict::Borderline, Verdict::Fail];

/// What a person and a judge say of the same answer.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Pair {
    /// The person's verdict.
    pub human: Verdict,
    /// The judge's verdict.
    pub judge: Verdict,
    /// Both scores, where the person gave one.
    pub scores: Option<(f64, f64)>,
}

/// How far they agree. What cannot be said is absent, never a number.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct Agreement {
    /// The answers that both gave a verdict on.
    pub cases: u64,
    /// Those of them that both gave a score.
    pub scored: u64,
    /// The share of answers with the same verdict.
    pub accuracy: Option<f64>,
    /// Cohen's kappa: how much more often they agree than by chance, at most 1.
    pub kappa: Option<f64>,
    /// The same, where being off by one verdict is half as bad as by two.
    pub weighted_kappa: Option<f64>,
    /// Spearman's rank correlation of the scores.
    pub spearman: Option<f64>,
    /// How far the scores are apart on average.
    pub mean_difference: Option<f64>,
    /// By how much the judge's scores are higher on average.
    pub bias: Option<f64>,
    /// How often each verdict of the person (rows) met each of the judge (columns), in the order of
    /// [`VERDICTS`].
    pub confusion: [[u64; 3]; 3],
}

impl Agreement {
    /// Compares what was said of many answers.
    pub fn of(pairs: &[Pair]) -> Agreement {
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
        Agreement {
            cases: pairs.len() as u64,
            scored: scores.len() as u64,
            accuracy: (!pairs.is_empty()).then(|| same as f64 / pairs.len() as f64),
            kappa: kappa(&confusion, |human, judge| {
                f64::from(u8::from(human != judge))
            }),
            weighted_kappa: kappa(&confusion, |human, judge| human.abs_diff(judge) as f64),
            spearman: spearman(&scores),
            mean_difference: mean(&|(human, judge)| (judge - human).abs()),
            bias: mean(&|(human, judge)| judge - human),
            confusion,
        }
    }

    /// The figures as a text, a line each, with what is not known said in words.
    pub fn render(&self) -> String {
        let verdicts = output_counted(self.cases);
        let scores = output_counted(self.scored);
        let one_category = match self.cases {
            0 => "nothing to compare",
            _ => "not defined: one verdict only",
        };
        let mut text = String::new();
        let mut line =
            |name: &str, figure: Option<f64>, signed: bool, otherwise: &str, of: &str| {
                let shown = match figure {
                    // Nothing is neither more nor less.
                    Some(figure) if signed && figure.abs() < 0.0005 => "0.000".to_owned(),
                    Some(figure) if signed => format!("{figure:+.3}"),
                    Some(figure) => format!("{figure:.3}"),
                    None => otherwise.to_owned(),
                };
                let _ = writeln!(text, "{name:<18}  {shown:<6}  {of}");
            };
        line(
            "same verdict",
            self.accuracy,
            false,
            "nothing to compare",
            &verdicts,
        );
        line("kappa", self.kappa, false, one_category, &verdicts);
        line(
            "kappa, weighted",
            self.weighted_kappa,
            false,
            one_category,
            &verdicts,
        );
        let no_scores = match self.cases {
            0 => "nothing to compare",
            _ => "no scores given",
        };
        let constant = match self.scored {
            0 => no_scores,
            1 => "one score only",
            _ => "not defined: all scores are the same",
        };
        line("rank correlation", self.spearman, false, constant, &scores);
        line(
            "score difference",
            self.mean_difference,
            false,
            no_scores,
            &scores,
        );
        line("score bias", self.bias, true, no_scores, &scores);
        text.lines()
            .map(|line| format!("{}\n", line.trim_end()))
            .collect()
    }

    /// The confusion matrix as a text: a row a verdict of the person, a column a verdict of the judge.
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

/// What a verdict is called.
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

/// Cohen's kappa with a weight for each disagreement; not defined where chance alone would never
/// disagree, because both always say the same one thing.
fn kappa(confusion: &[[u64; 3]; 3], weight: impl Fn(usize, usize) -> f64) -> Option<f64> {
    let total: u64 = confusion.iter().flatten().sum();
    let rows: [f64; 3] = std::array::from_fn(|row| confusion[row].iter().sum::<u64>() as f64);
    let columns: [f64; 3] =
        std::array::from_fn(|column| confusion.iter().map(|row| row[column]).sum::<u64>() as f64);
    let (mut seen, mut by_chance) = (0.0, 0.0);
    for row in 0..3 {
        for column in 0..3 {
            seen += weight(row, column) * confusion[row][column] as f64;
            by_chance += weight(row, column) * rows[row] * columns[column];
        }
    }
    (by_chance > 0.0).then(|| 1.0 - seen * total as f64 / by_chance)
}

/// Spearman's rank correlation; not defined where all scores of one side are the same.
fn spearman(scores: &[(f64, f64)]) -> Option<f64> {
    let human = ranks(scores.iter().map(|(human, _)| *human).collect());
    let judge = ranks(scores.iter().map(|(_, judge)| *judge).collect());
    let middle = (scores.len() as f64 + 1.0) / 2.0;
    let product = |one: &[f64], other: &[f64]| -> f64 {
        let pairs = one.iter().zip(other);
        pairs
            .map(|(one, other)| (one - middle) * (other - middle))
            .sum()
    };
    let spread = product(&human, &human) * product(&judge, &judge);
    (spread > 0.0).then(|| (product(&human, &judge) / spread.sqrt()).clamp(-1.0, 1.0))
}

/// The rank of each value from 1; equal ones share the mean of theirs.
fn ranks(values: Vec<f64>) -> Vec<f64> {
    let mut order: Vec<usize> = (0..values.len()).collect();
    order.sort_by(|one, other| values[*one].total_cmp(&values[*other]));
    let mut ranks = vec![0.0; values.len()];
    let mut below = 0;
    for same in order.chunk_by(|one, other| values[*one] == values[*other]) {
        let rank = below as f64 + (same.len() as f64 + 1.0) / 2.0;
        same.iter().for_each(|at| ranks[*at] = rank);
        below += same.len();
    }
    ranks
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn verdict(number: u8) -> Verdict {
        VERDICTS[usize::from(number)]
    }

    #[derive(serde::Deserialize)]
    struct Expected {
        human: Vec<u8>,
        judge: Vec<u8>,
        human_scores: Vec<f64>,
        judge_scores: Vec<f64>,
        accuracy: f64,
        kappa: Option<f64>,
        weighted_kappa: Option<f64>,
        spearman: Option<f64>,
        mean_difference: f64,
        confusion: [[u64; 3]; 3],
    }

    #[test]
    fn the_figures_are_those_of_scikit_learn_and_scipy() {
        let expected = include_str!("../tests/expectations/agreement.json");
        let expected: Vec<Expected> = serde_json::from_str(expected).unwrap();
        assert!(expected.len() > 20);
        for case in expected {
            let pairs: Vec<Pair> = (0..case.human.len())
                .map(|at| Pair {
                    human: verdict(case.human[at]),
                    judge: verdict(case.judge[at]),
                    scores: Some((case.human_scores[at], case.judge_scores[at])),
                })
                .collect();
            let found = Agreement::of(&pairs);
            let near = |found: Option<f64>, wanted: Option<f64>| match (found, wanted) {
                (Some(found), Some(wanted)) => (found - wanted).abs() < 1e-9,
                (None, None) => true,
                _ => false,
            };
            assert_eq!(found.confusion, case.confusion);
            for (found, wanted) in [
                (found.accuracy, Some(case.accuracy)),
                (found.kappa, case.kappa),
                (found.weighted_kappa, case.weighted_kappa),
                (found.spearman, case.spearman),
                (found.mean_difference, Some(case.mean_difference)),
            ] {
                assert!(near(found, wanted), "{found:?} is not {wanted:?}");
            }
        }
    }

    #[test]
    fn what_cannot_be_said_is_said_in_words() {
        let pair = Pair {
            human: Verdict::Pass,
            judge: Verdict::Pass,
            scores: None,
        };
        let agreement = Agreement::of(&[pair, pair]);
        assert_eq!((agreement.kappa, agreement.spearman), (None, None));
        let text = agreement.render();
        assert!(text.contains("not defined: one verdict only"), "{text}");
        assert!(text.contains("no scores given"), "{text}");
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

    proptest! {
        #[test]
        fn no_figure_is_ever_outside_of_its_range(
            pairs in prop::collection::vec((0_u8..3, 0_u8..3, 0_u8..5, 0_u8..5), 0..30),
        ) {
            let pairs: Vec<Pair> = pairs
                .into_iter()
                .map(|(human, judge, a, b)| Pair {
                    human: verdict(human),
                    judge: verdict(judge),
                    scores: Some((f64::from(a) / 4.0, f64::from(b) / 4.0)),
                })
                .collect();
            let found = Agreement::of(&pairs);
            for figure in [found.kappa, found.weighted_kappa, found.spearman, found.bias] {
                prop_assert!(figure.is_none_or(|figure| (-1.0..=1.0).contains(&figure)));
            }
        }
    }
}
