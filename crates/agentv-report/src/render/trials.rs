//! The lists of a summary: targets, errors and notable trials.

use agentv_core::{PassThreshold, Score, TrialName};

use super::page::{Page, Piece, Row};
use crate::figures::{count, counted, milliseconds, money, percent};
use crate::style::{Paint, Style};
use crate::summary::{Summary, TargetSummary};
use crate::text::one_line;

/// The length of lists that only inform.
const FEW: usize = 3;

/// Writes the lists that are not empty.
pub(super) fn write(page: &mut Page, summary: &Summary) {
    let several = summary.targets.len() > 1;
    let name = |trial: &TrialName| trial_name(trial, several);
    if several {
        list(
            page,
            "targets",
            summary
                .targets
                .iter()
                .map(|one| target(one, &summary.pass_thresholds))
                .collect(),
        );
    }
    let mut files = summary.worst.iter().map(|trial| &trial.trial.eval_file);
    let first = files.next();
    let several_files = files.any(|file| Some(file) != first);
    let worst = summary.worst.iter().map(|trial| Row {
        figure: Piece::new(Paint::of(trial.status), {
            let threshold = trial.pass_threshold.unwrap_or_default();
            trial.score.rounded(3, threshold)
        }),
        name: if several_files {
            format!(
                "{} ({})",
                name(&trial.trial),
                one_line(&trial.trial.eval_file)
            )
        } else {
            name(&trial.trial)
        },
        remark: trial.reason.as_deref().map(one_line),
    });
    list(page, "worst", worst.collect());
    let rows = errors(summary, page.style());
    list(page, "errors", rows);
    list(page, "costliest", costliest(summary, name));
    let slowest = summary.slowest.iter().take(FEW).map(|trial| Row {
        figure: Piece::plain(milliseconds(trial.total_ms)),
        name: name(&trial.trial),
        remark: None,
    });
    list(page, "slowest", slowest.collect());
}

/// Returns nothing if all trials cost the same, because then none is notable.
fn costliest(summary: &Summary, name: impl Fn(&TrialName) -> String) -> Vec<Row> {
    let trials = &summary.costliest;
    let differ =
        trials.first().map(|trial| trial.cost_usd) != trials.last().map(|trial| trial.cost_usd);
    let shown = trials.iter().take(if differ { FEW } else { 0 });
    shown
        .map(|trial| Row {
            figure: Piece::plain(money(trial.cost_usd)),
            name: name(&trial.trial),
            remark: None,
        })
        .collect()
}

fn list(page: &mut Page, title: &str, rows: Vec<Row>) {
    if !rows.is_empty() {
        page.gap();
        page.rows(title, &rows);
    }
}

/// Returns a score as tables show it. One just below the default thresholds never reads as if it reached
/// them.
pub(crate) fn score(score: f64) -> String {
    score_at(score, &[])
}

/// Returns a score as tables show it. One just below a threshold, one of these or a default, never reads as
/// if it reached it.
pub(crate) fn score_at(score: f64, thresholds: &[PassThreshold]) -> String {
    let Some(score) = Score::new(score) else {
        return format!("{score:.3}");
    };
    let default = [PassThreshold::default()];
    let shown = default.iter().chain(thresholds);
    let shown = shown.map(|threshold| score.rounded(3, *threshold));
    // Rounding is down for the thresholds that need it, and to the nearest for the others.
    shown.min().unwrap_or_default()
}

fn trial_name(trial: &TrialName, several_targets: bool) -> String {
    let mut name = one_line(&trial.eval_id);
    if several_targets {
        name.push_str(" @ ");
        name.push_str(&one_line(&trial.target));
    }
    if trial.trial > 1 {
        name.push_str(&format!(" #{}", trial.trial));
    }
    name
}

fn target(target: &TargetSummary, thresholds: &[PassThreshold]) -> Row {
    let statuses = &target.statuses;
    let rate = target.pass_rate.map_or("not graded".to_owned(), percent);
    let mut remarks = vec![format!(
        "{} of {} passed",
        count(statuses.pass),
        count(statuses.graded())
    )];
    if statuses.error > 0 {
        remarks.push(format!("{} errored", count(statuses.error)));
    }
    if statuses.ungraded > 0 {
        remarks.push(format!("{} ungraded", count(statuses.ungraded)));
    }
    let mean = target.mean_score;
    remarks.extend(mean.map(|mean| format!("mean {}", score_at(mean, thresholds))));
    remarks.extend(target.costs.in_words());
    Row {
        figure: Piece::plain(rate),
        name: one_line(&target.target),
        remark: Some(remarks.join(", ")),
    }
}

fn errors(summary: &Summary, style: Style) -> Vec<Row> {
    let row = |times: u64, name: &str, remark: Option<String>| Row {
        figure: Piece::new(Paint::Broken, format!("{} x", count(times))),
        name: name.to_owned(),
        remark,
    };
    let groups = summary.errors.iter().map(|group| {
        let message = group.message.replace('…', style.ellipsis());
        row(group.count, group.stage.as_str(), Some(one_line(&message)))
    });
    let shown: u64 = summary.errors.iter().map(|group| group.count).sum();
    let others = summary.statuses.error.saturating_sub(shown);
    let others = (others > 0).then(|| row(others, &counted(others, "other", "others"), None));
    groups.chain(others).collect()
}
