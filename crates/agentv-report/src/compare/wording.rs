//! The figures of a comparison in words, for all formats.

use std::ops::Range;
use std::sync::Arc;

use super::cases::Case;
use super::comparison::{Comparison, Figures};
use super::difference_sentence::groups;
use super::families::Member;
use super::labels::{label, listed};
use super::pairwise::RunPair;
use super::run::{ComparedRun, Row};
use super::statistics::Statistics;
use super::summary::ComparisonSummary;
use crate::figures::{count, counted, milliseconds, p_value, percent};
use crate::render::score;
use crate::style::Style;
use crate::summary::Statuses;
use crate::text::one_line;
use agentv_statistics::Wins;

/// The number of cases that are named in a list.
pub(super) const FEW: usize = 5;

/// Returns a difference of scores with its sign.
pub(super) fn delta(delta: f64, style: Style) -> String {
    let size = delta.abs();
    let written = |decimals: usize| format!("{size:.decimals$}");
    let is_shown =
        |text: &String| size == 0.0 || text.bytes().any(|digit| matches!(digit, b'1'..=b'9'));
    // A difference that is not 0 does not read as 0.
    let digits = (3..=6).map(written).find(is_shown);
    let digits = digits.unwrap_or_else(|| written(3));
    let is_zero = digits.bytes().all(|digit| matches!(digit, b'0' | b'.'));
    match delta {
        _ if is_zero => digits,
        delta if delta < 0.0 => format!("{}{digits}", style.minus()),
        _ => format!("+{digits}"),
    }
}

/// Describes the results of a run.
pub(super) fn totals(run: &ComparedRun) -> Vec<String> {
    let totals = run.totals();
    let [pass, graded] = [totals.statuses.pass, totals.statuses.graded()];
    let mut told = match totals.pass_rate {
        Some(rate) => vec![format!(
            "{} passed, {} of {}",
            percent(rate),
            count(pass),
            count(graded)
        )],
        None if graded == 0 => vec!["nothing graded".to_owned()],
        None => vec![format!("{} of {} passed", count(pass), count(graded))],
    };
    told.extend(
        totals
            .mean_score
            .map(|mean| format!("mean {}", run.shown_score(mean))),
    );
    told.extend(without_grade(&totals.statuses));
    told.extend(totals.costs.in_words());
    told.extend(
        totals
            .median_ms
            .map(|ms| format!("median {}", milliseconds(ms))),
    );
    if run.is_unfinished() {
        told.push("unfinished".to_owned());
    }
    if run.is_dry_run() {
        told.push("dry run".to_owned());
    }
    told
}

/// Describes the trials that are excluded from means and rates.
pub(super) fn without_grade(statuses: &Statuses) -> Vec<String> {
    let mut told = vec![format!("{} errored", count(statuses.error))];
    if statuses.ungraded > 0 {
        told.push(format!("{} ungraded", count(statuses.ungraded)));
    }
    told
}

/// Describes the cases that match and those that do not.
pub(super) fn matched(summary: &ComparisonSummary, labels: [&str; 2]) -> Vec<String> {
    let mut told = vec![counted(summary.matched, "case", "cases")];
    let [a, b] = labels;
    if [summary.trials_a, summary.trials_b] != [summary.matched; 2] {
        told.push(format!(
            "{} in {a}, {} in {b}",
            counted(summary.trials_a, "trial", "trials"),
            count(summary.trials_b)
        ));
    }
    let beside = [
        (summary.renamed, "in a renamed file".to_owned()),
        (
            summary.only_in_a,
            format!("only in {a}{}", of_targets(&summary.targets_only_in_a)),
        ),
        (
            summary.only_in_b,
            format!("only in {b}{}", of_targets(&summary.targets_only_in_b)),
        ),
        (summary.graded_only_in_a, format!("graded only in {a}")),
        (summary.graded_only_in_b, format!("graded only in {b}")),
        (summary.graded_in_neither, "graded in neither".to_owned()),
        (summary.changed, "changed".to_owned()),
    ];
    for (number, what) in beside {
        if number > 0 {
            told.push(format!("{} {what}", count(number)));
        }
    }
    if summary.changed_unknown > 0 {
        let all = summary.changed_unknown == summary.compared();
        told.push(if all {
            "unknown whether cases changed".to_owned()
        } else {
            format!("{} may have changed", count(summary.changed_unknown))
        });
    }
    told
}

