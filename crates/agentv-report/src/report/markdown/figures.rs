//! The totals of a run, and their difference from those of another.

use std::sync::Arc;

use agentv_core::PassThreshold;

use crate::figures::{count, counted, milliseconds, money, percent, percent_range, score_range};
use crate::markdown_text::code_in_cell;
use crate::render::{cases_ran, different_judges, outdated_results, score_at};
use crate::report::shortcomings::{Kind, shortcomings as all_shortcomings};
use crate::results::RunResults;
use crate::run_statistics::{RunStatistics, TargetFigures};
use crate::summary::{Costs, Statuses, Summary, TargetSummary};

/// The largest number of targets with their own row.
const TARGETS: usize = 20;

/// Returns the headline.
pub(super) fn headline(summary: &Summary, not_run: u64) -> String {
    let statuses = &summary.statuses;
    let passed = match summary.graded {
        0 => "nothing was graded".to_owned(),
        graded => {
            let graded = counted(graded, "graded trial", "graded trials");
            format!("{} of {graded} passed", count(statuses.pass))
        }
    };
    let mut parts = match summary.skipped {
        0 => vec![format!("**{passed}**")],
        _ => vec![format!("**{}**", cases_ran(summary, not_run)), passed],
    };
    let mean = summary.scores.and_then(|scores| scores.mean);
    parts.extend(mean.map(|mean| {
        let mean = score_at(mean, &summary.pass_thresholds);
        format!("mean score {mean}")
    }));
    for (number, one, several) in [
        (not_run, "trial not run", "trials not run"),
        (statuses.error, "error", "errors"),
        (statuses.ungraded, "ungraded", "ungraded"),
        (summary.skipped, "case skipped", "cases skipped"),
        (
            summary.outdated,
            "result out of date",
            "results out of date",
        ),
        (summary.truncated, "truncated answer", "truncated answers"),
        (
            summary.out_of_steps,
            "trial out of steps",
            "trials out of steps",
        ),
    ] {
        if number > 0 {
            parts.push(counted(number, one, several));
        }
    }
    if summary.dry_run > 0 {
        parts.push("dry run with mock answers".to_owned());
    }
    format!("### agentv\n\n{}\n\n", parts.join(" · "))
}

/// Returns the intervals of the pass rate and the mean score, and the figures of repeated trials. If
/// there are several targets, each has its own line.
pub(super) fn intervals(statistics: &RunStatistics) -> String {
    if let Some(figures) = &statistics.single {
        return intervals_of("", figures);
    }
    let targets = statistics.targets.iter().take(TARGETS);
    let texts = targets.map(|target| {
        let name = code_in_cell(&target.target, 80);
        intervals_of(&format!(" of {name}"), &target.figures)
    });
    texts.collect()
}

fn intervals_of(target: &str, figures: &TargetFigures) -> String {
    let mut parts = Vec::new();
    if let Some(rate) = &figures.pass_rate {
        parts.push(format!("pass rate {}", percent_range(rate.low, rate.high)));
    }
    if let Some(mean) = &figures.mean_score {
        parts.push(format!("mean score {}", score_range(mean.low, mean.high)));
    }
    let mut text = if parts.is_empty() {
        String::new()
    } else {
        format!("\n95% interval{target}: {}.\n", parts.join(" · "))
    };
    let trials = figures.trials.as_ref();
    if let Some(among) = trials.and_then(|trials| trials.pass_among.last()) {
        let (some, all) = (percent(among.pass_at_k), percent(among.pass_hat_k));
        let k = among.k;
        text.push_str(&format!(
            "\nRepeated trials{target}: pass@{k} {some} · pass^{k} {all}"
        ));
        let flakes = trials.and_then(|trials| trials.flakes.as_ref());
        if let Some(flakes) = flakes {
            let rate = percent(flakes.flake_rate);
            text.push_str(&format!(" · {rate} of cases flaky"));
        }
        text.push_str(".\n");
    }
    text
}

