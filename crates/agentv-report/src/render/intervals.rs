//! The intervals of the figures of a run, in lines.

use super::page::{Page, Piece};
use super::score;
use crate::figures::{percent, percent_range, score_range};
use crate::run_statistics::{RunStatistics, TargetFigures, TrialStatistics};
use crate::text::one_line;

/// Writes the intervals of the pass rate and the mean score, and the figures of repeated trials. If
/// there are several targets, each has its own line.
pub(super) fn write(page: &mut Page, statistics: &RunStatistics) {
    if let Some(figures) = &statistics.single {
        return write_target(page, None, figures);
    }
    for target in &statistics.targets {
        write_target(page, Some(&target.target), &target.figures);
    }
}

fn write_target(page: &mut Page, target: Option<&str>, figures: &TargetFigures) {
    let name = target.map(|name| Piece::plain(one_line(name)));
    let mut pieces = Vec::new();
    if let Some(rate) = &figures.pass_rate {
        let range = percent_range(rate.low, rate.high);
        pieces.push(Piece::plain(format!("pass rate {range}")));
    }
    if let Some(mean) = &figures.mean_score {
        let range = score_range(mean.low, mean.high);
        pieces.push(Piece::plain(format!("mean score {range}")));
    }
    if !pieces.is_empty() {
        pieces.push(Piece::plain("95% confidence"));
        pieces.splice(0..0, name.clone());
        page.figures("interval", &pieces);
    }
    if let Some(trials) = &figures.trials {
        repeats(page, name, trials);
    }
}

fn repeats(page: &mut Page, name: Option<Piece>, trials: &TrialStatistics) {
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
        pieces.splice(0..0, name);
        page.figures("repeats", &pieces);
    }
}
