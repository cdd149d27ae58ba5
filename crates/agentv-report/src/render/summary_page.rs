//! The summary of a run as a text: its parts, in order.

use agentv_core::Status;

use super::closing::{self, Closing};
use super::page::{Page, Piece};
use super::{intervals, score_at, trials};
use crate::figures::{count, counted, milliseconds, percent};
use crate::style::{Paint, Style};
use crate::summary::{Scores, Summary, TargetJudges, Tokens};
use crate::text::one_line;

/// Renders the summary of a run as a text that ends in a line break.
///
/// No line is wider than the style's width, except a path or command to copy, which gets its own
/// line. Measured times are on separate lines (`latency`, `took`, and the list of the slowest);
/// everything else is the same for a resumed run and an uninterrupted one.
pub fn render_summary(summary: &Summary, closing: &Closing<'_>, style: Style) -> String {
    let mut page = Page::new(style);
    let not_run = closing.planned.saturating_sub(summary.trials);
    headline(&mut page, summary, not_run);
    if let Some(shard) = closing.empty_shard {
        page.gap();
        let sentence = format!(
            "Shard {shard} has no cases to run. Gates apply to the merged run: `agentv merge` needs this run, too."
        );
        page.paragraph(Paint::Plain, &sentence);
    }
    page.gap();
    statuses(&mut page, summary);
    closing::skipped(&mut page, summary.skipped, closing);
    if let Some(scores) = &summary.scores {
        write_scores(&mut page, scores, summary);
    }
    if let Some(statistics) = closing.statistics {
        intervals::write(&mut page, statistics);
    }
    cost(&mut page, summary);
    for (name, measured) in [
        ("latency", &summary.latency),
        ("first token", &summary.first_token),
    ] {
        if let Some(measured) = measured {
            let median = format!("median {}", milliseconds(measured.median_ms));
            let most = format!("95% within {}", milliseconds(measured.p95_ms));
            page.figures(name, &[Piece::plain(median), Piece::plain(most)]);
        }
    }
    trials::write(&mut page, summary);
    page.gap();
    closing::write(&mut page, summary.trials, closing);
    page.finish()
}

/// Writes the most important line. `not_run` is the number of missing trials.
fn headline(page: &mut Page, summary: &Summary, not_run: u64) {
    let all = &summary.statuses;
    let mut pieces = Vec::new();
    if summary.skipped > 0 {
        pieces.push(Piece::new(Paint::Bad, cases_ran(summary, not_run)));
    }
    pieces.extend(passed(summary));
    for status in [Status::Error, Status::Ungraded] {
        if all.of(status) > 0 {
            let text = format!("{} {}", count(all.of(status)), past(status));
            pieces.push(Piece::new(Paint::of(status), text));
        }
    }
    if summary.skipped > 0 {
        let skipped = format!("{} skipped", count(summary.skipped));
        pieces.push(Piece::new(Paint::Nearly, skipped));
    }
    if summary.outdated > 0 {
        let outdated = format!("{} out of date", count(summary.outdated));
        pieces.push(Piece::new(Paint::Bad, outdated));
    }
    page.flow(0, &pieces);
    if summary.outdated > 0 {
        page.gap();
        page.paragraph(Paint::Plain, &outdated_results(summary.outdated));
    }
    if has_nothing_to_grade_by(summary) {
        page.gap();
        page.paragraph(Paint::Plain, NOTHING_TO_GRADE_BY);
    }
}

/// Says how many cases ran, and of how many, unless trials are missing: they may be of further cases.
pub(crate) fn cases_ran(summary: &Summary, not_run: u64) -> String {
    if not_run > 0 {
        return format!("{} ran", counted(summary.cases, "case", "cases"));
    }
    let all = count(summary.cases.saturating_add(summary.skipped));
    format!("{} of {all} cases ran", count(summary.cases))
}

/// Says how many of the graded trials passed.
fn passed(summary: &Summary) -> Vec<Piece> {
    if summary.graded == 0 {
        let nothing = match summary.trials {
            0 => "nothing was run",
            _ => "nothing was graded",
        };
        return vec![Piece::new(Paint::Strong, nothing)];
    }
    let (passed, graded) = (summary.statuses.pass, summary.graded);
    let paint = if passed == graded {
        Paint::Good
    } else {
        Paint::Strong
    };
    let trials = counted(graded, "graded trial", "graded trials");
    match summary.pass_rate {
        // The share of those that ran would read as that of all cases.
        Some(_) if summary.skipped > 0 => {
            let passed = format!("{} of {trials} passed", count(passed));
            vec![Piece::plain(passed)]
        }
        Some(rate) => vec![
            Piece::new(paint, format!("{} passed", percent(rate))),
            Piece::plain(format!("{} of {trials}", count(passed))),
        ],
        None => {
            let passed = format!("{} of {} passed", count(passed), count(graded));
            vec![
                Piece::new(paint, passed),
                Piece::plain(format!("{} targets", summary.targets.len())),
            ]
        }
    }
}

const NOTHING_TO_GRADE_BY: &str = "No case has anything to grade by: add `expected_output`, `expected_outcome` or \
     `evaluators` to grade the answers.";

/// Says how many results are out of date.
pub(crate) fn outdated_results(number: u64) -> String {
    let results = match number {
        1 => "1 result is".to_owned(),
        number => format!("{} results are", count(number)),
    };
    format!("{results} of an earlier version of the cases, targets or settings.")
}

/// Returns true if nothing was graded because no case says how. In a dry run, judges are not asked.
fn has_nothing_to_grade_by(summary: &Summary) -> bool {
    let ungraded = summary.statuses.ungraded;
    ungraded > 0 && ungraded == summary.trials && summary.dry_run == 0
}