/// Names the targets that only one run has, in brackets.
fn of_targets(targets: &[Arc<str>]) -> String {
    let names = listed(targets.iter().map(|name| &**name), 3);
    match targets {
        [] => String::new(),
        [_] => format!(" (with its target {names})"),
        _ => format!(" (with its targets {names})"),
    }
}

/// Describes the number of trials of a case in both runs.
pub(super) fn trials([a, b]: [u64; 2]) -> String {
    if a == b {
        counted(a, "trial", "trials")
    } else {
        format!("{} and of {}", counted(a, "trial", "trials"), count(b))
    }
}

/// Describes the cases in which each run is better.
pub(super) fn outcomes(summary: &ComparisonSummary) -> Vec<String> {
    vec![
        counted(summary.wins, "win", "wins"),
        counted(summary.losses, "loss", "losses"),
        counted(summary.ties, "tie", "ties"),
        format!("threshold {}", summary.threshold),
    ]
}

/// Describes the statistics of all cases, or of each target: the name of the target, and the parts.
pub(super) fn statistics(figures: &Figures, style: Style) -> Vec<(Option<&str>, Vec<String>)> {
    let whole = figures.summary.scores.iter();
    let whole = whole.map(|scores| {
        (
            None,
            statistics_of(&scores.statistics, scores.mean_delta, style),
        )
    });
    let targets = figures.targets.iter().filter_map(|target| {
        let statistics = target.statistics.as_ref()?;
        let parts = statistics_of(statistics, Some(target.mean_delta), style);
        Some((Some(target.name.as_str()), parts))
    });
    whole.chain(targets).collect()
}

fn statistics_of(statistics: &Statistics, mean_delta: Option<f64>, style: Style) -> Vec<String> {
    let mut told = vec![counted(statistics.cases, "case", "cases")];
    if let Some(found) = &statistics.difference {
        let interval = &found.difference;
        if interval.clusters.is_some() {
            told.push(groups(found));
        }
        let mean = delta(interval.estimate, style);
        told.push(if interval.has_width() {
            format!(
                "difference {mean}, 95% interval {} to {}",
                delta(interval.low, style),
                delta(interval.high, style)
            )
        } else {
            format!("difference {mean} in all, which gives no interval")
        });
        if let Some(shown) = found.detectable.filter(|shown| shown.difference < 1.0) {
            let shown = delta(shown.difference, style);
            told.push(format!(
                "detects differences of {} or more",
                shown.trim_start_matches('+')
            ));
        }
    } else if let Some(mean) = mean_delta {
        told.push(format!("difference {}", delta(mean, style)));
    }
    let permutation = p_value(statistics.permutation.p_value);
    told.push(format!("scores {permutation} (permutation)"));
    if let Some(test) = &statistics.mcnemar {
        told.push(format!("pass rates {} (McNemar)", p_value(test.p_value)));
    }
    if let Some(shown) = &statistics.detectable_pass_rate {
        told.push(format!(
            "detects pass rate differences of {} or more",
            percent(shown.difference)
        ));
    }
    if let Some(test) = &statistics.pass_rates {
        told.push(format!(
            "pass rates {} (permutation)",
            p_value(test.p_value)
        ));
    }
    told
}

/// Returns the name of one of several comparisons: an evaluator comes with its target, if there are
/// several.
pub(super) fn member_name(member: &Member) -> String {
    match &member.target {
        Some(target) => format!("{} @ {}", one_line(&member.name), one_line(target)),
        None => one_line(&member.name),
    }
}

/// Describes one of several comparisons.
pub(super) fn member(member: &Member, style: Style) -> String {
    let arrow = arrow(style);
    let Member { wins, .. } = member;
    let significant = if member.significant {
        ", significant"
    } else {
        ""
    };
    format!(
        "{} {arrow} {} on {}, {}, {} corrected{significant}",
        score(member.mean_a),
        score(member.mean_b),
        counted(member.cases, "case", "cases"),
        outcomes_of(wins).join(", "),
        p_value(member.corrected_p_value),
    )
}

pub(super) fn arrow(style: Style) -> &'static str {
    if style.unicode { "→" } else { "->" }
}

/// Describes a pair in a matrix: the mean difference, with a star if it is significant; of each target,
/// if runs have several, with its name as `name` shows it.
pub(super) fn cell(pair: &RunPair, style: Style, name: fn(&str) -> String) -> String {
    let Ok(figures) = &pair.figures else {
        return "no shared case".to_owned();
    };
    let differences = differences(figures);
    let cells = differences.iter().map(|difference| {
        let target = difference.target.map(|target| name(target) + " ");
        target.unwrap_or_default() + &difference.cell(style)
    });
    if differences.is_empty() {
        "not graded".to_owned()
    } else {
        cells.collect::<Vec<_>>().join(", ")
    }
}

