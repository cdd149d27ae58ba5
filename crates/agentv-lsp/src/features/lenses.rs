//! A line above each case: its last score, and a button that runs it.

use agentv_core::{Score, Status};
use gen_lsp_types::{CodeLens, Command, Position, Range};
use serde_json::json;

use super::case_rows::case_rows;
use super::context::Context;
use super::last_scores::{CaseResults, LastScores, TargetResults};
use super::run_case::RUN_CASE;

/// The most targets whose results are named.
const NAMED: usize = 3;

/// Returns two lenses for each case.
pub(crate) fn lenses(context: &Context<'_>, scores: &mut LastScores) -> Vec<CodeLens> {
    let rows = case_rows(context);
    let file = &context.document.path;
    let results = scores.of(file, context.project);
    let mut lenses = Vec::new();
    for row in rows {
        let start = Position {
            line: row.line,
            character: 0,
        };
        let lens = |command: Command| CodeLens {
            range: Range { start, end: start },
            command: Some(command),
            data: None,
        };
        lenses.push(lens(Command {
            title: "▶ run this case".to_owned(),
            tooltip: None,
            command: RUN_CASE.to_owned(),
            arguments: Some(vec![json!(context.document.uri), json!(row.id)]),
        }));
        if let Some(case) = results.get(&row.id) {
            lenses.push(lens(Command {
                title: summary(case),
                tooltip: None,
                command: String::new(),
                arguments: None,
            }));
        }
    }
    lenses
}

/// Returns the last results of a case in words.
fn summary(case: &CaseResults) -> String {
    let named = case.iter().take(NAMED);
    let mut parts: Vec<String> = named
        .map(|(target, results)| format!("{} ({target})", of_target(results)))
        .collect();
    if let Some(more) = case.len().checked_sub(NAMED).filter(|more| *more > 0) {
        parts.push(format!("{more} more"));
    }
    parts.join(", ")
}

fn of_target(results: &TargetResults) -> String {
    if let [status] = results.statuses.as_slice() {
        return match results.scores.first() {
            Some(score) => format!("{} {}", status.as_str(), shown(*score, results)),
            None => status.as_str().to_owned(),
        };
    }
    let passed = results
        .statuses
        .iter()
        .filter(|status| **status == Status::Pass);
    let trials = format!("{} of {} passed", passed.count(), results.statuses.len());
    let scores = results.scores.iter().map(|score| (*score, 1.0));
    if results.scores.is_empty() {
        return trials;
    }
    let mean = Score::weighted_mean(scores);
    format!("{trials}, mean score {}", shown(mean, results))
}

/// Returns a score as tables show it. One below the threshold never looks like it.
fn shown(score: Score, results: &TargetResults) -> String {
    score.rounded(3, results.threshold)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn score(value: f64) -> Score {
        Score::new(value).unwrap()
    }

    #[test]
    fn a_score_below_the_threshold_does_not_look_like_it() {
        let results = TargetResults {
            statuses: vec![Status::Borderline],
            scores: vec![score(0.799_99)],
            ..TargetResults::default()
        };
        assert_eq!(of_target(&results), "borderline 0.799");
    }

    #[test]
    fn several_trials_are_counted_and_averaged() {
        let results = TargetResults {
            statuses: vec![Status::Pass, Status::Fail, Status::Error],
            scores: vec![score(1.0), score(0.5)],
            ..TargetResults::default()
        };
        assert_eq!(of_target(&results), "1 of 3 passed, mean score 0.750");
        let case = CaseResults::from([("echo".to_owned(), results)]);
        assert_eq!(summary(&case), "1 of 3 passed, mean score 0.750 (echo)");
    }
}
