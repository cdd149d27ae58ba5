//! The intervals of the figures of a run, in lines.

use super::page::{Page, Piece};
use super::score;
use crate::figures::percent;
use crate::run_statistics::{RunStatistics, TrialStatistics};
use agentv_statistics::Interval;

/// Writes the intervals of the pass rate and the mean score, and the figures of repeated trials.
pub(super) fn write(page: &mut Page, statistics: &RunStatistics) {
    let between = |interval: &Interval, figure: fn(f64) -> String| {
        format!("{} to {}", figure(interval.low), figure(interval.high))
    };
    let mut pieces = Vec::new();
    if let Some(rate) = &statistics.pass_rate {
        pieces.push(Piece::plain(format!(
            "pass rate {}",
            between(rate, percent)
        )));
    }
    // Equal scores have no interval worth showing.
    let mean = statistics.mean_score.as_ref();
    if let Some(mean) = mean.filter(|mean| mean.low < mean.high) {
        pieces.push(Piece::plain(format!("mean score {}", between(mean, score))));
    }
    if !pieces.is_empty() {
        pieces.push(Piece::plain("95% confidence"));
        page.figures("interval", &pieces);
    }
    if let Some(trials) = &statistics.trials {
        repeats(page, trials);
    }
}

fn repeats(page: &mut Page, trials: &TrialStatistics) {
    let mut pieces = Vec::new();
    if let Some(among) = trials.pass_among.last() {
        let k = among.k;
        pieces.push(Piece::plain(format!(
            "pass@{k} {}",
            percent(among.pass_at_k)
        )));
        pieces.push(Piece::plain(format!(
            "pass^{k} {}",
            percent(among.pass_hat_k)
        )));
    }
    if let Some(flakes) = &trials.flakes {
        let share = percent(flakes.flake_rate);
        pieces.push(Piece::plain(format!("{share} of cases flaky")));
    }
    if let Some(variance) = &trials.variance {
        pieces.push(Piece::plain(format!(
            "deviation {} between cases, {} within cases",
            score(variance.between.sqrt()),
            score(variance.within.sqrt())
        )));
    }
    if !pieces.is_empty() {
        page.figures("repeats", &pieces);
    }
}