/// Returns sentences about figures that need words: unknown prices, the time to the first token, and targets
/// that graded their own answers.
pub(super) fn remarks(summary: &Summary) -> String {
    let names = |names: &[Arc<str>]| {
        let names = names.iter().take(TARGETS);
        let names = names.map(|name| code_in_cell(name, 80));
        names.collect::<Vec<_>>().join(", ")
    };
    let mut text = String::new();
    if summary.outdated > 0 {
        text.push_str(&format!("\n{}\n", outdated_results(summary.outdated)));
    }
    for (cost, unpriced) in [
        ("cost", &summary.costs.unpriced),
        ("cost of the judges", &summary.costs.unpriced_judges),
    ] {
        if !unpriced.is_empty() {
            let unpriced = names(unpriced);
            text.push_str(&format!(
                "\nThe {cost} lacks {unpriced}, whose price or number of tokens is unknown.\n"
            ));
        }
    }
    if !summary.costs.without_usage.is_empty() {
        let names = names(&summary.costs.without_usage);
        text.push_str(&format!("\nNo tokens were reported by {names}.\n"));
    }
    if let Some(dollars) = summary.costs.replaced_cost_usd {
        text.push_str(&format!(
            "\nAnswers and grades that later ones replaced cost {} in addition.\n",
            money(dollars)
        ));
    }
    if let Some(dollars) = summary.costs.graded_cost_usd {
        text.push_str(&format!(
            "\nThe answers cost {} in the run that is graded again.\n",
            money(dollars)
        ));
    }
    if let Some(first) = &summary.first_token {
        let (median, p95) = (milliseconds(first.median_ms), milliseconds(first.p95_ms));
        text.push_str(&format!(
            "\nTime to the first token: median {median}, 95% within {p95}.\n"
        ));
    }
    for target in summary.self_judged.iter().take(TARGETS) {
        let target = code_in_cell(target, 80);
        text.push_str(&format!("\n{target} graded its own answers.\n"));
    }
    if let Some(sentence) =
        different_judges(&summary.different_judges, |name| code_in_cell(name, 80))
    {
        text.push_str(&format!("\n{sentence}.\n"));
    }
    text
}

/// Returns sentences about missing shards and gates that are not met. The headline has the trials that were
/// not run.
pub(super) fn shortcomings(run: &RunResults, summary: &Summary) -> String {
    let found = all_shortcomings(run, summary.trials, summary.outdated);
    let found = found.into_iter().filter(|found| match found.kind {
        Kind::MissingShards | Kind::Gate => true,
        Kind::NotRun | Kind::Outdated => false,
    });
    found
        .map(|found| format!("\n❌ {}\n", found.sentence.replace('<', "&lt;")))
        .collect()
}

/// One line of the table.
struct Figures<'a> {
    statuses: &'a Statuses,
    pass_rate: Option<f64>,
    mean_score: Option<f64>,
    thresholds: &'a [PassThreshold],
    costs: &'a Costs,
}

impl<'a> Figures<'a> {
    /// Returns the figures of all trials.
    fn of(summary: &'a Summary) -> Figures<'a> {
        Figures {
            statuses: &summary.statuses,
            pass_rate: summary.pass_rate,
            mean_score: summary.scores.and_then(|scores| scores.mean),
            thresholds: &summary.pass_thresholds,
            costs: &summary.costs,
        }
    }

    fn of_target(target: &'a TargetSummary, summary: &'a Summary) -> Figures<'a> {
        Figures {
            statuses: &target.statuses,
            pass_rate: target.pass_rate,
            mean_score: target.mean_score,
            thresholds: &summary.pass_thresholds,
            costs: &target.costs,
        }
    }
}

/// Returns the totals, and those of each target if there are several.
pub(super) fn table(summary: &Summary, base: Option<&Summary>) -> String {
    let has_judges = |summary: &Summary| summary.costs.of_judges().is_some();
    let with_judges = has_judges(summary) || base.is_some_and(has_judges);
    let mut text = "| | pass rate | mean score | passed | borderline | failed | errors | cost |\n\
                    |---|---:|---:|---:|---:|---:|---:|---:|\n"
        .to_owned();
    if with_judges {
        text = text
            .replace("cost |", "cost | judges |")
            .replace("---:|\n", "---:|---:|\n");
    }
    let row = |name: &str, now: &Figures<'_>, base: Option<&Figures<'_>>| {
        let mut cells = cells(name, now, base);
        if with_judges {
            cells.push(judges_cell(now, base));
        }
        format!("| {} |\n", cells.join(" | "))
    };
    let whole = base.map(Figures::of);
    text.push_str(&row("all", &Figures::of(summary), whole.as_ref()));
    if summary.targets.len() < 2 {
        return text;
    }
    for target in summary.targets.iter().take(TARGETS) {
        let before = base.and_then(|base| {
            let same = |other: &&TargetSummary| other.target == target.target;
            let found = base.targets.iter().find(same);
            found.map(|found| Figures::of_target(found, base))
        });
        let name = code_in_cell(&target.target, 80);
        text.push_str(&row(
            &name,
            &Figures::of_target(target, summary),
            before.as_ref(),
        ));
    }
    let more = summary.targets.len().saturating_sub(TARGETS);
    if more > 0 {
        let more = counted(more as u64, "more target", "more targets");
        text.push_str(&format!("\nand {more}\n"));
    }
    text
}

