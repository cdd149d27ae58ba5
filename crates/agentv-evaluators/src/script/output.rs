//! Reading the grade that a script prints.

use agentv_core::{Evaluation, PassThreshold, Score, Verdict};
use serde_json::{Map, Value};
use thiserror::Error;

use crate::json::repeated_key;
use crate::words::{quoted, shown};

/// The maximum nesting of `details`. Deeper ones could not be read back from a record.
const DEEPEST_DETAILS: usize = 64;
/// The maximum number of lines that are tried as the start of the result.
const MOST_BEGINNINGS: usize = 1_000;

/// The reason why a script's output is not a grade. The message continues "the script …".
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum OutputError {
    /// There is no output.
    #[error("printed nothing, expected a JSON object with `score`")]
    Nothing,
    /// The output is JSON, but not an object.
    #[error("printed {found}, expected a JSON object with `score`")]
    NotAnObject {
        /// The start of the output.
        found: String,
    },
    /// The output does not end with an object.
    #[error("did not print a valid JSON object: {0}")]
    NotJson(#[source] serde_json::Error),
    /// There are several objects with a score.
    #[error("printed several results, expected one")]
    SeveralResults,
    /// An object has the same key twice.
    #[error("printed JSON with the duplicate key {key}")]
    RepeatedKey {
        /// The key, quoted.
        key: String,
    },
    /// The object has no score.
    #[error("printed an object without `score`")]
    NoScore,
    /// A field has a value of the wrong type.
    #[error("printed an invalid `{name}`: expected {expected}, found {found}")]
    InvalidField {
        /// The name of the field.
        name: &'static str,
        /// The expected type, in words.
        expected: &'static str,
        /// The value.
        found: String,
    },
    /// The details are nested too deeply to be read back from a record.
    #[error("printed `details` that are nested more than {DEEPEST_DETAILS} levels deep")]
    DeepDetails,
}

/// Reads the evaluation that a script printed: one JSON object, alone or after other lines.
///
/// # Errors
/// Returns the reason why the output is not a grade.
pub fn read(stdout: &str) -> Result<Evaluation, OutputError> {
    evaluation(printed(stdout)?)
}

/// Reads the evaluation that a script of AgentV 4 printed: `assertions` in place of hits and misses. If
/// there is no score, the share of assertions that passed is the score, or `pass`.
///
/// # Errors
/// Returns the reason why the output is not a grade.
pub(crate) fn read_assertions(stdout: &str) -> Result<Evaluation, OutputError> {
    let mut printed = match printed(stdout) {
        Ok(printed) => printed,
        // There, a script that succeeds and prints no grade has passed the answer.
        Err(OutputError::Nothing | OutputError::NotJson(_) | OutputError::NotAnObject { .. }) => {
            let said = stdout.trim();
            let fact = if said.is_empty() {
                "the script succeeded".to_owned()
            } else {
                quoted(said)
            };
            return Ok(Evaluation::check(true, fact));
        }
        Err(error) => return Err(error),
    };
    let Some(Value::Array(assertions)) = printed.shift_remove("assertions") else {
        if let (None, Some(Value::Bool(pass))) = (printed.get("score"), printed.get("pass")) {
            printed.insert("score".to_owned(), Value::from(u8::from(*pass)));
        }
        return evaluation(printed);
    };
    let (hits, misses): (Vec<_>, Vec<_>) = assertions
        .iter()
        .partition(|it| it.get("passed").and_then(Value::as_bool) == Some(true));
    let text = |it: &&Value| {
        let text = it.get("text")?.as_str()?;
        let evidence = it.get("evidence").and_then(Value::as_str);
        Some(evidence.map_or(text.to_owned(), |evidence| format!("{text}: {evidence}")))
    };
    if !printed.contains_key("score") && !assertions.is_empty() {
        let share = hits.len() as f64 / assertions.len() as f64;
        printed.insert("score".to_owned(), Value::from(share));
    }
    let mut evaluation = evaluation(printed)?;
    evaluation.hits.extend(hits.iter().filter_map(text));
    evaluation.misses.extend(misses.iter().filter_map(text));
    Ok(evaluation)
}

/// Reads the evaluation that an aggregator's script printed. Its `verdict` replaces that of the
/// score, and one that is worse fails the case.
///
/// # Errors
/// Returns the reason why the output is not a grade.
pub(crate) fn read_decision(
    stdout: &str,
    threshold: PassThreshold,
) -> Result<Evaluation, OutputError> {
    let printed = printed(stdout)?;
    let decided = verdict(printed.get("verdict"))?;
    let mut evaluation = evaluation(printed)?;
    if let Some(decided) = decided {
        let of_score = evaluation.score.verdict(threshold);
        let is_worse = decided < of_score;
        if decided != of_score {
            let findings = if is_worse {
                &mut evaluation.misses
            } else {
                &mut evaluation.hits
            };
            let (own, other) = (decided.as_str(), of_score.as_str());
            let said = format!("the aggregator decided `{own}`, and not `{other}` by the score");
            findings.insert(0, said);
        }
        evaluation.lacks_required = is_worse && decided == Verdict::Fail;
        evaluation.verdict = Some(decided);
    }
    Ok(evaluation)
}

/// Returns the object that a script printed.
fn printed(stdout: &str) -> Result<Map<String, Value>, OutputError> {
    // Some programs start their output with a byte-order mark.
    let stdout = stdout.strip_prefix('\u{feff}').unwrap_or(stdout);
    object(stdout.trim())
}

fn evaluation(mut printed: Map<String, Value>) -> Result<Evaluation, OutputError> {
    let score = score(printed.get("score"))?;
    let mut texts = |name: &str| texts(printed.shift_remove(name));
    let (hits, misses) = (texts("hits"), texts("misses"));
    let reasoning = printed.shift_remove("reasoning").and_then(text);
    let details = printed.shift_remove("details");
    let details = details.filter(|details| !details.is_null());
    if details
        .as_ref()
        .is_some_and(|it| depth(it) > DEEPEST_DETAILS)
    {
        return Err(OutputError::DeepDetails);
    }
    Ok(Evaluation {
        hits,
        misses,
        reasoning,
        details,
        ..Evaluation::of(score)
    })
}

/// Returns the object that is the whole of `text`, or its last lines.
fn object(text: &str) -> Result<Map<String, Value>, OutputError> {
    if text.is_empty() {
        return Err(OutputError::Nothing);
    }
    match serde_json::from_str(text) {
        Ok(Value::Object(fields)) => with_every_key_once(text, fields),
        Ok(other) => Err(OutputError::NotAnObject {
            found: shown(&other),
        }),
        Err(error) => match last_object(text) {
            Some((before, _)) if has_result(before) => Err(OutputError::SeveralResults),
            Some((before, fields)) => with_every_key_once(&text[before.len()..], fields),
            None => Err(OutputError::NotJson(error)),
        },
    }
}

/// Returns the fields of the object in `text`, unless a key is repeated, which would lose a value.
fn with_every_key_once(
    text: &str,
    fields: Map<String, Value>,
) -> Result<Map<String, Value>, OutputError> {
    match repeated_key(text) {
        Some(key) => Err(OutputError::RepeatedKey { key: quoted(&key) }),
        None => Ok(fields),
    }
}

/// Finds the object in the last lines of a text. Returns the text before it, and the object. There
/// is at most one, since the end of an object is never another object.
fn last_object(text: &str) -> Option<(&str, Map<String, Value>)> {
    let begins = |at: &usize| {
        let line = text[*at..].lines().next().unwrap_or_default();
        line.trim_start().starts_with('{')
    };
    let after = |(end, _)| end + 1;
    let from_end = text.rmatch_indices('\n').map(after).filter(begins);
    let from_start = text.match_indices('\n').map(after).filter(begins);
    let mut starts = from_end
        .take(MOST_BEGINNINGS)
        .chain(from_start.take(MOST_BEGINNINGS));
    starts.find_map(|start| {
        let fields = serde_json::from_str(&text[start..]).ok()?;
        Some((&text[..start], fields))
    })
}

/// Returns true if a result starts on some line of a text, outside of other values.
fn has_result(text: &str) -> bool {
    let mut at = 0;
    for _ in 0..MOST_BEGINNINGS {
        let rest = &text[at..];
        let mut values = serde_json::Deserializer::from_str(rest).into_iter::<Value>();
        let read = match values.next() {
            Some(Ok(value)) if value.get("score").is_some() => return true,
            Some(Ok(value)) if value.is_object() || value.is_array() => values.byte_offset(),
            _ => 0,
        };
        let Some(end) = rest[read..].find('\n') else {
            return false;
        };
        at += read + end + 1;
    }
    false
}

fn score(score: Option<&Value>) -> Result<Score, OutputError> {
    let Some(score) = score else {
        return Err(OutputError::NoScore);
    };
    // A score of 40 may mean 0.4 or full marks, so it is refused.
    let value = score.as_f64().and_then(Score::new);
    value.ok_or_else(|| wrong("score", "a number from 0 to 1", score))
}

fn verdict(verdict: Option<&Value>) -> Result<Option<Verdict>, OutputError> {
    let Some(verdict) = verdict.filter(|verdict| !verdict.is_null()) else {
        return Ok(None);
    };
    let word = verdict.as_str().unwrap_or_default().trim();
    let known = match word.to_ascii_lowercase().as_str() {
        "pass" => Verdict::Pass,
        "borderline" => Verdict::Borderline,
        "fail" => Verdict::Fail,
        _ => return Err(wrong("verdict", "pass, borderline or fail", verdict)),
    };
    Ok(Some(known))
}

/// Reads a list of texts, or a single one. Blank texts are dropped.
fn texts(value: Option<Value>) -> Vec<String> {
    match value {
        Some(Value::Array(items)) => items.into_iter().filter_map(text).collect(),
        Some(alone) => text(alone).into_iter().collect(),
        None => Vec::new(),
    }
}

/// Returns a text that is not blank. A value of another type becomes its JSON.
fn text(value: Value) -> Option<String> {
    match value {
        Value::Null => None,
        Value::String(text) => Some(text).filter(|text| !text.trim().is_empty()),
        other => Some(other.to_string()),
    }
}

fn wrong(name: &'static str, expected: &'static str, found: &Value) -> OutputError {
    OutputError::InvalidField {
        name,
        expected,
        found: shown(found),
    }
}

/// Returns the nesting depth of a value.
fn depth(value: &Value) -> usize {
    let inside = match value {
        Value::Array(items) => items.iter().map(depth).max(),
        Value::Object(fields) => fields.values().map(depth).max(),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => return 0,
    };
    1 + inside.unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use serde_json::json;

    #[test]
    fn a_grade_is_read_and_its_details_are_left_alone() {
        let details = r#"{"zebra":1,"aCamel":[{"b":null,"a":0.1}],"" :"x"}"#;
        let printed = format!(
            r#"{{"score": 0.5, "hits": ["a"], "misses": "alone", "reasoning": "so", "details": {details}}}"#
        );
        let read = read(&printed).unwrap();
        assert_eq!(read.score.value(), 0.5);
        assert_eq!(read.hits, ["a"]);
        assert_eq!(read.misses, ["alone"]);
        assert_eq!(read.reasoning.as_deref(), Some("so"));
        let kept = read.details.unwrap().to_string();
        assert_eq!(kept, r#"{"zebra":1,"aCamel":[{"b":null,"a":0.1}],"":"x"}"#);
    }

    #[test]
    fn a_score_beyond_the_ends_is_an_error_and_never_clamped() {
        for printed in ["40", "-3", "1e300", "1.0000001", "-0.1"] {
            let refused = read(&format!(r#"{{"score": {printed}}}"#)).unwrap_err();
            let words = "printed an invalid `score`: expected a number from 0 to 1, found ";
            assert!(refused.to_string().starts_with(words), "{refused}");
        }
        let zero = read(r#"{"score": -0.0}"#).unwrap();
        assert_eq!(zero.score.value().to_string(), "0");
    }

    #[test]
    fn the_verdict_of_an_aggregator_counts_and_a_worse_one_fails_the_case() {
        let threshold = PassThreshold::default();
        for (printed, verdict, fails) in [
            (r#"{"score": 0.9}"#, Verdict::Pass, false),
            (r#"{"score": 0.9, "verdict": "fail"}"#, Verdict::Fail, true),
            (
                r#"{"score": 0.9, "verdict": "borderline"}"#,
                Verdict::Borderline,
                false,
            ),
            (r#"{"score": 0.2, "verdict": "fail"}"#, Verdict::Fail, false),
            (r#"{"score": 0.2, "verdict": "Pass"}"#, Verdict::Pass, false),
            (r#"{"score": 0.2, "verdict": null}"#, Verdict::Fail, false),
        ] {
            let read = read_decision(printed, threshold).unwrap();
            let found = (read.verdict_at(threshold), read.lacks_required);
            assert_eq!(found, (verdict, fails), "{printed}");
        }
        let wrong = read_decision(r#"{"score": 1, "verdict": "ok"}"#, threshold).unwrap_err();
        let words = "printed an invalid `verdict`: expected pass, borderline or fail, found \"ok\"";
        assert_eq!(wrong.to_string(), words);
        assert_eq!(
            read(r#"{"score": 1, "verdict": "fail"}"#).unwrap().verdict,
            None
        );
    }

    #[test]
    fn texts_of_other_types_become_text_and_blank_ones_are_dropped() {
        let read = read(
            r#"{"score": 1, "hits": [1, "", " ", null, {"a": []}], "misses": 2.5, "reasoning": 5}"#,
        );
        let read = read.unwrap();
        assert_eq!(read.hits, ["1", r#"{"a":[]}"#]);
        assert_eq!(read.misses, ["2.5"]);
        assert_eq!(read.reasoning.as_deref(), Some("5"));
    }

    #[test]
    fn lines_before_the_result_do_not_matter() {
        for text in [
            "loading\n{\"score\": 1}\n",
            "{ this is a log }\n{\"level\": \"debug\"}\n{\n  \"score\": 1,\n  \"details\":\n  {\"score\": 0}\n}\n\n",
            "[\n{\"score\": 0}\n]\nseen\n{\"score\": 1}",
            "[1, 2]\r\n{\"score\": 1}\r\n",
            "\u{feff}{\"score\": 1}",
        ] {
            assert_eq!(read(text).unwrap().score.value(), 1.0, "{text}");
        }
    }

    #[test]
    fn what_is_no_result_is_said_in_words() {
        for (text, why) in [
            ("", "printed nothing"),
            ("0.5", "printed 0.5, expected a JSON object"),
            ("fine", "did not print a valid JSON object: expected"),
            (r#"{"score": NaN}"#, "did not print a valid JSON object"),
            (r#"{"score": 1e999}"#, "did not print a valid JSON object"),
            (
                r#"{"score": "0.5"}"#,
                "invalid `score`: expected a number from 0 to 1, found \"0.5\"",
            ),
            (
                r#"{"score": true}"#,
                "invalid `score`: expected a number from 0 to 1, found true",
            ),
            (
                r#"{"score": null}"#,
                "invalid `score`: expected a number from 0 to 1, found null",
            ),
            (r#"{"hits": []}"#, "printed an object without `score`"),
            ("{\"score\": 1}\n{\"score\": 0}", "printed several results"),
            (r#"{"score": 1, "score": 0}"#, "the duplicate key `score`"),
            (
                "so:\n{\"score\": 1, \"details\": [{\"a\": 1, \"\\u0061\": 2}]}",
                "the duplicate key `a`",
            ),
            (
                "{\n\"score\": 1\n}\nx\n{\n\"score\": 0\n}",
                "printed several results",
            ),
            (
                "{\"score\": 1}\nbye",
                "did not print a valid JSON object: trailing characters",
            ),
        ] {
            let wrong = read(text).unwrap_err().to_string();
            assert!(wrong.contains(why), "{text}: {wrong}");
        }
    }

    #[test]
    fn details_that_no_record_could_hold_are_refused() {
        let nested = |levels| format!("{}{}", "[".repeat(levels), "]".repeat(levels));
        let printed = |levels| format!(r#"{{"score": 1, "details": {}}}"#, nested(levels));
        assert!(read(&printed(64)).is_ok());
        let refused = read(&printed(65)).unwrap_err();
        assert!(matches!(refused, OutputError::DeepDetails), "{refused}");
    }

    #[test]
    fn a_long_log_of_objects_takes_no_time() {
        let log = "{\"level\": [\n".repeat(800_000);
        assert!(read(&log).is_err());
        let results = format!("{}{{\"score\": 1}}", "{}\n".repeat(1_000_000));
        assert_eq!(read(&results).unwrap().score, Score::ONE);
    }

    proptest! {
        #[test]
        fn no_output_makes_it_panic(text in any::<String>()) {
            let _ = read(&text);
        }

        #[test]
        fn any_result_is_found_after_any_prose(
            before in "[a-z ,.\n]{0,80}", score in 0.0..=1.0f64, pretty in any::<bool>(), text in any::<String>(),
        ) {
            let result = json!({"score": score, "reasoning": text, "details": [text]});
            let result = if pretty { serde_json::to_string_pretty(&result).unwrap() } else { result.to_string() };
            let read = read(&format!("{before}\n{result}\n")).unwrap();
            prop_assert_eq!(read.score.value(), score);
            prop_assert_eq!(read.details, Some(json!([text])));
        }
    }
}
