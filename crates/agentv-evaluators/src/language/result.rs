//! The grade that the user's code returned.

use agentv_core::{Evaluation, Score, Verdict};
use serde_json::{Map, Value};
use thiserror::Error;

/// A result that is not a grade.
#[derive(Debug, Error, PartialEq)]
pub(super) enum ResultError {
    #[error("the code printed no result: `{0}`")]
    NoResult(String),
    #[error(
        "the code returned {0}; return true or false, a score from 0 to 1, or an object with `pass` and `score`"
    )]
    NotAGrade(String),
    #[error("the code returned the score {0}, which is not from 0 to 1")]
    OutOfRange(f64),
}

/// Reads the grade from what the program printed. A score passes from `threshold` on, or above 0. An object
/// says itself whether it passes; if `limits_objects`, it must reach the threshold, too.
pub(super) fn read(
    printed: &str,
    threshold: Option<f64>,
    limits_objects: bool,
) -> Result<Evaluation, ResultError> {
    let not_printed = || ResultError::NoResult(printed.chars().take(200).collect());
    let parsed: Value = serde_json::from_str(printed.trim()).map_err(|_| not_printed())?;
    match parsed.get("result").ok_or_else(not_printed)? {
        Value::Bool(passes) => Ok(Evaluation {
            score: if *passes { Score::ONE } else { Score::ZERO },
            ..decided(*passes)
        }),
        Value::Number(number) => {
            let score = score_of(number.as_f64().unwrap_or(f64::NAN))?;
            let passes = reaches(score, threshold);
            Ok(Evaluation {
                score,
                ..decided(passes)
            })
        }
        Value::Object(grade) => of_object(grade, threshold.filter(|_| limits_objects)),
        other => Err(ResultError::NotAGrade(
            other.to_string().chars().take(60).collect(),
        )),
    }
}

fn reaches(score: Score, threshold: Option<f64>) -> bool {
    match threshold {
        Some(threshold) => score.value() >= threshold,
        None => score.value() > 0.0,
    }
}

fn score_of(number: f64) -> Result<Score, ResultError> {
    Score::new(number).ok_or(ResultError::OutOfRange(number))
}

/// Returns an evaluation that passes or fails whatever its score.
fn decided(passes: bool) -> Evaluation {
    let verdict = if passes { Verdict::Pass } else { Verdict::Fail };
    let said = format!(
        "the code returned {}",
        if passes { "a pass" } else { "a failure" }
    );
    Evaluation {
        verdict: Some(verdict),
        ..Evaluation::check(passes, said)
    }
}

fn of_object(
    grade: &Map<String, Value>,
    threshold: Option<f64>,
) -> Result<Evaluation, ResultError> {
    let field = |names: [&str; 2]| names.iter().find_map(|name| grade.get(*name));
    let Some(passes) = field(["pass", "pass_"]).and_then(Value::as_bool) else {
        let shown = Value::Object(grade.clone()).to_string();
        return Err(ResultError::NotAGrade(shown.chars().take(60).collect()));
    };
    let score = match grade.get("score").and_then(Value::as_f64) {
        Some(score) => score_of(score)?,
        None if passes => Score::ONE,
        None => Score::ZERO,
    };
    let passes = passes && threshold.is_none_or(|threshold| score.value() >= threshold);
    let mut evaluation = decided(passes);
    evaluation.score = score;
    if let Some(reason) = grade
        .get("reason")
        .and_then(Value::as_str)
        .filter(|it| !it.is_empty())
    {
        let findings = if passes {
            &mut evaluation.hits
        } else {
            &mut evaluation.misses
        };
        *findings = vec![reason.to_owned()];
        evaluation.reasoning = Some(reason.to_owned());
    }
    let mut details = grade.clone();
    for known in ["pass", "pass_", "score", "reason"] {
        details.shift_remove(known);
    }
    evaluation.details = (!details.is_empty()).then_some(Value::Object(details));
    Ok(evaluation)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read_result(result: &str, threshold: Option<f64>) -> Result<(f64, Verdict), ResultError> {
        let printed = format!("{{\"result\":{result}}}");
        let evaluation = read(&printed, threshold, true)?;
        Ok((evaluation.score.value(), evaluation.verdict.unwrap()))
    }

    #[test]
    fn truth_scores_and_objects_are_grades() {
        for (result, threshold, expected) in [
            ("true", None, (1.0, Verdict::Pass)),
            ("false", None, (0.0, Verdict::Fail)),
            ("0.1", None, (0.1, Verdict::Pass)),
            ("0", None, (0.0, Verdict::Fail)),
            ("0.4", Some(0.5), (0.4, Verdict::Fail)),
            ("0", Some(0.0), (0.0, Verdict::Pass)),
            (r#"{"pass": true}"#, None, (1.0, Verdict::Pass)),
            (
                r#"{"pass": true, "score": 0.3}"#,
                None,
                (0.3, Verdict::Pass),
            ),
            (
                r#"{"pass": true, "score": 0.3}"#,
                Some(0.5),
                (0.3, Verdict::Fail),
            ),
            (
                r#"{"pass_": false, "score": 0.9}"#,
                None,
                (0.9, Verdict::Fail),
            ),
        ] {
            assert_eq!(read_result(result, threshold), Ok(expected), "{result}");
        }
    }

    #[test]
    fn anything_else_is_an_error_and_never_a_score() {
        for result in ["null", "\"yes\"", "[1]", "{\"score\": 1}", "1.5", "-1"] {
            assert!(read_result(result, None).is_err(), "{result}");
        }
        assert!(read("", None, false).is_err());
    }
}