fn cells(name: &str, now: &Figures<'_>, base: Option<&Figures<'_>>) -> Vec<String> {
    let whole = |of: fn(&Statuses) -> u64| {
        let before = base.map(|base| of(base.statuses));
        count(of(now.statuses)) + &whole_difference(of(now.statuses), before)
    };
    vec![
        name.to_owned(),
        real(
            now.pass_rate,
            base.and_then(|base| base.pass_rate),
            percent,
            points,
        ),
        real(
            now.mean_score,
            base.and_then(|base| base.mean_score),
            |mean| score_at(mean, now.thresholds),
            signed_score,
        ),
        whole(|statuses| statuses.pass),
        whole(|statuses| statuses.borderline),
        whole(|statuses| statuses.fail),
        whole(|statuses| statuses.error),
        answers_cell(now, base),
    ]
}

fn answers_cell(now: &Figures<'_>, base: Option<&Figures<'_>>) -> String {
    let whole = |figures: &Figures<'_>| {
        let costs = figures.costs;
        costs.cost_usd.filter(|_| costs.unpriced.is_empty())
    };
    cost(now.costs.of_answers(), whole(now), base.and_then(whole))
}

fn judges_cell(now: &Figures<'_>, base: Option<&Figures<'_>>) -> String {
    let whole = |figures: &Figures<'_>| {
        let costs = figures.costs;
        costs
            .judge_cost_usd
            .filter(|_| costs.unpriced_judges.is_empty())
    };
    cost(now.costs.of_judges(), whole(now), base.and_then(whole))
}

/// Returns a cost in words and, in brackets, its difference from the one before. Costs that lack a part
/// have no difference.
fn cost(words: Option<String>, now: Option<f64>, before: Option<f64>) -> String {
    let difference = now
        .zip(before)
        .map(|(now, before)| signed_money(now - before));
    match (words, difference) {
        (None, _) => "–".to_owned(),
        (Some(words), None) => words,
        (Some(words), Some(difference)) => format!("{words} ({difference})"),
    }
}

/// Returns a figure and, in brackets, its difference from the one before, if both are known.
fn real(
    now: Option<f64>,
    before: Option<f64>,
    show: impl Fn(f64) -> String,
    signed: fn(f64) -> String,
) -> String {
    let Some(now) = now else {
        return "–".to_owned();
    };
    match before {
        Some(before) => format!("{} ({})", show(now), signed(now - before)),
        None => show(now),
    }
}

fn whole_difference(now: u64, before: Option<u64>) -> String {
    match before {
        None => String::new(),
        Some(before) if now < before => format!(" (−{})", count(before - now)),
        Some(before) if now > before => format!(" (+{})", count(now - before)),
        Some(_) => " (±0)".to_owned(),
    }
}

/// Returns `0` for a number that rounds to zero.
fn with_sign(difference: f64, smallest: f64, shown: String) -> String {
    if difference.abs() < smallest {
        "±0".to_owned()
    } else if difference < 0.0 {
        format!("−{shown}")
    } else {
        format!("+{shown}")
    }
}

fn points(difference: f64) -> String {
    let points = difference * 100.0;
    with_sign(points, 0.05, format!("{:.1} points", points.abs()))
}

fn signed_score(difference: f64) -> String {
    with_sign(difference, 0.000_5, format!("{:.3}", difference.abs()))
}

fn signed_money(difference: f64) -> String {
    with_sign(difference, 0.000_05, money(difference.abs()))
}
