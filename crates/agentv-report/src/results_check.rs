//! The problems of a file of results that a person wrote or edited, by line and field.

use std::fmt;
use std::fs;
use std::io::{Read, Seek, SeekFrom};
use std::path::Path;

use agentv_core::ResultRecord;
use agentv_journal::{Damage, Ending, FileError, Line, MAX_LINE, Reader, open_to_read};
use serde_json::{Map, Value, json};

/// The largest number of problems that are kept.
const SHOWN: usize = 5;

/// The results that a file has, and the problems with the others.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ResultsCheck {
    /// The number of results that can be read.
    pub readable: u64,
    /// The first problems.
    pub problems: Vec<ResultsProblem>,
    /// The number of further problems.
    pub more: u64,
}

/// A part of a file that is not a result.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ResultsProblem {
    /// The line, from 1.
    pub line: u64,
    /// The problem, with the name of the field.
    pub problem: String,
}

impl fmt::Display for ResultsProblem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "line {}: {}", self.line, self.problem)
    }
}

impl ResultsCheck {
    /// Checks a file with one result per line, or with an array of results if its name ends in `.json`.
    ///
    /// # Errors
    /// Fails if the file cannot be read.
    pub fn of_file(path: &Path) -> Result<ResultsCheck, FileError> {
        let is_array = path
            .extension()
            .is_some_and(|extension| extension.eq_ignore_ascii_case("json"));
        if is_array {
            let text = fs::read_to_string(path).map_err(unreadable(path))?;
            return Ok(of_array(&text));
        }
        let mut check = ResultsCheck::default();
        open_to_read(path).map_err(unreadable(path))?;
        for line in Reader::<ResultRecord>::with_ending(path, Ending::Finished)? {
            match line? {
                Line::Record(_) => check.readable += 1,
                Line::Damaged(damage) => {
                    let problem = if check.problems.len() < SHOWN {
                        problem_of_line(path, &damage)
                    } else {
                        String::new()
                    };
                    check.add(damage.line, problem);
                }
            }
        }
        Ok(check)
    }

    fn add(&mut self, line: u64, problem: String) {
        if self.problems.len() < SHOWN {
            self.problems.push(ResultsProblem { line, problem })
        } else {
            self.more += 1
        }
    }
}

fn unreadable(path: &Path) -> impl Fn(std::io::Error) -> FileError {
    let path = path.to_owned();
    move |source| FileError {
        action: "read",
        path: path.clone(),
        source,
    }
}

/// Checks an array of results, or an object with the field `results`.
fn of_array(text: &str) -> ResultsCheck {
    let mut check = ResultsCheck::default();
    let value = match serde_json::from_str::<Value>(text) {
        Ok(value) => value,
        Err(error) => {
            check.add(error.line() as u64, format!("not JSON: {error}"));
            return check;
        }
    };
    let results = match &value {
        Value::Array(results) => Some(results),
        Value::Object(fields) => fields.get("results").and_then(Value::as_array),
        _ => None,
    };
    let Some(results) = results else {
        let problem = "expected an array of results, or an object with `results`";
        check.add(1, problem.to_owned());
        return check;
    };
    for (index, result) in results.iter().enumerate() {
        match problem_of(result.clone()) {
            None => check.readable += 1,
            Some(problem) => {
                let number = index + 1;
                check.add(line_of(text, index), format!("result {number}: {problem}"));
            }
        }
    }
    check
}

/// Returns the line on which an element of the first array of results begins.
fn line_of(text: &str, index: usize) -> u64 {
    let array = if text.trim_start().starts_with('[') {
        text.find('[')
    } else {
        text.find("\"results\"")
            .and_then(|at| Some(at + text[at..].find('[')?))
    };
    let mut at = array.map_or(0, |at| at + 1);
    for _ in 0..index {
        let mut elements = serde_json::Deserializer::from_str(&text[at..]).into_iter::<Value>();
        let _ = elements.next();
        at += elements.byte_offset();
        at += text[at..].find(',').map_or(0, |comma| comma + 1);
    }
    at += text[at..].len() - text[at..].trim_start().len();
    1 + text[..at].bytes().filter(|byte| *byte == b'\n').count() as u64
}

fn problem_of_line(path: &Path, damage: &Damage) -> String {
    let read = || -> std::io::Result<String> {
        let mut file = open_to_read(path)?;
        file.seek(SeekFrom::Start(damage.offset))?;
        let mut text = String::new();
        let length = damage.length.min(MAX_LINE);
        file.take(length).read_to_string(&mut text)?;
        Ok(text)
    };
    let value = read()
        .ok()
        .and_then(|text| serde_json::from_str::<Value>(&text).ok());
    let problem = value.and_then(problem_of);
    problem.unwrap_or_else(|| format!("not JSON: {}", damage.reason))
}

