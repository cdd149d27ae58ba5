//! The figures of a comparison in words, for all formats.

use super::comparison::{Comparison, Figures};
use super::difference_sentence::groups;
use super::families::Member;
use super::labels::label;
use super::pairwise::RunPair;
use super::run::{ComparedRun, Row};
use super::summary::ComparisonSummary;
use crate::figures::{count, counted, milliseconds, money, p_value, percent};
use crate::render::score;
use crate::style::Style;
use crate::summary::Statuses;

/// The number of trials that are named in a list.
pub(super) const FEW: usize = 5;

/// Returns a difference of scores with its sign.
pub(super) fn delta(delta: f64, style: Style) -> String {
    let digits = score(delta.abs());
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
        None => vec!["nothing graded".to_owned()],
    };
    told.extend(
        totals
            .mean_score
            .map(|mean| format!("mean {}", score(mean))),
    );
    told.extend(without_grade(&totals.statuses));
    told.extend(totals.cost_usd.map(money));
    told.extend(
        totals
            .median_ms
            .map(|ms| format!("median {}", milliseconds(ms))),
    );
    if run.is_unfinished() {
        told.push("unfinished".to_owned());
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

/// Describes the trials that match and those that do not.
pub(super) fn matched(summary: &ComparisonSummary, labels: [&str; 2]) -> Vec<String> {
    let mut told = vec![counted(summary.matched, "trial", "trials")];
    let [a, b] = labels;
    let beside = [
        (summary.only_in_a, format!("only in {a}")),
        (summary.only_in_b, format!("only in {b}")),
        (
            summary.without_grade,
            "without a grade in one or both runs".to_owned(),
        ),
        (summary.changed, "with a changed case".to_owned()),
    ];
    for (number, what) in beside {
        if number > 0 {
            told.push(format!("{} {what}", count(number)));
        }
    }
    if summary.changed_unknown > 0 {
        let all = summary.changed_unknown == summary.matched;
        told.push(match all {
            true => "unknown whether cases changed".to_owned(),
            false => format!(
                "{} with a case that may have changed",
                count(summary.changed_unknown)
            ),
        });
    }
    told
}

/// Describes the cases in which each run is better, and the trials if there are more of them.
pub(super) fn outcomes(summary: &ComparisonSummary) -> Vec<String> {
    let wins = &summary.statistics.wins;
    let mut told = vec![
        counted(wins.wins, "win", "wins"),
        counted(wins.losses, "loss", "losses"),
        counted(wins.ties, "tie", "ties"),
    ];
    let [trials, cases] = [
        [summary.wins, summary.losses, summary.ties],
        [wins.wins, wins.losses, wins.ties],
    ];
    if trials != cases {
        let [wins, losses, ties] = trials.map(count);
        told.push(format!("by trial {wins}, {losses}, {ties}"));
    }
    told.push(format!("threshold {}", summary.threshold));
    told
}

/// Describes the statistics.
pub(super) fn statistics(summary: &ComparisonSummary, style: Style) -> Vec<String> {
    let statistics = &summary.statistics;
    let mut told = vec![counted(statistics.cases, "case", "cases")];
    if let Some(found) = &statistics.difference {
        let interval = &found.difference;
        if interval.clusters.is_some() {
            told.push(groups(found));
        }
        told.push(format!(
            "difference {}, 95% interval {} to {}",
            delta(interval.estimate, style),
            delta(interval.low, style),
            delta(interval.high, style)
        ));
        if let Some(shown) = found.detectable.filter(|shown| shown.difference < 1.0) {
            told.push(format!(
                "detects differences of {} or more",
                score(shown.difference)
            ));
        }
    } else if let Some(mean) = summary.mean_delta {
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
        "{} {arrow} {} on {}, {}, {}, {}, {} corrected{significant}",
        score(member.mean_a),
        score(member.mean_b),
        counted(member.cases, "case", "cases"),
        counted(wins.wins, "win", "wins"),
        counted(wins.losses, "loss", "losses"),
        counted(wins.ties, "tie", "ties"),
        p_value(member.corrected_p_value),
    )
}

pub(super) fn arrow(style: Style) -> &'static str {
    if style.unicode { "→" } else { "->" }
}

/// Describes a pair in a matrix: the mean difference, with a star if it is significant.
pub(super) fn cell(pair: &RunPair, style: Style) -> String {
    let Ok(Figures { summary, .. }) = &pair.figures else {
        return "no shared case".to_owned();
    };
    let star = if summary.significant { "*" } else { "" };
    match summary.mean_delta {
        Some(mean) => delta(mean, style) + star,
        None => "not graded".to_owned(),
    }
}

/// Describes a pair in a list: its runs, their difference, the cases in which each is better, and
/// the p-value. The last two are empty if the runs share nothing.
pub(super) fn pair(pair: &RunPair, style: Style) -> [String; 4] {
    let runs = [label(pair.a), label(pair.b)].join(&format!(" {} ", arrow(style)));
    let [wins, p_value] = match &pair.figures {
        Ok(Figures { summary, .. }) => {
            let wins = &summary.statistics.wins;
            let wins = [
                counted(wins.wins, "win", "wins"),
                counted(wins.losses, "loss", "losses"),
                counted(wins.ties, "tie", "ties"),
            ];
            let p_value = format!("{} corrected", p_value(summary.p_value));
            [wins.join(", "), p_value]
        }
        Err(_) => [String::new(), String::new()],
    };
    [runs, cell(pair, style), wins, p_value]
}

/// Returns the lists of excluded trials: a title, the names of the first few, and the number of the
/// others.
pub(super) fn outside(
    comparison: &Comparison<'_>,
    labels: [&str; 2],
) -> Vec<(String, Vec<String>, usize)> {
    let naming = comparison.naming;
    let first = |rows: &mut dyn Iterator<Item = &Row>| {
        let names: Vec<String> = rows.take(FEW).map(|row| naming.trial(row)).collect();
        let more = rows.count();
        (names, more)
    };
    let [a, b] = labels;
    let (run_a, run_b) = (comparison.a, comparison.b);
    let changed = comparison
        .cases
        .iter()
        .filter(|case| case.changed == Some(true));
    let changed = &mut changed.map(|case| comparison.rows(case.trials.start).1);
    let trials = 0..comparison.matching.matched.len();
    let ungraded = trials.map(|trial| comparison.rows(trial));
    let ungraded = ungraded.filter(|(a, b)| a.score().is_none() || b.score().is_none());
    let lists = [
        ("changed cases".to_owned(), first(changed)),
        (
            "without a grade in one or both runs".to_owned(),
            first(&mut ungraded.map(|(_, row)| row)),
        ),
        (
            format!("only in {a}"),
            first(&mut comparison.matching.only_a.iter().map(|at| &run_a.rows[*at])),
        ),
        (
            format!("only in {b}"),
            first(&mut comparison.matching.only_b.iter().map(|at| &run_b.rows[*at])),
        ),
    ];
    let lists = lists
        .into_iter()
        .filter(|(_, (names, _))| !names.is_empty());
    lists
        .map(|(title, (names, more))| (title, names, more))
        .collect()
}