fn past(status: Status) -> &'static str {
    match status {
        Status::Pass => "passed",
        Status::Borderline => "borderline",
        Status::Fail => "failed",
        Status::Error => "errored",
        Status::Ungraded => "ungraded",
    }
}

fn statuses(page: &mut Page, summary: &Summary) {
    let mut pieces: Vec<Piece> = Vec::new();
    for status in Status::ALL {
        let number = summary.statuses.of(status);
        let shown = number > 0 || matches!(status, Status::Pass | Status::Fail | Status::Error);
        let paint = if number > 0 {
            Paint::of(status)
        } else {
            Paint::Faint
        };
        if shown {
            let text = format!("{} {}", count(number), past(status));
            pieces.push(Piece::new(paint, text));
        }
    }
    page.figures("trials", &pieces);
    let notes = [
        (summary.dry_run, "answered by a mock"),
        (summary.cached, "from the cache"),
        (summary.redacted, "with secrets removed"),
        (summary.retried, "took several attempts"),
        (summary.truncated, "truncated"),
        (summary.out_of_steps, "out of steps"),
    ];
    let notes = notes.iter().filter(|(number, _)| *number > 0);
    let notes: Vec<Piece> = notes
        .map(|(number, what)| Piece::plain(format!("{} {what}", count(*number))))
        .collect();
    if !notes.is_empty() {
        page.figures("of these", &notes);
    }
    if let Some(kept) = &summary.kept_workspaces {
        let text = match kept.count {
            1 => format!("1 kept: {}", one_line(&kept.first)),
            number => format!(
                "{} kept, the first: {}",
                count(number),
                one_line(&kept.first)
            ),
        };
        page.figures("workspaces", &[Piece::plain(text)]);
    }
}

fn write_scores(page: &mut Page, scores: &Scores, summary: &Summary) {
    let thresholds = &summary.pass_thresholds;
    let figure =
        |name: &str, value: f64| Piece::plain(format!("{name} {}", score_at(value, thresholds)));
    let averages = [("mean", scores.mean), ("median", scores.median)];
    let averages = averages
        .into_iter()
        .filter_map(|(name, value)| Some((name, value?)));
    let all = averages.chain([("min", scores.min), ("max", scores.max)]);
    let mut pieces: Vec<Piece> = all.map(|(name, value)| figure(name, value)).collect();
    let deviation = scores.standard_deviation;
    pieces.extend(deviation.map(|value| Piece::plain(format!("deviation {value:.3}"))));
    page.figures("score", &pieces);
    let bars = histogram(&scores.histogram, page.style());
    page.more_figures(&[Piece::plain(format!("0 {bars} 1"))]);
}

/// Draws one character per tenth, as high as its share of the highest; an empty tenth is a dot.
fn histogram(counts: &[u64; 10], style: Style) -> String {
    let levels: Vec<char> = if style.unicode {
        "▁▂▃▄▅▆▇█".chars().collect()
    } else {
        ".:-=+*#%".chars().collect()
    };
    let empty = if style.unicode { '·' } else { ' ' };
    let highest = counts.iter().copied().max().unwrap_or(0).max(1);
    let bar = |count: &u64| match count {
        0 => empty,
        _ => levels[(u128::from(*count) * 7 / u128::from(highest)) as usize],
    };
    counts.iter().map(bar).collect()
}

fn cost(page: &mut Page, summary: &Summary) {
    let costs = summary.costs.in_full();
    let mut pieces: Vec<Piece> = costs.into_iter().map(Piece::plain).collect();
    pieces.extend(summary.tokens.iter().flat_map(token_pieces));
    if !pieces.is_empty() {
        page.figures("cost", &pieces);
    }
    let mut pieces: Vec<Piece> = Vec::new();
    pieces.extend(summary.judge_tokens.iter().flat_map(token_pieces));
    for target in &summary.self_judged {
        let text = format!("{} graded its own answers", one_line(target));
        pieces.push(Piece::new(Paint::Nearly, text));
    }
    if !pieces.is_empty() {
        page.figures("judges", &pieces);
    }
    if let Some(sentence) = different_judges(&summary.different_judges, one_line) {
        page.sentence("judges", Paint::Nearly, &sentence);
    }
}

/// Names the judges of the targets if they differ, with `name` applied to each name; `None` if the targets
/// share them.
pub(crate) fn different_judges(
    targets: &[TargetJudges],
    name: fn(&str) -> String,
) -> Option<String> {
    let targets = targets.iter().take(MOST_JUDGED);
    let graded = targets.enumerate().map(|(at, one)| {
        let judges: Vec<String> = one.judges.iter().map(|judge| name(judge)).collect();
        let verb = if at == 0 { " was graded" } else { "" };
        format!("{}{verb} by {}", name(&one.target), judges.join(" and "))
    });
    let graded: Vec<String> = graded.collect();
    let graded = (!graded.is_empty()).then(|| graded.join(", "))?;
    Some(format!(
        "{graded}: scores of different judges cannot be compared"
    ))
}

/// The most targets that are named with their judges.
const MOST_JUDGED: usize = 10;

fn token_pieces(tokens: &Tokens) -> Vec<Piece> {
    let input = counted(tokens.input, "input token", "input tokens");
    let cached = (tokens.cached > 0).then(|| format!("{} of them cached", count(tokens.cached)));
    let output = counted(tokens.output, "output token", "output tokens");
    let texts = [Some(input), cached, Some(output)];
    texts.into_iter().flatten().map(Piece::plain).collect()
}
