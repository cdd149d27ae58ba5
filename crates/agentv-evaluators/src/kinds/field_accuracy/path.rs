//! Paths of fields in JSON values, such as `invoice.lines[0].amount`.

use serde_json::Value;
use thiserror::Error;

/// A path from a value to a value inside it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Path(Vec<Step>);

#[derive(Debug, Clone, PartialEq, Eq)]
enum Step {
    /// The key of an object. A number is also an index of an array.
    Key(String),
    /// An index of an array.
    Index(usize),
}

/// The reason why a path cannot be read.
#[derive(Debug, PartialEq, Eq, Error)]
pub(super) enum PathError {
    #[error("expected the path of a field, such as `invoice.total`")]
    Empty,
    #[error("expected `.` or `[` before `{0}`")]
    NoSeparator(String),
    #[error("expected a name between the dots")]
    NoName,
    #[error("found a `]` without a `[`")]
    NotOpened,
    #[error("found a `[` without a `]`")]
    NoBracket,
    #[error("expected `{end}` after `{rest}`")]
    NotClosed { end: String, rest: String },
    #[error("expected a number in brackets, found `{0}`; write `[\"{0}\"]` for a key")]
    NotANumber(String),
}

impl Path {
    /// Parses a path: keys separated by dots, indexes in brackets, and quoted in brackets keys that
    /// contain dots or brackets (`["a.b"]`).
    ///
    /// # Errors
    /// Returns the problem in words.
    pub(super) fn parse(written: &str) -> Result<Path, PathError> {
        let mut steps = Vec::new();
        let mut rest = written;
        while !rest.is_empty() {
            let (step, after) = match rest.strip_prefix('[') {
                Some(inside) => bracketed(inside)?,
                None => key(rest, steps.is_empty())?,
            };
            steps.push(step);
            rest = after;
        }
        if steps.is_empty() {
            Err(PathError::Empty)
        } else {
            Ok(Path(steps))
        }
    }

    /// Returns the value at the path, if there is one.
    pub(super) fn find<'v>(&self, value: &'v Value) -> Option<&'v Value> {
        self.0.iter().try_fold(value, |value, step| match step {
            Step::Index(index) => value.as_array()?.get(*index),
            Step::Key(key) => match value {
                Value::Object(fields) => fields.get(key),
                Value::Array(items) => items.get(key.parse::<usize>().ok()?),
                _ => None,
            },
        })
    }
}

/// Reads a key, which begins with a dot unless it is the first step. Returns it with the rest.
fn key(rest: &str, is_first: bool) -> Result<(Step, &str), PathError> {
    let rest = match (is_first, rest.strip_prefix('.')) {
        (true, _) => rest,
        (false, Some(rest)) => rest,
        (false, None) => return Err(PathError::NoSeparator(rest.to_owned())),
    };
    let end = rest.find(['.', '[', ']']).unwrap_or(rest.len());
    let (key, after) = rest.split_at(end);
    if key.is_empty() {
        return Err(PathError::NoName);
    }
    if after.starts_with(']') {
        return Err(PathError::NotOpened);
    }
    Ok((Step::Key(key.to_owned()), after))
}

/// Reads a step in brackets. Returns it with the rest.
fn bracketed(inside: &str) -> Result<(Step, &str), PathError> {
    for quote in ['"', '\''] {
        let Some(quoted) = inside.strip_prefix(quote) else {
            continue;
        };
        let end = format!("{quote}]");
        let Some((key, after)) = quoted.split_once(&end) else {
            return Err(PathError::NotClosed {
                end,
                rest: quoted.to_owned(),
            });
        };
        return Ok((Step::Key(key.to_owned()), after));
    }
    let Some((index, after)) = inside.split_once(']') else {
        return Err(PathError::NoBracket);
    };
    let is_number = !index.is_empty() && index.bytes().all(|digit| digit.is_ascii_digit());
    match index.parse() {
        Ok(index) if is_number => Ok((Step::Index(index), after)),
        _ => Err(PathError::NotANumber(index.to_owned())),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn paths_lead_through_objects_and_arrays() {
        let value = json!({
            "invoice": {"lines": [{"amount": 5}, {"a.b": [[1, 2]]}]},
            "größe": 1,
        });
        for (path, expected) in [
            ("invoice.lines[0].amount", json!(5)),
            ("invoice.lines.0.amount", json!(5)),
            ("invoice.lines[1][\"a.b\"][0][1]", json!(2)),
            ("['invoice'].lines[0]", json!({"amount": 5})),
            ("größe", json!(1)),
        ] {
            let path = Path::parse(path).unwrap();
            assert_eq!(path.find(&value), Some(&expected), "{path:?}");
        }
        for path in ["invoice.total", "invoice.lines[2]", "invoice[0]", "größe.x"] {
            assert_eq!(Path::parse(path).unwrap().find(&value), None, "{path}");
        }
        assert_eq!(
            Path::parse("[1]").unwrap().find(&json!([1, 2])),
            Some(&json!(2))
        );
    }

    #[test]
    fn what_is_no_path_is_refused_in_words() {
        for (path, problem) in [
            ("", "expected the path of a field, such as `invoice.total`"),
            ("a..b", "expected a name between the dots"),
            (".a", "expected a name between the dots"),
            ("a.", "expected a name between the dots"),
            ("a[0", "found a `[` without a `]`"),
            ("a]", "found a `]` without a `[`"),
            ("a[0]b", "expected `.` or `[` before `b`"),
            (
                "a[x]",
                "expected a number in brackets, found `x`; write `[\"x\"]` for a key",
            ),
            (
                "a[-1]",
                "expected a number in brackets, found `-1`; write `[\"-1\"]` for a key",
            ),
            ("a[\"b]", "expected `\"]` after `b]`"),
        ] {
            assert_eq!(
                Path::parse(path).unwrap_err().to_string(),
                problem,
                "{path}"
            );
        }
    }
}