/// Returns the reason why a value is not a result, with the name of the field.
fn problem_of(value: Value) -> Option<String> {
    let Value::Object(fields) = value else {
        return Some("expected an object with the fields of a result".to_owned());
    };
    let (fields, missing) = with_missing(fields);
    let wrong = wrong_field(&fields);
    let missing = (!missing.is_empty()).then(|| format!("missing {}", missing.join(", ")));
    let found: Vec<String> = missing.into_iter().chain(wrong).collect();
    (!found.is_empty()).then(|| found.join("; "))
}

/// Adds the fields that every result has, and returns the names of those that were missing.
fn with_missing(mut fields: Map<String, Value>) -> (Map<String, Value>, Vec<String>) {
    let required = json!({
        "timestamp": "", "eval_file": "", "eval_id": "", "dataset": "", "target": "", "trial": 1,
        "status": "ungraded", "attempts": 1, "answer_key": "", "grade_key": "",
    });
    let mut missing = Vec::new();
    for (name, value) in required.as_object().into_iter().flatten() {
        if !fields.contains_key(name) {
            missing.push(format!("`{name}`"));
            fields.insert(name.clone(), value.clone());
        }
    }
    (fields, missing)
}

/// Returns the field that does not have its form, and why: without it, the error is another or none.
fn wrong_field(fields: &Map<String, Value>) -> Option<String> {
    let read = |fields: Map<String, Value>| {
        serde_json::from_value::<ResultRecord>(Value::Object(fields)).map_err(|e| e.to_string())
    };
    let error = read(fields.clone()).err()?;
    let shown = in_plain_words(&error);
    let is_cause = |name: &&String| {
        let mut others = fields.clone();
        others.remove(name.as_str());
        read(others).err().as_ref() != Some(&error)
    };
    match fields.keys().find(is_cause) {
        Some(name) => Some(format!("`{name}`: {shown}")),
        None => Some(shown),
    }
}

/// Replaces the names of Rust's types in an error.
fn in_plain_words(error: &str) -> String {
    let words = [
        ("expected f64", "expected a number"),
        ("expected u64", "expected a whole number that is 0 or more"),
        ("expected u32", "expected a whole number that is 0 or more"),
        ("expected struct ", "expected an object: "),
        ("expected a sequence", "expected an array"),
        ("expected a map", "expected an object"),
        ("invalid type: ", "found "),
        ("invalid value: ", "found "),
    ];
    words.iter().fold(error.to_owned(), |text, (name, word)| {
        text.replace(name, word)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::samples::graded;

    fn told(name: &str, text: &str) -> (u64, Vec<String>) {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join(name);
        fs::write(&path, text).unwrap();
        let check = ResultsCheck::of_file(&path).unwrap();
        let problems = check.problems.iter().map(ToString::to_string);
        (check.readable, problems.collect())
    }

    #[test]
    fn a_wrong_line_is_reported_with_its_number_and_field() {
        let good = serde_json::to_string(&graded("a", 1.0)).unwrap();
        let wrong = good.replace("\"score\":1.0", "\"score\":\"high\"");
        let short = r#"{"eval_id": "a", "status": "pass", "score": 1}"#;
        let text = format!("{good}\n{wrong}\n\n{short}\nnonsense\n[1]\n");
        let (readable, problems) = told("results.jsonl", &text);
        assert_eq!(readable, 1);
        assert!(
            problems[0] == "line 2: `score`: found string \"high\", expected a number",
            "{problems:?}"
        );
        assert_eq!(
            problems[1],
            "line 4: missing `timestamp`, `eval_file`, `dataset`, `target`, `trial`, `attempts`, \
             `answer_key`, `grade_key`"
        );
        assert!(
            problems[2].starts_with("line 5: not JSON: "),
            "{problems:?}"
        );
        assert_eq!(
            problems[3],
            "line 6: expected an object with the fields of a result"
        );
    }

    #[test]
    fn a_wrong_result_in_an_array_is_reported_with_its_line() {
        let good = serde_json::to_string_pretty(&graded("a, [b]", 1.0)).unwrap();
        let wrong = good.replace("\"status\": \"pass\"", "\"status\": \"great\"");
        let lines = good.lines().count() as u64;
        for (before, after) in [("[\n", "\n]"), ("{\"x\": 1, \"results\": [\n", "\n]}")] {
            let text = format!("{before}{good},\n{wrong},\n{good}{after}");
            let (readable, problems) = told("results.json", &text);
            assert_eq!(readable, 2);
            let start = format!("line {}: result 2: `status`: unknown variant", lines + 2);
            assert!(problems[0].starts_with(&start), "{problems:?}");
        }
        let (_, problems) = told("results.json", "{\"a\": 1}");
        assert_eq!(
            problems,
            ["line 1: expected an array of results, or an object with `results`"]
        );
    }

    #[test]
    fn many_problems_are_counted() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("results.jsonl");
        fs::write(&path, "x\n".repeat(9)).unwrap();
        let check = ResultsCheck::of_file(&path).unwrap();
        assert_eq!((check.problems.len(), check.more), (5, 4));
    }
}