/// The difference of two runs, on all cases or on those of one target.
struct Difference<'f> {
    target: Option<&'f str>,
    mean_delta: f64,
    is_significant: bool,
    p_value: f64,
    wins: &'f Wins,
}

impl Difference<'_> {
    fn cell(&self, style: Style) -> String {
        let star = if self.is_significant { "*" } else { "" };
        delta(self.mean_delta, style) + star
    }
}

fn differences(figures: &Figures) -> Vec<Difference<'_>> {
    let whole = figures.summary.scores.as_ref();
    let whole = whole.and_then(|scores| {
        Some(Difference {
            target: None,
            mean_delta: scores.mean_delta?,
            is_significant: scores.significant,
            p_value: scores.p_value,
            wins: &scores.statistics.wins,
        })
    });
    let targets = figures.targets.iter().map(|target| Difference {
        target: Some(&target.name),
        mean_delta: target.mean_delta,
        is_significant: target.significant,
        p_value: target.corrected_p_value,
        wins: &target.wins,
    });
    whole.into_iter().chain(targets).collect()
}

/// A line in a list of pairs. Parts that are not known are empty.
pub(super) struct PairLine {
    /// The labels of the runs.
    pub(super) runs: String,
    /// The target, if runs have several.
    pub(super) target: Option<String>,
    pub(super) difference: String,
    /// The number of cases in which each run is better.
    pub(super) wins: String,
    pub(super) p_value: String,
}

/// Describes a pair in a list, on one line per target.
pub(super) fn pair(pair: &RunPair, style: Style) -> Vec<PairLine> {
    let runs = [label(pair.a), label(pair.b)].join(&format!(" {} ", arrow(style)));
    let differences = pair.figures.as_ref().map(differences).unwrap_or_default();
    if differences.is_empty() {
        return vec![PairLine {
            runs,
            target: None,
            difference: cell(pair, style, one_line),
            wins: String::new(),
            p_value: String::new(),
        }];
    }
    let lines = differences.iter().map(|difference| PairLine {
        runs: runs.clone(),
        target: difference.target.map(one_line),
        difference: difference.cell(style),
        wins: outcomes_of(difference.wins).join(", "),
        p_value: format!("{} corrected", p_value(difference.p_value)),
    });
    lines.collect()
}

fn outcomes_of(wins: &Wins) -> [String; 3] {
    [
        counted(wins.wins, "win", "wins"),
        counted(wins.losses, "loss", "losses"),
        counted(wins.ties, "tie", "ties"),
    ]
}

/// Returns the lists of cases that need attention: a title, the names of the first few, and the
/// number of the others.
pub(super) fn outside(
    comparison: &Comparison<'_>,
    labels: [&str; 2],
) -> Vec<(String, Vec<String>, usize)> {
    let naming = comparison.naming;
    let first = |rows: &mut dyn Iterator<Item = &Row>| {
        let names: Vec<String> = rows.take(FEW).map(|row| naming.case(row)).collect();
        let more = rows.count();
        (names, more)
    };
    let [a, b] = labels;
    let (run_a, run_b) = (comparison.a, comparison.b);
    let matched = |wanted: &dyn Fn(&Case) -> bool| {
        let cases = comparison.cases.iter().filter(|case| wanted(case));
        first(&mut cases.map(|case| &run_b.rows[case.b.start]))
    };
    let graded = |of_a: bool, of_b: bool| {
        matched(&|case| case.means.map(|mean| mean.is_some()) == [of_a, of_b])
    };
    let only = |run: &ComparedRun, cases: &[Range<usize>]| {
        first(&mut cases.iter().map(|case| &run.rows[case.start]))
    };
    let lists = [
        (
            "changed cases".to_owned(),
            matched(&|case| case.changed == Some(true)),
        ),
        (format!("graded only in {a}"), graded(true, false)),
        (format!("graded only in {b}"), graded(false, true)),
        ("graded in neither run".to_owned(), graded(false, false)),
        (
            format!("only in {a}"),
            only(run_a, &comparison.matching.only_a),
        ),
        (
            format!("only in {b}"),
            only(run_b, &comparison.matching.only_b),
        ),
    ];
    let lists = lists
        .into_iter()
        .filter(|(_, (names, _))| !names.is_empty());
    lists
        .map(|(title, (names, more))| (title, names, more))
        .collect()
}
