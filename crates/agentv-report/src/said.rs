//! The verdict of an evaluator, in one number.

use agentv_core::{PassThreshold, Score, Verdict};

/// The verdicts of an evaluator, as pages name them.
pub const SAID: [&str; 5] = ["pass", "borderline", "fail", "error", "skipped"];

/// Returns the verdict of an evaluator as an index into [`SAID`].
pub fn said(score: Option<Score>, verdict: Option<Verdict>, is_skipped: bool) -> u8 {
    match score {
        Some(score) => match verdict.unwrap_or(score.verdict(PassThreshold::default())) {
            Verdict::Pass => 0,
            Verdict::Borderline => 1,
            Verdict::Fail => 2,
        },
        None if is_skipped => 4,
        None => 3,
    }
}
